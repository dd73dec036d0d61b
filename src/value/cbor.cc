#include "value/cbor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "value/utf8.h"

namespace value {

namespace {

constexpr uint8_t kIndefinite = 31;
constexpr uint8_t kBreak = 0xFF;

uint64_t BigEndian(const char* bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

double HalfToDouble(uint16_t half) {
  int exponent = half >> 10 & 31;
  double mantissa = half & 1023;
  double magnitude = exponent == 0    ? std::ldexp(mantissa, -24)
                     : exponent != 31 ? std::ldexp(mantissa + 1024, exponent - 25)
                     : mantissa == 0  ? HUGE_VAL
                                      : std::nan("");
  return half & 0x8000 ? -magnitude : magnitude;
}

// Reads bytes that may be anything. Errors are remembered; the first ends the check.
class Checker {
 public:
  Checker(std::string_view bytes, const CborLimits& limits) : bytes_(bytes), limits_(limits) {}

  base::Result<void> Run() {
    if (bytes_.empty()) {
      error_ = "EOF";
    } else if (Item(0) && at_ != bytes_.size()) {
      error_ = "cbor: " + std::to_string(bytes_.size() - at_) + " bytes of extraneous data starting at index " +
               std::to_string(at_);
    }
    if (error_.empty()) return {};
    return base::Fail(base::Code::kInvalid, std::move(error_));
  }

 private:
  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }
  bool TooShort() { return Fail("unexpected EOF"); }
  bool Unacceptable(std::string_view what, CborType type) {
    return Fail("cbor: data item of cbor type " + std::string(Name(type)) +
                " is not accepted by protocol: " + std::string(what));
  }
  bool TooDeep() { return Fail("cbor: exceeded max nested level " + std::to_string(limits_.max_depth)); }

  // An item inside `depth` containers and tags.
  bool Item(uint32_t depth) {
    CborHead head;
    if (!Head(head)) return false;
    switch (head.type) {
      case CborType::kBytes:
      case CborType::kText:
        return String(head, depth);
      case CborType::kArray:
      case CborType::kMap:
        if (depth + 1 > limits_.max_depth) return TooDeep();
        return head.indefinite() ? IndefiniteContainer(head.type, depth + 1) : Container(head, depth + 1);
      case CborType::kTag:
        return Tagged(head.argument, depth);
      default:
        return true;
    }
  }

  bool Head(CborHead& head) {
    if (at_ == bytes_.size()) return TooShort();
    auto first = static_cast<uint8_t>(bytes_[at_++]);
    head.type = static_cast<CborType>(first >> 5);
    head.info = first & 31;
    head.argument = head.info;
    if (head.info < 24) return true;
    if (head.info <= 27) {
      size_t size = size_t{1} << (head.info - 24);
      if (bytes_.size() - at_ < size) return TooShort();
      head.argument = BigEndian(bytes_.data() + at_, size);
      at_ += size;
      return head.type != CborType::kPrimitive || Primitive(head);
    }
    if (head.info == kIndefinite) {
      if (head.type == CborType::kPrimitive) return Fail("cbor: unexpected \"break\" code");
      if (head.type >= CborType::kBytes && head.type <= CborType::kMap) return true;
    }
    return Fail("cbor: invalid additional information " + std::to_string(head.info) + " for type " +
                std::string(Name(head.type)));
  }

  bool Primitive(const CborHead& head) {
    if (head.info == 24) {
      if (head.argument >= 32) return true;
      return Fail("cbor: invalid simple value " + std::to_string(head.argument) + " for type " +
                  std::string(Name(head.type)));
    }
    double number = CborFloat(head);
    if (std::isnan(number)) return Unacceptable("floating-point NaN", head.type);
    if (std::isinf(number)) return Unacceptable("floating-point infinity", head.type);
    return true;
  }

  bool TooLong(const CborHead& head, std::string_view consequence) {
    return Fail("cbor: " + std::string(Name(head.type)) + " length " + std::to_string(head.argument) +
                " is too large, " + std::string(consequence) + " integer overflow");
  }

  bool String(const CborHead& head, uint32_t depth) {
    if (!head.indefinite()) {
      if (head.argument >> 63) return TooLong(head, "causing");
      if (bytes_.size() - at_ < head.argument) return TooShort();
      at_ += head.argument;
      return true;
    }
    while (true) {
      if (at_ == bytes_.size()) return TooShort();
      auto first = static_cast<uint8_t>(bytes_[at_]);
      if (first == kBreak) break;
      auto type = static_cast<CborType>(first >> 5);
      std::string name(Name(head.type));
      if (type != head.type)
        return Fail("cbor: wrong element type " + std::string(Name(type)) + " for indefinite-length " + name);
      if ((first & 31) == kIndefinite) return Fail("cbor: indefinite-length " + name + " chunk is not definite-length");
      if (!Item(depth)) return false;
    }
    ++at_;
    return true;
  }

  bool TooMany(CborType type) {
    if (type == CborType::kArray) {
      return Fail("cbor: exceeded max number of elements " + std::to_string(limits_.max_items) + " for CBOR array");
    }
    return Fail("cbor: exceeded max number of key-value pairs " + std::to_string(limits_.max_pairs) + " for CBOR map");
  }

  bool Container(const CborHead& head, uint32_t depth) {
    bool map = head.type == CborType::kMap;
    if (head.argument >> 63) return TooLong(head, "it would cause");
    if (head.argument > (map ? limits_.max_pairs : limits_.max_items)) return TooMany(head.type);
    for (uint64_t i = map ? head.argument * 2 : head.argument; i > 0; --i) {
      if (!Item(depth)) return false;
    }
    return true;
  }

  bool IndefiniteContainer(CborType type, uint32_t depth) {
    bool map = type == CborType::kMap;
    uint64_t count = 0;
    while (true) {
      if (at_ == bytes_.size()) return TooShort();
      if (static_cast<uint8_t>(bytes_[at_]) == kBreak) break;
      if (!Item(depth)) return false;
      ++count;
      if (map ? count % 2 == 0 && count / 2 > limits_.max_pairs : count > limits_.max_items) return TooMany(type);
    }
    ++at_;
    return !map || count % 2 == 0 || Fail("cbor: unexpected \"break\" code");
  }

  bool Tagged(uint64_t tag, uint32_t depth) {
    while (true) {
      if (at_ == bytes_.size()) return TooShort();
      if (tag == 2 || tag == 3) return Unacceptable("bignum", CborType::kTag);
      if (static_cast<CborType>(static_cast<uint8_t>(bytes_[at_]) >> 5) != CborType::kTag) return Item(depth);
      CborHead head;
      if (!Head(head)) return false;
      tag = head.argument;
      if (++depth > limits_.max_depth) return TooDeep();
    }
  }

  std::string_view bytes_;
  const CborLimits& limits_;
  size_t at_ = 0;
  std::string error_;
};

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void Write(const Value& v) {
    switch (v.kind()) {
      case Kind::kNull:
        out_ += '\xF6';
        break;
      case Kind::kBool:
        out_ += v.AsBool() ? '\xF5' : '\xF4';
        break;
      case Kind::kInt:
        Int(v.AsInt());
        break;
      case Kind::kDouble:
        Double(v.AsDouble());
        break;
      case Kind::kBytes:
        Head(CborType::kTag, kBase64Tag);
        String(v.AsString());
        break;
      case Kind::kString:
        String(v.AsString());
        break;
      case Kind::kArray:
        Head(CborType::kArray, v.size());
        for (const Value& item : v.items()) Write(item);
        break;
      case Kind::kObject:
        Object(v);
        break;
    }
  }

