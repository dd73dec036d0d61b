// Any text is a schedule or has something wrong with it; nothing else is said of a good one.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "resources/batch/cron_schedule.h"
#include "resources/batch/index_ranges.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string error = resources::batch::CheckCronSchedule(text);
  if (error.empty() && text.empty()) std::abort();
  const size_t half = text.size() / 2;
  const auto ranges = resources::batch::ReadIndexRanges(text, 100);
  if (!ranges.error.empty() && ranges.total != 0) std::abort();
  (void)resources::batch::FindOverlap(text.substr(0, half), text.substr(half), 100);
  return 0;
}
