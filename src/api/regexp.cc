#include "api/regexp.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "api/regexp_syntax.h"
#include "base/text.h"
#include "value/utf8.h"

namespace api {
namespace {

constexpr int64_t kBytesOfInstruction = 12;  // of the memory that RE2 is given, as it shares it out
constexpr uint32_t kLastRune = 0x10ffff;

re2::RE2::Options Options(int64_t most_memory = Regexp::kMostMemory, bool captures = false) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(!captures);
  options.set_max_mem(most_memory);
  return options;
}

// What Go calls Unicode's categories beside their short names.
constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {
    {"closepunctuation", "Pe"},
    {"cntrl", "Cc"},
    {"combiningmark", "M"},
    {"connectorpunctuation", "Pc"},
    {"control", "Cc"},
    {"currencysymbol", "Sc"},
    {"dashpunctuation", "Pd"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"enclosingmark", "Me"},
    {"finalpunctuation", "Pf"},
    {"format", "Cf"},
    {"initialpunctuation", "Pi"},
    {"letter", "L"},
    {"letternumber", "Nl"},
    {"lineseparator", "Zl"},
    {"lowercaseletter", "Ll"},
    {"mark", "M"},
    {"mathsymbol", "Sm"},
    {"modifierletter", "Lm"},
    {"modifiersymbol", "Sk"},
    {"nonspacingmark", "Mn"},
    {"number", "N"},
    {"openpunctuation", "Ps"},
    {"otherletter", "Lo"},
    {"othernumber", "No"},
    {"otherpunctuation", "Po"},
    {"othersymbol", "So"},
    {"paragraphseparator", "Zp"},
    {"privateuse", "Co"},
    {"punct", "P"},
    {"punctuation", "P"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"spacingmark", "Mc"},
    {"surrogate", "Cs"},
    {"symbol", "S"},
    {"titlecaseletter", "Lt"},
    {"uppercaseletter", "Lu"},
};

// Sets that RE2 has no name for, inside and outside of which runes are: the content of classes.
struct Set {
  std::string in, out;
};

void AppendEscape(std::string& text, uint32_t rune) {
  std::array<char, 16> escape{};
  const int size = std::snprintf(escape.data(), escape.size(), "\\x{%x}", rune);
  text.append(escape.data(), static_cast<size_t>(size));
}

// All that is not in the class `content`, as ranges. Surrogates, which no text has, are taken to be in it.
std::string Complement(const std::string& content) {
  const re2::RE2 inside(base::Cat("[", content, "]"), Options());
  std::string ranges, utf8;
  uint32_t start = kLastRune + 1;
  for (uint32_t rune = 0; rune <= kLastRune + 1; ++rune) {
    utf8.clear();
    const bool is_rune = rune <= kLastRune && (rune < 0xd800 || rune > 0xdfff);
    if (is_rune) value::AppendRune(utf8, rune);
    const bool is_out = is_rune && !re2::RE2::FullMatch(utf8, inside);
    if (is_out && start > kLastRune) start = rune;
    if (is_out || start > kLastRune) continue;
    AppendEscape(ranges, start);
    ranges += '-';
    AppendEscape(ranges, rune - 1);
    start = kLastRune + 1;
  }
  return ranges;
}

const Set& Ascii() {
  static const Set set{R"(\x00-\x7f)", R"(\x{80}-\x{10ffff})"};
  return set;
}
const Set& Cased() {
  static const std::string in = R"(\p{Lu}\p{Ll}\p{Lt})";
  static const Set set{in, Complement(in)};
  return set;
}
const Set& Assigned() {
  static const std::string in = R"(\pL\pM\pN\pP\pS\pZ\pC)";
  static const Set set{in, Complement(in)};
  return set;
}
// RE2's C does not have what is unassigned; Go's does.
const Set& Others() {
  static const Set set{R"(\pC)" + Assigned().out, R"(\pL\pM\pN\pP\pS\pZ)"};
  return set;
}

// The class content for a name of \p{}; "" for one that RE2 knows as `known`.
std::string SetContent(std::string_view name, bool negated, std::string& known) {
  std::string canonical = base::ToLower(name);
  std::erase_if(canonical, [](char c) { return c == '_' || c == '-' || c == ' '; });
  const auto pick = [&](const Set& set) { return negated ? set.out : set.in; };
  if (canonical == "ascii") return pick(Ascii());
  if (canonical == "lc" || canonical == "casedletter") return pick(Cased());
  if (canonical == "assigned") return pick(Assigned());
  if (canonical == "c" || canonical == "other") return pick(Others());
  if (canonical == "cn" || canonical == "unassigned") return negated ? Assigned().in : Assigned().out;
  const auto* found = std::ranges::find(kLongNames, canonical, &std::pair<std::string_view, std::string_view>::first);
  known = found != std::end(kLongNames) ? std::string(found->second) : canonical;
  known[0] = static_cast<char>(known[0] >= 'a' && known[0] <= 'z' ? known[0] - 'a' + 'A' : known[0]);
  return "";
}

// Rewrites an expression that Go reads for RE2.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) { out_.reserve(pattern.size()); }

