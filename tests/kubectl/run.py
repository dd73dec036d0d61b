#!/usr/bin/env python3
"""Drive the server with kubectl 1.32, built from its published Go module (tests/clients/cmd/kubectl) and kept in build/.

  run.py --program build/release/src/server/fairlead [--kubectl FILE] [--only REGEX]

Each function below whose name begins with "test_" is one test: it gets a Kubectl of a namespace of its own. Without Go all are
skipped and counted as that. The last line is "N passed, N failed[, N skipped]".
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
sys.path.insert(0, str(ROOT / "tests/clients"))
import launch
import run as clients  # tests/clients/run.py: whether there is a Go

KUBECTL = ROOT / "build/kubectl"
VERSION = "v1.32.5"
COMMAND_SECONDS = 60


def build_kubectl():
    if KUBECTL.exists():
        return
    package = "k8s.io/component-base/version"
    flags = f"-s -w -X {package}.gitVersion={VERSION} -X {package}.gitMajor=1 -X {package}.gitMinor=32"
    KUBECTL.parent.mkdir(exist_ok=True)
    subprocess.run(["go", "build", "-trimpath", "-ldflags", flags, "-o", str(KUBECTL), "./cmd/kubectl"],
                   cwd=ROOT / "tests/clients", check=True)


class Kubectl:
    def __init__(self, program, server, namespace):
        self.program, self.server, self.namespace = program, server, namespace
        self.base = [str(program), "--kubeconfig", str(server.kubeconfig), "--cache-dir", str(server.folder / "cache")]
        self.command = self.base + (["-n", namespace] if namespace else [])

    def popen(self, *arguments):
        return subprocess.Popen(self.command + list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def run(self, *arguments, stdin=""):
        """(exit status, output and errors together)."""
        done = subprocess.run(self.command + list(arguments), input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=COMMAND_SECONDS)
        return done.returncode, done.stdout

    def __call__(self, *arguments, stdin=""):
        """The output; anything but success is a failure of the test."""
        status, output = self.run(*arguments, stdin=stdin)
        assert status == 0, f"kubectl {' '.join(arguments)}: {status}\n{output}"
        return output

    def fails(self, *arguments, stdin=""):
        status, output = self.run(*arguments, stdin=stdin)
        assert status != 0, f"kubectl {' '.join(arguments)} succeeded:\n{output}"
        return output


def has(text, *words):
    for word in words:
        assert word in text, f"no {word!r} in:\n{text}"


def config_map(name, **data):
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})


POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - {name: web, image: nginx, ports: [{containerPort: 80}]}
"""


def test_version(kubectl):
    has(kubectl("version"), f"Client Version: {VERSION}", "Server Version: v1.32")


def test_api_resources(kubectl):
    out = kubectl("api-resources")
    has(out, "configmaps", "cm", "deployments", "deploy", "apps/v1", "validatingadmissionpolicies")
    assert len(out.splitlines()) > 55, out
    has(kubectl("api-resources", "--api-group=apps", "-o", "name"), "statefulsets.apps")


def test_api_versions(kubectl):
    has(kubectl("api-versions"), "apps/v1", "flowcontrol.apiserver.k8s.io/v1", "\nv1\n")


def test_explain(kubectl):
    has(kubectl("explain", "pods.spec.containers"), "KIND:", "Pod", "FIELD: containers <[]Container>", "imagePullPolicy")
    has(kubectl("explain", "deploy", "--recursive"), "GROUP:      apps", "maxSurge")


def test_create_get_forms(kubectl):
    has(kubectl("create", "-f", "-", stdin=POD), "pod/web created")
    has(kubectl("get", "pods"), "NAME", "READY", "STATUS", "RESTARTS", "AGE", "web", "0/1", "Pending")
    has(kubectl("get", "pods", "-o", "wide"), "IP", "NODE", "NOMINATED NODE", "READINESS GATES", "<none>")
    has(kubectl("get", "pod", "web", "-o", "yaml"), "apiVersion: v1", "kind: Pod", "containerPort: 80", "phase: Pending")
    assert json.loads(kubectl("get", "pod", "web", "-o", "json"))["metadata"]["name"] == "web"
    assert kubectl("get", "pod", "web", "-o", "name") == "pod/web\n"
    assert kubectl("get", "pod", "web", "-o", "jsonpath={.spec.containers[0].image}") == "nginx"
    has(kubectl("get", "po", "-l", "app=web", "--show-labels"), "LABELS", "app=web")
    has(kubectl("get", "po", "-l", "app=other"), "No resources found")
    has(kubectl.fails("get", "pod", "nothing"), 'Error from server (NotFound): pods "nothing" not found')


