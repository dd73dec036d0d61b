// FuzzBounds: what one input may cost a parser of foreign bytes. Used around every input, by libFuzzer's runs
// (tools/fuzz_bounds.cc takes LLVMFuzzerTestOneInput's place) and by the replay of corpora (tools/replay_corpus.cc).
//
// Steps are counted as bytes allocated, those given back among them: the count is the same in every run, and what is
// copied, built or compared too often allocates. CPU is looked at too, with room for a busy machine and a sanitizer.
// One thread. Ends the process with the input's length and its cost where a bound is passed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuzzing {

struct Bounds {
  uint64_t allocated_base = uint64_t{96} << 20;  // whatever the input: tables that are made at the first use
  uint64_t allocated_per_byte = 16384;
  double seconds_base = 5;
  double seconds_per_byte = 2e-4;
};

struct Cost {
  uint64_t allocated = 0;  // bytes
  double seconds = 0;      // of this thread's CPU
};

// Runs the fuzzer's function on the input.
Cost RunBounded(const uint8_t* data, size_t size, const Bounds& bounds = {});

}  // namespace fuzzing
