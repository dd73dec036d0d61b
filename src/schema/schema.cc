#include "schema/schema.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "schema/members.h"
#include "schema/tables.h"

namespace schema {

uint64_t NameHash(std::string_view name) {
  uint64_t hash = name.size() * 0x9E3779B97F4A7C15u;
  for (size_t at = 0; at < name.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, name.data() + at, std::min<size_t>(8, name.size() - at));
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

void BuildSlots(std::span<const Field* const> members, std::span<uint16_t> slots) {
  std::ranges::fill(slots, 0);
  for (size_t i = 0; i < members.size(); ++i) {
    size_t at = NameHash(members[i]->name) & (slots.size() - 1);
    while (slots[at]) at = (at + 1) & (slots.size() - 1);
    slots[at] = static_cast<uint16_t>(i + 1);
  }
}

int Type::MemberIndex(std::string_view json_name) const {
  if (slots.empty()) return -1;
  for (size_t at = NameHash(json_name);; ++at) {
    uint16_t slot = slots[at & (slots.size() - 1)];
    if (!slot) return -1;
    if (SameName(json_name, members[slot - 1]->name)) return slot - 1;
  }
}

const Field* Type::Member(std::string_view json_name) const {
  int index = MemberIndex(json_name);
  return index < 0 ? nullptr : members[static_cast<size_t>(index)];
}

const Field* Type::Own(std::string_view json_name) const {
  const Field* field = Member(json_name);
  return field >= fields.data() && field < fields.data() + fields.size() ? field : nullptr;
}

std::string_view Type::struct_name() const { return go_name.substr(go_name.rfind('.') + 1); }

namespace {
std::string_view GoKind(const Field& field) {
  switch (field.kind) {
    case FieldKind::kString:
      return "string";
    case FieldKind::kInt32:
      return "int32";
    case FieldKind::kInt64:
      return "int64";
    case FieldKind::kBool:
      return "bool";
    case FieldKind::kDouble:
      return "float64";
    case FieldKind::kBytes:
      return "[]uint8";
    case FieldKind::kRef:
    case FieldKind::kStringList:
      return field.ref->go_name;
    case FieldKind::kQuantity:
      return "resource.Quantity";
    case FieldKind::kIntOrString:
      return "intstr.IntOrString";
    case FieldKind::kTime:
      return "v1.Time";
    case FieldKind::kMicroTime:
      return "v1.MicroTime";
    case FieldKind::kDuration:
      return "v1.Duration";
    case FieldKind::kRawExtension:
      return "runtime.RawExtension";
    case FieldKind::kFieldsV1:
      return "v1.FieldsV1";
    case FieldKind::kJson:
      return "v1.JSON";
    case FieldKind::kAny:
      return "interface {}";
  }
  return "";
}
}  // namespace

std::string GoType(const Field& field) {
  if (!field.go_type.empty()) return std::string(field.go_type);
  std::string_view prefix = field.shape == Shape::kList ? "[]" : field.shape == Shape::kMap ? "map[string]" : "";
  return std::string(prefix).append(GoKind(field));
}

std::string GoItemType(const Field& field) {
  // A named list or map type does not tell its items' type: then it is the kind's own.
  if (field.go_type.starts_with("[]") && field.shape == Shape::kList) return std::string(field.go_type.substr(2));
  if (field.go_type.starts_with("map[")) return std::string(field.go_type.substr(field.go_type.find(']') + 1));
  return std::string(GoKind(field));
}

std::span<const Type> AllTypes() { return tables::Types(); }

const Type* FindType(std::string_view openapi_name) {
  std::span<const Type> types = tables::Types();
  auto at = std::ranges::lower_bound(types, openapi_name, {}, &Type::name);
  return at != types.end() && at->name == openapi_name ? &*at : nullptr;
}

const Type* FindKind(std::string_view group, std::string_view version, std::string_view kind) {
  auto key = [](const tables::Kind& k) { return std::tie(k.group, k.version, k.kind); };
  std::span<const tables::Kind> kinds = tables::Kinds();
  auto wanted = std::tie(group, version, kind);
  auto at = std::ranges::lower_bound(kinds, wanted, {}, key);
  if (at != kinds.end() && key(*at) == wanted) return &tables::Types()[at->type];
  std::span<const tables::Kind> everywhere = tables::KindsEverywhere();
  auto any = std::ranges::lower_bound(everywhere, kind, {}, &tables::Kind::kind);
  return any != everywhere.end() && any->kind == kind ? &tables::Types()[any->type] : nullptr;
}

}  // namespace schema
