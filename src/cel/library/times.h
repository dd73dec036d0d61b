// Times: timestamps and durations of expressions: read, printed, computed with, taken apart in a time zone, with the
// ranges and words of cel-go 0.22. Pure but for FindZone, which reads the system's time zones; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "cel/library/numbers.h"
#include "cel/library/outcome.h"

namespace cel::library {

inline constexpr std::string_view kTimestampOverflow = "timestamp overflow";
inline constexpr int64_t kLeastSeconds = -62'135'596'800;  // 0001-01-01T00:00:00Z
inline constexpr int64_t kMostSeconds = 253'402'300'799;   // 9999-12-31T23:59:59Z

// An instant, and the offset of the text that it was read from, which its own text keeps.
struct Instant {
  int64_t seconds = 0;  // since 1970
  uint32_t nanoseconds = 0;
  int16_t offset_minutes = 0;  // east

  friend bool operator==(const Instant& a, const Instant& b) {
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
  }
};
inline int Compare(const Instant& a, const Instant& b) {
  return a.seconds != b.seconds ? Compare(a.seconds, b.seconds)
                                : Compare(uint64_t{a.nanoseconds}, uint64_t{b.nanoseconds});
}

// RFC 3339 as Go's time.Parse reads it: one digit will do for the hour, a comma for the point, offsets to 24:60. False
// where `text` is none. Does not look at the range: years 0000 to 9999 and what offsets make of them.
bool ParseInstant(std::string_view text, Instant& instant);
// YYYY-MM-DD, at midnight.
bool ParseDate(std::string_view text, Instant& instant);
inline bool IsInRange(const Instant& instant) {
  return instant.seconds >= kLeastSeconds && instant.seconds <= kMostSeconds;
}
// "2009-02-13T23:31:30.5Z", "...+02:00": in the offset that it was read with, as many decimals as there are.
std::string FormatInstant(const Instant& instant);

// Go's time.ParseDuration ("1h30m", "-1.5s"). False where `text` is none.
bool ParseDuration(std::string_view text, int64_t& nanoseconds);
// Texts of documents whose schema gives them a format, as the real server's reader has them. A duration may be said in
// words, which add up ("3 days 2 hours"); a date-time may lack its zone, and "" is 1970.
bool ReadFormattedDuration(std::string_view text, int64_t& nanoseconds);
bool ReadFormattedDateTime(std::string_view text, Instant& instant);
// Seconds with a decimal fraction: "5400s", "0.1s".
std::string FormatDuration(int64_t nanoseconds);

Number<Instant> Add(const Instant& instant, int64_t nanoseconds);
Number<Instant> Subtract(const Instant& instant, int64_t nanoseconds);
Number<int64_t> Subtract(const Instant& later, const Instant& earlier);  // nanoseconds

// What getFullYear() and its like give; months, days of the year and (kDayOfMonth) of the month count from 0, kDate
// from 1; Sunday is 0.
enum class Part : uint8_t {
  kFullYear,
  kMonth,
  kDayOfYear,
  kDayOfMonth,
  kDate,
  kDayOfWeek,
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
};
int64_t PartOf(const Instant& instant, Part part);  // in UTC
// `zone` is a name of the time zone database ("Europe/Berlin", "UTC", "") or hours and minutes ("-08:00", "5:30").
Outcome<int64_t> PartOf(const Instant& instant, Part part, std::string_view zone);

// Whole hours, minutes, seconds of a duration (towards zero), as cel-go's floating point has them.
int64_t HoursOf(int64_t nanoseconds);
int64_t MinutesOf(int64_t nanoseconds);
int64_t SecondsOf(int64_t nanoseconds);
inline int64_t MillisecondsOf(int64_t nanoseconds) { return nanoseconds / 1'000'000; }

}  // namespace cel::library
