// What happens to the objects of a custom resource between decoding and the store: defaults, and the rules that are not
// keywords of their schema. In the real server these are the packages defaulting, objectmeta and listtype of
// apiextensions-apiserver and its customresource strategy. Pure; any thread; linear in the object, and walks leave out
// what the schema says nothing of.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_path.h"
#include "customresources/error_list.h"
#include "schema/structural.h"
#include "value/arena.h"

namespace customresources {

// Fills in what the schema has defaults for, in place; null counts as absent where it is not allowed. Objects that the
// client did not send are not made. Also done when an object is read: its schema may have got defaults since. Where the
// defaults come to more than kMostDefaults bytes in memory the rest is left out.
inline constexpr size_t kMostDefaults = 16 << 20;
void FillDefaults(value::Arena& arena, const Value& object, const schema::Structural& schema);

// Nothing was left out.
bool HasAllDefaults(const Value& object, const schema::Structural& schema);

// Resources within the object have a kind, an apiVersion and metadata that may stand.
void CheckEmbeddedResources(const schema::Structural& schema, const Value& object, ErrorList& errors);
// The same of a default at `path`, which is checked where it stands.
void CheckEmbeddedResources(const schema::Structural& schema, const Value& value, const api::FieldPath& path,
                            ErrorList& errors);

// Lists with list type set hold nothing twice, those with list type map no two items with the same keys.
void CheckDistinctItems(const schema::Structural& schema, const Value& object, ErrorList& errors);

// The paths of a scale subresource, ".spec.replicas"; `label_selector` may be "".
struct ScalePaths {
  std::string_view spec_replicas, status_replicas, label_selector;
};
// What the numbers and the selector there may be.
void CheckScaleSpec(const ScalePaths& scale, const Value& object, ErrorList& errors);
void CheckScaleStatus(const ScalePaths& scale, const Value& object, ErrorList& errors);

// A nested field as unstructured.NestedInt64 and NestedString read it: the error is its text, nullopt is not there.
std::expected<std::optional<int64_t>, std::string> NestedInt(const Value& object, std::string_view dotted_path);
std::expected<std::optional<std::string_view>, std::string> NestedString(const Value& object,
                                                                         std::string_view dotted_path);

// What is asked of x-kubernetes-validations (rule_set.h). Rules are looked at last, and only where no error before
// makes them pointless.
class RuleEvaluator {
 public:
  struct Ratcheting {
    bool enabled = true;              // the gate CRDValidationRatcheting
    bool unchanged_may_fail = false;  // what an unchanged value breaks as before becomes a warning
    // Where the value stands; null: it is the object.
    const api::FieldPath* path = nullptr;
  };
  virtual ~RuleEvaluator() = default;
  // `old` is null for a create.
  virtual void Evaluate(const Value& object, const Value* old, const Ratcheting& ratcheting, ErrorList& errors,
                        std::vector<std::string>& warnings) const = 0;
};

// What one served version demands of its objects.
struct InstanceSchema {
  const schema::Structural* schema = nullptr;
  std::optional<ScalePaths> scale;
  const RuleEvaluator* rules = nullptr;  // null: no schema has any
  bool ratchets = true;                  // the gate CRDValidationRatcheting
};

// Everything but the object's own metadata, which the registry looks at before, in the real server's order.
void CheckCreate(const InstanceSchema& instance, const Value& object, ErrorList& errors,
                 std::vector<std::string>& warnings);
void CheckUpdate(const InstanceSchema& instance, const Value& object, const Value& old, ErrorList& errors,
                 std::vector<std::string>& warnings);
// Through the status subresource.
void CheckStatusUpdate(const InstanceSchema& instance, const Value& object, const Value& old, ErrorList& errors,
                       std::vector<std::string>& warnings);

}  // namespace customresources
