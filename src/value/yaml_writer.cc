// The layout rules are libyaml's emitter's (which Go's yaml package follows): where a line may break, which style a
// string may have. `column_`, `whitespace_` and `indention_` mean what they mean there.
#include "value/yaml_writer.h"

#include <algorithm>
#include <vector>

#include "value/json_writer.h"
#include "value/number.h"
#include "value/utf8.h"
#include "value/yaml_scalar.h"

namespace value {

namespace {

constexpr int kBestWidth = 80;
constexpr int kIndent = 2;
constexpr size_t kLongestSimpleKey = 128;
// Spaces that a document may be indented by: so many, and this times what else is in it.
constexpr size_t kIndentAllowance = 4 << 20;
constexpr size_t kIndentShare = 8;

bool IsBreak(uint32_t c) { return c == '\r' || c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029; }
bool IsBlank(uint32_t c) { return c == ' ' || c == '\t'; }
bool IsPrintable(uint32_t c) {
  return c == '\n' || (c >= 0x20 && c <= 0x7E) || (c >= 0xA0 && c < 0xD800) ||
         (c >= 0xE000 && c < 0xFFFE && c != 0xFEFF);
}

// A letter as far as the order of keys cares: beyond ASCII what is no space, punctuation, symbol or mark of the common
// blocks.
bool IsLetter(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kNoLetters[] = {
      {0x00, 0x40},     {0x5B, 0x60},     {0x7B, 0xA9},     {0xAB, 0xB4},     {0xB6, 0xB9},     {0xBB, 0xBF},
      {0xD7, 0xD7},     {0xF7, 0xF7},     {0x2000, 0x2070}, {0x20A0, 0x20FF}, {0x2190, 0x2BFF}, {0x3000, 0x3004},
      {0x3007, 0x3030}, {0xD800, 0xF8FF}, {0xFE00, 0xFE6F}, {0xFEFF, 0xFF20}, {0xFFE0, 0xFFFF}, {0x1F000, 0x1FAFF}};
  return std::ranges::none_of(kNoLetters, [c](Range range) { return c >= range.first && c <= range.last; });
}
bool IsDigit(uint32_t c) { return c >= '0' && c <= '9'; }

// Whether key `a` stands before `b`: letters by code, other signs before letters, runs of digits by the number they
// make.
bool KeyBefore(std::string_view a, std::string_view b) {
  size_t same = static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  while (same > 0 && same < a.size() && (a[same] & 0xC0) == 0x80) --same;  // to the begin of the rune
  if (same == a.size() || same == b.size()) return a.size() < b.size();
  uint32_t left = DecodeRune(a.substr(same)).code;
  uint32_t right = DecodeRune(b.substr(same)).code;
  if (IsLetter(left) && IsLetter(right)) return left < right;
  if (IsLetter(left) || IsLetter(right)) return IsLetter(right);
  // A zero that follows other digits counts: 10 and 1 differ by more than their length.
  uint64_t left_number = 0, right_number = 0;
  if (left == '0' || right == '0') {
    for (size_t i = same; i-- > 0 && IsDigit(static_cast<unsigned char>(a[i]));) {
      if (a[i] != '0') {
        left_number = right_number = 1;
        break;
      }
    }
  }
  auto number = [same](std::string_view text, uint64_t& out) {
    size_t at = same;
    while (at < text.size() && IsDigit(static_cast<unsigned char>(text[at])))
      out = out * 10 + static_cast<uint64_t>(text[at++] - '0');
    return at;
  };
  size_t left_end = number(a, left_number);
  size_t right_end = number(b, right_number);
  if (left_number != right_number) return static_cast<int64_t>(left_number) < static_cast<int64_t>(right_number);
  if (left_end != right_end) return left_end < right_end;
  return left < right;
}

// digits[:digits]... with seconds below 60: base 60 in YAML 1.1, which older readers take for a number.
bool IsBase60(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  auto digit = [&](size_t i) { return i < text.size() && IsDigit(static_cast<unsigned char>(text[i])); };
  if (!digit(at)) return false;
  while (digit(at) || (at < text.size() && text[at] == '_')) ++at;
  bool parts = false;
  while (at < text.size() && text[at] == ':' && digit(at + 1)) {
    bool two = digit(at + 2);
    if (two && text[at + 1] > '5') return false;
    at += two ? 3 : 2;
    parts = true;
  }
  if (!parts) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (digit(at) || (at < text.size() && text[at] == '_')) ++at;
  }
  return at == text.size();
}

// What a string's characters allow.
struct Traits {
  bool multiline = false;
  bool plain = true;  // may stand without quotes
  bool single_quoted = true;
  bool block = true;  // may stand as a | block
};

// The facts about a string that its Traits follow from.
struct Scan {
  bool indicators = false, breaks = false, special = false;
  bool edge = false;  // begins or ends with a space or a break
  bool trailing_space = false;
  bool break_space = false;  // a space behind a break
  bool space_break = false;  // a break behind a space
};

bool IsIndicator(uint32_t c, bool first, bool before_blank, bool behind_blank) {
  if (first) {
    if (c < 0x80 && std::string_view("#,[]{}&*!|>'\"%@`").contains(static_cast<char>(c))) return true;
    return (c == '?' || c == ':' || c == '-') && before_blank;
  }
  return (c == ':' && before_blank) || (c == '#' && behind_blank);
}

Scan ScanText(std::string_view text) {
  Scan scan;
  scan.indicators = text.starts_with("---") || text.starts_with("...");
  bool behind_blank = true, behind_space = false, behind_break = false;
  for (size_t at = 0; at < text.size();) {
    Rune rune = DecodeRune(text.substr(at));
    size_t next = at + rune.size;
    bool last = next == text.size();
    bool before_blank = last || IsBlank(static_cast<unsigned char>(text[next]));
    if (IsIndicator(rune.code, at == 0, before_blank, behind_blank)) scan.indicators = true;
    if (!IsPrintable(rune.code)) scan.special = true;
    bool space = rune.code == ' ';
    bool line_break = IsBreak(rune.code);
    if (space || line_break) {
      if (at == 0 || last) scan.edge = true;
      if (space && last) scan.trailing_space = true;
      if (space && behind_break) scan.break_space = true;
      if (line_break && behind_space) scan.space_break = true;
    }
    scan.breaks = scan.breaks || line_break;
    behind_space = space;
    behind_break = line_break;
    behind_blank = IsBlank(rune.code) || line_break || rune.code == 0;
    at = next;
  }
  return scan;
}

Traits Analyze(std::string_view text) {
  if (text.empty()) return {.block = false};
  Scan scan = ScanText(text);
  bool unquotable = scan.space_break || scan.special;
  return {
      .multiline = scan.breaks,
      .plain = !(scan.edge || scan.break_space || unquotable || scan.breaks || scan.indicators),
      .single_quoted = !(scan.break_space || unquotable),
      .block = !(scan.trailing_space || unquotable),
  };
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out), start_(out.size()) {}

