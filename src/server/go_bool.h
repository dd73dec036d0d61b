// Booleans as Go's programs read them on a command line. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace server {

// 1, t, T, true, TRUE, True and their opposites; nothing else.
std::optional<bool> ParseGoBool(std::string_view text);

// What Go says of a text that is none.
std::string GoBoolComplaint(std::string_view text);

}  // namespace server
