#include "cel/library/format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cel/library/numbers.h"
#include "cel/library/times.h"
#include "value/quote.h"
#include "value/utf8.h"

namespace cel::library {
namespace {

using base::Append;
using base::Cat;
using Shown = Outcome<void>;

constexpr int64_t kMostNumber = 1'000'000;  // of a precision or width; beyond it Go reads no number
constexpr int kDecimals = 6;
constexpr int kMostDepth = 200;  // of lists in lists that are shown

std::unexpected<std::string> Wrong(char verb, const Value& value) {
  return std::unexpected(WrongFormatArgument(verb, TypeName(value)));
}

Instant InstantOf(const Value& value) {
  return {.seconds = value.seconds(), .nanoseconds = value.subsecond(), .offset_minutes = value.offset_minutes()};
}

// ---- %f and %e, as the printer of golang.org/x/text writes them for American English ----

// The digits of a double's exact value, rounded to `decimals` behind the point: "1234.50".
std::string FixedDigits(double d, int decimals) { return FormatFixed(d, std::max(decimals, 0)); }

std::string Grouped(std::string_view whole) {
  std::string out;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (i > 0 && (whole.size() - i) % 3 == 0) out += ',';
    out += whole[i];
  }
  return out;
}

// NaN and the infinities; empty for a finite number.
std::string_view SpecialText(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d < 0 ? "-\u221e" : "\u221e";
  return {};
}

void AppendFixed(std::string& out, double d, int64_t precision) {
  if (precision > kMostNumber) {
    out += "%!(NOVERB)";
    return;
  }
  if (const std::string_view special = SpecialText(d); !special.empty()) {
    out += special;
    return;
  }
  // The printer keeps the most decimals in 16 bits and the least in 8.
  const int most = static_cast<int16_t>(precision);
  const auto least = static_cast<size_t>(static_cast<uint8_t>(precision));
  std::string text = FixedDigits(std::fabs(d), most);
  const size_t point = std::min(text.find('.'), text.size());
  std::string fraction = point < text.size() ? text.substr(point + 1) : "";
  while (fraction.size() > least && fraction.back() == '0') fraction.pop_back();
  if (d < 0) out += '-';
  out += Grouped(std::string_view(text).substr(0, point));
  if (!fraction.empty()) Append(out, ".", fraction);
}

// What stands behind a point in an %e is a width to this printer: cel-go leaves the point out.
void AppendScientific(std::string& out, double d, int64_t width) {
  constexpr std::string_view kRaised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                          "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  if (width > kMostNumber) {
    out += "%!(NOVERB)";
    return;
  }
  std::string text(SpecialText(d));
  if (text.empty()) {
    std::array<char, 64> buffer{};
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d == 0 ? 0.0 : d,
                                    std::chars_format::scientific, kDecimals)
                          .ptr;
    const std::string_view made(buffer.data(), static_cast<size_t>(end - buffer.data()));
    const size_t e = made.find('e');
    text = Cat(made.substr(0, e), "\u202f\u00d7\u202f10");
    if (made[e + 1] == '-') text += "\u207b";
    for (const char digit : made.substr(e + 2)) text += kRaised[digit - '0'];
  }
  const auto wanted = static_cast<int64_t>(static_cast<uint16_t>(width));
  const int64_t size = CodePoints(text);
  if (size < wanted) out.append(static_cast<size_t>(wanted - size), ' ');
  out += text;
}

// ---- values ----

