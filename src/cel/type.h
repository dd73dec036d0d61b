// Types of CEL expressions: what the checker computes and what declarations are made of.
//
// A Type is immutable and lives in a TypePool, or as long as the program (the basic types). Types are compared by
// structure (Same), not by address. Any thread may read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "value/arena.h"

namespace cel {

struct Declaration;

enum class TypeKind : uint8_t {
  kNone,  // of what has no type: the second variable of a loop over a value that nobody knows
  kError,
  kDyn,
  kAny,
  kBool,
  kBytes,
  kDouble,
  kDuration,
  kInt,
  kList,
  kMap,
  kNull,
  kOpaque,
  kString,
  kStruct,
  kTimestamp,
  kType,
  kParam,
  kUint,
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  bool nullable = false;  // a wrapper type: wrapper(int) takes null too
  int32_t variable = -1;  // of a kParam that the checker made: its number
  std::string_view name;  // as the expression type(x) shows it: "int", "list", "net.IP"
  std::span<const Type* const> parameters;
  const Declaration* declaration = nullptr;  // of a kStruct whose fields are known

  bool is_dyn() const { return kind == TypeKind::kDyn || kind == TypeKind::kAny; }
  bool is_optional() const { return kind == TypeKind::kOpaque && name == "optional_type"; }
};

// The types without parameters.
extern const Type kNoType, kErrorType, kDynType, kAnyType, kBoolType, kBytesType, kDoubleType, kDurationType, kIntType,
    kNullType, kStringType, kTimestampType, kTypeType, kUintType;
extern const Type kDynListType, kDynMapType;  // list(dyn), map(dyn, dyn)

// Makes types and owns them.
class TypePool {
 public:
  TypePool() : arena_(512) {}
  const Type* List(const Type* element);
  const Type* Map(const Type* key, const Type* value);
  const Type* Optional(const Type* of) { return Opaque("optional_type", {&of, 1}); }
  const Type* Opaque(std::string_view name, std::span<const Type* const> parameters);
  const Type* Struct(std::string_view name, const Declaration* declaration = nullptr);
  const Type* TypeOf(const Type* of);
  const Type* Nullable(const Type* of);
  const Type* Parameter(std::string_view name);
  const Type* Variable(int32_t number);
  // A copy of `type` that lives in this pool.
  const Type* Copy(const Type* type);
  // "int", "map(string, dyn)", "wrapper(int)", "timestamp", "A": one capital letter is a parameter, a name with
  // parentheses that is none of CEL's own is opaque, any other name a struct. nullptr if `text` is no type.
  const Type* Parse(std::string_view text);

  value::Arena& arena() { return arena_; }

 private:
  Type* New(TypeKind kind, std::string_view name, std::span<const Type* const> parameters);
  const Type* ParseAt(std::string_view& rest, int depth);
  value::Arena arena_;
};

// The same structure; parameters by name.
bool Same(const Type& a, const Type& b);
// The same structure, whatever the names of parameters.
bool Equivalent(const Type& a, const Type& b);
// Whether a value of type `from` may stand where `to` is wanted, without looking at parameters' bindings.
bool Assignable(const Type& to, const Type& from);

// As error texts show the type: "list(int)", "timestamp", "null", "wrapper(int)".
std::string Format(const Type& type);
// As Format, but with the full names that output types have: "google.protobuf.Timestamp", "null_type".
std::string FormatFull(const Type& type);
void AppendFormat(std::string& out, const Type& type);

}  // namespace cel