def test_get_all_and_all_namespaces(kubectl):
    has(kubectl("get", "namespaces"), "default", "kube-system", "kube-public", "kube-node-lease", "Active")
    has(kubectl("get", "svc", "-A"), "NAMESPACE", "kubernetes", "ClusterIP", "10.0.0.1", "443/TCP")
    has(kubectl("get", "all", "-n", "default"), "service/kubernetes")


def test_watch(kubectl):
    watch = kubectl.popen("get", "configmaps", "-w", "-o", "name")
    try:
        kubectl("create", "-f", "-", stdin=config_map("seen", a="1"))
        while line := watch.stdout.readline():
            if line == "configmap/seen\n":
                return
        raise AssertionError("the watch ended")
    finally:
        watch.kill()
        watch.wait()


def test_describe(kubectl):
    kubectl("create", "-f", "-", stdin=POD)
    has(kubectl("describe", "pod", "web"), "Name:", "web", "Labels:", "app=web", "Image:", "nginx", "Events:")
    has(kubectl("describe", "namespace", kubectl.namespace), "Active", "kubernetes.io/metadata.name=")
    has(kubectl("describe", "svc", "kubernetes", "-n", "default"), "Endpoints:", "10.0.0.1")


def test_create_from_literals(kubectl):
    kubectl("create", "configmap", "c", "--from-literal=a=1")
    kubectl("create", "secret", "generic", "s", "--from-literal=p=w")
    kubectl("create", "serviceaccount", "sa")
    kubectl("create", "deployment", "d", "--image=nginx", "--replicas=2")
    kubectl("create", "role", "r", "--verb=get", "--resource=pods")
    kubectl("create", "quota", "q", "--hard=pods=3")
    has(kubectl("get", "cm,secret,sa,deploy,role,quota", "-o", "name"), "configmap/c", "secret/s", "serviceaccount/sa",
        "deployment.apps/d", "role.rbac.authorization.k8s.io/r", "resourcequota/q")
    has(kubectl("get", "deploy", "d"), "READY", "UP-TO-DATE", "0/2")


def test_replace(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    has(kubectl("replace", "-f", "-", stdin=config_map("c", a="2")), "configmap/c replaced")
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}") == "2"
    has(kubectl("replace", "--force", "-f", "-", stdin=config_map("c", a="3")), "replaced")
    has(kubectl.fails("replace", "-f", "-", stdin=config_map("no", a="1")), "NotFound")


def test_apply_and_diff(kubectl):
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="1", b="1")), "configmap/c created")
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="1", b="1")), "configmap/c unchanged")
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="2")), "configmap/c configured")
    assert json.loads(kubectl("get", "cm", "c", "-o", "json"))["data"] == {"a": "2"}
    status, difference = kubectl.run("diff", "-f", "-", stdin=config_map("c", a="3"))
    assert status == 1, difference
    has(difference, '-  a: "2"', '+  a: "3"')
    assert kubectl("diff", "-f", "-", stdin=config_map("c", a="2")) == ""


def test_apply_prune(kubectl):
    def labelled(name):
        return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"set": "one"}}, "data": {"a": "1"}})
    kubectl("apply", "-f", "-", stdin=labelled("kept") + "\n" + labelled("left-out"))
    has(kubectl("apply", "-f", "-", "--prune", "-l", "set=one", "--prune-allowlist=core/v1/ConfigMap", stdin=labelled("kept")),
        "configmap/kept unchanged", "configmap/left-out pruned")
    has(kubectl.fails("get", "cm", "left-out"), "NotFound")