class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  // %s of a value.
  Shown String(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kNull:
        out_ += "null";
        return {};
      case ValueKind::kBool:
        out_ += value.AsBool() ? "true" : "false";
        return {};
      case ValueKind::kInt:
        Append(out_, value.AsInt());
        return {};
      case ValueKind::kUint:
        Append(out_, value.AsUint());
        return {};
      case ValueKind::kDouble:
        out_ += FormatDouble(value.AsDouble());
        return {};
      case ValueKind::kString:
      case ValueKind::kType:
        out_ += value.text();
        return {};
      case ValueKind::kBytes:
        return Bytes(value);
      case ValueKind::kDuration:
        out_ += FormatDuration(value.nanoseconds());
        return {};
      case ValueKind::kTimestamp:
        out_ += FormatInstant(InstantOf(value));
        return {};
      case ValueKind::kList:
        return List(value);
      case ValueKind::kMap:
        return Map(value);
      default:
        return Wrong('s', value);
    }
  }

 private:
  Shown Bytes(const Value& value) {
    if (!value::IsValidUtf8(value.text())) {
      return std::unexpected(
          "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string");
    }
    out_ += value.text();
    return {};
  }

  // A part of a list or map: as a literal of the language.
  Shown Part(const Value& value) {
    switch (value.kind()) {
      case ValueKind::kString:
        out_ += value::Quote(value.text());
        return {};
      case ValueKind::kBytes: {
        std::string text;
        if (const Shown shown = Printer(text).Bytes(value); !shown) return shown;
        Append(out_, "b", value::Quote(text));
        return {};
      }
      case ValueKind::kDouble: {
        const double d = value.AsDouble();
        const std::string_view quote = std::isfinite(d) ? "" : "\"";
        Append(out_, quote, FormatFixed(d, kDecimals), quote);
        return {};
      }
      case ValueKind::kDuration:
        Append(out_, "duration(\"", FormatDuration(value.nanoseconds()), "\")");
        return {};
      case ValueKind::kTimestamp:
        Append(out_, "timestamp(\"", FormatInstant(InstantOf(value)), "\")");
        return {};
      case ValueKind::kNull:
      case ValueKind::kBool:
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kType:
      case ValueKind::kList:
      case ValueKind::kMap:
        return String(value);
      default:
        return std::unexpected(Cat("no formatting function for ", TypeName(value)));
    }
  }

  Shown Enter() {
    if (++depth_ > kMostDepth) return std::unexpected("value is nested too deeply");
    if (out_.size() > kMostResultBytes) return TooLong();
    return {};
  }

  Shown List(const Value& list) {
    if (const Shown entered = Enter(); !entered) return entered;
    out_ += '[';
    for (uint32_t i = 0; i < list.Count(); ++i) {
      if (i > 0) out_ += ", ";
      if (const Shown shown = Part(list.At(i)); !shown) return shown;
      if (out_.size() > kMostResultBytes) return TooLong();
    }
    out_ += ']';
    --depth_;
    return {};
  }

  // Entries in the order of their keys' texts.
  Shown Map(const Value& map) {
    if (const Shown entered = Enter(); !entered) return entered;
    std::vector<std::pair<std::string, std::string>> entries;
    Value key, item;
    for (MapWalk walk(map); walk.Next(key, item);) {
      auto& [key_text, item_text] = entries.emplace_back();
      switch (key.kind()) {
        case ValueKind::kString:
          key_text = value::Quote(key.text());
          break;
        case ValueKind::kBool:
          key_text = key.AsBool() ? "true" : "false";
          break;
        case ValueKind::kInt:
          key_text = Cat(key.AsInt());
          break;
        case ValueKind::kUint:
          key_text = Cat(key.AsUint());
          break;
        default:
          return std::unexpected(Cat("no formatting function for map key of type ", TypeName(key)));
      }
      Printer printer(item_text);
      printer.depth_ = depth_;
      if (const Shown shown = printer.Part(item); !shown) return shown;
    }
    std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
    out_ += '{';
    for (size_t i = 0; i < entries.size(); ++i) {
      Append(out_, i > 0 ? ", " : "", entries[i].first, ":", entries[i].second);
      if (out_.size() > kMostResultBytes) return TooLong();
    }
    out_ += '}';
    --depth_;
    return {};
  }

  std::string& out_;
  int depth_ = 0;
};

// An integer in base 2, 8, 10 or 16, a negative one with its sign. False for a value that is no integer.
bool AppendInteger(std::string& out, const Value& value, int base) {
  std::array<char, 72> buffer;
  std::to_chars_result made;
  if (value.is(ValueKind::kInt)) {
    made = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.AsInt(), base);
  } else if (value.is(ValueKind::kUint)) {
    made = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value.AsUint(), base);
  } else {
    return false;
  }
  out.append(buffer.data(), made.ptr);
  return true;
}

Shown AppendHex(std::string& out, const Value& value, bool upper) {
  const size_t begin = out.size();
  if (value.is(ValueKind::kString) || value.is(ValueKind::kBytes)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : value.text()) {
      const auto byte = static_cast<unsigned char>(c);
      out += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
  } else if (!AppendInteger(out, value, 16)) {
    return Wrong('x', value);
  }
  if (upper) {
    for (size_t i = begin; i < out.size(); ++i) {
      if (out[i] >= 'a' && out[i] <= 'f') out[i] = static_cast<char>(out[i] - 'a' + 'A');
    }
  }
  return {};
}

// The number that %f or %e shows: a double, or one of three texts.
bool FloatOf(const Value& value, double& d) {
  if (value.is(ValueKind::kDouble)) {
    d = value.AsDouble();
    return true;
  }
  if (!value.is(ValueKind::kString)) return false;
  const std::string_view text = value.text();
  return (text == "NaN" || text == "Infinity" || text == "-Infinity") && ParseDouble(text, d);
}

