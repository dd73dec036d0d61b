#include "schema/text_forms.h"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "base/text.h"

namespace schema {

using base::IsDigit;

namespace {

constexpr int64_t kDay = 86400;

int64_t DaysFromCivil(int year, int month, int day) {
  using namespace std::chrono;
  return sys_days(std::chrono::year(year) / month / day).time_since_epoch().count();
}

int DaysIn(int month, int year) {
  using namespace std::chrono;
  return static_cast<int>(static_cast<unsigned>((std::chrono::year(year) / month / std::chrono::last).day()));
}

// As time.quote: bytes that are no printable ASCII in hex.
std::string Quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x80) {
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out += '"';
}

// Reads one time text element by element. An element that does not fit is remembered with what stood there.
class TimeParser {
 public:
  TimeParser(std::string_view text, TimeForm form) : text_(text), rest_(text), form_(form) {}

  std::expected<Instant, std::string> Parse() {
    if (Year() && Literal("-") && Number("01", true, 1, 12, "month", month_) && Literal("-") &&
        Number("02", true, 0, 99, "day", day_) && Literal("T") && Number("15", false, 0, 23, "hour", hour_) &&
        Literal(":") && Number("04", true, 0, 59, "minute", minute_) && Literal(":") && Second() && Fraction() &&
        Zone() && End()) {
      return Instant{DaysFromCivil(year_, month_, day_) * kDay + hour_ * 3600 + minute_ * 60 + second_ - offset_,
                     nanos_};
    }
    return std::unexpected(error_);
  }

 private:
  bool Misfit(std::string_view at, std::string_view element) {
    std::string_view layout =
        form_ == TimeForm::kSeconds ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
    error_ = base::Cat("parsing time ", Quoted(text_), " as ", Quoted(layout), ": cannot parse ", Quoted(at), " as ",
                       Quoted(element));
    return false;
  }

  bool OutOfRange(std::string_view what) {
    error_ = base::Cat("parsing time ", Quoted(text_), ": ", what, " out of range");
    return false;
  }

  bool Literal(std::string_view one) {
    if (!rest_.starts_with(one)) return Misfit(rest_, one);
    rest_.remove_prefix(1);
    return true;
  }

  bool Year() {
    if (rest_.size() < 4) return Misfit(rest_, "2006");
    for (int i = 0; i < 4; ++i) {
      if (!IsDigit(rest_[i])) return Misfit(rest_, "2006");
      year_ = year_ * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    return true;
  }

  // One or two digits; two where `fixed`.
  static std::optional<int> TwoDigits(std::string_view& from, bool fixed) {
    if (from.empty() || !IsDigit(from[0])) return std::nullopt;
    int number = from[0] - '0';
    bool two = from.size() > 1 && IsDigit(from[1]);
    if (fixed && !two) return std::nullopt;
    if (two) number = number * 10 + (from[1] - '0');
    from.remove_prefix(two ? 2 : 1);
    return number;
  }

  bool Number(std::string_view element, bool fixed, int least, int most, std::string_view what, int& number) {
    std::string_view hold = rest_;
    std::optional<int> read = TwoDigits(rest_, fixed);
    if (!read) return Misfit(hold, element);
    if (*read < least || *read > most) return OutOfRange(what);
    number = *read;
    return true;
  }

  bool Second() { return Number("05", true, 0, 59, "second", second_); }

  void Nanos(std::string_view digits) {
    int scale = 100'000'000;
    for (char c : digits.substr(0, 9)) {
      nanos_ += (c - '0') * scale;
      scale /= 10;
    }
  }

  bool Fraction() {
    bool point = !rest_.empty() && (rest_[0] == '.' || rest_[0] == ',');
    size_t digits = 0;
    while (point && digits + 1 < rest_.size() && IsDigit(rest_[digits + 1])) ++digits;
    if (form_ == TimeForm::kMicros) {
      if (!point || digits < 6) return Misfit(rest_, ".000000");
      digits = 6;
    } else if (digits == 0) {
      return true;  // a point without digits is for the zone to refuse
    }
    Nanos(rest_.substr(1, digits));
    rest_.remove_prefix(1 + digits);
    return true;
  }

  bool Zone() {
    constexpr std::string_view kElement = "Z07:00";
    std::string_view hold = rest_;
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || rest_[3] != ':') return Misfit(hold, kElement);
    char sign = rest_[0];
    std::string_view hours = rest_.substr(1, 2), minutes = rest_.substr(4, 2);
    rest_.remove_prefix(6);
    std::optional<int> h = TwoDigits(hours, true), m = TwoDigits(minutes, true);
    if (h && *h > 24) return OutOfRange("time zone offset hour");
    if (h && m && *m > 60) return OutOfRange("time zone offset minute");
    if (!h || !m || (sign != '+' && sign != '-')) return Misfit(hold, kElement);
    offset_ = (*h * 60 + *m) * 60 * (sign == '+' ? 1 : -1);
    return true;
  }