  std::string Run() {
    while (!rest_.empty()) {
      if (rest_.starts_with(R"(\Q)") && !in_class_) {
        const size_t end = rest_.find(R"(\E)");
        Copy(end == std::string_view::npos ? rest_.size() : end + 2);
      } else if (rest_.starts_with(R"(\p)") || rest_.starts_with(R"(\P)")) {
        UnicodeClass();
      } else if (rest_[0] == '\\') {
        has_no_boundary_ |= rest_.starts_with(R"(\B)");
        Copy(std::min<size_t>(2, rest_.size()));
      } else if (in_class_) {
        ClassItem();
      } else if (rest_[0] == '[') {
        OpenClass();
      } else if (rest_.starts_with("(?P<") || rest_.starts_with("(?<")) {
        rest_.remove_prefix(rest_.find('>') + 1);
        out_ += "(?:";
      } else {
        Copy(1);
      }
    }
    // RE2 would look for "no boundary of words" within the bytes of a letter too: it is told to go by letters.
    return has_no_boundary_ ? base::Cat("(?s:.)*?(", out_, ")") : std::move(out_);
  }
  bool has_prefix() const { return has_no_boundary_; }

 private:
  void Copy(size_t size) {
    out_.append(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }

  void OpenClass() {
    Copy(rest_.starts_with("[^") ? 2 : 1);
    if (rest_.starts_with(']')) Copy(1);  // at its begin it is a letter
    in_class_ = true;
  }

  void ClassItem() {
    const size_t named_end = rest_.starts_with("[:") ? rest_.find(":]", 2) : std::string_view::npos;
    if (named_end != std::string_view::npos) return Copy(named_end + 2);
    if (rest_[0] == ']') in_class_ = false;
    Copy(1);
  }

  void UnicodeClass() {
    bool negated = rest_[1] == 'P';
    rest_.remove_prefix(2);
    const bool in_braces = rest_.starts_with('{');
    const size_t end = in_braces ? rest_.find('}') : 1;
    std::string_view name = rest_.substr(in_braces ? 1 : 0, in_braces ? end - 1 : 1);
    rest_.remove_prefix(in_braces ? end + 1 : 1);
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    std::string known;
    const std::string content = SetContent(name, negated, known);
    if (!known.empty()) {
      base::Append(out_, negated ? R"(\P{)" : R"(\p{)", known, "}");
    } else {
      base::Append(out_, in_class_ ? "" : "[", content, in_class_ ? "" : "]");
    }
  }

  std::string_view rest_;
  std::string out_;
  bool in_class_ = false, has_no_boundary_ = false;
};

}  // namespace

std::expected<Regexp, std::string> Regexp::Compile(std::string_view pattern, int64_t most_memory) {
  if (std::optional<std::string> error = RegexpError(pattern)) return std::unexpected(*std::move(error));
  Translator translator(pattern);
  const std::string translated = translator.Run();
  const int64_t ordinary = std::min(most_memory, kMostMemory);
  auto compiled = std::make_shared<re2::RE2>(translated, Options(ordinary, translator.has_prefix()));
  if (most_memory > ordinary && compiled->error_code() == re2::RE2::ErrorPatternTooLarge) {
    compiled = std::make_shared<re2::RE2>(translated, Options(most_memory, translator.has_prefix()));
  }
  const int64_t cost = compiled->ok() ? compiled->ProgramSize() * kBytesOfInstruction : most_memory;
  return Regexp(std::move(compiled), translator.has_prefix(), cost);
}

bool Regexp::IsIn(std::string_view text) const {
  if (!compiled_->ok()) return true;
  return compiled_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                          has_prefix_ ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED, nullptr, 0);
}

std::optional<std::string_view> Regexp::Find(std::string_view text, size_t from) const {
  if (!compiled_->ok()) return std::nullopt;
  std::array<re2::StringPiece, 2> found;
  const int group = has_prefix_ ? 1 : 0;
  if (!compiled_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(),
                        has_prefix_ ? re2::RE2::ANCHOR_START : re2::RE2::UNANCHORED, found.data(), group + 1)) {
    return std::nullopt;
  }
  const re2::StringPiece match = found[static_cast<size_t>(group)];
  return text.substr(static_cast<size_t>(match.data() - text.data()), match.size());
}

size_t Regexp::memory() const {
  // RE2 tells the number of instructions, which are eight bytes; the tree beside them takes about as much again.
  const auto instructions = static_cast<size_t>(std::max(compiled_->ProgramSize(), 0));
  return sizeof(re2::RE2) + compiled_->pattern().size() + instructions * 16;
}

}  // namespace api
