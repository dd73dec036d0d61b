// Durations as the API writes them ("1h30m", "1.5s", "300ms"): parsing with the real server's texts, printing. Pure,
// any thread.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

namespace api {

// The error is one line, e.g. `time: missing unit in duration "10"`.
std::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text);

// The shortest form: "0s", "1h30m0s", "1.5s", "300ms".
std::string FormatDuration(std::chrono::nanoseconds duration);

}  // namespace api
