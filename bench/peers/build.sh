#!/usr/bin/env bash
# Build etcd 3.5 and programs of Kubernetes 1.32 from their published Go modules into the folder given: kube-apiserver and etcd, or those
# named. Some minutes and 1 GB of disk.
set -euo pipefail
out=$(realpath -m "${1:?usage: build.sh FOLDER [NAME...]}"); shift
cd "$(dirname "$0")"
command -v go > /dev/null || { echo "no go: the peers cannot be built; name a folder that has them in FAIRLEAD_PEERS" >&2; exit 1; }
mkdir -p "$out"
version=k8s.io/component-base/version
for name in ${*:-etcd kube-apiserver}; do
  [ -x "$out/$name" ] || CGO_ENABLED=0 go build -mod=mod -trimpath -o "$out/$name" \
    -ldflags "-s -w -X $version.gitVersion=v1.32.5 -X $version.gitMajor=1 -X $version.gitMinor=32" "./$name"
done