 private:
  static constexpr uint64_t kBase64Tag = 22;

  void BigEndianBytes(uint64_t number, int size) {
    for (int shift = (size - 1) * 8; shift >= 0; shift -= 8) out_ += static_cast<char>(number >> shift & 0xFF);
  }

  void Head(CborType type, uint64_t argument) {
    auto first = static_cast<uint8_t>(static_cast<int>(type) << 5);
    if (argument < 24) {
      out_ += static_cast<char>(first | argument);
      return;
    }
    int log = argument <= 0xFF ? 0 : argument <= 0xFFFF ? 1 : argument <= 0xFFFFFFFF ? 2 : 3;
    out_ += static_cast<char>(first | (24 + log));
    BigEndianBytes(argument, 1 << log);
  }

  void Int(int64_t number) {
    if (number >= 0) return Head(CborType::kPositive, static_cast<uint64_t>(number));
    Head(CborType::kNegative, ~static_cast<uint64_t>(number));
  }

  void String(std::string_view text) {
    Head(CborType::kBytes, text.size());
    out_ += text;
  }

  void Double(double number) {
    auto narrow = static_cast<float>(number);
    if (static_cast<double>(narrow) != number) {
      out_ += '\xFB';
      return BigEndianBytes(std::bit_cast<uint64_t>(number), 8);
    }
    auto bits = std::bit_cast<uint32_t>(narrow);
    // Half precision holds what loses no bits: tried, as its ranges are many.
    int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127;
    uint32_t fraction = bits & 0x7FFFFF;
    auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    uint16_t half = sign;
    if (exponent >= -14 && exponent <= 15) {
      half = static_cast<uint16_t>(sign | (exponent + 15) << 10 | fraction >> 13);
    } else if (exponent >= -24 && exponent < -14) {
      half = static_cast<uint16_t>(sign | (fraction | 0x800000) >> (-1 - exponent));
    }
    if (HalfToDouble(half) == number) {
      out_ += '\xF9';
      return BigEndianBytes(half, 2);
    }
    out_ += '\xFA';
    BigEndianBytes(bits, 4);
  }

