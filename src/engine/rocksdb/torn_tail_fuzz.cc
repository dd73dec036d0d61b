// Feeds any bytes to the examiner of logs.
#include <string_view>
#include <tuple>

#include "engine/rocksdb/torn_tail.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::ignore = engine::ExamineLog({reinterpret_cast<const char*>(data), size});
  return 0;
}
