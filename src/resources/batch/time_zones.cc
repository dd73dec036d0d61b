#include "resources/batch/time_zones.h"

#include <algorithm>

#include "base/text.h"

namespace resources::batch {

std::string FindTimeZone(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return {};
  if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) return "time: invalid location name";
  if (std::ranges::binary_search(TimeZoneNames(), name)) return {};
  return base::Cat("unknown time zone ", name);
}

}  // namespace resources::batch
