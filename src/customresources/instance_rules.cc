#include "customresources/instance_rules.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "api/names.h"
#include "api/quote.h"
#include "apply/go_print.h"
#include "base/text.h"
#include "customresources/validate.h"
#include "registry/metadata_rules.h"
#include "registry/object_meta.h"
#include "value/json_writer.h"
#include "value/member_index.h"

namespace customresources {
namespace {

using api::FieldPath;
using base::Cat;
using schema::Property;
using schema::Structural;
using value::Arena;
using value::Member;

constexpr std::string_view kRulesLeftOut =
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation";

bool IsForbiddenNull(const Value& v, const Structural& schema) { return v.is_null() && !schema.nullable; }

// About what a copy takes.
size_t MemoryOf(const Value& v) {
  size_t all = sizeof(Member);
  if (v.is_string()) all += v.AsString().size();
  for (const Value& item : v.items()) all += MemoryOf(item);
  for (const Member& member : v.members()) all += member.key.size() + MemoryOf(member.value);
  return all;
}

// Fills in defaults until they come to so many bytes.
class Filler {
 public:
  Filler(Arena& arena, size_t most) : arena_(arena), left_(most) {}
  bool is_whole() const { return whole_; }

  void Fill(Value& v, const Structural& schema) {
    if (!schema.has_defaults || !whole_) return;
    if (v.is_object()) return FillMembers(v, schema);
    if (schema.items == nullptr) return;
    for (Value& item : v.items()) {
      Replace(item, *schema.items);
      Fill(item, *schema.items);
    }
  }

 private:
  void FillMembers(const Value& object, const Structural& schema) {
    const uint32_t size = object.size();
    // Of many, before they are added: each look would go through those before it.
    const bool many = schema.properties.size() > kFew;
    const value::MemberIndex given(many ? Value::ObjectOf(arena_, object.members()) : object);
    for (const Property& property : schema.properties) {
      if (property.schema->default_value == nullptr) continue;
      if (given.Find(property.name) != nullptr) continue;
      if (Take(*property.schema->default_value)) {
        object.Add(arena_, property.name, value::DeepCopy(arena_, *property.schema->default_value));
      }
    }
    if (object.size() > size) std::ranges::sort(object.members(), {}, &Member::key);
    for (Member& member : object.members()) {
      if (const Structural* property = schema.Find(member.key)) {
        Replace(member.value, *property);
        Fill(member.value, *property);
      } else if (schema.additional != nullptr) {
        Replace(member.value, *schema.additional);
        Fill(member.value, *schema.additional);
      }
    }
  }

  void Replace(Value& v, const Structural& schema) {
    if (!IsForbiddenNull(v, schema) || schema.default_value == nullptr || !Take(*schema.default_value)) return;
    v = value::DeepCopy(arena_, *schema.default_value);
  }

  bool Take(const Value& copied) {
    const size_t bytes = MemoryOf(copied);
    whole_ = whole_ && bytes <= left_;
    if (whole_) left_ -= bytes;
    return whole_;
  }

  static constexpr size_t kFew = 16;

  Arena& arena_;
  size_t left_;
  bool whole_ = true;
};

// ---- resources within the object

void CheckApiVersion(const FieldPath& path, const Value& version, ErrorList& errors) {
  if (!version.is_string()) return errors.Invalid(path.text(), PrintContent(version), "must be a string");
  const std::string_view text = version.AsString();
  if (text.empty()) return errors.Invalid(path.text(), "\"\"", "must not be empty");
  if (std::ranges::count(text, '/') > 1) {
    errors.Invalid(path.text(), api::Quote(text), Cat("unexpected GroupVersion string: ", text));
  }
}

void CheckKind(const FieldPath& path, const Value& kind, ErrorList& errors) {
  if (!kind.is_string()) return errors.Invalid(path.text(), PrintContent(kind), "must be a string");
  const std::string_view text = kind.AsString();
  if (text.empty()) return errors.Invalid(path.text(), "\"\"", "must not be empty");
  const std::string complaint = base::Join(api::CheckDns1035Label(base::ToLower(text)), ",");
  if (complaint.empty()) return;
  errors.Invalid(path.text(), api::Quote(text), Cat("may have mixed case, but should otherwise match: ", complaint));
}

void CheckEmbeddedMetadata(const FieldPath& path, const Value& resource, ErrorList& errors) {
  const registry::ObjectMeta meta(resource);
  api::FieldErrors found;
  registry::CheckMetadata(meta, !meta.namespace_name().empty(), nullptr, found);
  for (api::FieldError& error : std::move(found).Take()) {
    // A resource within another one needs no name.
    if (error.field == "metadata.name" && meta.name().empty()) continue;
    error.field = Cat(path.text(), ".", error.field);
    errors.Add(std::move(error));
  }
}

void CheckEmbeddedResource(const FieldPath& path, const Value& resource, ErrorList& errors) {
  for (std::string_view member : {"apiVersion", "kind"}) {
    if (resource.Find(member) == nullptr) errors.Required(path.Child(member).text(), "must not be empty");
  }
  if (const Value* version = resource.Find("apiVersion")) CheckApiVersion(path.Child("apiVersion"), *version, errors);
  if (const Value* kind = resource.Find("kind")) CheckKind(path.Child("kind"), *kind, errors);
  if (resource.Get("metadata").is_object()) CheckEmbeddedMetadata(path, resource, errors);
}

void CheckEmbedded(const FieldPath& path, const Value& v, const Structural& schema, ErrorList& errors) {
  if (!schema.has_embedded) return;
  if (schema.items != nullptr) {
    for (uint32_t i = 0; i < v.items().size(); ++i) CheckEmbedded(path.Index(i), v[i], *schema.items, errors);
  }
  if (!v.is_object()) return;
  if (schema.embedded) CheckEmbeddedResource(path, v, errors);
  for (const Member& member : v.members()) {
    if (const Structural* property = schema.Find(member.key)) {
      CheckEmbedded(path.Child(member.key), member.value, *property, errors);
    } else if (schema.additional != nullptr) {
      CheckEmbedded(path.Key(member.key), member.value, *schema.additional, errors);
    }
  }
}

// ---- sets and lists with keys

// Which items stand there a second time; a third one is not told. Scalars are the same as Go compares them: 1 is not
// 1.0.
class Repeated {
 public:
  bool Take(const Value& item) {
    std::string text = item.is_number() && !item.is_int() ? "f" : "";
    value::WriteJson(item, text, value::KeyOrder::kSorted);
    return ++times_[std::move(text)] == 2;
  }
  bool TakeNone() { return ++times_["none"] == 2; }

