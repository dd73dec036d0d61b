#include "resources/batch/time_zones.h"

#include <algorithm>

#include "base/text.h"

namespace resources::batch {

std::string FindTimeZone(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return {};
  if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) return "time: invalid location name";
  const auto names = TimeZoneNames();
  if (std::ranges::binary_search(names, name)) return {};
  // The database is a tree of files.
  const std::string folder = base::Cat(name, "/");
  const auto after = std::ranges::lower_bound(names, folder);
  if (after != names.end() && after->starts_with(folder)) return "is a directory";
  return base::Cat("unknown time zone ", name);
}

}  // namespace resources::batch
