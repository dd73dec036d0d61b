#include "server/flags.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "api/duration.h"
#include "base/text.h"
#include "server/go_bool.h"
#include "server/port_range.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

// What is wrong with `text` as a whole number of the Go function `parser`, or "".
template <class Integer>
std::string NumberComplaint(std::string_view text, std::string_view parser) {
  Integer number = 0;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) {
    return Cat(parser, ": parsing ", value::Quote(text), ": value out of range");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Cat(parser, ": parsing ", value::Quote(text), ": invalid syntax");
  }
  return "";
}

std::string FloatComplaint(std::string_view text) {
  std::string copy(text);
  char* end = nullptr;
  std::strtod(copy.c_str(), &end);
  return copy.empty() || *end != 0 ? Cat("strconv.ParseFloat: parsing ", value::Quote(text), ": invalid syntax") : "";
}

bool IsAddress(std::string_view text) {
  std::string copy(text);
  unsigned char bytes[16];
  return inet_pton(AF_INET, copy.c_str(), bytes) == 1 || inet_pton(AF_INET6, copy.c_str(), bytes) == 1;
}

// What is wrong with `text` as a value of that type, or "".
std::string Complaint(std::string_view type, std::string_view text) {
  if (type == "bool") {
    return ParseGoBool(text) ? "" : GoBoolComplaint(text);
  }
  if (type == "int") return NumberComplaint<int64_t>(text, "strconv.ParseInt");
  if (type == "uint") return NumberComplaint<uint64_t>(text, "strconv.ParseUint");
  if (type == "Level") return NumberComplaint<uint64_t>(text, "strconv.ParseUint");
  if (type == "float" || type == "float32") return FloatComplaint(text);
  if (type == "duration") {
    auto parsed = api::ParseDuration(text);
    return parsed ? "" : parsed.error();
  }
  if (type == "ip") return IsAddress(text) ? "" : Cat("failed to parse IP: ", value::Quote(text));
  if (type == "portRange") {
    const auto range = ParsePortRange(text);
    return range ? "" : range.error();
  }
  if (type == "pattern=N,..." && !text.empty() && text.find('=') == std::string_view::npos) {
    return Cat(value::Quote(text), " does not have the pattern=N format");
  }
  return "";
}

// Go's programs take a word with underscores for the one with dashes.
std::string WithDashes(std::string_view name) {
  std::string dashes(name);
  std::ranges::replace(dashes, '_', '-');
  return dashes;
}

const Flag* Find(std::span<const Flag> known, std::string_view name) {
  auto at = std::ranges::lower_bound(known, name, {}, &Flag::name);
  return at != known.end() && at->name == name ? &*at : nullptr;
}

// Whether the flag stands for a value when it is given without one, and which.
std::string_view ValueWhenAlone(const Flag& flag) {
  return flag.type == "bool" || flag.type == "version" ? "true" : "";
}

struct Word {
  std::string_view name, value;
  bool has_value = false;
  bool is_short = false;
};

// "--name", "--name=value", "-v", "-v=2", "-v2"; with `single_dash` also "-name".
base::Result<Word> Split(std::string_view argument, bool single_dash) {
  Word word;
  bool two = argument.starts_with("--");
  std::string_view rest = argument.substr(two ? 2 : 1);
  if (rest.empty() || rest.starts_with('-') || rest.starts_with('=')) {
    return base::Fail(Code::kInvalid, Cat("bad flag syntax: ", argument));
  }
  word.is_short = !two && !single_dash;
  if (word.is_short) {
    word.name = rest.substr(0, 1);
    word.has_value = rest.size() > 1;
    word.value = rest.substr(1);
    if (word.value.starts_with('=')) word.value.remove_prefix(1);
    return word;
  }
  size_t equals = rest.find('=');
  word.name = rest.substr(0, equals);
  word.has_value = equals != std::string_view::npos;
  if (word.has_value) word.value = rest.substr(equals + 1);
  return word;
}

