#!/usr/bin/env python3
"""Start servers, play every topic on them, and hold what passes against passing.txt.

  run.py --program build/release/src/server/fairlead [--topics reads,writes] [--only REGEX] [--verbose] [--raise] [--sanitized]

A conversation that fails is a failure unless skips.txt names it (then it is skipped); a topic of which fewer pass than passing.txt
says is one too. --raise writes the new counts into passing.txt and leaves out of skips.txt what passes. The last line is
"N passed, N failed, N skipped".
"""
import argparse
import fnmatch
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import conversations
import launch
import play

GATES = ["--feature-gates=CBORServingAndStorage=true,AllowUnsafeMalformedObjectDeletion=true,MutatingAdmissionPolicy=true",
         "--runtime-config=api/all=true"]
# What is off by default and changes built-in types.
FEATURES = ["--feature-gates=" + ",".join(gate + "=true" for gate in (
    "InPlacePodVerticalScaling", "InPlacePodVerticalScalingAllocatedStatus", "ImageVolume", "VolumeAttributesClass", "UserNamespacesSupport",
    "ProcMountType", "SupplementalGroupsPolicy", "MaxUnavailableStatefulSet", "HPAScaleToZero", "CoordinatedLeaderElection", "DRAAdminAccess",
    "DynamicResourceAllocation", "ClusterTrustBundleProjection", "ClusterTrustBundle", "SELinuxChangePolicy", "SELinuxMount",
    "RelaxedDNSSearchValidation", "PodLifecycleSleepActionAllowZero", "CrossNamespaceVolumeDataSource", "ResourceHealthStatus", "PodLevelResources",
    "DRAResourceClaimDeviceStatus", "PodLogsQuerySplitStreams")),
    "--runtime-config=api/all=true"]
# What is on by default and can be turned off.
NO_BETA = ["--feature-gates=AllBeta=false", "--runtime-config=api/all=true"]
JOBS = 32  # most of a conversation is waiting for watches
# Which topics share a server, its flags, and how many conversations it has at a time. What needs history to be gone has a server that
# keeps none: a page that is asked for after somebody else wrote is gone too, so there they come one after the other.
SERVERS = [
    (("access", "reads", "resources-platform", "resources-workloads", "writes", "validation-core", "validation-policy-types"), [], JOBS),
    # Their definitions would be seen in discovery by others.
    (("admission",), [], JOBS),
    (("custom-resources",), [], JOBS),
    (("gates",), GATES, JOBS),
    (("features",), FEATURES, JOBS),
    (("features-off",), NO_BETA, JOBS),
    (("reads-expired",), ["--history-retention=0s"], 1),
    (("access-node",), ["--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
                        "--allow-unenforced-flags"], JOBS),
]
SKIPPED_PATIENCE = 2  # seconds that a conversation which may fail waits for what is not there yet


def read_skips():
    """[(pattern, what it waits for)]"""
    skips = []
    for line in (HERE / "skips.txt").read_text().splitlines():
        pattern, _, reason = line.partition("#")
        if pattern.strip():
            skips.append((pattern.strip(), reason.strip()))
    return skips


def skip_reason(name, skips):
    return next((reason for pattern, reason in skips if fnmatch.fnmatchcase(name, pattern)), None)


def read_floor():
    lines = (HERE / "passing.txt").read_text().splitlines()
    return {topic: int(count) for topic, count in (line.split() for line in lines if line and not line.startswith("#"))}


def write_floor(floor):
    head = "# The least number of conversations of each topic that pass. Raised by run.py --raise; never lowered.\n"
    (HERE / "passing.txt").write_text(head + "".join(f"{topic} {count}\n" for topic, count in sorted(floor.items())))


def drop_skips(passed):
    """Leave out single names that pass. Patterns stay until somebody looks at them."""
    lines = (HERE / "skips.txt").read_text().splitlines()
    kept = [line for line in lines if line.partition("#")[0].strip() not in passed]
    (HERE / "skips.txt").write_text("\n".join(kept) + "\n")


def hurried(conversation):
    """The same with less patience."""
    def step(s):
        until = s.get("repeat_until")
        return {**s, "repeat_until": {**until, "seconds": min(until["seconds"], SKIPPED_PATIENCE)}} if until else s
    return {**conversation, "steps": [step(s) for s in conversation["steps"]]}


def play_topics(server, hook, topics, only, skips, results, jobs):
    chosen = [c for t in topics for c in conversations.read(conversations.FOLDER / f"{t}.jsonl") if re.search(only, c["name"])]
    chosen = [hurried(c) if skip_reason(c["name"], skips) is not None else c for c in chosen]

    def report(conversation, problems):
        results[conversation["name"]] = problems

    play.play_all(server.url, "admin-token", chosen, jobs, report=report, hook=hook)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--topics", default="", help="default: all")
    parser.add_argument("--only", default="", help="regular expression on names")
    parser.add_argument("--verbose", action="store_true", help="differences of skipped conversations too")
    parser.add_argument("--raise", dest="raise_floor", action="store_true")
    parser.add_argument("--sanitized", action="store_true", help="no counts are held: only crashes and reports are failures")
    options = parser.parse_args()
    wanted = options.topics.split(",") if options.topics else [t for topics, _, _ in SERVERS for t in topics]
    skips, floor = read_skips(), read_floor()
    results, broken = {}, []
    with launch.hook() as hook:
        for topics, flags, jobs in SERVERS:
            topics = [t for t in topics if t in wanted]
            if not topics:
                continue
            try:
                with launch.running(options.program, flags) as server:
                    play_topics(server, hook, topics, options.only, skips, results, jobs)
                    status = server.stop()
                    if status != 0:
                        broken.append(f"the server of {', '.join(topics)} ended with {status}:\n{server.log_tail()}")
            except RuntimeError as error:
                broken.append(str(error))
    passed, failed, skipped = [], list(broken), []
    for name, problems in sorted(results.items()):
        if not problems:
            passed.append(name)
        elif options.sanitized or skip_reason(name, skips) is not None:
            skipped.append(name)
            if options.verbose:
                print("SKIP", name, "\n" + "\n".join("  " + p for p in problems))
        else:
            failed.append(name)
            print("FAIL", name, "\n" + "\n".join("  " + p for p in problems))
    for problem in broken:
        print("FAIL", problem)
    counts = {t: sum(n.startswith(t + "/") for n in passed) for t in wanted}
    for topic in wanted:
        total = sum(n.startswith(topic + "/") for n in results)
        least = 0 if options.only or options.sanitized else floor.get(topic, 0)
        print(f"  {topic}: {counts[topic]} of {total} pass" + (f" (at least {least})" if least else ""))
        if counts[topic] < least:
            failed.append(topic)
            print(f"FAIL {topic}: {counts[topic]} pass, {least} did before")
    if options.raise_floor and not options.only:
        write_floor({**floor, **{t: max(floor.get(t, 0), n) for t, n in counts.items()}})
        drop_skips(set(passed))
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
