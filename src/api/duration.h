// Durations as the API writes them ("1h30m", "1.5s", "300ms"): parsing with the real server's texts, printing. Pure,
// any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace api {

// The error is one line, e.g. `time: missing unit in duration "10"`.
std::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text);

// The shortest form: "0s", "1h30m0s", "1.5s", "300ms".
std::string FormatDuration(std::chrono::nanoseconds duration);

// How long, in the units a person wants: 119s, 9m59s, 2h5m, 3d4h, 2y100d; "<invalid>" for a time to come.
std::string HumanDuration(int64_t seconds);

}  // namespace api
