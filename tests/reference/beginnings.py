#!/usr/bin/env python3
"""Start Fairlead and kube-apiserver with the same flags, several sets of them, and tell where they differ before anybody wrote.

  beginnings.py --program FILE [--only REGEX] [--flags="--feature-gates=A=true" ...]

Held against each other: discovery (the documents of all versions, and the aggregated one) and all objects of all resources that can be
listed, without what differs from start to start. Sets of flags are SETS, or one with --flags. What differs on purpose, or what Fairlead
does not do yet, is in KNOWN. The peers are found as for the benchmarks (bench/pair.py). Exit status 1 when something else differs.
"""
import argparse
import json
import pathlib
import re
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
for folder in ("bench", "tests/wire"):
    sys.path.insert(0, str(ROOT / folder))
from pair import peers
from play import Client
from servers import started, started_program

ALL = "--runtime-config=api/all=true"
SETS = [
    [],
    [ALL],
    ["--feature-gates=AllAlpha=true", ALL],
    ["--feature-gates=AllBeta=false"],
    ["--feature-gates=AllBeta=false", ALL],
    ["--feature-gates=AllAlpha=true,AllBeta=true", ALL],
    ["--feature-gates=DynamicResourceAllocation=true,ComponentFlagz=true"],
    ["--feature-gates=ClusterTrustBundle=true,ComponentStatusz=true", "--runtime-config=certificates.k8s.io/v1alpha1=true"],
    ["--feature-gates=DynamicResourceAllocation=true,ClusterTrustBundle=true,ComponentStatusz=true,ComponentFlagz=true",
     "--runtime-config=resource.k8s.io/v1beta1=true,certificates.k8s.io/v1alpha1=true"],
    ["--feature-gates=StorageVersionMigrator=true,SELinuxChangePolicy=true,VolumeAttributesClass=true,KubeletFineGrainedAuthz=true"],
    ["--runtime-config=api/beta=true"],
    ["--runtime-config=api/all=false,api/ga=true,apps/v1=false"],
]
SETTLES = 8  # seconds until the real server has made what it begins with
# Differences of "kind namespace/name path: ..." that are meant, with the reason.
KNOWN = [
    (r"^flowschemas .*/(managedFields|status)", "the reference runs without priority and fairness, which writes the statuses; here they are there from the start"),
    (r"^clusterroles /(admin|edit|view) ", "the reference runs without the controller that aggregates them"),
    (r"^componentstatuses ", "what else runs beside the server is not asked"),
    (r"^leases kube-system/(apiserver-|leader-election-controller)", "each server's own; the election is not there (docs/status.md)"),
    (r"^(endpointslices|endpoints|services) default/kubernetes", "addresses and ports of this server"),
    (r"^(storageversions) ", "StorageVersionAPI: its objects are not there (docs/status.md)"),
    (r"^(servicecidrs|ipaddresses) ", "MultiCIDRServiceAllocator: its objects are not there (docs/status.md)"),
    (r"^apiservices .*status", "what is available is asked at once here"),
    (r"^(events|secrets|configmaps) ", "written while the server runs"),
]
CHANCE = ("uid", "resourceVersion", "creationTimestamp", "time", "lastTransitionTime", "renewTime", "acquireTime", "serverAddressByClientCIDRs")


def plain(x):
    """Without what differs from start to start."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items() if k not in CHANCE}
    return [plain(v) for v in x] if isinstance(x, list) else x


class Told:
    """What one server says."""

    def __init__(self, url):
        self.client = Client(url, "admin-token")

    def get(self, path, accept="application/json"):
        status, _, body = self.client.request("GET", path, {"Accept": accept}, None)
        return json.loads(body) if status == 200 else {"status": status}

    def everything(self):
        said = {}
        for root in ("/api", "/apis"):
            said[f"discovery {root}"] = plain(self.get(root))
            aggregated = self.get(root, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
            for group in aggregated.get("items", ()):
                said[f"discovery aggregated {group['metadata'].get('name', '')}"] = plain(group)
        versions = ["/api/v1"] + [f"/apis/{v['groupVersion']}" for g in self.get("/apis")["groups"] for v in g["versions"]]
        for version in versions:
            document = self.get(version)
            resources = document.get("resources", ())
            for resource in resources:
                said[f"discovery {version}/{resource['name']}"] = resource
                if "/" not in resource["name"] and "list" in resource["verbs"]:
                    self.objects(version, resource["name"], said)
        return said

    def objects(self, version, resource, said):
        for item in self.get(f"{version}/{resource}").get("items", ()):
            meta = item["metadata"]
            said[f"{resource} {meta.get('namespace', '')}/{meta['name']} {version}"] = plain(item)


def differences(path, ours, real):
    """"path: ours, not real" of every place where they part."""
    if isinstance(ours, dict) and isinstance(real, dict):
        for key in sorted(set(ours) | set(real)):
            yield from differences(f"{path}/{key}", ours.get(key), real.get(key))
    elif ours != real:
        yield f"{path}: {json.dumps(ours)[:300]}, not {json.dumps(real)[:300]}"


def compared(program, flags):
    with started_program(program, [*flags, "--controllers="]) as url, started(peers(), flags) as real_url:
        time.sleep(SETTLES)
        ours, real = Told(url).everything(), Told(real_url).everything()
    return [text for name in sorted(set(ours) | set(real)) for text in differences(name, ours.get(name), real.get(name))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/src/server/fairlead")
    parser.add_argument("--only", default="", help="regular expression on the flags")
    parser.add_argument("--flags", nargs="+", help="one set of flags in place of SETS")
    options = parser.parse_args()
    unknown = 0
    for flags in [options.flags] if options.flags else SETS:
        if not re.search(options.only, " ".join(flags)):
            continue
        found = compared(options.program, flags)
        new = [text for text in found if not any(re.search(pattern, text) for pattern, _ in KNOWN)]
        print(f"{' '.join(flags) or 'no flags'}: {len(new)} differ, {len(found) - len(new)} known", flush=True)
        for text in new:
            print("  " + text, flush=True)
        unknown += len(new)
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
