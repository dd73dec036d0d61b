#include "api/regexp_syntax.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <expected>
#include <unordered_set>

#include "base/text.h"
#include "value/utf8.h"

namespace api {
namespace {

constexpr int64_t kMostRepeats = 1000, kMostNested = 1000, kMostInstructions = (int64_t{128} << 20) / 40;
// Counts stop growing here: whatever is compared with them is less.
constexpr int64_t kMany = int64_t{1} << 30;

// Names of Unicode's categories and scripts as \p{} finds them: the first letter large, the others small. Those that
// Unicode writes with an underscore or a large letter inside are scripts that Go does not find.
constexpr std::string_view kUnicodeNames =
    "Adlam Ahom Any Arabic Armenian Ascii Assigned Avestan Balinese Bamum Batak Bengali Bhaiksuki Bopomofo Brahmi "
    "Braille Buginese Buhid C Carian Casedletter Cc Cf Chakma Cham Cherokee Chorasmian Closepunctuation Cn Cntrl Co "
    "Combiningmark Common Connectorpunctuation Control Coptic Cs Cuneiform Currencysymbol Cypriot Cyrillic "
    "Dashpunctuation Decimalnumber Deseret Devanagari Digit Dogra Duployan Elbasan Elymaic Enclosingmark Ethiopic "
    "Finalpunctuation Format Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanunoo Hatran "
    "Hebrew Hiragana Inherited Initialpunctuation Javanese Kaithi Kannada Katakana Kawi Kharoshthi Khmer Khojki "
    "Khudawadi L Lao Latin Lc Lepcha Letter Letternumber Limbu Lineseparator Lisu Ll Lm Lo Lowercaseletter Lt Lu "
    "Lycian Lydian M Mahajani Makasar Malayalam Mandaic Manichaean Marchen Mark Mathsymbol Mc Me Medefaidrin Miao Mn "
    "Modi Modifierletter Modifiersymbol Mongolian Mro Multani Myanmar N Nabataean Nandinagari Nd Newa Nko Nl No "
    "Nonspacingmark Number Nushu Ogham Openpunctuation Oriya Osage Osmanya Other Otherletter Othernumber "
    "Otherpunctuation Othersymbol P Palmyrene Paragraphseparator Pc Pd Pe Pf Phoenician Pi Po Privateuse Ps Punct "
    "Punctuation Rejang Runic S Samaritan Saurashtra Sc Separator Sharada Shavian Siddham Sinhala Sk Sm So Sogdian "
    "Soyombo Spaceseparator Spacingmark Sundanese Surrogate Symbol Syriac Tagalog Tagbanwa Takri Tamil Tangsa Tangut "
    "Telugu Thaana Thai Tibetan Tifinagh Tirhuta Titlecaseletter Toto Ugaritic Unassigned Uppercaseletter Vai "
    "Vithkuqi Wancho Yezidi Yi Z Zl Zp Zs";
constexpr std::string_view kClassNames =
    "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit";

using Names = std::unordered_set<std::string_view>;

Names Split(std::string_view text) {
  Names names;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    names.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

bool IsUnicodeName(std::string_view name) {
  std::string canonical;
  for (char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    const bool first = canonical.empty();
    if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!first && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    canonical += c;
  }
  static const Names names = Split(kUnicodeNames);
  return names.contains(canonical);
}

bool IsOctal(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '7'; }
bool IsWordByte(char32_t c) {
  return c < 0x80 && (base::IsDigit(static_cast<char>(c)) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
}
int HexDigit(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  return c >= 'A' && c <= 'F' ? static_cast<int>(c - 'A') + 10 : -1;
}

int32_t Bounded(int64_t count) { return static_cast<int32_t>(std::min(count, kMany)); }

// What is known of an expression's tree: all that its limits ask for.
struct Node {
  int32_t height = 1, size = 1;
  int32_t repeats = 0;  // how often its inmost part may be written out
  bool literal = false;
};

// One group that is still open, or the whole.
struct Group {
  std::optional<Node> last;  // of the branch: what a repetition would take
  bool captures = false;
  bool last_joined = false;               // it is a letter that stands with the ones before it
  Node branch{.height = 0, .size = 0};    // before that
  int32_t items = 0;                      // in it, neighbouring letters being one
  Node branches{.height = 0, .size = 0};  // finished ones
  int32_t alternatives = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view pattern) : whole_(pattern), rest_(pattern) { groups_.emplace_back(); }

  // The error's words and what they are about.
  struct Error {
    std::string_view words, about;
  };
  std::optional<Error> Run() {
    while (!rest_.empty()) {
      const std::string_view before = rest_;
      repeated_ = {};
      if (const Checked step = Step(); !step) return step.error();
      last_repeated_ = repeated_.empty() ? std::string_view() : before;
    }
    if (groups_.size() > 1) return Error{"missing closing )", whole_};
    const std::expected<Node, Error> tree = Close();
    return tree ? std::nullopt : std::optional(tree.error());
  }

 private:
  using Checked = std::expected<void, Error>;

  static std::unexpected<Error> Fail(std::string_view words, std::string_view about) {
    return std::unexpected(Error{words, about});
  }
  // The part of the text from where `start` begins to where `end` does.
  static std::string_view Between(std::string_view start, std::string_view end) {
    return start.substr(0, start.size() - end.size());
  }
  static char32_t Next(std::string_view& text) {
    const value::Rune rune = value::DecodeRune(text);
    text.remove_prefix(rune.size);
    return rune.code;
  }

  Checked Step() {
    switch (rest_[0]) {
      case '(':
        if (rest_.starts_with("(?")) return OpenWithFlags();
        rest_.remove_prefix(1);
        return Open(true);
      case ')':
        return CloseGroup();
      case '|':
        rest_.remove_prefix(1);
        return EndBranch();
      case '[':
        return Class();
      case '*':
      case '+':
      case '?':
        return Repeat();
      case '{':
        return Counted();
      case '\\':
        return Escape();
      default: {
        const char c = rest_[0];
        Next(rest_);
        return Push({.literal = c != '^' && c != '$' && c != '.'});
      }
    }
  }

  Checked Open(bool captures) {
    groups_.emplace_back().captures = captures;
    ++nodes_;
    return {};
  }

  Checked Push(Node node) {
    Group& group = groups_.back();
    const bool joins = node.literal && group.last && group.last->literal;
    if (!joins) ++nodes_;
    Fold(group);
    group.last = node;
    group.last_joined = joins;
    group.items += joins ? 0 : 1;  // letters side by side are one
    return {};
  }

  static void Add(Node& sum, const Node& part) {
    sum.height = std::max(sum.height, part.height);
    sum.size = Bounded(int64_t{sum.size} + part.size);
    sum.repeats = std::max(sum.repeats, part.repeats);
  }
  static void Fold(Group& group) {
    if (group.last) Add(group.branch, *group.last);
    group.last.reset();
  }

  Checked Limit(const Node& node) {
    if (node.height > kMostNested) return Fail("expression nests too deeply", whole_);
    if (node.size > kMostInstructions && nodes_ >= kMostInstructions / product_) {
      return Fail("expression too large", whole_);
    }
    return {};
  }

  Checked EndBranch() {
    Group& group = groups_.back();
    Fold(group);
    Node branch = group.branch;
    branch.height = std::max(1, branch.height + (group.items > 1 ? 1 : 0));
    branch.size = std::max(1, branch.size);
    Add(group.branches, branch);
    group.branches.size += group.alternatives > 0 ? 1 : 0;
    ++group.alternatives;
    group.branch = Node{.height = 0, .size = 0};
    group.items = 0;
    ++nodes_;
    return Limit(branch);
  }

  // The tree of the inmost group.
  std::expected<Node, Error> Close() {
    if (const Checked ended = EndBranch(); !ended) return std::unexpected(ended.error());
    Node tree = groups_.back().branches;
    if (groups_.back().alternatives > 1) ++tree.height;
    if (groups_.back().captures) {
      ++tree.height;
      tree.size += 2;
    }
    if (const Checked small = Limit(tree); !small) return std::unexpected(small.error());
    return tree;
  }

  Checked CloseGroup() {
    if (groups_.size() == 1) return Fail("unexpected )", whole_);
    const std::expected<Node, Error> tree = Close();
    if (!tree) return std::unexpected(tree.error());
    rest_.remove_prefix(1);
    groups_.pop_back();
    return Push(*tree);
  }

  // "(?": a group that captures by name or not at all, or flags for what follows.
  Checked OpenWithFlags() {
    const std::string_view start = rest_;
    const bool is_old = start.size() > 4 && start.starts_with("(?P<"), is_new = start.size() > 3 && start[2] == '<';
    if (is_old || is_new) {
      const size_t end = start.find('>');
      if (end == std::string_view::npos) return Fail("invalid named capture", start);
      const size_t name_at = is_new ? 3 : 4;
      const std::string_view name = start.substr(name_at, end - name_at);
      const bool good = !name.empty() && std::ranges::all_of(name, [](char c) {
        return c == '_' || IsWordByte(static_cast<unsigned char>(c));
      });
      if (!good) return Fail("invalid named capture", start.substr(0, end + 1));
      rest_.remove_prefix(end + 1);
      return Open(true);
    }
    rest_.remove_prefix(2);
    bool negated = false, saw_flag = false;
    while (!rest_.empty()) {
      const char32_t c = Next(rest_);
      if (c == 'i' || c == 'm' || c == 's' || c == 'U') {
        saw_flag = true;
      } else if (c == '-' && !negated) {
        negated = true;
        saw_flag = false;
      } else if ((c == ':' || c == ')') && (!negated || saw_flag)) {
        return c == ':' ? Open(false) : Checked();
      } else {
        break;
      }
    }
    return Fail("invalid or unsupported Perl syntax", Between(start, rest_));
  }

  // What is repeated, after the operator was read: it began at `start`.
  std::expected<Node*, Error> Operand(std::string_view start) {
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    if (!last_repeated_.empty()) return Fail("invalid nested repetition operator", Between(last_repeated_, rest_));
    repeated_ = start;
    Group& group = groups_.back();
    if (!group.last) return Fail("missing argument to repetition operator", Between(start, rest_));
    // A letter leaves the ones that it stands with.
    if (group.last_joined) ++group.items;
    group.last_joined = false;
    return &*group.last;
  }

  Checked Repeat() {
    const std::string_view start = rest_;
    rest_.remove_prefix(1);
    const std::expected<Node*, Error> operand = Operand(start);
    if (!operand) return std::unexpected(operand.error());
    Node& node = **operand;
    node = {.height = node.height + 1,
            .size = Bounded(int64_t{node.size} + (start[0] == '*' ? 2 : 1)),
            .repeats = node.repeats};
    ++nodes_;
    return Limit(node);
  }

  // A count: none for what is none, -1 for what is too large.
  static std::optional<int64_t> Count(std::string_view& text) {
    size_t digits = 0;
    while (digits < text.size() && base::IsDigit(text[digits])) ++digits;
    if (digits == 0 || (digits > 1 && text[0] == '0')) return std::nullopt;
    int64_t count = 0;
    for (char c : text.substr(0, digits)) count = count < 0 || count >= 100'000'000 ? -1 : count * 10 + (c - '0');
    text.remove_prefix(digits);
    return count;
  }

  struct Range {
    int64_t least, most;  // most -1: no bound
  };
  // Takes "{2}", "{2,}" or "{2,5}" off the text; none: it begins otherwise.
  static std::optional<Range> TakeRange(std::string_view& text) {
    std::string_view rest = text.substr(1);
    const std::optional<int64_t> least = Count(rest);
    if (!least) return std::nullopt;
    Range range{*least, *least};
    if (rest.starts_with(',')) {
      rest.remove_prefix(1);
      if (rest.starts_with('}')) {
        range.most = -1;
      } else {
        const std::optional<int64_t> most = Count(rest);
        if (!most) return std::nullopt;
        range.most = *most;
        if (*most < 0) range.least = -1;
      }
    }
    if (!rest.starts_with('}')) return std::nullopt;
    text = rest.substr(1);
    return range;
  }

  Checked Counted() {
    const std::string_view start = rest_;
    const std::optional<Range> range = TakeRange(rest_);
    if (!range) {
      rest_.remove_prefix(1);
      return Push({.literal = true});
    }
    const auto [least, most] = *range;
    if (least < 0 || least > kMostRepeats || most > kMostRepeats || (most >= 0 && least > most)) {
      return Fail("invalid repeat count", Between(start, rest_));
    }
    const std::expected<Node*, Error> operand = Operand(start);
    if (!operand) return std::unexpected(operand.error());
    Node& node = **operand;
    const int64_t times = most < 0 ? least : most;
    int64_t repeats = most == 0 ? 0 : node.repeats;
    if (times > 0) repeats = times * std::max(1, node.repeats);
    const int64_t size = most >= 0   ? most * node.size + (most - least)
                         : least > 0 ? 1 + least * node.size
                                     : 2 + node.size;
    node = {.height = node.height + 1, .size = std::max(1, Bounded(size)), .repeats = Bounded(repeats)};
    product_ = std::min(product_ * std::max<int64_t>(1, times), kMostInstructions);
    ++nodes_;
    if (const Checked small = Limit(node); !small) return small;
    if ((least >= 2 || most >= 2) && node.repeats > kMostRepeats) {
      return Fail("invalid repeat count", Between(start, rest_));
    }
    return {};
  }

  Checked Escape() {
    const char c = rest_.size() > 1 ? rest_[1] : '\0';
    switch (c) {
      case 'A':
      case 'b':
      case 'B':
      case 'z':
        rest_.remove_prefix(2);
        return Push({});
      case 'C':
        return Fail("invalid escape sequence", rest_.substr(0, 2));
      case 'Q': {
        rest_.remove_prefix(2);
        const size_t end = rest_.find("\\E");
        std::string_view letters = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 2);
        for (; !letters.empty(); Next(letters)) Push({.literal = true});
        return {};
      }
      case 'p':
      case 'P': {
        const Checked named = UnicodeClass(rest_);
        return named ? Push({}) : named;
      }
      default:
        break;
    }
    if (TakePerlClass(rest_)) return Push({});
    const std::expected<char32_t, Error> letter = Letter(rest_);
    if (!letter) return std::unexpected(letter.error());
    return Push({.literal = true});
  }

  static bool TakePerlClass(std::string_view& text) {
    if (text.size() < 2 || text[0] != '\\' || !std::string_view("dDsSwW").contains(text[1])) return false;
    text.remove_prefix(2);
    return true;
  }

  // \pL, \p{Greek}, \P{^Greek}.
  static Checked UnicodeClass(std::string_view& text) {
    const std::string_view start = text;
    std::string_view rest = start.substr(2), name;
    const bool braced = rest.starts_with('{');
    if (!rest.empty()) Next(rest);
    if (braced) {
      const size_t end = start.find('}');
      if (end == std::string_view::npos) return Fail("invalid character class range", start);
      name = start.substr(3, end - 3);
      rest = start.substr(end + 1);
    } else {
      name = Between(start, rest).substr(2);
    }
    if (name.starts_with('^')) name.remove_prefix(1);
    if (!IsUnicodeName(name)) return Fail("invalid character class range", Between(start, rest));
    text = rest;
    return {};
  }

  // What follows a backslash and means one letter.
  static std::expected<char32_t, Error> Letter(std::string_view& text) {
    const std::string_view start = text;
    text.remove_prefix(1);
    if (text.empty()) return Fail("trailing backslash at end of expression", "");
    const char32_t c = Next(text);
    if (c < 0x80 && !IsWordByte(c)) return c;
    if (c == '0' || (c >= '1' && c <= '7' && IsOctal(text))) {
      char32_t letter = c - '0';
      for (int i = 0; i < 2 && IsOctal(text); ++i) letter = letter * 8 + (Next(text) - '0');
      return letter;
    }
    if (c == 'x' && !text.empty()) {
      if (const std::optional<char32_t> letter = HexLetter(text)) return *letter;
    }
    constexpr std::string_view kNamed = "afnrtv", kMeant = "\a\f\n\r\t\v";
    const size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : std::string_view::npos;
    if (named != std::string_view::npos) return static_cast<char32_t>(kMeant[named]);
    return Fail("invalid escape sequence", Between(start, text));
  }

  // "41", "{1F600}".
  static std::optional<char32_t> HexLetter(std::string_view& text) {
    const char32_t first = Next(text);
    char32_t letter = 0;
    if (first != '{') {
      const int high = HexDigit(first), low = HexDigit(text.empty() ? U'?' : Next(text));
      if (high < 0 || low < 0) return std::nullopt;
      return static_cast<char32_t>(high * 16 + low);
    }
    bool any = false;
    while (!text.empty()) {
      const char32_t c = Next(text);
      if (c == '}') return any ? std::optional(letter) : std::nullopt;
      const int digit = HexDigit(c);
      if (digit < 0) return std::nullopt;
      letter = letter * 16 + static_cast<char32_t>(digit);
      if (letter > 0x10FFFF) return std::nullopt;
      any = true;
    }
    return std::nullopt;
  }

  static std::expected<char32_t, Error> ClassLetter(std::string_view& text, std::string_view whole) {
    if (text.empty()) return Fail("missing closing ]", whole);
    if (text[0] == '\\') return Letter(text);
    return Next(text);
  }

  // "[:alpha:]" inside brackets; false where none begins.
  static std::expected<bool, Error> TakeNamedClass(std::string_view& text) {
    if (text.size() <= 2 || !text.starts_with("[:")) return false;
    const size_t end = text.find(":]", 2);
    if (end == std::string_view::npos) return false;
    std::string_view name = text.substr(2, end - 2);
    if (name.starts_with('^')) name.remove_prefix(1);
    static const Names names = Split(kClassNames);
    if (!names.contains(name)) return Fail("invalid character class range", text.substr(0, end + 2));
    text.remove_prefix(end + 2);
    return true;
  }

  Checked Class() {
    const std::string_view start = rest_;
    std::string_view text = rest_.substr(1);
    if (text.starts_with('^')) text.remove_prefix(1);
    for (bool first = true; text.empty() || text[0] != ']' || first; first = false) {
      const std::expected<bool, Error> named = TakeNamedClass(text);
      if (!named) return std::unexpected(named.error());
      if (*named) continue;
      if (text.starts_with("\\p") || text.starts_with("\\P")) {
        if (const Checked unicode = UnicodeClass(text); !unicode) return unicode;
        continue;
      }
      if (TakePerlClass(text)) continue;
      const std::string_view range = text;
      const std::expected<char32_t, Error> low = ClassLetter(text, start);
      if (!low) return std::unexpected(low.error());
      if (text.size() < 2 || text[0] != '-' || text[1] == ']') continue;
      text.remove_prefix(1);
      const std::expected<char32_t, Error> high = ClassLetter(text, start);
      if (!high) return std::unexpected(high.error());
      if (*high < *low) return Fail("invalid character class range", Between(range, text));
    }
    rest_ = text.substr(1);
    return Push({});
  }

  const std::string_view whole_;
  std::string_view rest_;
  // Where the last operator of repetition began, and the one of this step; "" none.
  std::string_view last_repeated_, repeated_;
  std::deque<Group> groups_;  // may be a million

  int64_t nodes_ = 0, product_ = 1;
};

}  // namespace

std::optional<std::string> RegexpError(std::string_view pattern) {
  const std::optional<Parser::Error> error = Parser(pattern).Run();
  if (!error) return std::nullopt;
  return base::Cat("error parsing regexp: ", error->words, ": `", error->about, "`");
}

}  // namespace api
