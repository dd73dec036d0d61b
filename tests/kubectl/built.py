"""The kubectl of the tests: 1.32, built from its published Go module (tests/clients/cmd/kubectl) and kept in build/."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KUBECTL = ROOT / "build/kubectl"
VERSION = "v1.32.5"


def build_kubectl():
    if KUBECTL.exists():
        return
    package = "k8s.io/component-base/version"
    flags = f"-s -w -X {package}.gitVersion={VERSION} -X {package}.gitMajor=1 -X {package}.gitMinor=32"
    KUBECTL.parent.mkdir(exist_ok=True)
    subprocess.run(["go", "build", "-trimpath", "-ldflags", flags, "-o", str(KUBECTL), "./cmd/kubectl"],
                   cwd=ROOT / "tests/clients", check=True)