 private:
  absl::flat_hash_map<std::string, int> times_;
};

void CheckSet(const FieldPath& path, const Value& list, ErrorList& errors) {
  Repeated repeated;
  for (uint32_t i = 0; i < list.size() && !errors.full(); ++i) {
    if (repeated.Take(list[i])) errors.Duplicate(path.Index(i).text(), PrintContent(list[i]));
  }
}

void CheckKeys(const FieldPath& path, const Value& list, const Structural& schema, ErrorList& errors) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    if (list[i].is_object() || list[i].is_null()) continue;
    return errors.Invalid(path.Index(i).text(), PrintContent(list[i]),
                          "must be an object for an array of list-type map");
  }
  Repeated repeated;
  Arena arena;
  for (uint32_t i = 0; i < list.size() && !errors.full(); ++i) {
    const Value keys = Value::Object(arena, static_cast<uint32_t>(schema.list_map_keys.size()));
    for (std::string_view name : schema.list_map_keys) {
      if (const Value* part = FindMember(list[i], name)) keys.Add(arena, name, *part);
    }
    const bool is_single = schema.list_map_keys.size() == 1;
    const bool again = is_single && !keys.empty() ? repeated.Take(keys.members()[0].value)
                       : is_single                ? repeated.TakeNone()
                                                  : repeated.Take(keys);
    if (!again) continue;
    std::ranges::sort(keys.members(), {}, &Member::key);
    errors.Duplicate(path.Index(i).text(), PrintContent(keys));
  }
}

void CheckDistinct(const FieldPath& path, const Value& v, const Structural& schema, ErrorList& errors) {
  if (!schema.has_identified_lists) return;
  if (v.is_array()) {
    if (schema.list_type == schema::ListType::kSet) CheckSet(path, v, errors);
    if (schema.list_type == schema::ListType::kMap) CheckKeys(path, v, schema, errors);
    if (schema.items == nullptr) return;
    for (uint32_t i = 0; i < v.size(); ++i) CheckDistinct(path.Index(i), v[i], *schema.items, errors);
    return;
  }
  for (const Member& member : v.members()) {
    if (const Structural* property = schema.Find(member.key)) {
      CheckDistinct(path.Child(member.key), member.value, *property, errors);
    } else if (schema.additional != nullptr) {
      CheckDistinct(path.Key(member.key), member.value, *schema.additional, errors);
    }
  }
}

// ---- scale

// The value at ".spec.replicas"; nullptr where it is not. The error is that of who looks for it.
std::expected<const Value*, std::string> Nested(const Value& object, std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const Value* at = &object;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    if (at->is_null()) return nullptr;
    if (!at->is_object()) {
      return std::unexpected(Cat(".", path.substr(0, end), " accessor error: ", apply::GoValue(*at), " is of the type ",
                                 apply::GoTypeName(*at), ", expected map[string]interface{}"));
    }
    at = FindMember(*at, path.substr(begin, end - begin));
    if (at == nullptr) return nullptr;
    begin = end + 1;
  }
  return at;
}

std::string WrongType(const Value& v, std::string_view path, std::string_view wanted) {
  return Cat(path.starts_with('.') ? "" : ".", path, " accessor error: ", apply::GoValue(v), " is of the type ",
             apply::GoTypeName(v), ", expected ", wanted);
}

void CheckReplicas(std::string_view path, const Value& object, ErrorList& errors) {
  const auto replicas = NestedInt(object, path);
  if (!replicas) return errors.Invalid(std::string(path), "0", replicas.error());
  const int64_t number = replicas->value_or(0);
  if (number < 0) {
    errors.Invalid(std::string(path), std::to_string(number), "should be a non-negative integer");
  } else if (number > std::numeric_limits<int32_t>::max()) {
    errors.Invalid(std::string(path), std::to_string(number), "should be less than or equal to 2147483647");
  }
}

