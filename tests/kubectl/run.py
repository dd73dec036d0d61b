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
from built import KUBECTL, VERSION, build_kubectl

COMMAND_SECONDS = 60


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


def same(text, *lines):
    assert text.splitlines() == list(lines), text


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
    first = kubectl("get", "cm", "c", "-o", "jsonpath={.metadata.uid} {.metadata.resourceVersion}").split()
    same(kubectl("replace", "-f", "-", stdin=config_map("c", a="2")), "configmap/c replaced")
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a} {.metadata.uid}") == f"2 {first[0]}"
    stale = json.loads(config_map("c", a="9"))
    stale["metadata"]["resourceVersion"] = first[1]
    has(kubectl.fails("replace", "-f", "-", stdin=json.dumps(stale)), "Error from server (Conflict)",
        'Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again')
    has(kubectl.fails("replace", "-f", "-", stdin=config_map("no", a="1")), 'Error from server (NotFound)', 'configmaps "no" not found')


def test_replace_force(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    uid = kubectl("get", "cm", "c", "-o", "jsonpath={.metadata.uid}")
    same(kubectl("replace", "--force", "-f", "-", stdin=config_map("c", a="3")), 'configmap "c" deleted', "configmap/c replaced")
    data, other = kubectl("get", "cm", "c", "-o", "jsonpath={.data.a} {.metadata.uid}").split()
    assert data == "3" and other != uid
    same(kubectl("replace", "--force", "-f", "-", stdin=config_map("fresh")), "configmap/fresh replaced")


def test_apply_and_diff(kubectl):
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="1", b="1")), "configmap/c created")
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="1", b="1")), "configmap/c unchanged")
    has(kubectl("apply", "-f", "-", stdin=config_map("c", a="2")), "configmap/c configured")
    assert json.loads(kubectl("get", "cm", "c", "-o", "json"))["data"] == {"a": "2"}
    status, difference = kubectl.run("diff", "-f", "-", stdin=config_map("c", a="3"))
    assert status == 1, difference
    has(difference, '-  a: "2"', '+  a: "3"')
    assert kubectl("diff", "-f", "-", stdin=config_map("c", a="2")) == ""
    status, difference = kubectl.run("diff", "-f", "-", stdin=config_map("new", a="1"))
    assert status == 1, difference
    has(difference, '+  a: "1"', "+  name: new")
    has(kubectl.fails("get", "cm", "new"), "NotFound")
    status, wrong = kubectl.run("diff", "-f", "-", stdin=config_map("Bad_Name", a="1"))
    assert status > 1, wrong
    has(wrong, 'ConfigMap "Bad_Name" is invalid')


def test_apply_prune(kubectl):
    def labelled(name):
        return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"set": "one"}}, "data": {"a": "1"}})
    kubectl("apply", "-f", "-", stdin=labelled("kept") + "\n" + labelled("left-out"))
    has(kubectl("apply", "-f", "-", "--prune", "-l", "set=one", "--prune-allowlist=core/v1/ConfigMap", stdin=labelled("kept")),
        "configmap/kept unchanged", "configmap/left-out pruned")
    has(kubectl.fails("get", "cm", "left-out"), "NotFound")
    kubectl("apply", "-f", "-", stdin=labelled("again"))
    same(kubectl("apply", "-f", "-", "--prune", "-l", "set=one", "--dry-run=server", "--prune-allowlist=core/v1/ConfigMap", stdin=labelled("again")),
         "configmap/again unchanged (server dry run)", "configmap/kept pruned (server dry run)")
    same(kubectl("get", "cm", "-l", "set=one", "-o", "name"), "configmap/again", "configmap/kept")


def test_apply_set(kubectl):
    """The parent of a set remembers the kinds that it has; what is left out of it goes."""
    os.environ["KUBECTL_APPLYSET"] = "true"
    try:
        arguments = ("apply", "-f", "-", "--prune", "--applyset=mine")
        same(kubectl(*arguments, stdin=config_map("a") + config_map("b")), "configmap/a created", "configmap/b created")
        assert kubectl("get", "secret", "mine", "-o", r"jsonpath={.metadata.annotations.applyset\.kubernetes\.io/contains-group-kinds}") == "ConfigMap"
        has(kubectl(*arguments, stdin=config_map("a")), "configmap/a ", "configmap/b pruned")
    finally:
        del os.environ["KUBECTL_APPLYSET"]


