#!/usr/bin/env python3
"""What the program does as a program, before and around serving: its help, the flags that it refuses, who may read what it writes.

  run.py --program build/release/src/server/fairlead [--only REGEX]

Each test starts the program as a shell would, with the umask that most machines have. Last line: "N passed, N failed".
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
import launch

TESTS = []
# What envtest of controller-runtime and the project's own harnesses give kube-apiserver.
ENVIRONMENT = ["--advertise-address=127.0.0.1", "--allow-privileged=true", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
               "--service-cluster-ip-range=10.0.0.0/24", "--enable-priority-and-fairness=false", "--max-requests-inflight=0"]


def test(function):
    TESTS.append(function)
    return function


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def open_to_others(folder):
    """Every path in it, and itself, that somebody else may read, write or enter."""
    paths = [folder, *folder.rglob("*")]
    return [f"{p.relative_to(folder.parent)} {mode(p):o}" for p in paths if mode(p) & 0o077]


def run(program, *arguments):
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def refused(program, *arguments):
    """What `fairlead serve` says when it does not start."""
    with tempfile.TemporaryDirectory(prefix="fairlead-program-") as folder:
        done = run(program, "serve", "--store=memory", "--listen=127.0.0.1:0", "--data-dir", folder, *arguments)
    assert done.returncode == 1, (arguments, done.returncode, done.stderr)
    return done.stderr


def post(server, path, body):
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(), {"Authorization": "Bearer admin-token", "Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, context=launch.insecure()) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def pod(name, container=None, **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i", **(container or {})}], **spec}}


PODS = "/api/v1/namespaces/default/pods"


@test
def what_it_writes_is_its_owners_alone(program):
    os.umask(0o022)
    with launch.running(program, store="rocksdb") as server:
        assert launch.fetch(server.url + PODS)[0] == 200
        status, _ = post(server, "/api/v1/namespaces/default/secrets", {"metadata": {"name": "s"}, "stringData": {"password": "x"}})
        assert status == 201
        assert mode(server.folder / "data") == 0o700
        assert list((server.folder / "data/store").rglob("*.log")), "nothing was written"
        assert open_to_others(server.folder / "data") == []
        assert mode(server.folder / "kubeconfig") == 0o600


ENCRYPTION_KEYS = {"aescbc": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "secretbox": "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="}


def write_encryption_configuration(path, *providers):
    keys = [{name: {"keys": [{"name": "k", "secret": ENCRYPTION_KEYS[name]}]}} for name in providers]
    path.write_text(json.dumps({"apiVersion": "apiserver.config.k8s.io/v1", "kind": "EncryptionConfiguration",
                                "resources": [{"resources": ["secrets"], "providers": keys}]}))


def holding(folder, text):
    return [p for p in folder.rglob("*") if p.is_file() and text in p.read_bytes()]


@test
def secrets_are_encrypted_on_the_disk_through_a_kill_and_new_keys(program):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-program-"))
    configuration, canary = folder / "encryption.json", "cGxhbnRlZC1zZWNyZXQtY2FuYXJ5"
    flag = [f"--encryption-provider-config={configuration}"]
    try:
        write_encryption_configuration(configuration, "aescbc")
        with launch.running(program, flag, store="rocksdb", folder=folder) as server:
            assert post(server, "/api/v1/namespaces/default/secrets", {"metadata": {"name": "s"}, "data": {"p": canary}})[0] == 201
            server.kill()
        assert holding(folder / "data", b"k8s:enc:aescbc:v1:k:") and not holding(folder / "data", canary.encode())
        write_encryption_configuration(configuration, "secretbox", "aescbc")
        with launch.running(program, flag, store="rocksdb", folder=folder) as server:
            assert canary.encode() in launch.fetch(server.url + "/api/v1/namespaces/default/secrets/s")[1]
            server.kill()
        assert not holding(folder / "data", b"k8s:enc:aescbc:"), "the start writes with the first key what has another"
        write_encryption_configuration(configuration, "secretbox")
        with launch.running(program, flag, store="rocksdb", folder=folder) as server:
            assert canary.encode() in launch.fetch(server.url + "/api/v1/namespaces/default/secrets/s")[1]
        assert holding(folder / "data", b"k8s:enc:secretbox:v1:k:") and not holding(folder / "data", canary.encode())
        for arguments in (["--encryption-provider-config="], flag):  # no configuration, and one without the key
            write_encryption_configuration(configuration, "aescbc")
            done = run(program, "serve", "--listen=127.0.0.1:0", "--data-dir", str(folder / "data"), *arguments)
            assert done.returncode == 1 and "/registry/secrets/default/s" in done.stderr, (arguments, done.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@test
def an_older_starts_files_are_mended(program):
    os.umask(0o022)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-program-"))
    try:
        with launch.running(program, store="rocksdb", folder=folder) as server:
            assert post(server, "/api/v1/namespaces/default/secrets", {"metadata": {"name": "s"}})[0] == 201
        for path in [folder / "data", *(folder / "data").rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        (folder / "outside").write_text("")
        (folder / "outside").chmod(0o644)
        (folder / "data/store/link").symlink_to(folder / "outside")
        with launch.running(program, store="rocksdb", folder=folder) as server:
            assert launch.fetch(server.url + "/api/v1/namespaces/default/secrets/s")[0] == 200
            assert [p for p in open_to_others(folder / "data") if "link" not in p] == []
            assert mode(folder / "outside") == 0o644
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@test
def a_directory_that_others_use_stays_open(program):
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="fairlead-program-") as name:
        folder = pathlib.Path(name)
        (folder / "data").mkdir()
        (folder / "data/somebody's").write_text("")
        (folder / "data").chmod(0o755)
        with launch.running(program, store="rocksdb", folder=folder) as server:
            assert "others may enter" in server.log_path.read_text()
            assert open_to_others(folder / "data") == ["data 755", "data/somebody's 644"]


@test
def etcd_and_kube_apiserver_write_for_their_owner_alone(program):
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="fairlead-program-") as name:
        folder = pathlib.Path(name)
        etcd_port, port = launch.free_port(), launch.free_port()
        subprocess.run(["openssl", "genrsa", "-out", str(folder / "sa.key"), "2048"], check=True, stderr=subprocess.DEVNULL)
        etcd = subprocess.Popen([program, "etcd", "--data-dir", folder / "etcd", f"--listen-client-urls=http://127.0.0.1:{etcd_port}"], stderr=subprocess.DEVNULL)
        server = None
        try:
            with open(folder / "log", "wb") as log:
                server = subprocess.Popen([program, "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd_port}", "--bind-address=127.0.0.1", f"--secure-port={port}",
                                           "--cert-dir", folder / "certs", "--service-account-issuer=https://x", "--service-account-key-file", folder / "sa.key",
                                           "--service-account-signing-key-file", folder / "sa.key", "--token-auth-file", launch.TOKENS, *ENVIRONMENT], stderr=log)
            for _ in range(600):
                if launch.fetch(f"https://127.0.0.1:{port}/readyz")[0] == 200:
                    break
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            assert launch.fetch(f"https://127.0.0.1:{port}/api/v1/namespaces/default")[0] == 200
            assert open_to_others(folder / "etcd") == []
            assert open_to_others(folder / "certs") == []
        finally:
            for process in (server, etcd):
                if process is not None:
                    process.terminate()
                    process.wait(60)


@test
def flags_that_protect_are_refused(program):
    for flag, why in (("--audit-webhook-config-file=/x", "audit events are not sent to webhooks yet"),
                      ("--authentication-config=/x", "structured authentication is not built"), ("--authorization-config=/x", "structured authorization is not built"),
                      ("--oidc-issuer-url=https://x", "OpenID Connect is not built"),
                      ("--authentication-token-webhook-config-file=/x", "webhooks are not asked about tokens yet"),
                      ("--enable-admission-plugins=ImagePolicyWebhook", "that plugin is not built"),
                      ("--admission-control=ImagePolicyWebhook", "that plugin is not built"), ("--egress-selector-config-file=/x", "connections are not led another way")):
        said = refused(program, flag)
        name = flag if "plugin" in flag or "control=" in flag else flag.partition("=")[0]
        assert f"{name}: {why}" in said and "--allow-unenforced-flags" in said, (flag, said)
    said = refused(program, "--authorization-mode=Webhook,RBAC", "--authorization-webhook-config-file=/x")
    assert "--authorization-mode=Webhook: " in said and "--authorization-webhook-config-file: " in said, said


@test
def unknown_plugins_are_refused_as_there(program):
    assert 'enable-admission-plugins plugin "Nonsense" is unknown' in refused(program, "--enable-admission-plugins=Nonsense")
    assert 'disable-admission-plugins plugin "Nonsense" is unknown' in refused(program, "--disable-admission-plugins=Nonsense")
    assert "Nonsense" in refused(program, "--enable-admission-plugins=Nonsense", "--allow-unenforced-flags")


@test
def a_server_without_what_it_was_asked_for_says_so(program):
    with launch.running(program, ["--egress-selector-config-file=/x", "--oidc-issuer-url=https://x", "--allow-unenforced-flags", "--authorization-config="]) as server:
        log = server.log_path.read_text()
        for setting in ("--egress-selector-config-file", "--oidc-issuer-url"):
            assert f"{setting} is NOT ENFORCED: " in log, (setting, log)
        assert "--authorization-config" not in log, "a value that asks for nothing"


class Connection:
    """One connection of its own to a server."""

    def __init__(self, server):
        self.http = http.client.HTTPSConnection(server.url.removeprefix("https://"), context=launch.insecure(), timeout=30)

    def ask(self, method, path, body=None, kind="application/json"):
        """(status, document, warnings)"""
        self.http.request(method, path, None if body is None else json.dumps(body), {"Authorization": "Bearer admin-token", "Content-Type": kind})
        answer = self.http.getresponse()
        return answer.status, json.loads(answer.read()), answer.headers.get_all("Warning") or []


@test
def plugins_are_configured_or_refused(program):
    head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n  configuration:\n    apiVersion: pod-security.admission.config.k8s.io/v1\n    kind: PodSecurityConfiguration\n"
    with tempfile.TemporaryDirectory(prefix="fairlead-configuration-") as folder:
        path = pathlib.Path(folder) / "admission.yaml"
        path.write_text(head + "    defaults: {enforce: strict}\n")
        said = refused(program, f"--admission-control-config-file={path}")
        assert 'PodSecurity' in said and "must be one of privileged, baseline, restricted" in said, said
        assert "unable to read admission control configuration" in refused(program, f"--admission-control-config-file={folder}/none")
        assert "must not be empty" in refused(program, "--enable-admission-plugins=EventRateLimit")
        path.write_text(head + "    defaults: {enforce: baseline}\n    exemptions: {namespaces: [kube-system]}\n")
        with launch.running(program, [f"--admission-control-config-file={path}"]) as server:
            connection = Connection(server)
            pod = {"metadata": {"name": "p"}, "spec": {"hostPID": True, "containers": [{"name": "a", "image": "i"}]}}
            status, document, _ = connection.ask("POST", "/api/v1/namespaces/default/pods", pod)
            assert status == 403 and "hostPID=true" in document["message"], document
            assert connection.ask("POST", "/api/v1/namespaces/kube-system/pods", pod)[0] == 201


@test
def what_is_written_acts_on_the_next_request(program):
    pod = {"metadata": {"name": "p"}, "spec": {"hostPID": True, "containers": [{"name": "a", "image": "i"}]}}
    with launch.running(program) as server:
        writer, reader = Connection(server), Connection(server)
        for number in range(200):
            name = f"n{number}"
            assert writer.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name}})[0] == 201
            own = f"/api/v1/namespaces/{name}/"
            assert reader.ask("POST", own + "pods?dryRun=All", pod)[0] == 201
            assert writer.ask("PATCH", own.rstrip("/"), {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}}, "application/merge-patch+json")[0] == 200
            assert reader.ask("POST", own + "pods?dryRun=All", pod)[0] == 403
            assert writer.ask("POST", own + "limitranges", {"metadata": {"name": "l"}, "spec": {"limits": [{"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}]}})[0] == 201
            claim = {"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}}
            assert reader.ask("POST", own + "persistentvolumeclaims", claim)[0] == 403
            assert writer.ask("POST", own + "resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "1"}}})[0] == 201
            assert reader.ask("POST", own + "configmaps", {"metadata": {"name": "a"}})[0] == 201
            assert writer.ask("POST", own + "configmaps", {"metadata": {"name": "b"}})[0] == 403
            assert reader.ask("GET", own + "resourcequotas/q")[1]["status"]["used"] == {"configmaps": "1"}


@test
def quotas_hold_over_parallel_writers_and_a_kill(program):
    limit, writers = 150, 16
    server = launch.Server(program, store="rocksdb")
    space = "/api/v1/namespaces/default/"
    try:
        server.start()
        assert Connection(server).ask("POST", space + "resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": str(limit)}}})[0] == 201
        for round_number in range(4):
            def write(number):
                connection = Connection(server)
                for i in range(1000):
                    try:
                        status, document, _ = connection.ask("POST", space + "configmaps", {"metadata": {"name": f"m-{round_number}-{number}-{i}"}})
                    except (OSError, http.client.HTTPException, ValueError):
                        return
                    if status == 403:
                        return
                    assert status == 201, document
            threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
            for thread in threads:
                thread.start()
            if round_number < 3:
                time.sleep(0.03)
                server.kill()
            for thread in threads:
                thread.join()
            if round_number < 3:
                server.start()
            connection = Connection(server)
            count = len(connection.ask("GET", space + "configmaps")[1]["items"])
            assert count <= limit, count
            end = time.monotonic() + 20
            while True:
                used = connection.ask("GET", space + "resourcequotas/q")[1]["status"]["used"]["count/configmaps"]
                if used == str(count):
                    break
                assert time.monotonic() < end, (used, count)
                time.sleep(0.02)
        assert count == limit, count
    finally:
        server.stop()
        server.remove()


@test
def nothing_that_runs_by_default_is_missing(program):
    with launch.running(program) as server:
        lines = [line for line in server.log_path.read_text().splitlines() if "Not enforced yet" in line]
        assert not lines, lines


@test
def flags_without_meaning_say_why(program):
    with launch.running(program, ["--profiling=false", "--etcd-compaction-interval=10m", "--default-not-ready-toleration-seconds=3"]) as server:
        log = server.log_path.read_text()
        assert "--profiling has no effect: " in log, log
        assert "etcd-compaction-interval" not in log and "toleration" not in log, log


@test
def privileged_containers_need_to_be_allowed(program):
    privileged = pod("p", {"securityContext": {"privileged": True}})
    message = "spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy"
    with launch.running(program, ["--allow-privileged=false"]) as server:
        status, answer = post(server, PODS, privileged)
        assert status == 422 and answer["message"] == f'Pod "p" is invalid: {message}', answer
        template = {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": privileged["spec"]}}}
        status, answer = post(server, "/apis/apps/v1/namespaces/default/deployments", template)
        assert status == 422 and "spec.template." + message in answer["message"], answer
        assert post(server, PODS, pod("q"))[0] == 201
    with launch.running(program, ["--allow-privileged=true"]) as server:
        assert post(server, PODS, privileged)[0] == 201


@test
def plugins_are_what_the_flags_say(program):
    optional = "AlwaysPullImages,ExtendedResourceToleration,LimitPodHardAntiAffinityTopology,DenyServiceExternalIPs"
    with launch.running(program, ["--enable-admission-plugins", optional, "--default-not-ready-toleration-seconds=7", "--default-unreachable-toleration-seconds=9"]) as server:
        requests = {"limits": {"example.com/gpu": "1"}}
        status, made = post(server, PODS, pod("p", {"imagePullPolicy": "Never", "resources": requests}))
        assert status == 201, made
        assert made["spec"]["containers"][0]["imagePullPolicy"] == "Always"
        assert made["spec"]["tolerations"] == [
            {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 7},
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9},
            {"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}], made["spec"]["tolerations"]
        term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
        status, answer = post(server, PODS, pod("q", affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}))
        assert status == 403 and answer["message"] == ('pods "q" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone '
                                                       "but only key kubernetes.io/hostname is allowed"), answer
        status, answer = post(server, "/api/v1/namespaces/default/services", {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 1}], "externalIPs": ["1.2.3.4"]}})
        assert status == 403 and answer["message"] == 'services "s" is forbidden: Use of external IPs is denied by admission control', answer
    with launch.running(program, ["--disable-admission-plugins=NamespaceLifecycle,DefaultTolerationSeconds"]) as server:
        status, made = post(server, "/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "c"}})
        assert status == 201, made
        assert "tolerations" not in post(server, PODS, pod("p"))[1]["spec"]
    with launch.running(program, ["--disable-admission-plugins=NamespaceLifecycle", "--enable-admission-plugins=NamespaceExists"]) as server:
        status, answer = post(server, "/api/v1/namespaces/nowhere/configmaps", {"metadata": {"name": "c"}})
        assert status == 404 and answer["message"] == 'namespaces "nowhere" not found', answer


@test
def ingresses_without_class_get_the_default_one(program):
    classes, ingresses = "/apis/networking.k8s.io/v1/ingressclasses", "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
    mark = {"ingressclass.kubernetes.io/is-default-class": "true"}

    def made(server, name, **metadata):
        spec = {"defaultBackend": {"service": {"name": "s", "port": {"number": 1}}}}
        status, ingress = post(server, ingresses, {"metadata": {"name": name, **metadata}, "spec": {**spec, **({"ingressClassName": "other"} if name == "named" else {})}})
        assert status == 201, ingress
        return ingress["spec"].get("ingressClassName")

    for flags, default in (([], "b"), (["--disable-admission-plugins=DefaultIngressClass"], None)):
        with launch.running(program, flags) as server:
            assert made(server, "early") is None
            for name, annotations in (("a", {}), ("b", mark)):
                assert post(server, classes, {"metadata": {"name": name, "annotations": annotations}, "spec": {"controller": "example.com/c"}})[0] == 201
            assert made(server, "plain") == default
            assert made(server, "named") == "other"
            assert made(server, "annotated", annotations={"kubernetes.io/ingress.class": "x"}) is None


@test
def discovery_names_the_external_host(program):
    with launch.running(program, ["--external-hostname=api.example.com"]) as server:
        api = json.loads(launch.fetch(server.url + "/api")[1])
        assert api["serverAddressByClientCIDRs"][0]["serverAddress"] == f"api.example.com:{server.port}", api


@test
def labels_of_metrics_are_not_made_up_by_clients(program):
    with launch.running(program) as server:
        lines = lambda: launch.fetch(server.url + "/metrics")[1].count(b"\n")
        path = "/apis/{0}/v1/{0}/x/{0}"
        launch.fetch(server.url + path.format("made-up"), token=None)
        lines()
        before = lines()
        for i in range(100):
            launch.fetch(server.url + path.format(f"made-up-{i}"), token=None)
            launch.fetch(server.url + path.format(f"%ff{i}"), token=None)
        metrics = launch.fetch(server.url + "/metrics")[1]
        assert b"made-up" not in metrics and b"\xff" not in metrics
        metrics.decode()
        assert metrics.count(b"\n") == before, (before, metrics.count(b"\n"))


@test
def the_help_describes_every_flag(program):
    for command, most in (("serve", 250), ("kube-apiserver", 250)):
        text = run(program, command, "--help").stdout
        # A flag's line says what it is for, or the next one does.
        flags = re.findall(r"^ +(?:-\w, )?--([a-z0-9-]+)(.*)\n(?=(.*))", text, re.M)
        assert 140 < len(flags) < most, len(flags)
        for name, rest, following in flags:
            assert re.search(r"\S {2,}\S|^ {2,}\S", rest) or re.match(r" {20,}\S", following), name
    text = run(program, "serve", "--help").stdout
    first = text.index("Flags that most people use:")
    assert first < text.index("--data-dir") < text.index("--listen") < text.index("Admission flags:"), text[:2000]
    assert text.index("Flags that most people use:") < 120, "it begins with these"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failed = chosen = 0
    for function in TESTS:
        if not re.search(options.only, function.__name__):
            continue
        chosen += 1
        try:
            function(str(pathlib.Path(options.program).resolve()))
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"{function.__name__}:\n{traceback.format_exc()}")
    print(f"{chosen - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