def test_apply_server_side(kubectl):
    has(kubectl("apply", "--server-side", "--field-manager=one", "-f", "-", stdin=config_map("c", a="1")), "configmap/c serverside-applied")
    refused = kubectl.fails("apply", "--server-side", "--field-manager=two", "-f", "-", stdin=config_map("c", a="2"))
    has(refused, 'Apply failed with 1 conflict: conflict with "one": .data.a', "--force-conflicts")
    kubectl("apply", "--server-side", "--field-manager=two", "--force-conflicts", "-f", "-", stdin=config_map("c", a="2"))
    has(kubectl("get", "cm", "c", "--show-managed-fields", "-o", "json"), '"manager": "two"')
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}") == "2"


def test_set_image_and_rollout_restart(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    has(kubectl("set", "image", "deployment/d", "nginx=nginx:1.27"), "deployment.apps/d image updated")
    has(kubectl("rollout", "restart", "deployment/d"), "deployment.apps/d restarted")
    template = json.loads(kubectl("get", "deploy", "d", "-o", "json"))["spec"]["template"]
    assert template["spec"]["containers"][0]["image"] == "nginx:1.27"
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]


def test_edit(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="before"))
    edited = subprocess.run(kubectl.command + ["edit", "cm", "c"], env={**os.environ, "KUBE_EDITOR": "sed -i s/before/after/"},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=COMMAND_SECONDS)
    assert edited.returncode == 0, edited.stdout
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}") == "after"


def test_dry_run_and_validate(kubectl):
    has(kubectl("create", "--dry-run=server", "-f", "-", stdin=config_map("c", a="1")), "configmap/c created (server dry run)")
    has(kubectl.fails("get", "cm", "c"), "NotFound")
    unknown = json.dumps({**json.loads(config_map("c", a="1")), "nonsense": 1})
    has(kubectl.fails("create", "--validate=strict", "-f", "-", stdin=unknown), 'unknown field "nonsense"')
    has(kubectl("create", "--validate=warn", "-f", "-", stdin=unknown), 'Warning: unknown field "nonsense"', "configmap/c created")
    kubectl("delete", "cm", "c")
    assert "Warning" not in kubectl("create", "--validate=ignore", "-f", "-", stdin=unknown)


def test_label_annotate_patch_edit(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    kubectl("label", "cm", "c", "x=y")
    kubectl("annotate", "cm", "c", "note=1")
    for kind, patch in (("merge", '{"data":{"m":"1"}}'), ("strategic", '{"data":{"s":"1"}}'),
                        ("json", '[{"op":"add","path":"/data/j","value":"1"}]')):
        kubectl("patch", "cm", "c", "--type", kind, "-p", patch)
    found = json.loads(kubectl("get", "cm", "c", "-o", "json"))
    assert found["metadata"]["labels"] == {"x": "y"} and found["data"] == {"a": "1", "m": "1", "s": "1", "j": "1"}, found


def test_delete_and_wait(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    has(kubectl("delete", "cm", "c", "--wait"), 'configmap "c" deleted')
    kubectl("create", "-f", "-", stdin=config_map("w", a="1"))
    waiting = kubectl.popen("wait", "--for=delete", "configmap/w", "--timeout=50s")
    kubectl("delete", "cm", "w", "--wait=false")
    out, _ = waiting.communicate(timeout=COMMAND_SECONDS)
    assert waiting.returncode == 0, out
    for i in range(3):
        kubectl("create", "-f", "-", stdin=config_map(f"many-{i}", a="1"))
    has(kubectl("delete", "cm", "--all"), '"many-0" deleted', '"many-2" deleted')
    has(kubectl.fails("delete", "cm", "c"), "NotFound")
    has(kubectl("delete", "cm", "c", "--ignore-not-found"), "")


def child(name, owner, **metadata):
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
                 "blockOwnerDeletion": True}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap",
                       "metadata": {"name": name, "ownerReferences": [reference], **metadata}})


def test_delete_cascades(kubectl):
    for policy in ("background", "foreground", "orphan"):
        kubectl("create", "-f", "-", stdin=config_map(policy, a="1"))
        owner = json.loads(kubectl("get", "cm", policy, "-o", "json"))
        kubectl("create", "-f", "-", stdin=child("of-" + policy, owner))
        has(kubectl("delete", "cm", policy, f"--cascade={policy}"), "deleted")
    kubectl("wait", "--for=delete", "configmap/of-background", "configmap/of-foreground", "--timeout=10s")
    left = json.loads(kubectl("get", "cm", "of-orphan", "-o", "json"))
    assert "ownerReferences" not in left["metadata"], left