std::vector<std::string> SplitCommas(std::string_view text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  while (true) {
    size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// One flag of the help: its name alone on a line where the description would not stand under the others'.
void AppendHelp(const Flag& flag, std::string& help) {
  constexpr size_t kDescriptions = 52;  // the column where they begin
  const size_t begin = help.size();
  base::Append(help, flag.name == "v" ? "  -v, " : flag.name == "help" ? "  -h, " : "      ", "--", flag.name);
  if (flag.type != "bool") base::Append(help, " ", flag.type);
  if (flag.description.empty() && flag.default_value.empty()) {
    help += "\n";
    return;
  }
  if (help.size() - begin + 2 > kDescriptions) {
    help += "\n";
    help.append(kDescriptions, ' ');
  } else {
    help.append(kDescriptions - (help.size() - begin), ' ');
  }
  help += flag.description;
  if (!flag.default_value.empty()) {
    base::Append(help, flag.description.empty() ? "" : " ", "(default ", flag.default_value, ")");
  }
  if (flag.effect == Flag::Effect::kNone) help += "; no effect here";
  if (flag.effect == Flag::Effect::kRefused) help += "; refused, not built yet";
  help += "\n";
}

base::Error Unknown(const FlagStyle& style, const Word& word, std::string_view argument) {
  if (style.single_dash) return {Code::kInvalid, Cat("flag provided but not defined: -", word.name)};
  if (word.is_short) return {Code::kInvalid, Cat("unknown shorthand flag: '", word.name, "' in ", argument)};
  return {Code::kInvalid, Cat("unknown flag: --", word.name)};
}

}  // namespace

base::Result<> FlagValues::Set(const Flag& flag, std::string_view value) {
  std::string complaint = Complaint(flag.type, value);
  if (!complaint.empty()) {
    std::string_view shown = flag.name == "v" ? "-v, --v" : flag.name;
    return base::Fail(Code::kInvalid, Cat("invalid argument ", value::Quote(value), " for \"",
                                          shown == flag.name ? "--" : "", shown, "\" flag: ", complaint));
  }
  values_[flag.name].emplace_back(value);
  return {};
}

base::Result<FlagValues> FlagValues::Parse(const FlagStyle& style, std::span<const std::string_view> arguments) {
  FlagValues values(style.known);
  std::vector<std::string_view> words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view argument = arguments[i];
    if (argument == "--") {
      words.insert(words.end(), arguments.begin() + i + 1, arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      words.push_back(argument);
      continue;
    }
    base::Result<Word> word = Split(argument, style.single_dash);
    if (!word) return std::unexpected(word.error());
    const Flag* flag = Find(style.known, word->is_short && word->name == "h" ? "help" : WithDashes(word->name));
    if (flag == nullptr) return std::unexpected(Unknown(style, *word, argument));
    if (!word->has_value) {
      word->value = ValueWhenAlone(*flag);
      if (word->value.empty()) {
        if (++i == arguments.size()) return base::Fail(Code::kInvalid, Cat("flag needs an argument: ", argument));
        word->value = arguments[i];
      }
    }
    base::Result<> set = values.Set(*flag, word->value);
    if (!set) return std::unexpected(set.error());
  }
  if (!words.empty() && !values.IsSet("help")) {
    std::vector<std::string> quoted;
    for (std::string_view word : words) quoted.push_back(value::Quote(word));
    return base::Fail(Code::kInvalid,
                      Cat("\"", style.program, "\" does not take any arguments, got [", base::Join(quoted, " "), "]"));
  }
  return values;
}

const Flag& FlagValues::Known(std::string_view name) const {
  static constexpr Flag kNone{};
  const Flag* flag = Find(known_, name);
  return flag ? *flag : kNone;
}

std::string_view FlagValues::Text(std::string_view name) const {
  auto set = values_.find(name);
  return set == values_.end() ? Known(name).default_value : std::string_view(set->second.back());
}

bool FlagValues::Bool(std::string_view name) const { return ParseGoBool(Text(name)).value_or(false); }

int64_t FlagValues::Int(std::string_view name) const {
  std::string_view text = Text(name);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::chrono::nanoseconds FlagValues::Duration(std::string_view name) const {
  return api::ParseDuration(Text(name)).value_or(std::chrono::nanoseconds(0));
}

std::vector<std::string> FlagValues::List(std::string_view name) const {
  const Flag& flag = Known(name);
  auto set = values_.find(name);
  if (set == values_.end()) return SplitCommas(flag.default_value);
  if (flag.type != "strings") return set->second;
  std::vector<std::string> all;
  for (const std::string& value : set->second) {
    std::vector<std::string> parts = SplitCommas(value);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

std::vector<std::string_view> FlagValues::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, values] : values_) names.push_back(name);
  return names;
}

std::string FlagHelp(std::span<const Flag> flags, bool first) {
  std::vector<const Flag*> sorted, begin;
  for (const Flag& flag : flags) {
    if (flag.section == "Deprecated flags") continue;
    (first && flag.first ? begin : sorted).push_back(&flag);
  }
  std::ranges::stable_sort(sorted, {}, &Flag::section);
  std::string help;
  if (!begin.empty()) help += "\nFlags that most people use:\n\n";
  for (const Flag* flag : begin) AppendHelp(*flag, help);
  std::string_view section;
  for (const Flag* flag : sorted) {
    if (flag->section != section) {
      section = flag->section;
      base::Append(help, "\n", section, ":\n\n");
    }
    AppendHelp(*flag, help);
  }
  return help;
}

}  // namespace server
