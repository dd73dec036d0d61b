#include "value/json_reader.h"

#include <charconv>
#include <cstring>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "value/utf8.h"

namespace value {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Where a string's plain part ends: at the first quote, backslash or control character from `p` on, or at `end`. Sets
// `ascii` to false when it passes a byte beyond ASCII.
const char* SkipPlain(const char* p, const char* end, bool& ascii) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1F);
  for (; end - p >= 16; p += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    __m128i stops = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                 _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    uint32_t stop_mask = static_cast<uint32_t>(_mm_movemask_epi8(stops));
    uint32_t high_mask = static_cast<uint32_t>(_mm_movemask_epi8(bytes));
    if (stop_mask) {
      int length = __builtin_ctz(stop_mask);
      if (high_mask & ((1u << length) - 1)) ascii = false;
      return p + length;
    }
    if (high_mask) ascii = false;
  }
#endif
  for (; p != end; ++p) {
    auto c = static_cast<unsigned char>(*p);
    if (c == '"' || c == '\\' || c < 0x20) return p;
    if (c >= 0x80) ascii = false;
  }
  return p;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The code of `\uXXXX` at `p`, or -1 if none stands there.
int32_t HexEscape(const char* p, const char* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  int32_t code = 0;
  for (int i = 2; i < 6; ++i) {
    int digit = HexDigit(p[i]);
    if (digit < 0) return -1;
    code = code << 4 | digit;
  }
  return code;
}

bool IsSurrogate(int32_t code) { return code >= 0xD800 && code < 0xE000; }

// Whether the surrogate `code` is an escaped byte (WriteJson).
bool IsEscapedByte(int32_t code) { return code >= 0xDC80 && code <= 0xDCFF; }

// Writes the escape at `p` (a backslash) to `to` and moves both on. False: no such escape.
bool Unescape(const char*& p, const char* end, bool escaped_bytes, char*& to) {
  if (end - p < 2) return false;
  char plain = 0;
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
      plain = p[1];
      break;
    case 'b':
      plain = '\b';
      break;
    case 'f':
      plain = '\f';
      break;
    case 'n':
      plain = '\n';
      break;
    case 'r':
      plain = '\r';
      break;
    case 't':
      plain = '\t';
      break;
    default:
      break;
  }
  if (plain) {
    *to++ = plain;
    p += 2;
    return true;
  }
  int32_t code = HexEscape(p, end);
  if (code < 0) return false;
  p += 6;
  if (IsSurrogate(code)) {
    int32_t low = HexEscape(p, end);
    if (escaped_bytes && IsEscapedByte(code)) {
      *to++ = static_cast<char>(code);
      return true;
    }
    if (code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      p += 6;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else {
      code = kReplacementRune;
    }
  }
  to += EncodeRune(static_cast<uint32_t>(code), to);
  return true;
}

// The document's containers that are open, and the elements read for them, live in two stacks; a container that closes
// moves its elements to the arena in one piece. Every step answers false when the text is wrong, without saying why.
class Reader {
 public:
  Reader(std::string_view text, Arena& arena, const JsonLimits& limits)
      : p_(text.data()), end_(text.data() + text.size()), arena_(arena), limits_(limits) {
    elements_.reserve(64);
    open_.reserve(16);
  }

  bool Read(Value& root) {
    Value done;
    while (true) {
      SkipSpace();
      if (p_ == end_) return false;
      if (*p_ == '{' || *p_ == '[') {
        bool empty = false;
        if (!Open(empty)) return false;
        if (!empty) continue;
        done = Close();
      } else if (!Scalar(done)) {
        return false;
      }
      bool more = false;
      if (!Deliver(done, more)) return false;
      if (more) continue;
      root = done;
      SkipSpace();
      return p_ == end_;
    }
  }

 private:
  struct Frame {
    size_t first;       // its elements in elements_ begin here
    const char* begin;  // of its text
    bool object;
    bool spaced;  // by what stood before it, or in it
  };

  void SkipSpace() {
    if (p_ == end_ || !IsSpace(*p_)) return;
    do ++p_;
    while (p_ != end_ && IsSpace(*p_));
    if (!open_.empty()) open_.back().spaced = true;
  }

  // At an opening bracket. Goes on to where the first element's value stands, or behind the closing bracket (`empty`).
  bool Open(bool& empty) {
    if (open_.size() >= limits_.max_depth) return false;
    bool object = *p_ == '{';
    open_.push_back({elements_.size(), p_++, object, false});
    SkipSpace();
    if (p_ == end_) return false;
    if (*p_ == (object ? '}' : ']')) {
      ++p_;
      empty = true;
      return true;
    }
    return BeginElement(object);
  }

  // Room for one element more; in an object its key and the colon are read.
  bool BeginElement(bool object) {
    Member& element = elements_.emplace_back();
    if (!object) return true;
    SkipSpace();
    if (p_ == end_ || *p_ != '"' || !String(element.key)) return false;
    SkipSpace();
    return p_ != end_ && *p_++ == ':';
  }

  // Stores a complete value, and each container that ends with it, in its container. On return `more` says whether
  // another value must come; otherwise `done` is the root.
  bool Deliver(Value& done, bool& more) {
    while (!open_.empty()) {
      elements_.back().value = done;
      SkipSpace();
      if (p_ == end_) return false;
      bool object = open_.back().object;
      char c = *p_++;
      if (c == ',') {
        more = true;
        return BeginElement(object);
      }
      if (c != (object ? '}' : ']')) return false;
      done = Close();
    }
    return true;
  }

