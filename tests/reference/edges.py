"""Values on the edges of what fields take, by the kind of a field and by its name: forms that are read in one way only, limits and one past them,
what other fields of that name refuse. The same for whole metadata. Made for objects.py."""
import re

STRINGS = ["", "a", "A", "a-b", "-a", "a-", "a.b", "a..b", "a/b", "a/b/c", "example.com/a", "a_b", "0", "x" * 63, "x" * 64, "x" * 253, "x" * 254, "ä", "日本", "\u0000", "\n", "\t", "a\nb", "<a>&", "\ufffd", "😀",
           "10.0.0.1", "::1", "10.0.0.0/8", "http", "Exists", "None", "*", "/", "/var/lib", "..", ".", "a b", " a", "a ", "1", "80", "100%", "%", "true", "null", "default", "kubernetes.io/a", "k8s.io/a", "$(A)", "{}", "A-B", "a,b", "a=b",
           "exists", "TCP", "https", "Always"]
INTEGERS = [0, 1, 2, 3, -1, 10, 100, 101, 22, 30000, 32767, 32768, 65535, 65536, 600, 601, 3600, 86400, 2147483647, -2147483648]
WIDE = INTEGERS + [2147483648, 9223372036854775807, -9223372036854775808, 9223372037, 315360000, 315360001]
NOT_INTEGERS = [1.0, 1.5, 1e3, 2147483648, -2147483649, 9223372036854775808, 1e100, "1", "", True, [], {}]
PERCENTS = ["50%", "0%", "100%", "101%", "-1%", "1.5%", "%", "", "a%", "http", "-1", "1", " 1%", "050%", "99999999999%"]
QUANTITIES = ["0", "1", "-1", "100m", "1.5", "0.5", "1Gi", "1e3", "1E3", "1n", "0.1n", "1u", "1k", "1Ki", "1024Ki", "1024Mi", "1000m", "1500m", "2500Mi", "1.5Gi", "1.5Mi", "0.1Ki", "12E", "1Ei", "8Ei", "16Ei", "9223372036854775807",
              "9223372036854775808", "-9223372036854775809", "1e-3", "1e20", "1e100", "+1", ".5", "1.", "001", "1.0", "0.0", "-0", "0Mi", "-1m", "-1.5Gi", "0.0000000001", "999999999999999999", "1000000000000000000", "3e2",
              1, 2, 1.5, 0.1, -1, 1000, 1024, 4096, 1e20, "1K", "1ki", "1 Gi", " 1", "1Gi ", "1e", "--1", "1.1.1", "", "x", "0x1", "1i", "1m5", "Gi", True, {}]
TIMES = ["2024-01-02T03:04:05Z", "1970-01-01T00:00:00Z", "2099-12-31T23:59:59Z", "2024-01-02T03:04:05+02:00", "2024-01-02T03:04:05.999999Z", "2024-01-02T03:04:05.9Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
         "2024-02-29T00:00:00Z", None]
BAD_TIMES = ["", "2024-01-02", "2024-02-30T00:00:00Z", "2024-01-02T03:04:05", "2024-01-02 03:04:05Z", "2024-01-02t03:04:05z", "2024-01-02T24:00:00Z", "2024-01-02T03:04:60Z", 1, "10000-01-01T00:00:00Z"]
BYTES = ["", "YQ==", "AAEC", "YQ", "Y Q==", "YQ==\n", "!", "_-8=", "/+8=", [1, 2], [256], 1]
DOUBLES = [0, 1, 1.5, -1, 1e300, "1", 0.1]
NOT_TEXTS = [1, 1.5, True, [], {}, None]
KEYS = ["a", "a/b", "example.com/a", "-a", "a-", "x" * 63, "x" * 64, "x" * 253 + "/a", "A", "a.b", "a b", "ä", "..", "...a", ".a", "", "kubernetes.io/a", "k8s.io/a", "app", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi",
        "hugepages-1Gi", "hugepages-", "hugepages-x", "hugepages-3Mi", "example.com/gpu", "requests.example.com/gpu", "kubernetes.io/gpu", "nvidia.com/gpu", "pods", "storage", "requests.cpu", "limits.memory", "limits.ephemeral-storage",
        "requests.hugepages-2Mi", "requests.storage", "gold.storageclass.storage.k8s.io/requests.storage", "services.nodeports", "services", "count/pods", "count/deployments.apps", "count/x/y", "attachable-volumes-a", "swap"]

