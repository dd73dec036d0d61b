"""Start Fairlead's programs for a test, and stop them again. Used by every suite that needs a running server."""
import base64
import contextlib
import functools
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOKENS = pathlib.Path(__file__).resolve().parent / "tokens.csv"
READY_SECONDS = 60  # a sanitizer's build on a busy machine


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@functools.cache
def insecure():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # without reading the system's authorities, which takes its time
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def fetch(url, token="admin-token", timeout=5):
    """(status, body); status 0 where nobody answers."""
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=timeout, context=insecure()) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return 0, b""


class Server:
    """`fairlead serve` in a folder of its own, as the conversations' reference was started."""

    def __init__(self, program, arguments=(), folder=None, store="memory"):
        self.own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="fairlead-"))
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.log_path = self.folder / "server.log"
        self.key = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", str(self.key), "2048"], check=True, stderr=subprocess.DEVNULL)
        self.command = [
            str(program), "serve", "--data-dir", str(self.folder / "data"), "--store", store,
            "--listen", f"127.0.0.1:{self.port}", "--kubeconfig", str(self.folder / "kubeconfig"),
            "--token-auth-file", str(TOKENS), "--service-cluster-ip-range", "10.0.0.0/24",
            "--disable-admission-plugins", "ServiceAccount", "--allow-privileged=true",
            "--service-account-issuer", "https://kubernetes.default.svc.cluster.local",
            "--service-account-key-file", str(self.key), "--service-account-signing-key-file", str(self.key), *arguments,
        ]
        if not any(a.startswith("--authorization-mode") for a in arguments):
            self.command.append("--authorization-mode=RBAC")
        self.process = None

    @property
    def kubeconfig(self):
        return self.folder / "kubeconfig"

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ})
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.log_tail()}")
            if fetch(self.url + "/readyz")[0] == 200:
                return self
            time.sleep(0.02)
        self.stop()
        raise RuntimeError(f"the server is not ready after {READY_SECONDS} s:\n{self.log_tail()}")

    def log_tail(self):
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-30:])

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """The exit status after SIGTERM, or -9 where that was not enough."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(40)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def remove(self):
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def running(program, arguments=(), **options):
    server = Server(program, arguments, **options)
    try:
        yield server.start()
    finally:
        server.stop()
        server.remove()


class Hook:
    """A running hook.py: `url`, and `ca`, its certificate as a caBundle has it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hook-"))
        port = free_port()
        self.url = f"https://127.0.0.1:{port}"
        program = pathlib.Path(__file__).resolve().parent / "hook.py"
        self.process = subprocess.Popen([sys.executable, str(program), "--port", str(port), "--dir", str(self.folder)])
        end = time.monotonic() + READY_SECONDS
        while fetch(self.url + "/log/none")[0] != 200:
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError("hook.py does not serve")
            time.sleep(0.02)
        self.ca = base64.b64encode((self.folder / "ca.pem").read_bytes()).decode()

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def hook():
    endpoint = Hook()
    try:
        yield endpoint
    finally:
        endpoint.stop()