  void Document(const Value& v) {
    Node(v, Place::kRoot);
    Indent();
  }

 private:
  enum class Place : uint8_t { kRoot, kItem, kKey, kComplexKey, kMember };

  void Node(const Value& v, Place place) {
    switch (v.kind()) {
      case Kind::kArray:
        return Array(v, place);
      case Kind::kObject:
        return Object(v);
      case Kind::kString:
        return String(v.AsString(), place);
      case Kind::kBytes:
        return Encoded(v.AsString(), place);
      case Kind::kNull:
        return Plain("null", place);
      case Kind::kBool:
        return Plain(v.AsBool() ? "true" : "false", place);
      case Kind::kInt: {
        std::string text;
        AppendJsonInt(text, v.AsInt());
        return Plain(text, place);
      }
      case Kind::kDouble:
        return Double(v.AsDouble(), place);
    }
  }

  void Encoded(std::string_view bytes, Place place) {
    std::string text;
    AppendBase64(text, bytes);
    String(text, place);
  }

  // A number is written as its JSON text reads in YAML: whole ones stay digits.
  void Double(double number, Place place) {
    char buffer[kMaxDoubleText];
    std::string_view json = FormatDouble(number, buffer);
    YamlScalar scalar = ResolveYaml(json);
    if (scalar.tag == YamlTag::kFloat) return Plain(FormatYamlFloat(scalar.number), place);
    Plain(json, place);
  }

  // Whether there is room for so many lines more at the next level. Else what would take them is written in one: a
  // container as JSON, which is YAML too.
  bool HasRoom(size_t lines) const {
    const size_t indent = static_cast<size_t>(std::max(indent_, 0) + kIndent);
    const size_t content = out_.size() - start_ - indented_;
    return indented_ + lines * indent <= kIndentAllowance + kIndentShare * content;
  }
  void Flow(const Value& v) { Indicator(ToJson(v), true, false, false); }

