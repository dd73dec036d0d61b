"""What one exchange with a server costs it: CPU of the whole process, the peak of its memory, the size of the answer."""
import contextlib
import os
import pathlib
import socket
import ssl
import threading
import time

QUIET = 0.0005      # seconds of CPU between two looks that say that the server is at rest
LOOK = 0.004        # between the looks
REST = 10           # how long to wait for that rest


class Probe:
    """CPU and memory of a process, finer than /proc/PID/stat: the clock of a process can be read by its number."""

    def __init__(self, pid):
        self.pid, self.folder = pid, pathlib.Path(f"/proc/{pid}")
        self.clock = (~pid << 3) | 2

    def cpu(self):
        """Seconds of CPU that it has had; what it had last where it has ended."""
        try:
            return time.clock_gettime(self.clock)
        except OSError:
            with contextlib.suppress(OSError, IndexError):
                fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
                return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            return 0.0

    def memory(self, name="VmRSS"):
        with contextlib.suppress(OSError, IndexError):
            for line in (self.folder / "status").read_text().splitlines():
                if line.startswith(name + ":"):
                    return int(line.split()[1]) << 10
        return 0

    def forget_peak(self):
        with contextlib.suppress(OSError):
            (self.folder / "clear_refs").write_text("5")

    def busy(self):
        before = self.cpu()
        time.sleep(5 * LOOK)
        return self.cpu() - before > QUIET

    def rest(self):
        """Waits until it uses no more CPU to speak of; false where it goes on."""
        end, before = time.monotonic() + REST, self.cpu()
        while time.monotonic() < end:
            time.sleep(LOOK)
            now = self.cpu()
            if now - before < QUIET:
                return True
            before = now
        return False


class Guard:
    """Ends a server that takes more than `most_memory` bytes or `most_cpu` seconds for one exchange, so that the machine stays usable and the sweep goes on."""

    def __init__(self, process, probe, most_memory, most_cpu):
        self.process, self.probe, self.most_memory, self.most_cpu = process, probe, probe.memory() + most_memory, probe.cpu() + most_cpu
        self.why = ""

    @contextlib.contextmanager
    def watching(self):
        done = threading.Event()

        def look():
            while not done.wait(0.1):
                if self.probe.memory() > self.most_memory:
                    self.why = f"ended by the test: {self.probe.memory() >> 20} MiB taken"
                elif self.probe.cpu() > self.most_cpu:
                    self.why = "ended by the test: no end of its CPU"
                else:
                    continue
                self.process.kill()
                return

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            done.set()
            thread.join()


def tls(protocol, certificate=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    if certificate:
        context.load_cert_chain(certificate)
    return context


def connect(port, protocol="http/1.1", timeout=30, certificate=None, receive_buffer=None):
    plain = socket.socket()
    if receive_buffer:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.settimeout(timeout)
    plain.connect(("127.0.0.1", port))
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return plain if protocol is None else tls(protocol, certificate).wrap_socket(plain)


def exchange(connection, data, reads=True, patience=30.0, pause=0.1, whole=None, piece=1 << 16, most=64 << 20, busy=lambda: False):
    """Sends everything while reading what comes back (or not: reads=False). Ends when the server hangs up, when `whole` says of the pieces so far
    that they are all, or when nothing has moved for `pause` seconds and the server is not busy (`patience` where an answer must come). Returns
    (bytes received, all sent, hung up)."""
    connection.setblocking(False)
    view, sent, got, size, hung_up = memoryview(data), 0, [], 0, False
    last = time.monotonic()
    while size < most:
        moved = False
        if sent < len(view):
            try:
                sent += connection.send(view[sent:sent + piece])
                moved = True
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
                pass
            except OSError:
                hung_up = True
        if reads or hung_up:
            try:
                while True:
                    came = connection.recv(1 << 18)
                    if not came:
                        hung_up = True
                        break
                    moved = True
                    got.append(came)
                    size += len(came)
                    if size >= most:
                        break
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                pass
            except OSError:
                hung_up = True
        if hung_up:
            break
        if moved:
            last = time.monotonic()
            if whole and size and whole(got):
                break
            continue
        waited = time.monotonic() - last
        if waited > (patience if whole else pause) and not (waited < patience and busy()):
            break
        time.sleep(0.0005 if waited < 0.05 else 0.01)
    return b"".join(got), sent == len(view), hung_up