Shown AppendClause(std::string& out, const FormatClause& clause, const Value& value) {
  switch (clause.verb) {
    case 's':
      return Printer(out).String(value);
    case 'b':
      if (value.is(ValueKind::kBool)) {
        out += value.AsBool() ? '1' : '0';
        return {};
      }
      if (!AppendInteger(out, value, 2)) return Wrong('b', value);
      return {};
    case 'd':
      if (!AppendInteger(out, value, 10)) return Wrong('d', value);
      return {};
    case 'o':
      if (!AppendInteger(out, value, 8)) return Wrong('o', value);
      return {};
    case 'x':
    case 'X':
      return AppendHex(out, value, clause.verb == 'X');
    default:
      break;
  }
  double d = 0;
  if (!FloatOf(value, d)) return Wrong(clause.verb, value);
  const int64_t precision = clause.precision.value_or(kDecimals);
  if (clause.verb == 'f') {
    AppendFixed(out, d, precision);
  } else {
    AppendScientific(out, d, precision);
  }
  return {};
}

// Cuts a clause's precision and verb off `rest`, which stands behind the '%' and is not empty.
Shown ReadClause(std::string_view& rest, FormatClause& clause) {
  if (rest[0] == '.') {
    size_t end = 1;
    while (end < rest.size() && base::IsDigit(rest[end])) ++end;
    constexpr std::string_view kWhere = "could not parse formatting clause: error while parsing precision: ";
    if (end == rest.size()) {
      return std::unexpected(Cat(kWhere, "could not find end of precision specifier"));
    }
    const std::string_view digits = rest.substr(1, end - 1);
    int64_t precision = 0;
    if (!ParseInt(digits, precision)) {
      return std::unexpected(Cat(kWhere, "error while converting precision to integer: strconv.Atoi: parsing ",
                                 value::Quote(digits), digits.empty() ? ": invalid syntax" : ": value out of range"));
    }
    clause.precision = precision;
    rest.remove_prefix(end);
  }
  clause.verb = rest[0];
  if (!std::string_view("sdfebxXo").contains(clause.verb)) {
    std::string verb;
    value::AppendRune(verb, static_cast<unsigned char>(clause.verb));
    return std::unexpected(Cat("could not parse formatting clause: unrecognized formatting clause \"", verb, "\""));
  }
  rest.remove_prefix(1);
  return {};
}

}  // namespace

Outcome<size_t> WalkFormat(std::string_view format, size_t arguments, std::string& out,
                           absl::FunctionRef<Outcome<void>(const FormatClause&, std::string&)> clause, bool end_first) {
  size_t shown = 0;
  std::string_view rest = format;
  while (!rest.empty()) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    out += rest.substr(0, percent);
    rest.remove_prefix(percent);
    if (rest.empty()) break;
    if (rest.starts_with("%%")) {
      out += '%';
      rest.remove_prefix(2);
      continue;
    }
    if (end_first && rest.size() == 1) return std::unexpected("unexpected end of string");
    if (shown >= arguments) return std::unexpected(Cat("index ", shown, " out of range"));
    if (rest.size() == 1) return std::unexpected("unexpected end of string");
    rest.remove_prefix(1);
    FormatClause found{.argument = shown};
    if (Shown read = ReadClause(rest, found); !read) return std::unexpected(std::move(read.error()));
    if (const Shown made = clause(found, out); !made) {
      return std::unexpected(Cat("error during formatting: ", made.error()));
    }
    if (out.size() > kMostResultBytes) return TooLong();
    ++shown;
  }
  return shown;
}

std::string WrongFormatArgument(char verb, std::string_view type_name) {
  std::string_view rule;
  switch (verb) {
    case 'd':
      rule = "decimal clause can only be used on integers";
      break;
    case 'f':
      rule = "fixed-point clause can only be used on doubles";
      break;
    case 'e':
      rule = "scientific clause can only be used on doubles";
      break;
    case 'b':
      rule = "only integers and bools can be formatted as binary";
      break;
    case 'o':
      rule = "octal clause can only be used on integers";
      break;
    case 'x':
    case 'X':
      rule = "only integers, byte buffers, and strings can be formatted as hex";
      break;
    default:
      rule =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
          "timestamps";
      break;
  }
  return Cat(rule, ", was given ", type_name);
}

Outcome<std::string_view> Format(value::Arena& arena, std::string_view format, const Value& arguments) {
  std::string out;
  const Outcome<size_t> walked =
      WalkFormat(format, arguments.Count(), out, [&](const FormatClause& clause, std::string& to) {
        return AppendClause(to, clause, arguments.At(static_cast<uint32_t>(clause.argument)));
      });
  if (!walked) return std::unexpected(walked.error());
  return arena.CopyString(out);
}

}  // namespace cel::library
