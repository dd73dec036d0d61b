#!/usr/bin/env bash
# Install the Debian packages of tools/packages.txt that are not there yet. Needs root, or sudo.
# clang 19 is in Debian 12's own archive (bookworm and its updates).
set -euo pipefail
cd "$(dirname "$0")"
missing=()
while read -r package; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done < <(sed 's/#.*//' packages.txt | awk 'NF { print $1 }')
if [ ${#missing[@]} -eq 0 ]; then
  echo "all packages are installed"
  exit 0
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo > /dev/null || { echo "not root and no sudo; install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