def test_delete_foreground_waits(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("o", a="1"))
    owner = json.loads(kubectl("get", "cm", "o", "-o", "json"))
    kubectl("create", "-f", "-", stdin=child("held", owner, finalizers=["example.com/hold"]))
    deleting = kubectl.popen("delete", "cm", "o", "--cascade=foreground")
    kubectl("wait", "cm/held", "--for=jsonpath={.metadata.deletionTimestamp}", "--timeout=10s")
    assert deleting.poll() is None
    kubectl("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    out, _ = deleting.communicate(timeout=COMMAND_SECONDS)
    assert deleting.returncode == 0, out


def test_delete_namespace(kubectl):
    outside = Kubectl(kubectl.program, kubectl.server, "")
    outside("create", "namespace", "full")
    for i in range(3):
        outside("create", "-n", "full", "-f", "-", stdin=config_map(f"c-{i}", a="1"))
    outside("create", "-n", "full", "deployment", "d", "--image=nginx")
    outside("create", "-n", "full", "serviceaccount", "sa")
    has(outside("delete", "namespace", "full", "--timeout=10s"), 'namespace "full" deleted')
    has(outside.fails("get", "namespace", "full"), "NotFound")
    has(outside("get", "cm,deploy,sa", "-n", "full"), "No resources found")


def test_raw(kubectl):
    assert kubectl("get", "--raw", "/readyz") == "ok"
    has(kubectl("get", "--raw", "/version"), '"major": "1"', '"minor": "32"')
    made = kubectl("create", "--raw", f"/api/v1/namespaces/{kubectl.namespace}/configmaps", "-f", "-", stdin=config_map("r", a="1"))
    assert json.loads(made)["kind"] == "ConfigMap"
    has(kubectl("delete", "--raw", f"/api/v1/namespaces/{kubectl.namespace}/configmaps/r"), "Success")


def test_scale_and_rollout_history(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    has(kubectl("scale", "deployment", "d", "--replicas=3"), "deployment.apps/d scaled")
    assert kubectl("get", "deploy", "d", "-o", "jsonpath={.spec.replicas}") == "3"


def test_auth(kubectl):
    assert kubectl("auth", "can-i", "create", "pods") == "yes\n"
    has(kubectl("auth", "whoami"), "system:masters")


def test_errors(kubectl):
    has(kubectl.fails("get", "nosuchthings"), 'the server doesn\'t have a resource type "nosuchthings"')
    has(kubectl.fails("create", "-f", "-", stdin=config_map("Bad_Name", a="1")), "is invalid", "RFC 1123")
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    has(kubectl.fails("create", "-f", "-", stdin=config_map("c", a="1")), "AlreadyExists")


def test_field_selector_sort_and_chunks(kubectl):
    for i in range(5):
        kubectl("create", "-f", "-", stdin=config_map(f"c-{i}", a=str(i)))
    out = kubectl("get", "cm", "--chunk-size=2", "--sort-by={.data.a}", "-o", "name", "-l", "", "--field-selector=metadata.name!=c-3")
    assert [l for l in out.split() if "/c-" in l] == ["configmap/c-0", "configmap/c-1", "configmap/c-2", "configmap/c-4"], out


TESTS = {name[len("test_"):]: function for name, function in list(globals().items()) if name.startswith("test_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--kubectl", default="")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    reason = "" if options.kubectl or KUBECTL.exists() else clients.why_not()
    if reason:
        print(f"skipped: {reason}")
        print(f"0 passed, 0 failed, {len(TESTS)} skipped")
        return
    if not options.kubectl:
        build_kubectl()
    passed = failed = 0
    with launch.running(options.program) as server:
        outside = Kubectl(options.kubectl or KUBECTL, server, "")
        for name, test in TESTS.items():
            if not re.search(options.only, name):
                continue
            namespace = name.replace("_", "-")
            try:
                outside("create", "namespace", namespace)
                test(Kubectl(outside.program, server, namespace))
                passed += 1
            except Exception:
                failed += 1
                print(f"FAIL {name}", "\n" + "".join("  " + l for l in traceback.format_exc(limit=-2).splitlines(True)))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
