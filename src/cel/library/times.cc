#include "cel/library/times.h"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "absl/time/time.h"
#include "api/duration.h"
#include "api/regexp.h"
#include "base/string_map.h"
#include "base/text.h"
#include "cel/library/strings.h"
#include "value/quote.h"

namespace cel::library {
namespace {

using base::Cat;
using base::IsDigit;

constexpr int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 86'400;

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Reads a text from the front.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // `least` to `most` digits, as many as there are.
  bool Number(size_t least, size_t most, int& number) {
    size_t digits = 0;
    number = 0;
    while (digits < most && digits < rest_.size() && IsDigit(rest_[digits]))
      number = number * 10 + (rest_[digits++] - '0');
    rest_.remove_prefix(digits);
    return digits >= least;
  }
  // A point or comma and digits, where they stand; those beyond the ninth are dropped.
  void Fraction(uint32_t& nanoseconds) {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !IsDigit(rest_[1])) return;
    rest_.remove_prefix(1);
    uint32_t unit = 100'000'000;
    for (; !rest_.empty() && IsDigit(rest_[0]); rest_.remove_prefix(1), unit /= 10) {
      nanoseconds += unit * static_cast<uint32_t>(rest_[0] - '0');
    }
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool ReadDate(Reader& reader, int64_t& day_number) {
  int year = 0, month = 0, day = 0;
  if (!reader.Number(4, 4, year) || !reader.Take('-') || !reader.Number(2, 2, month) || !reader.Take('-') ||
      !reader.Number(2, 2, day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  day_number = std::chrono::sys_days(date).time_since_epoch().count();
  return true;
}

// "Z", "+02:00".
bool ReadOffset(Reader& reader, int16_t& minutes) {
  if (reader.Take('Z')) return true;
  const bool west = reader.Take('-');
  int hour = 0, minute = 0;
  if ((!west && !reader.Take('+')) || !reader.Number(2, 2, hour) || !reader.Take(':') || !reader.Number(2, 2, minute)) {
    return false;
  }
  if (hour > 24 || minute > 60) return false;
  minutes = static_cast<int16_t>((west ? -1 : 1) * (hour * 60 + minute));
  return true;
}

std::chrono::year_month_day DateOf(int64_t day_number) {
  return std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day_number)));
}

void AppendFraction(std::string& out, uint32_t nanoseconds) {
  if (nanoseconds == 0) return;
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), ".%09u", nanoseconds);
  std::string_view text(digits.data(), 10);
  out += text.substr(0, text.find_last_not_of('0') + 1);
}

int64_t PartOfLocal(int64_t seconds, uint32_t nanoseconds, Part part) {
  const int64_t day_number = FloorDivide(seconds, kDay);
  const int64_t second = seconds - day_number * kDay;
  switch (part) {
    case Part::kHours:
      return second / 3600;
    case Part::kMinutes:
      return second / 60 % 60;
    case Part::kSeconds:
      return second % 60;
    case Part::kMilliseconds:
      return nanoseconds / 1'000'000;
    case Part::kDayOfWeek:
      return ((day_number + 4) % 7 + 7) % 7;
    default:
      break;
  }
  const std::chrono::year_month_day date = DateOf(day_number);
  switch (part) {
    case Part::kFullYear:
      return static_cast<int>(date.year());
    case Part::kMonth:
      return static_cast<int64_t>(static_cast<unsigned>(date.month())) - 1;
    case Part::kDayOfMonth:
      return static_cast<int64_t>(static_cast<unsigned>(date.day())) - 1;
    case Part::kDate:
      return static_cast<unsigned>(date.day());
    default:
      break;
  }
  const std::chrono::sys_days first = date.year() / std::chrono::January / 1;
  return day_number - first.time_since_epoch().count();  // kDayOfYear
}

// Go's strconv.Atoi, with its words.
Outcome<int64_t> ReadInt(std::string_view text) {
  int64_t number = 0;
  if (ParseInt(text, number)) return number;
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  return std::unexpected(
      Cat("strconv.Atoi: parsing ", value::Quote(text), is_number ? ": value out of range" : ": invalid syntax"));
}

// `text` as Go prints it where it is taken for a format without arguments, as the words about time zones are.
std::string AsFormat(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
    } else if (i + 1 == text.size()) {
      out += "%!(NOVERB)";
    } else {
      ++i;
      base::Append(out, text[i] == '%' ? "%" : "%!", text[i] == '%' ? "" : text.substr(i, 1),
                   text[i] == '%' ? "" : "(MISSING)");
    }
  }
  return out;
}

