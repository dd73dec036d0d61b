"""Starting what is compared."""
import contextlib
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from pair import Pair, links_to


@contextlib.contextmanager
def started(binaries, flags, manager=()):
    """The address of a server that runs meanwhile; with flags for it, kube-controller-manager runs beside."""
    if not binaries:
        sys.exit("there is no kube-apiserver to compare with: set FAIRLEAD_PEERS, or install Go")
    pair = Pair(binaries, flags)
    try:
        pair.start()
        if manager:
            pair.attend(binaries, "kube-controller-manager", *manager)
        yield pair.url
    finally:
        pair.stop()
        shutil.rmtree(pair.folder, ignore_errors=True)


@contextlib.contextmanager
def started_program(program, flags):
    """The same of Fairlead."""
    with links_to(program) as links, started(links, flags) as url:
        yield url