ADDRESSES = ["10.0.0.1", "10.1.2.3", "010.0.0.1", "::ffff:10.0.0.1", "::", "::1", "0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.1", "255.255.255.255", "fe80::1", "ff02::1", "FD00::1", "fd00:0::1", "fd00::1", "1.2.3", "1.2.3.4 ",
             "fd00::1%eth0", "1.2.3.4/32", "None", "", "1.2.3.256", "a.example.com", "10.0.0.300"]
NETWORKS = ["10.0.0.0/8", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/08", "::ffff:10.0.0.0/104", "fd00::/64", "fd00::1/64", "FD00::/8", "0.0.0.0/0", "::/0", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/32", " 10.0.0.0/8", "10.0.0.0/-1", "10.0.0/8",
            "10.1.0.0/16", "fd00::/129", "", "/8"]
PATHS = ["/a", "/a/b", "/a:b", "a", "a/b", "", "../a", "a/../b", "a/..", "/..", "/", "/a//b", "/a/", ".", "..", "..a", "...", "/dev", "..data", "x" * 300, "/" + "x" * 4096, "/var/run/secrets/kubernetes.io/serviceaccount", "$(A)", "/a?b", "/a#b", "//", "\\a", "c:\\a"]
PORT_NAMES = ["http", "a--b", "-a", "a-", "1", "1a", "x" * 15, "x" * 16, "A", "a_b", "80", "", "a.b", "ä", "http-metrics-api"]
PORTS = [0, 1, 22, 53, 80, 443, 8080, 10250, 30000, 32767, 32768, 65535, 65536, -1]
ANNOTATIONS = {
    "seccomp.security.alpha.kubernetes.io/pod": ["runtime/default", "localhost/a", "localhost/../a", "localhost/", "unconfined", "docker/default", "x", ""],
    "container.seccomp.security.alpha.kubernetes.io/a": ["runtime/default", "localhost/a", "x"],
    "container.apparmor.security.beta.kubernetes.io/a": ["runtime/default", "localhost/a", "localhost/", "unconfined", "x", ""],
    "container.apparmor.security.beta.kubernetes.io/app": ["runtime/default", "localhost/a", "unconfined", "x"],
    "kubernetes.io/psp": ["a"], "scheduler.alpha.kubernetes.io/tolerations": ["[]"], "kubernetes.io/config.mirror": ["a"], "kubernetes.io/config.source": ["file"], "controller.kubernetes.io/pod-deletion-cost": ["1", "-1", "a", "01", "2147483648", "+1"],
    "scheduler.alpha.kubernetes.io/node-selector": ["a=b"], "endpoints.kubernetes.io/over-capacity": ["truncated"], "service.kubernetes.io/topology-mode": ["Auto", "x"], "service.kubernetes.io/topology-aware-hints": ["auto"],
    "volume.beta.kubernetes.io/storage-class": ["a", "", "A b"], "volume.beta.kubernetes.io/mount-options": ["a"], "kubernetes.io/ingress.class": ["a", ""], "deprecated.daemonset.template.generation": ["1", "a"],
    "deployment.kubernetes.io/revision": ["1"], "autoscaling.alpha.kubernetes.io/metrics": ["[]", "x"], "batch.kubernetes.io/job-tracking": [""], "batch.kubernetes.io/cronjob-scheduled-timestamp": ["x"], "x" * 64: ["a"], "a": ["x" * 1000],
    "kubectl.kubernetes.io/last-applied-configuration": ["{}"], "node.alpha.kubernetes.io/ttl": ["0"], "pod-security.kubernetes.io/enforce": ["privileged", "x"], "kubernetes.io/description": ["x"]}