  void Array(const Value& v, Place place) {
    if (v.empty()) return Indicator("[]", true, false, false);
    if (!HasRoom(v.size())) return Flow(v);
    int outer = indent_;
    if (indent_ < 0) {
      indent_ = 0;
    } else if (place != Place::kMember || indention_) {
      indent_ += kIndent;
    }
    for (const Value& item : v.items()) {
      Indent();
      Indicator("-", true, false, true);
      Node(item, Place::kItem);
    }
    indent_ = outer;
  }

  void Object(const Value& v) {
    if (v.empty()) return Indicator("{}", true, false, false);
    if (!HasRoom(v.size())) return Flow(v);
    int outer = indent_;
    indent_ = indent_ < 0 ? 0 : indent_ + kIndent;
    std::vector<const Member*> sorted;
    sorted.reserve(v.size());
    for (const Member& member : v.members()) sorted.push_back(&member);
    std::ranges::stable_sort(sorted, [](const Member* a, const Member* b) { return KeyBefore(a->key, b->key); });
    for (size_t i = 0; i < sorted.size(); ++i) {
      bool last_of_key = i + 1 == sorted.size() || sorted[i + 1]->key != sorted[i]->key;
      if (last_of_key) Entry(*sorted[i]);
    }
    indent_ = outer;
  }

  void Entry(const Member& member) {
    Indent();
    bool simple = member.key.size() <= kLongestSimpleKey && !Analyze(member.key).multiline;
    if (simple) {
      String(member.key, Place::kKey);
      Indicator(":", false, false, false);
    } else {
      Indicator("?", true, false, true);
      String(member.key, Place::kComplexKey);
      Indent();
      Indicator(":", true, false, true);
    }
    Node(member.value, Place::kMember);
  }

  void String(std::string_view text, Place place) {
    std::string mended;
    if (!IsValidUtf8(text)) {
      AppendMendedUtf8(mended, text);
      text = mended;
    }
    Traits traits = Analyze(text);
    bool block = text.contains('\n');
    if (place == Place::kKey && traits.multiline) return DoubleQuoted(text, place);
    if (traits.multiline && !HasRoom(text.size())) return DoubleQuoted(text, place);
    if (block) return traits.block && place != Place::kKey ? Literal(text) : DoubleQuoted(text, place);
    if (ResolveYaml(text).tag != YamlTag::kString || IsBase60(text)) return DoubleQuoted(text, place);
    if (traits.plain) return Plain(text, place);
    if (traits.single_quoted) return SingleQuoted(text, place);
    DoubleQuoted(text, place);
  }

  // Text that folds behind `begin` and before `end` goes on in the next level.
  struct ScalarIndent {
    explicit ScalarIndent(Writer& w) : writer(w), outer(w.indent_) {
      w.indent_ = w.indent_ < 0 ? kIndent : w.indent_ + kIndent;
    }
    ~ScalarIndent() { writer.indent_ = outer; }
    Writer& writer;
    int outer;
  };

  // Writes the rune at `at` and moves on.
  void Copy(std::string_view text, size_t& at) {
    uint32_t size = DecodeRune(text.substr(at)).size;
    out_.append(text.substr(at, size));
    at += size;
    ++column_;
  }

  void CopyBreak(std::string_view text, size_t& at) {
    Copy(text, at);
    column_ = 0;
  }

  bool Folds(std::string_view text, size_t at, bool behind_space, Place place) const {
    return place != Place::kKey && !behind_space && column_ > kBestWidth && at > 0 && at + 1 < text.size() &&
           HasRoom(1);
  }

  void Plain(std::string_view text, Place place) {
    ScalarIndent level(*this);
    if (!whitespace_) Put(' ');
    bool behind_space = false;
    for (size_t at = 0; at < text.size();) {
      bool space = text[at] == ' ';
      if (space && Folds(text, at, behind_space, place) && text[at + 1] != ' ') {
        Indent();
        ++at;
      } else {
        Copy(text, at);
      }
      if (!space) indention_ = false;
      behind_space = space;
    }
    whitespace_ = false;
    indention_ = false;
  }

  void SingleQuoted(std::string_view text, Place place) {
    ScalarIndent level(*this);
    Indicator("'", true, false, false);
    bool behind_space = false, behind_break = false;
    for (size_t at = 0; at < text.size();) {
      uint32_t code = DecodeRune(text.substr(at)).code;
      if (code == ' ') {
        if (Folds(text, at, behind_space, place) && text[at + 1] != ' ') {
          Indent();
          ++at;
        } else {
          Copy(text, at);
        }
        behind_space = true;
        continue;
      }
      if (IsBreak(code)) {
        if (!behind_break && code == '\n') Break();
        CopyBreak(text, at);
        indention_ = true;
        behind_break = true;
        continue;
      }
      if (behind_break) Indent();
      if (code == '\'') Put('\'');
      Copy(text, at);
      indention_ = behind_space = behind_break = false;
    }
    Indicator("'", false, false, false);
    whitespace_ = false;
    indention_ = false;
  }

