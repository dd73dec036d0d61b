// Rules: what the real server demands of a type, as constant tables beside each other in its own order.
//
// Most demands concern one field and are one line of a table; what concerns several fields is a function named in a line of the same
// table, at the place where the real server checks it, so that errors come out in its order:
//
//   constexpr Rule kContainerRules[] = {
//       Required("name"),
//       Format("name", kDnsLabel),
//       Required("image"),
//       Each("ports", kContainerPortRules),
//       Unique("ports", "name"),
//       Enum("imagePullPolicy", kPullPolicies),
//       Call(CheckLifecycle),
//   };
//
// Tables are read by Check() (create, and update with the old object) and by tools that list and count them. Trees are canonical
// (schema/decode.h): a field that is absent has its zero value.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "registry/resource.h"
#include "resources/rules/errors.h"

namespace resources {

using api::Feature;

struct Rule;
using Rules = std::span<const Rule>;

// Where a check stands: the object under `path`, its former self on update, and what it may know of the request.
struct Scope {
  registry::WriteContext& context;
  const FieldPath& path;
  const Value& object;
  const Value* old;      // null on create, and for what is new in an update
  Errors& errors;
  const Scope* parent = nullptr;   // the enclosing object's scope

  Value Get(std::string_view field) const { return object.Get(field); }
  Value Get(std::initializer_list<std::string_view> steps) const { return object.Get(steps); }
  std::string_view String(std::string_view field) const { return object.GetString(field); }
  int64_t Int(std::string_view field, int64_t absent = 0) const;
  bool Has(std::string_view field) const { return object.Find(field) != nullptr; }
  FieldPath At(std::string_view field) const { return path.Child(field); }
  bool updating() const { return context.request.info.verb != "create" && old != nullptr; }
};

using ScopeCheck = void (*)(Scope& scope);
// A form that a string must have: calls `errors` at `path` for each way `text` fails.
using FormatCheck = void (*)(Errors& errors, const FieldPath& path, std::string_view text);

struct Rule {
  enum class Op : uint8_t {
    kRequired,      // not absent, not "" and not empty
    kFormat,        // the string, where it is there, has the form
    kEnum,          // the string, where it is there, is one of `words`
    kRange,         // the number, where it is there, lies in [least, most]
    kMaxBytes,      // the string is not longer
    kMaxItems,
    kImmutable,     // on update as it was
    kForbiddenSet,  // may not be there
    kInto,          // the object in `field`, where it is there, keeps `rules`
    kEach,          // each item of the list (or value of the map) keeps `rules`
    kEachFormat,    // each string of the list has the form
    kUnique,        // items differ in `key` (or as a whole, key "")
    kCall,
  };
  Op op;
  std::string_view field;
  std::string_view text;                    // detail of the error, key of kUnique
  Rules rules{};
  std::span<const std::string_view> words{};
  int64_t least = 0, most = 0;
  FormatCheck format = nullptr;
  ScopeCheck call = nullptr;
  // kEnum, kRange, kInto: the zero value is checked too; kImmutable: prints as "".
  bool even_if_absent = false;
  bool empty_unsupported = false;           // kEnum: "" is unsupported, not missing
};

constexpr Rule Required(std::string_view field, std::string_view detail = {}) {
  return {.op = Rule::Op::kRequired, .field = field, .text = detail};
}
constexpr Rule Format(std::string_view field, FormatCheck form) {
  return {.op = Rule::Op::kFormat, .field = field, .text = {}, .format = form};
}
constexpr Rule EachFormat(std::string_view field, FormatCheck form) {
  return {.op = Rule::Op::kEachFormat, .field = field, .text = {}, .format = form};
}
// One of `words`, which are listed in the error in their order; an absent field passes.
constexpr Rule Enum(std::string_view field, std::span<const std::string_view> words) {
  return {.op = Rule::Op::kEnum, .field = field, .text = {}, .words = words};
}
// Enum whose absence is an error: Required value with `detail`.
constexpr Rule RequiredEnum(std::string_view field, std::span<const std::string_view> words, std::string_view detail = {}) {
  return {.op = Rule::Op::kEnum, .field = field, .text = detail, .words = words, .even_if_absent = true};
}
// Enum of a pointer: one that is set to "" is unsupported.
constexpr Rule EnumWhereSet(std::string_view field, std::span<const std::string_view> words) {
  return {.op = Rule::Op::kEnum, .field = field, .text = {}, .words = words, .empty_unsupported = true};
}
// Enum whose absence is an unsupported "".
constexpr Rule OneOf(std::string_view field, std::span<const std::string_view> words) {
  return {.op = Rule::Op::kEnum, .field = field, .text = {}, .words = words, .even_if_absent = true, .empty_unsupported = true};
}
// Inside [least, most], else Invalid with `detail`.
constexpr Rule Range(std::string_view field, int64_t least, int64_t most, std::string_view detail) {
  return {.op = Rule::Op::kRange, .field = field, .text = detail, .least = least, .most = most};
}
constexpr Rule NonNegative(std::string_view field) {
  return Range(field, 0, std::numeric_limits<int64_t>::max(), "must be greater than or equal to 0");
}
constexpr Rule MaxBytes(std::string_view field, int64_t most) {
  return {.op = Rule::Op::kMaxBytes, .field = field, .text = {}, .most = most};
}
constexpr Rule MaxItems(std::string_view field, int64_t most) {
  return {.op = Rule::Op::kMaxItems, .field = field, .text = {}, .most = most};
}
constexpr Rule Immutable(std::string_view field, std::string_view detail = "field is immutable") {
  return {.op = Rule::Op::kImmutable, .field = field, .text = detail};
}
// Immutable of a string that is no pointer: an absent one is "".
constexpr Rule ImmutableText(std::string_view field, std::string_view detail = "field is immutable") {
  return {.op = Rule::Op::kImmutable, .field = field, .text = detail, .even_if_absent = true};
}
constexpr Rule ForbiddenSet(std::string_view field, std::string_view detail) {
  return {.op = Rule::Op::kForbiddenSet, .field = field, .text = detail};
}
constexpr Rule Into(std::string_view field, Rules rules) {
  return {.op = Rule::Op::kInto, .field = field, .text = {}, .rules = rules};
}
// Into a field that is no pointer: an absent one keeps `rules` as an empty object.
constexpr Rule IntoStruct(std::string_view field, Rules rules) {
  return {.op = Rule::Op::kInto, .field = field, .text = {}, .rules = rules, .even_if_absent = true};
}
constexpr Rule Each(std::string_view field, Rules rules) {
  return {.op = Rule::Op::kEach, .field = field, .text = {}, .rules = rules};
}
// Items of a list differ in `key`; the error stands at the later item's key ("" : at the item itself).
constexpr Rule Unique(std::string_view field, std::string_view key = {}) {
  return {.op = Rule::Op::kUnique, .field = field, .text = key};
}
constexpr Rule Call(ScopeCheck check) { return {.op = Rule::Op::kCall, .field = {}, .text = {}, .call = check}; }

// Holds `object` against the rules; `old` is its former self on update. Depth is bounded by the schema's.
void Check(registry::WriteContext& context, Rules rules, const FieldPath& path, const Value& object, const Value* old, Errors& errors);
// The same from inside a check: goes on with `rules` on another object.
void Check(const Scope& scope, Rules rules, const FieldPath& path, const Value& object, const Value* old);

}  // namespace resources