def test_apply_server_side(kubectl):
    same(kubectl("apply", "--server-side", "--field-manager=one", "-f", "-", stdin=config_map("c", a="1", b="1")), "configmap/c serverside-applied")
    same(kubectl.fails("apply", "--server-side", "--field-manager=two", "-f", "-", stdin=config_map("c", a="2")),
         'error: Apply failed with 1 conflict: conflict with "one": .data.a',
         "Please review the fields above--they currently have other managers. Here", "are the ways you can resolve this warning:",
         "* If you intend to manage all of these fields, please re-run the apply", "  command with the `--force-conflicts` flag.",
         "* If you do not intend to manage all of the fields, please edit your", "  manifest to remove references to the fields that should keep their", "  current managers.",
         "* You may co-own fields by updating your manifest to match the existing", "  value; in this case, you'll become the manager if the other manager(s)",
         "  stop managing the field (remove it from their configuration).", "See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts")
    has(kubectl.fails("apply", "--server-side", "--field-manager=two", "-f", "-", stdin=config_map("c", a="2", b="2")),
        'Apply failed with 2 conflicts: conflicts with "one":', "- .data.a", "- .data.b")
    kubectl("apply", "--server-side", "--field-manager=two", "--force-conflicts", "-f", "-", stdin=config_map("c", a="2"))
    entries = json.loads(kubectl("get", "cm", "c", "--show-managed-fields", "-o", "json"))["metadata"]["managedFields"]
    assert {e["manager"]: e["fieldsV1"]["f:data"] for e in entries} == {"one": {"f:b": {}}, "two": {"f:a": {}}}, entries
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}") == "2"
    # What nobody owns any more is taken away.
    kubectl("apply", "--server-side", "--field-manager=one", "-f", "-", stdin=config_map("c"))
    assert json.loads(kubectl("get", "cm", "c", "-o", "json"))["data"] == {"a": "2"}


def test_apply_moves_to_server_side(kubectl):
    kubectl("apply", "-f", "-", stdin=config_map("c", a="1", b="1"))
    kubectl("apply", "--server-side", "-f", "-", stdin=config_map("c", a="1"))
    found = json.loads(kubectl("get", "cm", "c", "--show-managed-fields", "-o", "json"))
    assert found["data"] == {"a": "1"}, found
    assert {(e["manager"], e["operation"]) for e in found["metadata"]["managedFields"]} == {("kubectl", "Apply"), ("kubectl-last-applied", "Apply")}, found


def test_set_image_and_rollout_restart(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    has(kubectl("set", "image", "deployment/d", "nginx=nginx:1.27"), "deployment.apps/d image updated")
    has(kubectl("rollout", "restart", "deployment/d"), "deployment.apps/d restarted")
    template = json.loads(kubectl("get", "deploy", "d", "-o", "json"))["spec"]["template"]
    assert template["spec"]["containers"][0]["image"] == "nginx:1.27"
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]


def edited(kubectl, editor, *arguments):
    """(exit status, output and errors) of an edit with a command as the editor."""
    os.environ["KUBE_EDITOR"] = editor
    try:
        return kubectl.run("edit", *arguments)
    finally:
        del os.environ["KUBE_EDITOR"]


def test_edit(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="before"))
    assert edited(kubectl, "sed -i s/before/after/", "cm", "c") == (0, "configmap/c edited\n")
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.data.a}") == "after"
    assert edited(kubectl, "true", "cm", "c") == (0, "Edit cancelled, no changes made.\n")