  Value Close() {
    Frame frame = open_.back();
    open_.pop_back();
    std::span<const Member> elements(elements_.data() + frame.first, elements_.size() - frame.first);
    std::string_view source;
    if (limits_.keep_source && (frame.spaced || !limits_.only_spaced)) {
      source = {frame.begin, static_cast<size_t>(p_ - frame.begin)};
    }
    if (frame.spaced && !open_.empty()) open_.back().spaced = true;
    Value closed;
    if (frame.object) {
      closed = Value::ObjectOf(arena_, elements, source);
    } else {
      items_.clear();
      for (const Member& element : elements) items_.push_back(element.value);
      closed = Value::ArrayOf(arena_, items_, source);
    }
    elements_.resize(frame.first);
    return closed;
  }

  bool Scalar(Value& out) {
    switch (*p_) {
      case '"': {
        std::string_view text;
        if (!String(text)) return false;
        out = Value::String(text);
        return true;
      }
      case 't':
        out = Value::Bool(true);
        return Literal("true");
      case 'f':
        out = Value::Bool(false);
        return Literal("false");
      case 'n':
        out = Value();
        return Literal("null");
      default:
        return Number(out);
    }
  }

  bool Literal(std::string_view word) {
    if (static_cast<size_t>(end_ - p_) < word.size() || std::memcmp(p_, word.data(), word.size()) != 0) return false;
    p_ += word.size();
    return true;
  }

  // At the opening quote.
  bool String(std::string_view& out) {
    const char* begin = ++p_;
    bool ascii = true;
    p_ = SkipPlain(p_, end_, ascii);
    if (p_ == end_ || (*p_ != '"' && *p_ != '\\')) return false;
    if (*p_ == '\\') return EscapedString(begin, out);
    std::string_view raw(begin, static_cast<size_t>(p_++ - begin));
    out = ascii || IsValidUtf8(raw) ? raw : Mended(raw);
    return true;
  }

  // A string whose first escape stands at p_.
  bool EscapedString(const char* begin, std::string_view& out) {
    const char* close = p_;
    bool ascii = true;
    while (close != end_ && *close != '"') {
      if (*close == '\\' && ++close == end_) return false;
      close = SkipPlain(close + 1, end_, ascii);
      if (close != end_ && *close != '"' && *close != '\\') return false;
    }
    if (close == end_) return false;
    char* copy = static_cast<char*>(arena_.Allocate(static_cast<size_t>(close - begin), 1));
    char* to = copy;
    for (const char* from = begin; from != close;) {
      const char* stop = static_cast<const char*>(std::memchr(from, '\\', static_cast<size_t>(close - from)));
      size_t plain = static_cast<size_t>((stop ? stop : close) - from);
      std::memcpy(to, from, plain);
      to += plain;
      from += plain;
      if (stop && !Unescape(from, close, limits_.escaped_bytes, to)) return false;
    }
    p_ = close + 1;
    std::string_view text(copy, static_cast<size_t>(to - copy));
    out = limits_.escaped_bytes || IsValidUtf8(text) ? text : Mended(text);
    return true;
  }

  std::string_view Mended(std::string_view raw) {
    std::string mended;
    AppendMendedUtf8(mended, raw);
    return arena_.CopyString(mended);
  }

  bool Digits() {
    if (p_ == end_ || !IsDigit(*p_)) return false;
    while (p_ != end_ && IsDigit(*p_)) ++p_;
    return true;
  }

  bool Number(Value& out) {
    const char* begin = p_;
    if (*p_ == '-') ++p_;
    bool zero = p_ != end_ && *p_ == '0';
    if (zero) {
      ++p_;
    } else if (!Digits()) {
      return false;
    }
    bool integer = p_ == end_ || (*p_ != '.' && *p_ != 'e' && *p_ != 'E');
    if (!integer && !FractionAndExponent()) return false;
    if (integer) {
      int64_t number = 0;
      if (std::from_chars(begin, p_, number).ec == std::errc()) {
        out = Value::Int(number);
        return true;
      }
    }
    out = Value::Number(arena_, {begin, static_cast<size_t>(p_ - begin)});
    return true;
  }

  bool FractionAndExponent() {
    if (*p_ == '.') {
      ++p_;
      if (!Digits()) return false;
    }
    if (p_ == end_ || (*p_ != 'e' && *p_ != 'E')) return true;
    ++p_;
    if (p_ != end_ && (*p_ == '+' || *p_ == '-')) ++p_;
    return Digits();
  }

  const char* p_;
  const char* end_;
  Arena& arena_;
  JsonLimits limits_;
  std::vector<Frame> open_;
  std::vector<Member> elements_;
  std::vector<Value> items_;
};

}  // namespace

base::Result<Value> ReadJson(std::string_view text, Arena& arena, const JsonLimits& limits) {
  Value root;
  if (Reader(text, arena, limits).Read(root)) return root;
  std::optional<JsonSyntaxError> error = FindJsonError(text, limits);
  // The two readings agree (json_fuzz.cc holds them to it).
  if (!error) return base::Fail(base::Code::kInternal, "the two JSON readers disagree");
  return base::Fail(base::Code::kInvalid, std::move(error->message));
}

}  // namespace value
