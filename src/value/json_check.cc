// The slow, exact reading of JSON: what is wrong with a text, in Go's words.
#include <cstdint>
#include <vector>

#include "value/json_reader.h"
#include "value/utf8.h"

namespace value {

namespace {

// A character as Go's '%q' prints it; bytes count as Latin-1.
std::string QuoteByte(unsigned char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '\'':
      return R"('\'')";
    case '\\':
      return R"('\\')";
    case '\a':
      return R"('\a')";
    case '\b':
      return R"('\b')";
    case '\f':
      return R"('\f')";
    case '\n':
      return R"('\n')";
    case '\r':
      return R"('\r')";
    case '\t':
      return R"('\t')";
    case '\v':
      return R"('\v')";
    default:
      break;
  }
  std::string out = "'";
  if (c < 0x20 || c == 0x7F) {
    out += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
  } else if ((c >= 0x80 && c <= 0xA0) || c == 0xAD) {
    out += std::string("\\u00") + kHex[c >> 4] + kHex[c & 15];
  } else {
    AppendRune(out, c);
  }
  return out + "'";
}

bool IsSpace(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsDigit(int c) { return c >= '0' && c <= '9'; }
bool IsHex(int c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Reads a text byte by byte. At its end one space is read before nothing more comes: so does Go's scanner, which makes
// the space the offender in an unfinished literal.
class Checker {
 public:
  Checker(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  std::optional<JsonSyntaxError> Run() {
    bool good = Value();
    while (good && !open_.empty()) good = open_.back() == '{' ? AfterMember() : AfterItem();
    if (good) {
      int c = SkipSpace();
      if (c != kEnd) Fail(c, "after top-level value");
    }
    return std::move(error_);
  }

 private:
  static constexpr int kEnd = -1;

  int Peek() const {
    if (at_ < text_.size()) return static_cast<unsigned char>(text_[at_]);
    return at_ == text_.size() ? ' ' : kEnd;
  }
  int Next() {
    int c = Peek();
    if (c != kEnd) ++at_;
    return c;
  }
  int SkipSpace() {
    int c = Next();
    while (IsSpace(c)) c = Next();
    return c;
  }

  bool Fail(int c, std::string_view context) {
    size_t read = std::min(at_, text_.size());
    if (c == kEnd) {
      error_ = {"unexpected end of JSON input", read};
    } else {
      error_ = {"invalid character " + QuoteByte(static_cast<unsigned char>(c)) + " " + std::string(context), read};
    }
    return false;
  }

  // Reads values up to the end of the first that is complete, opening containers on the way.
  bool Value() {
    int c = SkipSpace();
    while (true) {
      if (c == '{') {
        if (!Open(c)) return false;
        c = SkipSpace();
        if (c == '}') return Close();
        if (!Key(c)) return false;
        c = SkipSpace();
      } else if (c == '[') {
        if (!Open(c)) return false;
        c = SkipSpace();
        if (c == ']') return Close();
      } else {
        return Scalar(c);
      }
    }
  }

  bool Open(int c) {
    open_.push_back(static_cast<char>(c));
    return open_.size() <= limits_.max_depth || Fail(c, "exceeded max depth");
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  bool Key(int c) {
    if (c != '"') return Fail(c, "looking for beginning of object key string");
    if (!String()) return false;
    c = SkipSpace();
    return c == ':' || Fail(c, "after object key");
  }

  bool AfterMember() {
    int c = SkipSpace();
    if (c == '}') return Close();
    if (c != ',') return Fail(c, "after object key:value pair");
    return Key(SkipSpace()) && Value();
  }

  bool AfterItem() {
    int c = SkipSpace();
    if (c == ']') return Close();
    return c == ',' ? Value() : Fail(c, "after array element");
  }

  bool Scalar(int c) {
    if (c == '"') return String();
    if (c == 't') return Literal("true");
    if (c == 'f') return Literal("false");
    if (c == 'n') return Literal("null");
    if (c == '-' || IsDigit(c)) return Number(c);
    return Fail(c, "looking for beginning of value");
  }

  bool Literal(std::string_view word) {
    for (char expected : word.substr(1)) {
      int c = Next();
      if (c != expected) return Fail(c, "in literal " + std::string(word) + " (expecting '" + expected + "')");
    }
    return true;
  }

  bool String() {
    while (true) {
      int c = Next();
      if (c == '"') return true;
      if (c == kEnd || c < 0x20) return Fail(c, "in string literal");
      if (c == '\\' && !Escape()) return false;
    }
  }

  bool Escape() {
    int c = Next();
    if (c != 'u')
      return (c > 0 && std::string_view("bfnrt\\/\"").contains(static_cast<char>(c))) ||
             Fail(c, "in string escape code");
    for (int i = 0; i < 4; ++i) {
      c = Next();
      if (!IsHex(c)) return Fail(c, "in \\u hexadecimal character escape");
    }
    return true;
  }

  void SkipDigits() {
    while (IsDigit(Peek())) Next();
  }

  bool Number(int c) {
    if (c == '-') {
      c = Next();
      if (!IsDigit(c)) return Fail(c, "in numeric literal");
    }
    if (c != '0') SkipDigits();
    if (Peek() == '.') {
      Next();
      c = Next();
      if (!IsDigit(c)) return Fail(c, "after decimal point in numeric literal");
      SkipDigits();
    }
    if (Peek() != 'e' && Peek() != 'E') return true;
    Next();
    c = Next();
    if (c == '+' || c == '-') c = Next();
    if (!IsDigit(c)) return Fail(c, "in exponent of numeric literal");
    SkipDigits();
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  size_t at_ = 0;
  std::vector<char> open_;
  std::optional<JsonSyntaxError> error_;
};

}  // namespace

std::optional<JsonSyntaxError> FindJsonError(std::string_view text, const JsonLimits& limits) {
  return Checker(text, limits).Run();
}

}  // namespace value
