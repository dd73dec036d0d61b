#!/usr/bin/env bash
# Build every fuzzer and run each for FUZZ_SECONDS (60) from its corpus. New inputs go to build/fuzz/corpus/<fuzzer>, so that a later run goes
# on from there; what crashes is left in build/fuzz/crashes. An input that takes 10 s, 1 GiB, 512 MiB at once, or more steps than its length allows
# (tools/fuzz_bounds.h) is a crash.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t fuzzers < <(git ls-files 'src/*_fuzz.cc' | xargs -n 1 basename | sed 's/\.cc$//' | sort)
cmake --build --preset fuzz --target "${fuzzers[@]}" -j "$(nproc)"
mkdir -p build/fuzz/crashes
# tools/fuzz_bounds.cc counts what operator new gives, and takes it from malloc: libFuzzer's own memory passes through both.
export ASAN_OPTIONS=alloc_dealloc_mismatch=0
failed=0
for fuzzer in "${fuzzers[@]}"; do
  mkdir -p "build/fuzz/corpus/$fuzzer"
  program=$(find build/fuzz/src -name "$fuzzer" -type f -perm -u+x | head -1)
  echo "== $fuzzer"
  "$program" -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$fuzzer-" "build/fuzz/corpus/$fuzzer" "tests/fuzz/$fuzzer" 2>&1 | tail -8 || failed=1
done
exit $failed
