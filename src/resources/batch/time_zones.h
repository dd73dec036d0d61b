// The time zones there are, by name. The list is compiled in (data/time_zones.txt, the names of the IANA database), so
// that a server answers the same wherever it runs. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace resources::batch {

// Sorted by bytes.
std::span<const std::string_view> TimeZoneNames();

// Why there is no such zone, as the real server says it; "" of one that is there. "", "UTC" and "Local" are.
std::string FindTimeZone(std::string_view name);

}  // namespace resources::batch
