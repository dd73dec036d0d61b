// CBOR (RFC 8949) bytes: the check that a body is well-formed, a cursor over checked bytes, and the writer. What the
// items mean to a type is the schema floor's business (schema/cbor.h).
//
// Rules, bounds and error texts are the real server's (fxamacker/cbor as its serializer sets it up): nesting of 64,
// 1024 items or pairs a container, no NaN, no infinity, no big numbers; indefinite lengths and tags are allowed.
// Strings are written as byte strings, floats in the shortest form that keeps them, keys sorted by their encoded bytes.
//
// Own code, not libcbor: that library refuses without these words and builds a tree of its own. Pure functions, any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/arena.h"
#include "value/value.h"

namespace value {

// The head of a document and of each watch event: the self-described tag, 55799.
inline constexpr std::string_view kCborMark = "\xD9\xD9\xF7";
inline constexpr uint64_t kCborSelfDescribed = 55799;

struct CborLimits {
  uint32_t max_depth = 64;  // arrays, maps and tags within each other
  uint32_t max_items = 1024;
  uint32_t max_pairs = 1024;
};

enum class CborType : uint8_t { kPositive, kNegative, kBytes, kText, kArray, kMap, kTag, kPrimitive };

// "UTF-8 text string": as error texts name it.
std::string_view Name(CborType type);

// Whether `bytes` is one well-formed item and nothing more. Errors, kInvalid: "unexpected EOF", "cbor: exceeded max
// nested level 64".
base::Result<void> CheckCbor(std::string_view bytes, const CborLimits& limits = {});

// The first byte and the argument of an item.
struct CborHead {
  CborType type = CborType::kPositive;
  uint8_t info = 0;  // the low five bits: 20 false, 21 true, 22 null, 23 undefined, 25-27 floats, 31 indefinite
  uint64_t argument = 0;
  bool indefinite() const { return info == 31; }
};

// A place in bytes that CheckCbor took. Every call needs an item (or a break) to be there.
class CborCursor {
 public:
  explicit CborCursor(std::string_view bytes) : at_(bytes.data()) {}

  CborType type() const { return static_cast<CborType>(byte(0) >> 5); }
  bool IsNull() const { return byte(0) == 0xF6 || byte(0) == 0xF7; }  // null or undefined
  CborHead Peek() const { return CborCursor(*this).TakeHead(); }
  CborHead TakeHead();
  bool TakeBreak();  // whether a break stood here
  void Skip();       // a whole item
  // A byte or text string; pieces of an indefinite one are joined in the arena. `valid_utf8`, where given: each piece
  // is.
  std::string_view TakeString(Arena& arena, bool* valid_utf8 = nullptr);
  const char* position() const { return at_; }

 private:
  uint8_t byte(size_t i) const { return static_cast<uint8_t>(at_[i]); }
  const char* at_;
};

// The double of a float's head (info 25 to 27).
double CborFloat(const CborHead& head);

// Appends `v`, without kCborMark. Strings become byte strings; kBytes become byte strings tagged as text in base64
// (22), which is how clients expect fields of type bytes. Numbers that are no int64 are floats. The tree bounds the
// recursion.
void WriteCbor(const Value& v, std::string& out);

}  // namespace value