// The time zones of the system that have been asked for. Only names of files that are there are kept, so that the
// number of entries is bounded by that of the files.
class Zones {
 public:
  Outcome<absl::TimeZone> Find(std::string_view name) {
    if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) {
      return std::unexpected("time: invalid location name");
    }
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = zones_.find(name); found != zones_.end()) return found->second;
    }
    const std::string key(name);
    absl::TimeZone zone;
    if (!IsFile(key) || !absl::LoadTimeZone(key, &zone)) return std::unexpected(AsFormat(Cat("unknown time zone ", name)));
    const std::unique_lock lock(mutex_);
    zones_.emplace(key, zone);
    return zone;
  }

 private:
  static bool IsFile(const std::string& name) {
    if (name.size() > 255 || name.contains('\0')) return false;
    struct stat facts{};
    return stat(Cat("/usr/share/zoneinfo/", name).c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
  }

  std::shared_mutex mutex_;
  base::StringMap<absl::TimeZone> zones_;
};

// Seconds east of UTC that `zone` has at `seconds`.
Outcome<int64_t> OffsetOf(std::string_view zone, int64_t seconds) {
  const size_t colon = zone.find(':');
  if (colon == zone.npos) {
    if (zone.empty() || zone == "UTC") return 0;
    static Zones zones;
    const Outcome<absl::TimeZone> found =
        zone == "Local" ? Outcome<absl::TimeZone>(absl::LocalTimeZone()) : zones.Find(zone);
    if (!found) return std::unexpected(found.error());
    return found->At(absl::FromUnixSeconds(seconds)).offset;
  }
  const Outcome<int64_t> hours = ReadInt(zone.substr(0, colon));
  if (!hours) return hours;
  const Outcome<int64_t> minutes = ReadInt(zone.substr(colon + 1));
  if (!minutes) return minutes;
  // Numbers that are no offset wrap as they do in Go.
  uint64_t offset = static_cast<uint64_t>(*hours) * 60;
  offset = zone[0] == '-' ? offset - static_cast<uint64_t>(*minutes) : offset + static_cast<uint64_t>(*minutes);
  return static_cast<int64_t>(offset * uint64_t{kMinute}) / kSecond;
}

// Go's quotient as a double, and that towards zero.
int64_t Whole(int64_t nanoseconds, int64_t unit) {
  return static_cast<int64_t>(static_cast<double>(nanoseconds / unit) +
                              static_cast<double>(nanoseconds % unit) / static_cast<double>(unit));
}

}  // namespace

bool ParseInstant(std::string_view text, Instant& instant) {
  Reader reader(text);
  int64_t day_number = 0;
  int hour = 0, minute = 0, second = 0;
  Instant read;
  if (!ReadDate(reader, day_number) || !reader.Take('T') || !reader.Number(1, 2, hour) || !reader.Take(':') ||
      !reader.Number(2, 2, minute) || !reader.Take(':') || !reader.Number(2, 2, second)) {
    return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  reader.Fraction(read.nanoseconds);
  if (!ReadOffset(reader, read.offset_minutes) || !reader.at_end()) return false;
  read.seconds = day_number * kDay + hour * 3600 + minute * 60 + second - int64_t{read.offset_minutes} * 60;
  instant = read;
  return true;
}

bool ParseDate(std::string_view text, Instant& instant) {
  Reader reader(text);
  int64_t day_number = 0;
  if (!ReadDate(reader, day_number) || !reader.at_end()) return false;
  instant = {.seconds = day_number * kDay};
  return true;
}

std::string FormatInstant(const Instant& instant) {
  const int64_t local = instant.seconds + int64_t{instant.offset_minutes} * 60;
  const int64_t day_number = FloorDivide(local, kDay);
  const auto second = static_cast<int>(local - day_number * kDay);
  const std::chrono::year_month_day date = DateOf(day_number);
  std::array<char, 48> text{};
  const int size = std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), second / 3600, second / 60 % 60, second % 60);
  std::string out(text.data(), static_cast<size_t>(size));
  AppendFraction(out, instant.nanoseconds);
  if (instant.offset_minutes == 0) return out + 'Z';
  const int offset = std::abs(instant.offset_minutes);
  const int zone_size = std::snprintf(text.data(), text.size(), "%c%02d:%02d", instant.offset_minutes < 0 ? '-' : '+',
                                      offset / 60, offset % 60);
  return out.append(text.data(), static_cast<size_t>(zone_size));
}

