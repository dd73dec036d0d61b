#!/usr/bin/env python3
"""The real kube-controller-manager and kube-scheduler of 1.32 over Fairlead, and over the real server: is the same made, and do they complain?

  run.py [--program FILE] [--seconds 600] [--alone]

A scene is played on each server in turn: nodes without kubelets (nodes.py), workloads of every kind, rollouts, scaling, deletions, a namespace
that goes away. Compared are the objects at the end (kinds, names but for their random part, what statuses count) and the errors in the two
programs' logs: one that only Fairlead's run has is a failure. The programs are found as
for the benchmarks (bench/pair.py); where they are not there the test is skipped. Last line: "N passed, N failed".
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
for folder in ("bench", "tests/wire", "tests/controlplane"):
    sys.path.insert(0, str(ROOT / folder))
from nodes import Api, Nodes
from pair import Pair, links_to, peers
from play import Client

SCENE = "/namespaces/scene"
APPS, BATCH, CORE = "/apis/apps/v1" + SCENE, "/apis/batch/v1" + SCENE, "/api/v1" + SCENE
KINDS = {"pods": CORE, "replicasets": APPS, "deployments": APPS, "statefulsets": APPS, "daemonsets": APPS, "controllerrevisions": APPS, "jobs": BATCH,
         "cronjobs": BATCH, "endpoints": CORE, "configmaps": CORE, "serviceaccounts": CORE, "resourcequotas": CORE, "persistentvolumeclaims": CORE,
         "endpointslices": "/apis/discovery.k8s.io/v1" + SCENE, "poddisruptionbudgets": "/apis/policy/v1" + SCENE}
COUNTS = ("phase", "replicas", "readyReplicas", "availableReplicas", "updatedReplicas", "succeeded", "desiredNumberScheduled", "numberReady", "currentHealthy",
          "desiredHealthy", "expectedPods", "disruptionsAllowed", "hard", "used")


# The controller manager does this work here.
OURS = ["--controllers=-namespace-controller,-garbage-collector-controller"]


def template(name, restart="Always"):
    resources = {"requests": {"cpu": "100m", "memory": "64Mi"}}
    return {"metadata": {"labels": {"app": name}},
            "spec": {"restartPolicy": restart, "containers": [{"name": "main", "image": "example.com/" + name, "resources": resources}]}}


def selector(name):
    return {"matchLabels": {"app": name}}


def named(name, **parts):
    return {"metadata": {"name": name}, **parts}


def set_up(api):
    api.create("/api/v1/namespaces", named("scene"))
    api.create("/api/v1/namespaces", named("passing"))
    api.create(CORE + "/resourcequotas", named("most", spec={"hard": {"pods": "100", "requests.cpu": "50"}}))
    api.create(APPS + "/deployments", named("web", spec={"replicas": 3, "selector": selector("web"), "template": template("web")}))
    api.create(APPS + "/deployments", named("gone", spec={"replicas": 2, "selector": selector("gone"), "template": template("gone")}))
    api.create(CORE + "/services", named("db", spec={"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"port": 5432}]}))
    api.create(CORE + "/services", named("web", spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}))
    api.create(APPS + "/statefulsets", named("db", spec={"serviceName": "db", "replicas": 2, "selector": selector("db"), "template": template("db")}))
    api.create(APPS + "/daemonsets", named("agent", spec={"selector": selector("agent"), "template": template("agent")}))
    api.create(BATCH + "/jobs", named("once", spec={"completions": 3, "parallelism": 2, "template": template("once", "Never")}))
    job = {"spec": {"template": template("often", "OnFailure")}}
    api.create(BATCH + "/cronjobs", named("often", spec={"schedule": "* * * * *", "successfulJobsHistoryLimit": 1, "jobTemplate": job}))
    api.create("/apis/policy/v1" + SCENE + "/poddisruptionbudgets", named("web", spec={"minAvailable": 1, "selector": selector("web")}))
    api.create(CORE + "/persistentvolumeclaims", named("disk", spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}))
    api.create("/apis/apps/v1/namespaces/passing/deployments", named("p", spec={"replicas": 2, "selector": selector("p"), "template": template("p")}))


def rollout(api):
    change = template("web")["spec"]["containers"][0]["name"]
    api.patch(APPS + "/deployments/web", {"spec": {"template": {"spec": {"containers": [{"name": change, "image": "example.com/web:2"}]}}}})


def scale(api):
    api.patch(APPS + "/deployments/web", {"spec": {"replicas": 5}})
    api.patch(APPS + "/statefulsets/db", {"spec": {"replicas": 3}})


def take_away(api):
    api.delete(APPS + "/deployments/gone", {"propagationPolicy": "Background"})
    api.delete("/api/v1/namespaces/passing")


# What is done at which part of the scene's time; the last quarter is for things to settle.
ACTS = ((0, set_up), (0.2, rollout), (0.4, scale), (0.6, take_away))


def plain(name):
    """Without what is random in it."""
    return re.sub(r"-[0-9]{8,}$", "-<time>", re.sub(r"-[0-9]{8,}-[a-z0-9]{5}$", "-<time>-<random>", re.sub(r"-[a-z0-9]{5}$", "-<random>", re.sub(r"-[a-f0-9]{7,10}(?=-|$)", "-<hash>", name))))


def picture(api):
    """{what: how often} of the objects in the scene."""
    seen = collections.Counter()
    for kind, root in KINDS.items():
        for item in api.get(f"{root}/{kind}")["items"]:
            if kind in ("pods", "jobs") and item["metadata"]["name"].startswith("often-"):
                continue  # how many minutes began meanwhile is chance
            status = {k: v for k, v in item.get("status", {}).items() if k in COUNTS}
            seen[f"{kind} {plain(item['metadata']['name'])} {json.dumps(status, sort_keys=True)}"] += 1
    for name in ("scene", "passing"):
        there = api.get("/api/v1/namespaces/" + name, fine=(404,))
        seen[f"namespace {name} {there['status']['phase'] if there else 'is gone'}"] += 1
    often = [j for j in api.get(BATCH + "/jobs")["items"] if j["metadata"]["name"].startswith("often-")]
    seen["cron jobs ran" if any(j.get("status", {}).get("succeeded") for j in often) else "cron jobs did not run"] += 1
    return seen


def complaints(log):
    """The errors of a log, without what is of one moment."""
    found = set()
    for line in pathlib.Path(log).read_text(errors="replace").splitlines():
        error = re.match(r"[EF]\d{4} \S+\s+\d+ (\S+?):\d+\] (.*)", line)
        if error:
            text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "<uid>", error.group(2))
            text = re.sub(r"\d+", "#", re.sub(r"127\.0\.0\.1:\d+", "<server>", text))
            found.add(f"{error.group(1)} {re.sub(r'-[a-z0-9#]{5,10}', '-<random>', text)[:240]}")
    return found


def play_scene(binaries, programs, seconds, arguments=()):
    """(picture, complaints, problems)"""
    pair = Pair(binaries, arguments)
    try:
        pair.start()
        pair.attend(programs, "kube-controller-manager", "--use-service-account-credentials=false",
                    f"--service-account-private-key-file={pair.folder / 'sa.key'}")
        pair.attend(programs, "kube-scheduler")
        api = Api(Client(pair.url, "admin-token"))
        nodes = Nodes(Api(Client(pair.url, "admin-token")), ["node-1", "node-2"])
        nodes.start()
        begin = time.monotonic()
        for part, act in ACTS:
            time.sleep(max(0, begin + part * seconds - time.monotonic()))
            act(api)
        time.sleep(max(0, begin + seconds - time.monotonic()))
        seen = picture(api)
        nodes.stop()
        problems = nodes.problems[:5] + pair.ended()
    finally:
        pair.stop()
    said = set().union(*(complaints(pair.folder / f"{n}.log") for n in ("kube-controller-manager", "kube-scheduler")))
    shutil.rmtree(pair.folder, ignore_errors=True)
    return seen, said, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/src/server/fairlead"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--alone", action="store_true", help="on Fairlead only: prints what is there and what was complained of")
    options = parser.parse_args()
    programs = peers(("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"))
    if not programs:
        print("kube-controller-manager and kube-scheduler are not there\n0 passed, 0 failed, 1 skipped")
        return
    with links_to(options.program) as links:
        seen, said, problems = play_scene(links, programs, options.seconds, OURS)
    if options.alone:
        print("\n".join([f"{n} {what}" for what, n in sorted(seen.items())] + sorted(said) + problems))
        return
    there, said_there, _ = play_scene(programs, programs, options.seconds)
    results = {"the same objects are there": [f"here {seen[w]}, there {there[w]}: {w}" for w in sorted(seen | there) if seen[w] != there[w]],
               "the programs complain of nothing more": sorted(said - said_there), "the scene plays": problems}
    for name, found in results.items():
        if found:
            print("FAIL", name, "\n" + "\n".join("  " + f for f in found))
    failed = sum(map(bool, results.values()))
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
