#!/usr/bin/env bash
# Floors, formatting and clang-tidy. With arguments: only those sources. Without: what differs from the main branch, or with ALL=1 all.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 tools/floors.py
mapfile -t files < <(
  if [ $# -gt 0 ]; then printf '%s\n' "$@"
  elif [ "${ALL:-0}" = 1 ]; then git ls-files 'src/*.cc' 'src/*.h'
  else { git diff --name-only --diff-filter=d "$(git merge-base HEAD main 2> /dev/null || echo HEAD)" -- 'src/*.cc' 'src/*.h'
         git ls-files -o --exclude-standard 'src/*.cc' 'src/*.h'; } | sort -u
  fi)
[ ${#files[@]} -gt 0 ] || { echo "lint: nothing differs"; exit 0; }
clang-format-19 --dry-run --Werror "${files[@]}"
sources=()
for file in "${files[@]}"; do [[ $file == *.cc ]] && sources+=("$file"); done
[ ${#sources[@]} -gt 0 ] || exit 0
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 --quiet -p build/dev
