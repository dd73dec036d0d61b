#include "customresources/resource_type.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace customresources {

using schema::Field;
using schema::FieldKind;

std::string OpenApiName(std::string_view group, std::string_view version, std::string_view kind) {
  std::string name;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    const size_t begin = dot == group.npos ? 0 : dot + 1;
    base::Append(name, group.substr(begin), ".");
    group = group.substr(0, begin == 0 ? 0 : dot);
  }
  return base::Cat(name, version, ".", kind);
}

ResourceType::ResourceType(std::string_view group, std::string_view version, std::string_view kind,
                           std::shared_ptr<const CompiledSchema> schema)
    : group_(group),
      version_(version),
      kind_(kind),
      name_(OpenApiName(group, version, kind)),
      schema_(std::move(schema)) {
  const schema::Structural& root = schema_->root();
  const auto add = [&](std::string_view name, FieldKind of) {
    Field& field = fields_.emplace_back();
    field.name = name;
    field.kind = of;
    field.pointer = field.omitempty = true;
    field.place = static_cast<uint16_t>(fields_.size() - 1);
  };
  add("kind", FieldKind::kString);
  add("apiVersion", FieldKind::kString);
  add("metadata", FieldKind::kRef);
  fields_.back().ref = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  for (std::string_view name : {"spec", "status"}) {
    if (root.preserve_unknown || root.Of(name) != nullptr) add(name, FieldKind::kAny);
  }
  for (const Field& field : fields_) members_.push_back(&field);
  slots_.resize(16);
  schema::BuildSlots(members_, slots_);
  type_.name = name_;
  type_.go_name = "unstructured.Unstructured";
  type_.in_openapi = true;
  type_.gvk = {group_, version_, kind_};
  type_.fields = fields_;
  type_.members = members_;
  type_.slots = slots_;
  type_.structural = &root;
}

}  // namespace customresources
