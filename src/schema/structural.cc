#include "schema/structural.h"

#include <algorithm>

namespace schema {
namespace {

constexpr Structural Scalar(JsonType type) {
  Structural node;
  node.type = type;
  return node;
}

constexpr Structural kText = Scalar(JsonType::kString);
constexpr Structural kInteger = Scalar(JsonType::kInteger);
constexpr Structural kBoolean = Scalar(JsonType::kBoolean);
constexpr ValueRules kDateTimeRules{.format = "date-time"};

constexpr Structural MakeTime() {
  Structural node = Scalar(JsonType::kString);
  node.rules = &kDateTimeRules;
  return node;
}
constexpr Structural kTime = MakeTime();

constexpr Structural MakeTexts() {
  Structural node = Scalar(JsonType::kObject);
  node.additional_kind = Additional::kSchema;
  node.additional = &kText;
  return node;
}
constexpr Structural kTexts = MakeTexts();

constexpr Structural MakeTextSet() {
  Structural node = Scalar(JsonType::kArray);
  node.items = &kText;
  node.list_type = ListType::kSet;
  return node;
}
constexpr Structural kTextSet = MakeTextSet();

constexpr Property kOwnerFields[] = {{"apiVersion", &kText},    {"blockOwnerDeletion", &kBoolean},
                                     {"controller", &kBoolean}, {"kind", &kText},
                                     {"name", &kText},          {"uid", &kText}};
constexpr Structural MakeOwner() {
  Structural node = Scalar(JsonType::kObject);
  node.map_atomic = true;
  node.properties = kOwnerFields;
  return node;
}
constexpr Structural kOwner = MakeOwner();
constexpr std::string_view kOwnerKeys[] = {"uid"};

constexpr Structural MakeOwners() {
  Structural node = Scalar(JsonType::kArray);
  node.items = &kOwner;
  node.list_type = ListType::kMap;
  node.list_map_keys = kOwnerKeys;
  return node;
}
constexpr Structural kOwners = MakeOwners();

constexpr Structural MakeAnything() {
  Structural node = Scalar(JsonType::kObject);
  node.map_atomic = true;
  return node;
}
constexpr Structural kAnything = MakeAnything();

constexpr Structural MakeEntries() {
  Structural node = Scalar(JsonType::kArray);
  node.items = &kAnything;
  return node;
}
constexpr Structural kEntries = MakeEntries();

constexpr Property kMetaFields[] = {{"annotations", &kTexts},
                                    {"creationTimestamp", &kTime},
                                    {"deletionGracePeriodSeconds", &kInteger},
                                    {"deletionTimestamp", &kTime},
                                    {"finalizers", &kTextSet},
                                    {"generateName", &kText},
                                    {"generation", &kInteger},
                                    {"labels", &kTexts},
                                    {"managedFields", &kEntries},
                                    {"name", &kText},
                                    {"namespace", &kText},
                                    {"ownerReferences", &kOwners},
                                    {"resourceVersion", &kText},
                                    {"selfLink", &kText},
                                    {"uid", &kText}};
constexpr Structural MakeMeta() {
  Structural node = Scalar(JsonType::kObject);
  node.properties = kMetaFields;
  return node;
}
constexpr Structural kMeta = MakeMeta();

}  // namespace

std::string_view NameOf(JsonType type) {
  switch (type) {
    case JsonType::kAny:
      return "";
    case JsonType::kObject:
      return "object";
    case JsonType::kArray:
      return "array";
    case JsonType::kString:
      return "string";
    case JsonType::kInteger:
      return "integer";
    case JsonType::kNumber:
      return "number";
    case JsonType::kBoolean:
      return "boolean";
  }
  return "";
}

const Structural* Structural::Find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(properties, name, {}, &Property::name);
  return at != properties.end() && at->name == name ? at->schema : nullptr;
}

bool IsMetaField(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

const Structural& ObjectMetaStructural() { return kMeta; }
const Structural& StringStructural() { return kText; }

}  // namespace schema