bool ParseDuration(std::string_view text, int64_t& nanoseconds) {
  const auto parsed = api::ParseDuration(text);
  if (!parsed) return false;
  nanoseconds = parsed->count();
  return true;
}

bool ReadFormattedDuration(std::string_view text, int64_t& nanoseconds) {
  if (ParseDuration(text, nanoseconds)) return true;
  struct Unit {
    std::initializer_list<std::string_view> names;  // whole, but the last one as a beginning
    int64_t size;
  };
  static const Unit units[] = {{{"ns", "nano"}, 1},
                               {{"us", "\u00b5s", "micro"}, 1'000},
                               {{"ms", "milli"}, 1'000'000},
                               {{"s", "sec"}, kSecond},
                               {{"m", "min"}, kMinute},
                               {{"h", "hr", "hour"}, kHour},
                               {{"d", "day"}, 24 * kHour},
                               {{"w", "wk", "week"}, 168 * kHour}};
  static const api::Regexp part = api::Regexp::Compile(R"(\d+\s*[A-Za-z\x{b5}]+)").value();
  uint64_t total = 0;
  bool any = false;
  for (size_t at = 0; at <= text.size();) {
    const std::optional<std::string_view> found = part.Find(text, at);
    if (!found) break;
    at = static_cast<size_t>(found->data() - text.data()) + found->size();
    const size_t digits = std::min(found->find_first_not_of("0123456789"), found->size());
    int64_t number = 0;
    if (!ParseInt(found->substr(0, digits), number)) return false;
    const std::string name = base::ToLower(Trim(found->substr(digits)));
    for (const Unit& unit : units) {
      for (const std::string_view& variant : unit.names) {
        const bool is_last = &variant == std::prev(unit.names.end());
        if (name != variant && !(is_last && name.starts_with(variant))) continue;
        any = true;
        total += static_cast<uint64_t>(number) * static_cast<uint64_t>(unit.size);
      }
    }
  }
  nanoseconds = static_cast<int64_t>(total);
  return any;
}

bool ReadFormattedDateTime(std::string_view text, Instant& instant) {
  if (text.empty()) {
    instant = {};
    return true;
  }
  return ParseInstant(text, instant) || ParseInstant(Cat(text, "Z"), instant);
}

std::string FormatDuration(int64_t nanoseconds) {
  const double seconds =
      static_cast<double>(nanoseconds / kSecond) + static_cast<double>(nanoseconds % kSecond) / double{kSecond};
  return FormatPlain(seconds) + 's';
}

Number<Instant> Add(const Instant& instant, int64_t nanoseconds) {
  const int64_t sum = int64_t{instant.nanoseconds} + nanoseconds % kSecond;  // no less than -1 s, less than 2 s
  const int64_t carried = FloorDivide(sum, kSecond);
  Instant result = instant;
  result.seconds = instant.seconds + nanoseconds / kSecond + carried;
  result.nanoseconds = static_cast<uint32_t>(sum - carried * kSecond);
  if (!IsInRange(result)) return std::unexpected(kTimestampOverflow);
  return result;
}

Number<Instant> Subtract(const Instant& instant, int64_t nanoseconds) {
  const Number<int64_t> negated = Negate(nanoseconds);
  if (!negated) return std::unexpected(negated.error());
  return Add(instant, *negated);
}

Number<int64_t> Subtract(const Instant& later, const Instant& earlier) {
  const Number<int64_t> whole = Multiply(later.seconds - earlier.seconds, kSecond);
  if (!whole) return whole;
  return Add(*whole, int64_t{later.nanoseconds} - int64_t{earlier.nanoseconds});
}

int64_t PartOf(const Instant& instant, Part part) { return PartOfLocal(instant.seconds, instant.nanoseconds, part); }

Outcome<int64_t> PartOf(const Instant& instant, Part part, std::string_view zone) {
  const Outcome<int64_t> offset = OffsetOf(zone, instant.seconds);
  if (!offset) return offset;
  return PartOfLocal(instant.seconds + *offset, instant.nanoseconds, part);
}

int64_t HoursOf(int64_t nanoseconds) { return Whole(nanoseconds, kHour); }
int64_t MinutesOf(int64_t nanoseconds) { return Whole(nanoseconds, kMinute); }
int64_t SecondsOf(int64_t nanoseconds) { return Whole(nanoseconds, kSecond); }

}  // namespace cel::library