LABELS = {"pod-security.kubernetes.io/enforce": ["privileged", "x"], "kubernetes.io/metadata.name": ["a"], "kubernetes.io/service-name": ["a", "A_", ""], "service.kubernetes.io/headless": [""], "topology.kubernetes.io/zone": ["a"],
          "batch.kubernetes.io/job-name": ["a"], "job-name": ["a"], "controller-uid": ["a"], "pod-template-hash": ["a"], "app": ["web", "", "x" * 64, "a b", "ä", "-", "a."]}

# By a field's name; the first that fits.
BY_NAME = [(re.compile(pattern), values) for pattern, values in (
    (r"(?i)cidrs?$|^except$|SourceRanges$", NETWORKS),
    (r"(IP|IPs|^ips?|^addresses|^ClusterIP|^clusterIPs?)$", ADDRESSES),
    (r"^(mountPath|subPath|subPathExpr|path|hostPath|devicePath|workingDir|localhostProfile|socketPath|terminationMessagePath|nonResourceURLs|datasetName|volumePath)$", PATHS),
    (r"^timeZone$", ["UTC", "Local", "local", "Etc/UTC", "Europe/Berlin", "europe/berlin", "x", "", " UTC", "../UTC", "GMT+1", "Etc/GMT+1", "EST"]),
    (r"^schedule$", ["* * * * *", "@hourly", "@every 1h", "@every -1h", "@every x", "TZ=UTC * * * * *", "CRON_TZ=UTC 0 0 * * *", "CRON_TZ=x 0 0 * * *", "* * * *", "60 * * * *", "*/0 * * * *", "0 0 31 2 *", "0-5/2 * * * MON", "0 0 * * 7", "5-1 * * * *", "? * * * ?", "@reboot", "", "* * * * * *", "0 0 1 jan sun", "1,2,, * * * *"]),
    (r"^topologyKey$", ["kubernetes.io/hostname", "", "a b", "a/b/c", "topology.kubernetes.io/zone", "x" * 64, "-a"]),
    (r"^operator$", ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "", "in", "Equals"]),
    (r"^fieldPath$", ["metadata.name", "metadata.labels['a']", "metadata.annotations['a/b']", "metadata.annotations['A b']", "metadata.labels['']", "metadata.labels", "metadata.annotations", "status.hostIP", "status.hostIPs", "status.podIPs", "spec.nodeName", "metadata.uid", "limits.cpu", "spec.x", "", "metadata.name['a']", "metadata", "spec.containers{a}"]),
    (r"^resource$", ["limits.cpu", "requests.memory", "limits.hugepages-2Mi", "requests.hugepages-1Gi", "limits.hugepages-", "limits.ephemeral-storage", "requests.example.com/a", "limits.x", "cpu", "", "pods", "deployments", "*", "pods/status", "*/*", "pods/*"]),
    (r"^divisor$", ["0", "1", "1m", "10m", "100m", "1k", "1Ki", "1Mi", "1M", "2", "1.5", "1Ei", "1E", "0.001", "1e3", "-1"]),
    (r"^(image)$", ["img", " img", "img ", "", " ", "img:latest", "img@sha256:" + "0" * 64, "img:v1", "A/B", "x" * 300, "\timg"]),
    (r"^(portName|targetPortName)$", PORT_NAMES),
    (r"^(finalizers)$", ["a/b", "a", "example.com/A", "foregroundDeletion", "orphan", "kubernetes", "a b", "", "kubernetes.io/pvc-protection"]),
    (r"^(verbs|apiGroups|resources|operations|resourceNames|nonResourceURLs|apiVersions)$", ["*", "get", "GET", "", "apps", "pods", "pods/log", "*/scale", "/healthz", "/a/*", "a*", "CREATE", "v1", "x/y/z", "CONNECT"]),
    (r"^(url|host|hostnames|externalName|serverName|domain|subdomain|hostname|setHostnameAsFQDN|serviceName|nodeName|nominatedNodeName)$", ["a", "a.example.com", "A.example.com", "*.example.com", "*.a.*", "*", "10.0.0.1", "-a", "a_b", "x" * 64, "x" * 254, "", "a.", "https://a/b", "http://a", "https://a?b", "https://u@a/", "https://[::1]:1/", "a:1", "https://a#f", "..", "https:///x", "https://a%zz/"]),
)]
PORT_FIELD = re.compile(r"(?i)port$|^port$|^number$")

OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "u"}
# Of metadata: a field and what it may get.
METADATA = [
    ("name", ["", "A", "a_b", "a.b", "a/b", "..", "%", "x" * 63, "x" * 64, "x" * 253, "x" * 254, "-a", "a:b", "1", "ä", "a b", 1, None]),
    ("generateName", ["a-", "", "A", "a_", "x" * 63, "x" * 250, "a/", "ä", "a."]),
    ("namespace", ["", "other", "default", "A", 1]),
    ("labels", [{}, None, {"a": None}, {"a": 1}, {"a": True}, [], {"": "a"}, {"a/b/c": "a"}, {"A/B": "a"}, {"a": "x" * 64}, {"a": "-"}, {"x" * 64: ""}, {"a/" + "x" * 64: ""}, {"a": "a b", "b": "ä", "c c": ""}]),
    ("annotations", [{}, None, {"": "a"}, {"a b": "a"}, {"A/B": "a"}, {"a/b/c": "a"}, {"a": "x" * 262144}, {"a": "x" * 262140, "b": "xyz"}, {"a": "x" * 262143}, {"a": 1}, {"x" * 254 + "/a": ""}]),
    ("finalizers", [[], None, ["a"], ["a/b", "a/b"], ["foregroundDeletion"], ["orphan", "foregroundDeletion"], ["example.com/a", "b c"], [""], ["a/b/c"], ["kubernetes"], ["x" * 64], "a", ["kubernetes.io/pv-protection"]]),
    ("ownerReferences", [[], None, [OWNER], [OWNER, OWNER], [{**OWNER, "uid": ""}], [{**OWNER, "name": ""}], [{**OWNER, "kind": ""}], [{**OWNER, "apiVersion": ""}], [{**OWNER, "apiVersion": "a/b/c"}], [{**OWNER, "controller": True}, {**OWNER, "uid": "v", "controller": True}],
                         [{**OWNER, "kind": "Event"}], [{**OWNER, "apiVersion": "events.k8s.io/v1", "kind": "Event"}], [{**OWNER, "blockOwnerDeletion": True, "controller": False}], [{}], [{**OWNER, "apiVersion": "A/v1"}], [{**OWNER, "apiVersion": "apps/"}], [{**OWNER, "uid": "v", "controller": True}, OWNER]]),
    ("deletionTimestamp", ["2024-01-02T03:04:05Z", None, ""]), ("deletionGracePeriodSeconds", [0, 30, -1, None]), ("generation", [0, 5, -1, "1"]), ("selfLink", ["/a", ""]),
    ("creationTimestamp", ["2024-01-02T03:04:05Z", None, "x", "2024-01-02T03:04:05+01:00"]), ("managedFields", [[], [{}], None, [{"manager": "a", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {}}], [{"operation": "x"}],
                                                                                                 [{"manager": "a", "operation": "Update", "fieldsType": "x"}], [{"manager": "x" * 129, "operation": "Update"}], [{"operation": "Apply", "manager": "a\u0001"}]]),
    ("unknown", [1]), ("clusterName", ["a"]),
]


def by_name(name):
    """The values for a text field of that name; None for no such."""
    return next((values for pattern, values in BY_NAME if pattern.search(name)), None)
