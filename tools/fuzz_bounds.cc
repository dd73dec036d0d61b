#include "fuzz_bounds.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>

namespace {

thread_local uint64_t allocated = 0;

void* Allocate(size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void* Allocate(size_t size, std::align_val_t alignment) {
  allocated += size;
  const auto unit = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit) / unit * unit)) return memory;
  throw std::bad_alloc();
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + (static_cast<double>(now.tv_nsec) * 1e-9);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, std::align_val_t alignment) { return Allocate(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return Allocate(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

#ifdef FAIRLEAD_LIBFUZZER
// The linker gives libFuzzer this one (--wrap), and this one the fuzzer's.
extern "C" int __real_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" int __wrap_LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::RunBounded(data, size);
  return 0;
}
#define ONE_INPUT __real_LLVMFuzzerTestOneInput
#else
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
#define ONE_INPUT LLVMFuzzerTestOneInput
#endif

fuzzing::Cost fuzzing::RunBounded(const uint8_t* data, size_t size, const Bounds& bounds) {
  const uint64_t allocated_before = allocated;
  const double before = ThreadSeconds();
  ONE_INPUT(data, size);
  const Cost cost{.allocated = allocated - allocated_before, .seconds = ThreadSeconds() - before};
  const double bytes = static_cast<double>(size);
  if (cost.allocated > bounds.allocated_base + (bounds.allocated_per_byte * size) ||
      cost.seconds > bounds.seconds_base + (bounds.seconds_per_byte * bytes)) {
    std::fprintf(stderr, "an input of %zu bytes took %llu bytes of memory in all and %.1f s of CPU\n", size,
                 static_cast<unsigned long long>(cost.allocated), cost.seconds);
    std::abort();
  }
  return cost;
}