def test_edit_that_is_invalid(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    status, output = edited(kubectl, "sed -i 's/replicas: 1/replicas: -1/'", "deployment", "d")
    assert status == 1, output
    has(output, "error: deployments.apps \"d\" is invalid", "A copy of your changes has been stored to", "Edit cancelled, no valid changes were saved.")
    status, output = edited(kubectl, "sed -i 's/replicas: 1/replicas: many/'", "deployment", "d")
    assert status == 1, output
    assert kubectl("get", "deployment", "d", "-o", "jsonpath={.spec.replicas}") == "1"


def test_edit_of_a_status(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    editor = r"sed -i 's/^status:.*/status:\n  readyReplicas: 1\n  replicas: 2/'"
    assert edited(kubectl, editor, "deployment", "d", "--subresource=status") == (0, "deployment.apps/d edited\n")
    has(kubectl("get", "deployment", "d", "--no-headers"), "1/1")
    assert kubectl("get", "deployment", "d", "-o", "jsonpath={.status.replicas}") == "2"


def test_dry_run(kubectl):
    same(kubectl("create", "--dry-run=server", "-f", "-", stdin=config_map("c", a="1")), "configmap/c created (server dry run)")
    has(kubectl("create", "--dry-run=server", "-o", "yaml", "deployment", "d", "--image=nginx"), "  uid: ", "      terminationGracePeriodSeconds: 30")
    has(kubectl.fails("create", "--dry-run=server", "deployment", "D_D", "--image=nginx"), 'Deployment.apps "D_D" is invalid')
    has(kubectl("get", "cm,deploy"), "No resources found")
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    same(kubectl("apply", "--dry-run=server", "--server-side", "--force-conflicts", "-f", "-", stdin=config_map("c", a="2")), "configmap/c serverside-applied (server dry run)")
    same(kubectl("patch", "cm", "c", "--dry-run=server", "--type=merge", "-p", '{"data":{"a":"2"}}'), "configmap/c patched")
    same(kubectl("label", "cm", "c", "--dry-run=server", "x=y"), "configmap/c labeled (server dry run)")
    same(kubectl("delete", "cm", "c", "--dry-run=server"), 'configmap "c" deleted (server dry run)')
    found = json.loads(kubectl("get", "cm", "c", "-o", "json"))
    assert found["data"] == {"a": "1"} and "labels" not in found["metadata"], found


def test_validate(kubectl):
    unknown = json.dumps({**json.loads(config_map("c", a="1")), "nonsense": 1})
    refused = 'Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "nonsense"'
    for strict in ("--validate=strict", "--validate=true"):
        same(kubectl.fails("create", strict, "-f", "-", stdin=unknown), refused)
    same(kubectl.fails("create", "-f", "-", stdin=unknown), refused)
    same(kubectl("create", "--validate=warn", "-f", "-", stdin=unknown), 'Warning: unknown field "nonsense"', "configmap/c created")
    same(kubectl("replace", "--validate=warn", "-f", "-", stdin=unknown), 'Warning: unknown field "nonsense"', "configmap/c replaced")
    kubectl("delete", "cm", "c")
    same(kubectl("create", "--validate=ignore", "-f", "-", stdin=unknown), "configmap/c created")
    twice = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":{"a":"1","a":"2"}}'
    has(kubectl.fails("create", "--raw", f"/api/v1/namespaces/{kubectl.namespace}/configmaps?fieldValidation=Strict", "-f", "-", stdin=twice), 'duplicate field \"data.a\"')
    wrong = json.dumps({**json.loads(config_map("w")), "data": {"a": 1}})
    for validate in ("strict", "warn", "ignore"):
        has(kubectl.fails("create", f"--validate={validate}", "-f", "-", stdin=wrong),
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string')


def test_label(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    same(kubectl("label", "cm", "c", "x=y", "z=1"), "configmap/c labeled")
    same(kubectl("label", "cm", "c", "x=y"), "configmap/c not labeled")
    same(kubectl.fails("label", "cm", "c", "x=other"), "error: 'x' already has a value (y), and --overwrite is false")
    same(kubectl("label", "cm", "c", "x=other", "--overwrite"), "configmap/c labeled")
    same(kubectl("label", "cm", "c", "z-"), "configmap/c unlabeled")
    has(kubectl.fails("label", "cm", "c", "x=more", "--overwrite", "--resource-version=1"), "the object has been modified")
    same(kubectl("label", "cm", "c", "--list"), "x=other")
    same(kubectl("get", "cm", "-l", "x in (other),!z", "-o", "name"), "configmap/c")


def test_annotate(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    same(kubectl("annotate", "cm", "c", "note=one two"), "configmap/c annotated")
    same(kubectl.fails("annotate", "cm", "c", "note=three"), "error: --overwrite is false but found the following declared annotation(s): 'note' already has a value (one two)")
    same(kubectl("annotate", "cm", "c", "note=three", "--overwrite"), "configmap/c annotated")
    assert kubectl("get", "cm", "c", "-o", "jsonpath={.metadata.annotations}") == '{"note":"three"}'
    same(kubectl("annotate", "cm", "c", "note-"), "configmap/c annotated")
    assert "annotations" not in json.loads(kubectl("get", "cm", "c", "-o", "json"))["metadata"]


def test_patch(kubectl):
    kubectl("create", "-f", "-", stdin=config_map("c", a="1"))
    for kind, patch in (("merge", '{"data":{"m":"1"}}'), ("strategic", '{"data":{"s":"1"}}'),
                        ("json", '[{"op":"test","path":"/data/m","value":"1"},{"op":"add","path":"/data/j","value":"1"}]')):
        same(kubectl("patch", "cm", "c", "--type", kind, "-p", patch), "configmap/c patched")
    same(kubectl("patch", "cm", "c", "--type", "merge", "-p", '{"data":{"m":"1"}}'), "configmap/c patched (no change)")
    found = json.loads(kubectl("get", "cm", "c", "-o", "json"))
    assert found["data"] == {"a": "1", "m": "1", "s": "1", "j": "1"}, found
    has(kubectl.fails("patch", "cm", "c", "--type=json", "-p", '[{"op":"test","path":"/data/a","value":"2"}]'),
        "the server rejected our request due to an error in our request")
    has(kubectl.fails("patch", "cm", "c", "--type=merge", "-p", '{"data":{"a":1}}'), "cannot unmarshal number into Go struct field ConfigMap.data of type string")


def test_patch_by_key_and_below(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    containers = ("get", "deployment", "d", "-o", "jsonpath={.spec.template.spec.containers[*].name}")
    kubectl("patch", "deployment", "d", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"i"}]}}}}')
    assert kubectl(*containers) == "side nginx"
    kubectl("patch", "deployment", "d", "-p", '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}')
    assert kubectl(*containers) == "nginx"
    same(kubectl("patch", "deployment", "d", "--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":4}}'), "scale.autoscaling/d patched")
    same(kubectl("patch", "deployment", "d", "--subresource=status", "--type=merge", "-p", '{"spec":{"replicas":9},"status":{"readyReplicas":3,"replicas":4}}'), "deployment.apps/d patched")
    has(kubectl("get", "deployment", "d"), "3/4")


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


def test_scale(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    same(kubectl("scale", "deployment", "d", "--replicas=3"), "deployment.apps/d scaled")
    assert kubectl("get", "deploy", "d", "-o", "jsonpath={.spec.replicas}") == "3"
    same(kubectl.fails("scale", "deployment", "d", "--current-replicas=1", "--replicas=5"), "error: Expected replicas to be 1, was 3")
    same(kubectl("scale", "deployment", "d", "--current-replicas=3", "--replicas=5"), "deployment.apps/d scaled")
    has(kubectl.fails("scale", "deployment", "d", "--resource-version=1", "--replicas=2"), "Expected resource version to be 1, was ")
    has(kubectl.fails("scale", "deployment", "none", "--replicas=2"), 'deployments.apps "none" not found')
    assert kubectl("get", "deploy", "d", "-o", "jsonpath={.spec.replicas}") == "5"


def test_rollout(kubectl):
    kubectl("create", "deployment", "d", "--image=nginx")
    generation = ("get", "deploy", "d", "-o", "jsonpath={.metadata.generation}")
    same(kubectl("rollout", "pause", "deployment/d"), "deployment.apps/d paused")
    has(kubectl.fails("rollout", "restart", "deployment/d"), "can't restart paused deployment")
    same(kubectl("rollout", "resume", "deployment/d"), "deployment.apps/d resumed")
    same(kubectl("rollout", "restart", "deployment/d"), "deployment.apps/d restarted")
    assert kubectl(*generation) == "4"
    has(kubectl("rollout", "history", "deployment/d"), "No rollout history found.")
    kubectl("patch", "deployment", "d", "--subresource=status", "--type=merge", "-p",
            '{"status":{"observedGeneration":4,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}')
    same(kubectl("rollout", "status", "deployment/d"), 'deployment "d" successfully rolled out')


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
