"""Starting what is compared: the real server, and Fairlead under the names of the real ones."""
import contextlib
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from pair import Pair


@contextlib.contextmanager
def started(binaries, flags):
    """The address of a server that runs meanwhile."""
    if not binaries:
        sys.exit("there is no kube-apiserver to compare with: set FAIRLEAD_PEERS, or install Go")
    pair = Pair(binaries, flags)
    try:
        pair.start()
        yield pair.url
    finally:
        pair.stop()


def links_to(program, stack):
    """A folder where the program has the names of the real ones."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    for name in ("kube-apiserver", "etcd"):
        os.symlink(pathlib.Path(program).resolve(), os.path.join(folder, name))
    return folder
