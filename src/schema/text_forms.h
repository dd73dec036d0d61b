// Text forms of the scalars that JSON has no word for: times, byte strings and (a part of) quantities, read as strictly
// and refused with the same words as Go does it. Called by decoding (both forms) and by everything that computes with a
// canonical tree's times. Pure functions, any thread; nothing allocates but error texts and decoded bytes.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace schema {

struct Instant {
  int64_t seconds = 0;  // since 1970
  int32_t nanos = 0;    // 0 .. 999,999,999
  bool operator==(const Instant&) const = default;
};

// Go's zero time, year 1: what an unset time is.
inline constexpr Instant kZeroTime{-62135596800, 0};

enum class TimeForm : uint8_t {
  kSeconds,  // 2006-01-02T15:04:05Z; read with any fraction or none
  kMicros,   // 2006-01-02T15:04:05.000000Z; read with exactly six digits
};

// The error is Go's: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`.
std::expected<Instant, std::string> ParseTime(std::string_view text, TimeForm form);

// Whether `text` is as FormatTime writes some instant after year 1.
bool IsCanonicalTime(std::string_view text, TimeForm form);

// Whether `text` is a quantity in canonical form, of the kind that nearly all are: a few digits and perhaps m, Ki, Mi
// or Gi. Says no to some that are.
bool IsCanonicalQuantity(std::string_view text);

inline constexpr size_t kMaxTimeText = 40;
// Writes UTC into `buffer` (kMaxTimeText bytes) and returns the text.
std::string_view FormatTime(Instant time, TimeForm form, char* buffer);

// Standard base64 with padding; line breaks are skipped. Appends to `out`. The error is Go's: `illegal base64 data at
// input byte 3`.
std::expected<void, std::string> DecodeBase64(std::string_view text, std::string& out);

// Whether `text` is exactly what encoding its bytes gives, so that it may stay as it is.
bool IsCanonicalBase64(std::string_view text);

}  // namespace schema
