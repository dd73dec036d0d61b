#include "resources/batch/cron_schedule.h"

#include <algorithm>
#include <span>
#include <vector>

#include "api/duration.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/batch/time_zones.h"
#include "resources/rules/integers.h"

namespace resources::batch {
namespace {

constexpr std::string_view kMonths[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                        "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view kWeekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::string_view kDescriptors[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                             "@daily",  "@midnight", "@hourly"};

struct Bounds {
  int64_t least, most;
  std::span<const std::string_view> names = {};  // of `least` and on
};
constexpr Bounds kFields[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12, kMonths}, {0, 6, kWeekdays}};

// What is between the white space (Unicode's) of `text`.
std::vector<std::string_view> SplitFields(std::string_view text) {
  static constexpr std::string_view kWide[] = {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
                                               "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
                                               "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  std::vector<std::string_view> fields;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size();) {
    size_t space = i == text.size() || (text[i] >= '\t' && text[i] <= '\r') || text[i] == ' ' ? 1 : 0;
    if (space == 0 && static_cast<unsigned char>(text[i]) >= 0x80) {
      const auto wide = std::ranges::find_if(kWide, [&](std::string_view w) { return text.substr(i).starts_with(w); });
      if (wide != std::end(kWide)) space = wide->size();
    }
    if (space == 0) {
      ++i;
      continue;
    }
    if (i > begin) fields.push_back(text.substr(begin, i - begin));
    begin = i += space;
  }
  return fields;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Each reader below gives what is wrong, or "" and the number.
std::string ReadNumber(std::string_view text, int64_t& number) {
  const ParsedInteger parsed = ParseInteger(text);
  if (!parsed.ok()) {
    return base::Cat("failed to parse int from ", text, ": strconv.Atoi: parsing ", api::Quote(text), ": ",
                     parsed.error);
  }
  if (parsed.value < 0) return base::Cat("negative number (", parsed.value, ") not allowed: ", text);
  number = parsed.value;
  return {};
}

std::string ReadNumberOrName(std::string_view text, const Bounds& bounds, int64_t& number) {
  const auto named = std::ranges::find(bounds.names, base::ToLower(text));
  if (named == bounds.names.end()) return ReadNumber(text, number);
  number = bounds.least + (named - bounds.names.begin());
  return {};
}

struct Range {
  int64_t begin, end, step = 1;
};

// "5", "1-5", "*".
std::string ReadRange(std::string_view text, std::string_view expression, const Bounds& bounds, Range& range) {
  const std::vector<std::string_view> ends = Split(text, '-');
  if (ends[0] == "*" || ends[0] == "?") {
    range = {bounds.least, bounds.most};
    return {};
  }
  if (std::string error = ReadNumberOrName(ends[0], bounds, range.begin); !error.empty()) return error;
  range.end = range.begin;
  if (ends.size() > 2) return base::Cat("too many hyphens: ", expression);
  return ends.size() == 2 ? ReadNumberOrName(ends[1], bounds, range.end) : std::string();
}

// A range, with "/STEP" or without.
std::string CheckExpression(std::string_view expression, const Bounds& bounds) {
  const std::vector<std::string_view> parts = Split(expression, '/');
  Range range{};
  if (std::string error = ReadRange(parts[0], expression, bounds, range); !error.empty()) return error;
  if (parts.size() > 2) return base::Cat("too many slashes: ", expression);
  if (parts.size() == 2) {
    if (std::string error = ReadNumber(parts[1], range.step); !error.empty()) return error;
    if (!parts[0].contains('-')) range.end = bounds.most;  // a single number begins there and goes on
  }
  if (range.begin < bounds.least) {
    return base::Cat("beginning of range (", range.begin, ") below minimum (", bounds.least, "): ", expression);
  }
  if (range.end > bounds.most) {
    return base::Cat("end of range (", range.end, ") above maximum (", bounds.most, "): ", expression);
  }
  if (range.begin > range.end) {
    return base::Cat("beginning of range (", range.begin, ") beyond end of range (", range.end, "): ", expression);
  }
  return range.step == 0 ? base::Cat("step of range should be a positive number: ", expression) : std::string();
}

std::string CheckFields(std::string_view schedule) {
  const std::vector<std::string_view> fields = SplitFields(schedule);
  if (fields.size() != std::size(kFields)) {
    const std::vector<std::string> texts(fields.begin(), fields.end());
    return base::Cat("expected exactly ", std::size(kFields), " fields, found ", fields.size(), ": [",
                     base::Join(texts, " "), "]");
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    for (std::string_view expression : Split(fields[i], ',')) {
      if (expression.empty()) continue;
      if (std::string error = CheckExpression(expression, kFields[i]); !error.empty()) return error;
    }
  }
  return {};
}

std::string CheckDescriptor(std::string_view descriptor) {
  constexpr std::string_view kEvery = "@every ";
  if (std::ranges::find(kDescriptors, descriptor) != std::end(kDescriptors)) return {};
  if (!descriptor.starts_with(kEvery)) return base::Cat("unrecognized descriptor: ", descriptor);
  const auto duration = api::ParseDuration(descriptor.substr(kEvery.size()));
  return duration ? std::string() : base::Cat("failed to parse duration ", descriptor, ": ", duration.error());
}

}  // namespace

std::string CheckCronSchedule(std::string_view schedule) {
  if (schedule.empty()) return "empty spec string";
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t end = std::min(schedule.find(' '), schedule.size()), begin = schedule.find('=') + 1;
    const std::string_view zone = schedule.substr(begin, end - begin);
    if (const std::string error = FindTimeZone(zone); !error.empty()) {
      return base::Cat("provided bad location ", zone, ": ", error);
    }
    schedule = base::TrimSpace(schedule.substr(end));
  }
  return schedule.starts_with('@') ? CheckDescriptor(schedule) : CheckFields(schedule);
}

}  // namespace resources::batch
