// The formats of strings that schemas of definitions name, as the real server's validator reads them. Pure; any thread.
#pragma once

#include <string_view>

namespace api {

// By any of its names: dashes do not count ("date-time").
bool IsKnownFormat(std::string_view format);
// Of a known format.
bool HasFormat(std::string_view format, std::string_view text);

}  // namespace api