  // Encoded keys sort by length first, since their heads do.
  void Object(const Value& v) {
    std::vector<const Member*> sorted;
    sorted.reserve(v.size());
    for (const Member& member : v.members()) sorted.push_back(&member);
    std::ranges::stable_sort(sorted, [](const Member* a, const Member* b) {
      return std::pair(a->key.size(), a->key) < std::pair(b->key.size(), b->key);
    });
    auto repeated = [](const Member* a, const Member* b) { return a->key == b->key; };
    // Of duplicates the last stays, as in a Go map.
    auto first_kept = std::unique(sorted.rbegin(), sorted.rend(), repeated).base();
    sorted.erase(sorted.begin(), first_kept);
    Head(CborType::kMap, sorted.size());
    for (const Member* member : sorted) {
      String(member->key);
      Write(member->value);
    }
  }

  std::string& out_;
};

}  // namespace

std::string_view Name(CborType type) {
  static constexpr std::string_view kNames[] = {
      "positive integer", "negative integer", "byte string", "UTF-8 text string", "array", "map", "tag", "primitives"};
  return kNames[static_cast<size_t>(type)];
}

base::Result<void> CheckCbor(std::string_view bytes, const CborLimits& limits) { return Checker(bytes, limits).Run(); }

CborHead CborCursor::TakeHead() {
  CborHead head{.type = type(), .info = static_cast<uint8_t>(byte(0) & 31)};
  head.argument = head.info;
  ++at_;
  if (head.info >= 24 && head.info <= 27) {
    size_t size = size_t{1} << (head.info - 24);
    head.argument = BigEndian(at_, size);
    at_ += size;
  }
  return head;
}

bool CborCursor::TakeBreak() {
  if (byte(0) != kBreak) return false;
  ++at_;
  return true;
}

void CborCursor::Skip() {
  CborHead head = TakeHead();
  bool string = head.type == CborType::kBytes || head.type == CborType::kText;
  if (head.type == CborType::kTag) return Skip();
  if (head.type < CborType::kBytes || head.type == CborType::kPrimitive) return;
  if (head.indefinite()) {
    while (!TakeBreak()) Skip();
  } else if (string) {
    at_ += head.argument;
  } else {
    for (uint64_t i = head.type == CborType::kMap ? head.argument * 2 : head.argument; i > 0; --i) Skip();
  }
}

std::string_view CborCursor::TakeString(Arena& arena, bool* valid_utf8) {
  CborHead head = TakeHead();
  if (valid_utf8) *valid_utf8 = true;
  auto take = [&](uint64_t size) {
    std::string_view piece(at_, size);
    at_ += size;
    if (valid_utf8 && !IsValidUtf8(piece)) *valid_utf8 = false;
    return piece;
  };
  if (!head.indefinite()) return take(head.argument);
  std::string joined;
  while (!TakeBreak()) joined += take(TakeHead().argument);
  return arena.CopyString(joined);
}

double CborFloat(const CborHead& head) {
  if (head.info == 25) return HalfToDouble(static_cast<uint16_t>(head.argument));
  if (head.info == 26) return std::bit_cast<float>(static_cast<uint32_t>(head.argument));
  return std::bit_cast<double>(head.argument);
}

void WriteCbor(const Value& v, std::string& out) { Writer(out).Write(v); }

}  // namespace value