  bool End() {
    if (!rest_.empty()) {
      error_ = base::Cat("parsing time ", Quoted(text_), ": extra text: ", Quoted(rest_));
      return false;
    }
    return (day_ >= 1 && day_ <= DaysIn(month_, year_)) || OutOfRange("day");
  }

  std::string_view text_, rest_;
  TimeForm form_;
  int year_ = 0, month_ = 0, day_ = 0, hour_ = 0, minute_ = 0, second_ = 0, offset_ = 0;
  int32_t nanos_ = 0;
  std::string error_;
};

char* PutDigits(char* to, int64_t number, int width) {
  for (int i = width - 1; i >= 0; --i) {
    to[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return to + width;
}

constexpr uint8_t kNoBase64 = 0xff;
constexpr std::array<uint8_t, 256> kBase64Values = [] {
  std::array<uint8_t, 256> values;
  values.fill(kNoBase64);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < kAlphabet.size(); ++i) values[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return values;
}();

uint8_t Base64Value(char c) { return kBase64Values[static_cast<uint8_t>(c)]; }
bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

// Decodes four characters at a time with Go's idea of which byte is the wrong one.
class Base64Reader {
 public:
  explicit Base64Reader(std::string_view text) : text_(text) {}

  std::expected<void, std::string> Read(std::string& out) {
    while (at_ < text_.size()) {
      if (FourClean(out)) continue;
      if (!Quantum(out)) return std::unexpected(base::Cat("illegal base64 data at input byte ", wrong_));
    }
    return {};
  }

 private:
  bool FourClean(std::string& out) {
    if (text_.size() - at_ < 4) return false;
    uint32_t bits = 0, bad = 0;
    for (size_t i = 0; i < 4; ++i) {
      uint8_t value = Base64Value(text_[at_ + i]);
      bad |= value;
      bits = bits << 6 | (value & 63u);
    }
    if (bad & 0x80) return false;
    out += {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
    at_ += 4;
    return true;
  }

  bool Wrong(size_t at) {
    wrong_ = at;
    return false;
  }

  void SkipLineBreaks() {
    while (at_ < text_.size() && IsLineBreak(text_[at_])) ++at_;
  }

  // After the first '=' of a quantum of which `count` characters have been read.
  bool Padding(size_t count) {
    if (count < 2) return Wrong(at_ - 1);
    if (count == 2) {
      SkipLineBreaks();
      if (at_ == text_.size()) return Wrong(text_.size());
      if (text_[at_] != '=') return Wrong(at_ - 1);
      ++at_;
    }
    SkipLineBreaks();
    return at_ == text_.size() || Wrong(at_);
  }

  bool Quantum(std::string& out) {
    uint32_t bits = 0;
    size_t count = 0;
    while (count < 4) {
      if (at_ == text_.size()) return count == 0 || Wrong(at_ - count);
      char c = text_[at_++];
      uint8_t value = Base64Value(c);
      if (value != kNoBase64) {
        bits = bits << 6 | value;
        ++count;
      } else if (c == '=') {
        if (!Padding(count)) return false;
        break;
      } else if (!IsLineBreak(c)) {
        return Wrong(at_ - 1);
      }
    }
    bits <<= 6 * (4 - count);
    for (size_t i = 0; i + 1 < count; ++i) out += static_cast<char>(bits >> (16 - 8 * i));
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t wrong_ = 0;
};

}  // namespace

std::expected<Instant, std::string> ParseTime(std::string_view text, TimeForm form) {
  return TimeParser(text, form).Parse();
}

bool IsCanonicalTime(std::string_view text, TimeForm form) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.ddddddZ";
  bool micros = form == TimeForm::kMicros;
  if (text.size() != (micros ? kShape.size() : 20u) || text.back() != 'Z') return false;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (kShape[i] == 'd' ? !IsDigit(text[i]) : text[i] != kShape[i]) return false;
  }
  auto number = [&](size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  int year = number(0) * 100 + number(2), month = number(5), day = number(8);
  return year > 1 && month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= DaysIn(month, year)) &&
         number(11) < 24 && number(14) < 60 && number(17) < 60;
}

bool IsCanonicalQuantity(std::string_view text) {
  uint32_t number = 0;
  size_t digits = 0;
  while (digits < text.size() && digits < 6 && IsDigit(text[digits])) {
    number = number * 10 + static_cast<uint32_t>(text[digits++] - '0');
  }
  if (digits == 0 || text[0] == '0') return false;
  // A multiple of the next suffix is written with that one.
  std::string_view suffix = text.substr(digits);
  if (suffix.empty() || suffix == "m") return number % 1000 != 0;
  return (suffix == "Ki" || suffix == "Mi" || suffix == "Gi") && number % 1024 != 0;
}

std::string_view FormatTime(Instant time, TimeForm form, char* buffer) {
  using namespace std::chrono;
  int64_t days = time.seconds >= 0 ? time.seconds / kDay : (time.seconds - kDay + 1) / kDay;
  int64_t second = time.seconds - days * kDay;
  year_month_day date{sys_days(std::chrono::days(days))};
  int year = static_cast<int>(date.year());
  char* to = buffer;
  if (year < 0) *to++ = '-';
  to = PutDigits(to, year < 0 ? -year : year, year > 9999 ? 5 : 4);
  *to++ = '-';
  to = PutDigits(to, static_cast<unsigned>(date.month()), 2);
  *to++ = '-';
  to = PutDigits(to, static_cast<unsigned>(date.day()), 2);
  *to++ = 'T';
  to = PutDigits(to, second / 3600, 2);
  *to++ = ':';
  to = PutDigits(to, second / 60 % 60, 2);
  *to++ = ':';
  to = PutDigits(to, second % 60, 2);
  if (form == TimeForm::kMicros) {
    *to++ = '.';
    to = PutDigits(to, time.nanos / 1000, 6);
  }
  *to++ = 'Z';
  return {buffer, static_cast<size_t>(to - buffer)};
}

std::expected<void, std::string> DecodeBase64(std::string_view text, std::string& out) {
  out.reserve(out.size() + text.size() / 4 * 3);
  return Base64Reader(text).Read(out);
}

bool IsCanonicalBase64(std::string_view text) {
  if (text.size() % 4) return false;
  if (text.empty()) return true;
  size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string_view digits = text.substr(0, text.size() - padding);
  uint8_t bad = 0;
  for (char c : digits) bad |= Base64Value(c);
  if (bad & 0x80) return false;
  uint8_t last = Base64Value(digits.back());
  return padding == 0 || (last & (padding == 1 ? 3 : 15)) == 0;
}

}  // namespace schema
