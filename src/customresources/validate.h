// Validation of a custom resource's values against its schema: every OpenAPI keyword and format, with the texts and the
// order of the real server (kube-openapi's validator, which is go-openapi's), and with ratcheting: what an update did
// not change may stay as wrong as it was. Rules in CEL are not asked here.
//
// Pure; any thread. Errors go to the list; a valid value costs no allocation but for clauses (oneOf ...). Bounds: depth
// is the schema's; at most kMostSteps looks at (value, schema), then one Internal error is told: hostile clauses
// multiply with hostile values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "customresources/error_list.h"
#include "schema/structural.h"

namespace customresources {

inline constexpr int64_t kMostSteps = 10'000'000;

struct ValidateOptions {
  // The field of the value, before what is wrong in it: "status", a default's path. "" the root.
  std::string_view field;
  // What the value was before; errors at what did not change are dropped. Null: every error is told.
  const Value* old = nullptr;
  // Of a default within a definition: x-kubernetes-int-or-string demands no type, and formats of numbers count.
  bool is_default = false;
};

void ValidateValue(const schema::Structural& schema, const Value& value, const ValidateOptions& options,
                   ErrorList& errors);

// Whether `value` is what `old` was, as ratcheting sees it: lists with keys in any order, and nothing that the schema
// does not name.
bool IsUnchanged(const schema::Structural& schema, const Value& value, const Value& old);

// The member of that key, or nullptr: quick in large objects whose keys are sorted, as those of decoded trees are.
const Value* FindMember(const Value& object, std::string_view key);

// The items of a list with list type map by their keys. Made for one look; the list and its schema outlive it.
class ItemIndex {
 public:
  ItemIndex(const schema::Structural& list_schema, const Value& list);
  // The first item with the keys of `item`; nullptr where there is none, or `item` has no such keys.
  const Value* Find(const Value& item) const;

 private:
  static bool KeyOf(const schema::Structural& list_schema, const Value& item, std::string& key);
  const schema::Structural& list_schema_;
  absl::flat_hash_map<std::string, const Value*> items_;
};

}  // namespace customresources
