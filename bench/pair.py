"""An etcd and a kube-apiserver, of either kind, started as a test or a measurement needs them."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/wire"))
import launch

LOAD = ROOT / "build/release/bench/fairlead_load"
TICKS = os.sysconf("SC_CLK_TCK")
NAMESPACE = "/api/v1/namespaces/default"


class Pair:
    """An etcd and a kube-apiserver, of either kind."""

    def __init__(self, binaries, arguments=()):
        """`arguments` go to kube-apiserver, after those that every pair has."""
        self.binaries, self.arguments = pathlib.Path(binaries), arguments
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-bench-"))
        self.port, self.etcd_port, self.peer_port = (launch.free_port() for _ in range(3))
        self.url, self.address = f"https://127.0.0.1:{self.port}", f"127.0.0.1:{self.port}"
        subprocess.run(["openssl", "genrsa", "-out", str(self.folder / "sa.key"), "2048"], check=True, stderr=subprocess.DEVNULL)
        self.processes = []

    def start(self):
        """Seconds until /readyz."""
        begin = time.perf_counter()
        etcd, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.peer_port}"
        self.run("etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", etcd, "--advertise-client-urls", etcd,
                 "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}")
        self.run("kube-apiserver", "--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--secure-port", self.port,
                 "--cert-dir", self.folder / "certs", "--service-cluster-ip-range", "10.0.0.0/24", "--authorization-mode", "RBAC",
                 "--service-account-issuer", "https://kubernetes.default.svc.cluster.local",
                 "--service-account-signing-key-file", self.folder / "sa.key", "--service-account-key-file", self.folder / "sa.key",
                 "--token-auth-file", launch.TOKENS,
                 *([] if any(str(a).startswith("--disable-admission-plugins") for a in self.arguments) else ["--disable-admission-plugins=ServiceAccount"]),
                 "--max-requests-inflight", "0", "--max-mutating-requests-inflight", "0", "--enable-priority-and-fairness=false", "--allow-privileged=true",
                 *self.arguments)
        launch.insecure()
        while launch.fetch(self.url + "/readyz")[0] != 200:
            if self.ended():
                raise RuntimeError((self.folder / "kube-apiserver.log").read_text()[-2000:])
            time.sleep(0.0005)
        ready = time.perf_counter() - begin
        # The namespace that the load writes into is made by the real server a moment later.
        while launch.fetch(self.url + NAMESPACE)[0] != 200:
            time.sleep(0.05)
        return ready

    def run(self, name, *arguments, binaries=None):
        with open(self.folder / f"{name}.log", "ab") as log:
            command = [str((binaries or self.binaries) / name), *map(str, arguments)]
            self.processes.append(subprocess.Popen(command, stdout=log, stderr=log))

    def attend(self, binaries, name, *arguments):
        """Runs a program of the control plane on the server: it stops with the pair, and counts with it."""
        path = self.folder / "kubeconfig"
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "admin"}}],
            "clusters": [{"name": "c", "cluster": {"server": self.url, "insecure-skip-tls-verify": True}}],
            "users": [{"name": "admin", "user": {"token": "admin-token"}}]}))
        self.run(name, "--kubeconfig", path, "--secure-port=0", *arguments, binaries=binaries)

    def ended(self):
        """What has ended by itself, with its exit status."""
        return [f"{p.args[0]} ended with {p.poll()}" for p in self.processes if p.poll() is not None]

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def cpu(self):
        """Seconds of user and system time so far."""
        total = 0
        for process in self.processes:
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory(self):
        """Resident bytes; pages that the processes share are counted once."""
        texts = (pathlib.Path(f"/proc/{p.pid}/smaps_rollup").read_text() for p in self.processes)
        return 1024 * sum(int(re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE).group(1)) for text in texts)

    def forget_peak(self):
        for process in self.processes:
            pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")

    def peak(self):
        """Most resident bytes of each process since forget_peak(), summed."""
        status = (pathlib.Path(f"/proc/{p.pid}/status").read_text() for p in self.processes)
        return 1024 * sum(int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) for text in status)

    def load(self, mode, *arguments, body=""):
        """What the load program says, with the server's CPU seconds meanwhile as "cpu"."""
        before = self.cpu()
        command = [str(LOAD), mode, self.address, "admin-token", *map(str, arguments)]
        done = subprocess.run(command, input=body.encode(), stdout=subprocess.PIPE, check=True)
        return {**json.loads(done.stdout), "cpu": self.cpu() - before}

    def fan_out(self, watchers, writes, size, rate=0):
        """As load, of the writes alone: the watches are open before the CPU time is looked at. `rate`: writes a second, 0 as fast as they are answered."""
        command = [str(LOAD), "watch", self.address, "admin-token", self.watch_path(), *map(str, (watchers, writes, size, rate))]
        load = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        load.stdout.readline()
        before = self.cpu()
        said, _ = load.communicate("\n")
        return {**json.loads(said), "cpu": self.cpu() - before}

    def watch_path(self):
        """Of a watch that begins now, with nothing to send."""
        listed = json.loads(launch.fetch(self.url + NAMESPACE + "/configmaps?limit=1")[1])
        return f"{NAMESPACE}/configmaps?watch=1&resourceVersion={listed['metadata']['resourceVersion']}"

    @contextlib.contextmanager
    def idle_watches(self, count):
        command = [str(LOAD), "idle", self.address, "admin-token", self.watch_path(), str(count)]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            holder.stdout.readline()
            yield
        finally:
            holder.stdin.close()
            holder.wait()


@contextlib.contextmanager
def links_to(program):
    """A folder where the program has the names of the real ones."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("kube-apiserver", "etcd"):
            os.symlink(pathlib.Path(program).resolve(), os.path.join(folder, name))
        yield folder


def peers(names=("etcd", "kube-apiserver")):
    """The folder of these programs, built where nobody names one that has them; None where that is impossible."""
    folder = pathlib.Path(os.environ.get("FAIRLEAD_PEERS", ROOT / "build/peers"))
    if not all((folder / name).exists() for name in names) and "FAIRLEAD_PEERS" not in os.environ:
        subprocess.run([str(ROOT / "bench/peers/build.sh"), str(folder), *names])
    return folder if all((folder / name).exists() for name in names) else None