// Rules come last.
void AskRules(const InstanceSchema& instance, const Value& object, const Value* old, bool unchanged_may_fail,
              ErrorList& errors, std::vector<std::string>& warnings) {
  if (!instance.schema->has_validations) return;
  if (errors.BlocksRules()) return errors.Invalid("<nil>", "\"null\"", std::string(kRulesLeftOut));
  if (instance.rules == nullptr) return;
  instance.rules->Evaluate(object, old, {.enabled = instance.ratchets, .unchanged_may_fail = unchanged_may_fail},
                           errors, warnings);
}

}  // namespace

void FillDefaults(Arena& arena, const Value& object, const Structural& schema) {
  Value root = object;
  Filler(arena, kMostDefaults).Fill(root, schema);
}

bool HasAllDefaults(const Value& object, const Structural& schema) {
  Arena none;
  Value root = object;
  Filler filler(none, 0);
  filler.Fill(root, schema);
  return filler.is_whole();
}

void CheckEmbeddedResources(const Structural& schema, const Value& object, ErrorList& errors) {
  CheckEmbedded(FieldPath(), object, schema, errors);
}

void CheckEmbeddedResources(const Structural& schema, const Value& value, const FieldPath& path, ErrorList& errors) {
  CheckEmbedded(path, value, schema, errors);
}

void CheckDistinctItems(const Structural& schema, const Value& object, ErrorList& errors) {
  CheckDistinct(FieldPath(), object, schema, errors);
}

std::expected<std::optional<int64_t>, std::string> NestedInt(const Value& object, std::string_view dotted_path) {
  const auto found = Nested(object, dotted_path);
  if (!found) return std::unexpected(found.error());
  if (*found == nullptr) return std::nullopt;
  if ((*found)->is_int()) return (*found)->AsInt();
  return std::unexpected(WrongType(**found, dotted_path, "int64"));
}

std::expected<std::optional<std::string_view>, std::string> NestedString(const Value& object,
                                                                         std::string_view dotted_path) {
  const auto found = Nested(object, dotted_path);
  if (!found) return std::unexpected(found.error());
  if (*found == nullptr) return std::nullopt;
  if ((*found)->is_string()) return (*found)->AsString();
  return std::unexpected(WrongType(**found, dotted_path, "string"));
}

void CheckScaleSpec(const ScalePaths& scale, const Value& object, ErrorList& errors) {
  CheckReplicas(scale.spec_replicas, object, errors);
}

void CheckScaleStatus(const ScalePaths& scale, const Value& object, ErrorList& errors) {
  CheckReplicas(scale.status_replicas, object, errors);
  if (scale.label_selector.empty()) return;
  const auto selector = NestedString(object, scale.label_selector);
  if (!selector) errors.Invalid(std::string(scale.label_selector), "\"\"", selector.error());
}

void CheckCreate(const InstanceSchema& instance, const Value& object, ErrorList& errors,
                 std::vector<std::string>& warnings) {
  ValidateValue(*instance.schema, object, {}, errors);
  if (instance.scale) {
    CheckScaleSpec(*instance.scale, object, errors);
    CheckScaleStatus(*instance.scale, object, errors);
  }
  CheckEmbeddedResources(*instance.schema, object, errors);
  CheckDistinctItems(*instance.schema, object, errors);
  AskRules(instance, object, nullptr, false, errors, warnings);
}

void CheckUpdate(const InstanceSchema& instance, const Value& object, const Value& old, ErrorList& errors,
                 std::vector<std::string>& warnings) {
  ValidateValue(*instance.schema, object, {.old = instance.ratchets ? &old : nullptr}, errors);
  if (instance.scale) {
    CheckScaleSpec(*instance.scale, object, errors);
    CheckScaleStatus(*instance.scale, object, errors);
  }
  CheckEmbeddedResources(*instance.schema, object, errors);
  ErrorList before;
  CheckDistinctItems(*instance.schema, old, before);
  if (before.empty()) CheckDistinctItems(*instance.schema, object, errors);
  AskRules(instance, object, &old, instance.ratchets, errors, warnings);
}

void CheckStatusUpdate(const InstanceSchema& instance, const Value& object, const Value& old, ErrorList& errors,
                       std::vector<std::string>& warnings) {
  const Structural* status_schema = instance.schema->Find("status");
  const Value* status = object.Find("status");
  if (status != nullptr && status_schema != nullptr) {
    ValidateValue(*status_schema, *status, {.field = "status"}, errors);
  }
  if (instance.scale) CheckScaleStatus(*instance.scale, object, errors);
  ErrorList now;
  CheckDistinctItems(*instance.schema, object, now);
  if (!now.empty()) {
    ErrorList before;
    CheckDistinctItems(*instance.schema, old, before);
    if (before.empty()) {
      for (const api::FieldError& error : now.errors()) errors.Add(error);
    }
  }
  AskRules(instance, object, &old, false, errors, warnings);
}

}  // namespace customresources