  void DoubleQuoted(std::string_view text, Place place) {
    ScalarIndent level(*this);
    Indicator("\"", true, false, false);
    bool behind_space = false;
    // A byte order mark at the begin makes the emitter that clients know escape every sign.
    bool escape_all = text.starts_with("\xEF\xBB\xBF");
    for (size_t at = 0; at < text.size();) {
      Rune rune = DecodeRune(text.substr(at));
      bool space = false;
      if (escape_all || !IsPrintable(rune.code) || IsBreak(rune.code) || rune.code == '"' || rune.code == '\\') {
        Escape(rune.code);
        at += rune.size;
      } else if (rune.code == ' ' && Folds(text, at, behind_space, place)) {
        Indent();
        if (text[at + 1] == ' ') Put('\\');
        ++at;
        space = true;
      } else {
        space = rune.code == ' ';
        Copy(text, at);
      }
      behind_space = space;
    }
    Indicator("\"", false, false, false);
    whitespace_ = false;
    indention_ = false;
  }

  void Escape(uint32_t code) {
    static constexpr std::pair<uint32_t, char> kShort[] = {
        {0, '0'},    {7, 'a'},   {8, 'b'},     {9, 't'},    {10, 'n'},   {11, 'v'},     {12, 'f'},    {13, 'r'},
        {0x1B, 'e'}, {'"', '"'}, {'\\', '\\'}, {0x85, 'N'}, {0xA0, '_'}, {0x2028, 'L'}, {0x2029, 'P'}};
    Put('\\');
    for (auto [escaped, letter] : kShort) {
      if (escaped == code) return Put(letter);
    }
    int digits = code <= 0xFF ? 2 : code <= 0xFFFF ? 4 : 8;
    Put(digits == 2 ? 'x' : digits == 4 ? 'u' : 'U');
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) Put("0123456789ABCDEF"[code >> shift & 15]);
  }

  void Literal(std::string_view text) {
    ScalarIndent level(*this);
    Indicator("|", true, false, false);
    uint32_t first = DecodeRune(text).code;
    if (first == ' ' || IsBreak(first)) Indicator("2", false, false, false);
    ChompHint(text);
    Break();
    indention_ = true;
    whitespace_ = true;
    bool behind_break = true;
    for (size_t at = 0; at < text.size();) {
      if (IsBreak(DecodeRune(text.substr(at)).code)) {
        CopyBreak(text, at);
        indention_ = true;
        behind_break = true;
        continue;
      }
      if (behind_break) Indent();
      Copy(text, at);
      indention_ = behind_break = false;
    }
  }

  // Nothing for text that ends with one break, `-` for none, `+` for more.
  void ChompHint(std::string_view text) {
    auto take_break = [&text] {
      size_t at = text.size();
      while (at > 0 && (text[--at] & 0xC0) == 0x80) {
      }
      if (text.empty() || !IsBreak(DecodeRune(text.substr(at)).code)) return false;
      text = text.substr(0, at);
      return true;
    };
    if (!take_break()) {
      Indicator("-", false, false, false);
    } else if (text.empty() || take_break()) {
      Indicator("+", false, false, false);
    }
  }

  void Put(char c) {
    out_ += c;
    ++column_;
  }

  void Break() {
    out_ += '\n';
    column_ = 0;
  }

  void Indent() {
    int indent = std::max(indent_, 0);
    if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) Break();
    indented_ += static_cast<size_t>(std::max(indent - column_, 0));
    while (column_ < indent) Put(' ');
    whitespace_ = true;
    indention_ = true;
  }

  void Indicator(std::string_view text, bool need_whitespace, bool is_whitespace, bool is_indention) {
    if (need_whitespace && !whitespace_) Put(' ');
    out_ += text;
    column_ += static_cast<int>(text.size());
    whitespace_ = is_whitespace;
    indention_ = indention_ && is_indention;
  }

  std::string& out_;
  const size_t start_;
  size_t indented_ = 0;  // spaces
  int indent_ = -1;
  int column_ = 0;
  bool whitespace_ = true;
  bool indention_ = true;
};

}  // namespace

void WriteYaml(const Value& v, std::string& out) { Writer(out).Document(v); }

}  // namespace value
