#include "handlers/discovery/openapi_schemas.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace handlers {

using schema::Field;
using schema::FieldKind;
using schema::Shape;
using schema::Special;
using schema::Type;

namespace {

// The versions in which every object may stand in a watch event or take delete options: all that the API ever had.
constexpr std::pair<std::string_view, std::string_view> kEveryVersion[] = {
    {"", "v1"},
    {"admission.k8s.io", "v1"},
    {"admission.k8s.io", "v1beta1"},
    {"admissionregistration.k8s.io", "v1"},
    {"admissionregistration.k8s.io", "v1alpha1"},
    {"admissionregistration.k8s.io", "v1beta1"},
    {"apiextensions.k8s.io", "v1"},
    {"apiextensions.k8s.io", "v1beta1"},
    {"apiregistration.k8s.io", "v1"},
    {"apiregistration.k8s.io", "v1beta1"},
    {"apps", "v1"},
    {"apps", "v1beta1"},
    {"apps", "v1beta2"},
    {"authentication.k8s.io", "v1"},
    {"authentication.k8s.io", "v1alpha1"},
    {"authentication.k8s.io", "v1beta1"},
    {"authorization.k8s.io", "v1"},
    {"authorization.k8s.io", "v1beta1"},
    {"autoscaling", "v1"},
    {"autoscaling", "v2"},
    {"autoscaling", "v2beta1"},
    {"autoscaling", "v2beta2"},
    {"batch", "v1"},
    {"batch", "v1beta1"},
    {"certificates.k8s.io", "v1"},
    {"certificates.k8s.io", "v1alpha1"},
    {"certificates.k8s.io", "v1beta1"},
    {"coordination.k8s.io", "v1"},
    {"coordination.k8s.io", "v1alpha2"},
    {"coordination.k8s.io", "v1beta1"},
    {"discovery.k8s.io", "v1"},
    {"discovery.k8s.io", "v1beta1"},
    {"events.k8s.io", "v1"},
    {"events.k8s.io", "v1beta1"},
    {"extensions", "v1beta1"},
    {"flowcontrol.apiserver.k8s.io", "v1"},
    {"flowcontrol.apiserver.k8s.io", "v1beta1"},
    {"flowcontrol.apiserver.k8s.io", "v1beta2"},
    {"flowcontrol.apiserver.k8s.io", "v1beta3"},
    {"imagepolicy.k8s.io", "v1alpha1"},
    {"internal.apiserver.k8s.io", "v1alpha1"},
    {"networking.k8s.io", "v1"},
    {"networking.k8s.io", "v1alpha1"},
    {"networking.k8s.io", "v1beta1"},
    {"node.k8s.io", "v1"},
    {"node.k8s.io", "v1alpha1"},
    {"node.k8s.io", "v1beta1"},
    {"policy", "v1"},
    {"policy", "v1beta1"},
    {"rbac.authorization.k8s.io", "v1"},
    {"rbac.authorization.k8s.io", "v1alpha1"},
    {"rbac.authorization.k8s.io", "v1beta1"},
    {"resource.k8s.io", "v1alpha3"},
    {"resource.k8s.io", "v1beta1"},
    {"scheduling.k8s.io", "v1"},
    {"scheduling.k8s.io", "v1alpha1"},
    {"scheduling.k8s.io", "v1beta1"},
    {"storage.k8s.io", "v1"},
    {"storage.k8s.io", "v1alpha1"},
    {"storage.k8s.io", "v1beta1"},
    {"storagemigration.k8s.io", "v1alpha1"},
};

// Those that the documents of definitions do not know.
constexpr std::string_view kOfOtherServers[] = {"admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
                                                "imagepolicy.k8s.io"};

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

// What a field of that kind refers to; "" for what is written in place.
std::string_view ReferredType(const Field& field) {
  switch (field.kind) {
    case FieldKind::kRef:
      return field.ref->name;
    case FieldKind::kQuantity:
      return "io.k8s.apimachinery.pkg.api.resource.Quantity";
    case FieldKind::kIntOrString:
      return "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
    case FieldKind::kTime:
      return "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
    case FieldKind::kMicroTime:
      return "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
    case FieldKind::kDuration:
      return "io.k8s.apimachinery.pkg.apis.meta.v1.Duration";
    case FieldKind::kRawExtension:
      return "io.k8s.apimachinery.pkg.runtime.RawExtension";
    case FieldKind::kFieldsV1:
      return "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1";
    case FieldKind::kJson:
      return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON";
    default:
      return "";
  }
}

// The default that the items of a list or map have, and members where the table has none: the zero value of their Go
// type.
std::string_view ItemDefault(const Field& field) {
  switch (field.kind) {
    case FieldKind::kString:
      return "\"\"";
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kDouble:
      return "0";
    case FieldKind::kBool:
      return "false";
    case FieldKind::kRef:
      return field.ref->special == Special::kNone ? "{}" : "";
    default:
      return "";
  }
}

void TypeAndFormat(std::string_view type, std::string_view format, OpenJson& json) {
  json.Key("type").Text(type).Member("format", format);
}

}  // namespace

void OpenApiSchemas::Note(std::string_view type_name) {
  if (!noted_.contains(type_name)) noted_.emplace(type_name, false);
}

void OpenApiSchemas::Reference(std::string_view type_name, OpenJson& json) {
  Note(type_name);
  std::string_view root = is_v3() ? "#/components/schemas/" : "#/definitions/";
  json.Begin('{').Key("$ref").Text(base::Cat(root, type_name)).End('}');
}

void OpenApiSchemas::WriteAll(OpenJson& json) {
  // Writing a schema notes what it refers to: until nothing new comes up.
  std::map<std::string, std::string, std::less<>> written;
  for (bool grown = true; grown;) {
    grown = false;
    for (auto& [name, done] : noted_) {
      if (std::exchange(done, true)) continue;
      const Type* type = schema::FindType(name);
      std::string text;
      if (type == nullptr && custom_) text = custom_(name, version_);
      if (text.empty()) {
        OpenJson one(text);
        Definition(name, type, one);
      } else {
        // What schemas of custom kinds refer to.
        for (std::string_view meta : {"ObjectMeta", "ListMeta"}) {
          const std::string other = base::Cat(kMeta, meta);
          if (text.contains(base::Cat("/", other, "\""))) Note(other);
        }
      }
      written.emplace(name, std::move(text));
      grown = true;
    }
  }
  json.Begin('{');
  for (const auto& [name, text] : written) json.Key(name).Raw(text);
  json.End('}');
}

void OpenApiSchemas::Definition(std::string_view name, const Type* type, OpenJson& json) {
  json.Begin('{');
  json.Member("description", texts_.Of(name));
  if (!type) {
    json.Key("type").Text("object");  // Patch: any
  } else if (type->special != Special::kNone) {
    SpecialForm(type->special, json);
  } else {
    Object(*type, json);
  }
  json.End('}');
}

void OpenApiSchemas::SpecialForm(Special special, OpenJson& json) const {
  switch (special) {
    case Special::kQuantity:
      if (is_v3()) {
        json.Key("oneOf").Raw(R"([{"type":"string"},{"type":"number"}])");
      } else {
        TypeAndFormat("string", "", json);
      }
      break;
    case Special::kIntOrString:
      if (is_v3()) {
        json.Key("format").Text("int-or-string").Key("oneOf").Raw(R"([{"type":"integer"},{"type":"string"}])");
      } else {
        TypeAndFormat("string", "int-or-string", json);
      }
      break;
    case Special::kTime:
    case Special::kMicroTime:
      TypeAndFormat("string", "date-time", json);
      break;
    case Special::kDuration:
      TypeAndFormat("string", "", json);
      break;
    case Special::kRawExtension:
    case Special::kFieldsV1:
      TypeAndFormat("object", "", json);
      break;
    default:
      break;  // any JSON
  }
}

void OpenApiSchemas::Object(const Type& type, OpenJson& json) {
  json.Key("type").Text("object");
  std::vector<const Field*> members(type.members.begin(), type.members.end());
  if (std::ranges::any_of(members, [](const Field* field) { return field->required; })) {
    json.Key("required").Begin('[');
    for (const Field* field : members) {
      if (field->required) json.Text(field->name);
    }
    json.End(']');
  }
  std::ranges::sort(members, {}, &Field::name);
  if (!members.empty()) {
    json.Key("properties").Begin('{');
    for (const Field* field : members) {
      json.Key(field->name);
      Property(type, *field, json);
    }
    json.End('}');
  }
  Kinds(type, json);
  if (type.map_atomic) json.Key("x-kubernetes-map-type").Text("atomic");
  Unions(type, json);
}

void OpenApiSchemas::Kinds(const Type& type, OpenJson& json) const {
  auto kind = [&json](std::string_view group, std::string_view version, std::string_view name) {
    json.Begin('{').Key("group").Text(group).Key("kind").Text(name).Key("version").Text(version).End('}');
  };
  bool everywhere = type.name == base::Cat(kMeta, "DeleteOptions") || type.name == base::Cat(kMeta, "WatchEvent");
  if (!everywhere && type.gvk.kind.empty()) return;
  json.Key("x-kubernetes-group-version-kind").Begin('[');
  if (everywhere) {
    for (auto [group, version] : kEveryVersion) {
      const bool elsewhere = std::ranges::find(kOfOtherServers, group) != std::end(kOfOtherServers);
      if (!of_definitions_ || !elsewhere) kind(group, version, type.struct_name());
    }
  } else {
    kind(type.gvk.group, type.gvk.version, type.gvk.kind);
  }
  json.End(']');
}

void OpenApiSchemas::Unions(const Type& type, OpenJson& json) const {
  if (type.unions.empty()) return;
  json.Key("x-kubernetes-unions").Begin('[');
  for (const schema::Union& one : type.unions) {
    json.Begin('{').Member("discriminator", one.discriminator).Key("fields-to-discriminateBy").Begin('{');
    std::vector<schema::Union::Member> members(one.members.begin(), one.members.end());
    std::ranges::sort(members, {}, &schema::Union::Member::field);
    for (const schema::Union::Member& member : members) json.Key(member.field).Text(member.value);
    json.End('}').End('}');
  }
  json.End(']');
}

// A reference with what stands beside it: in version 3 nothing may, so the reference goes into an allOf.
void OpenApiSchemas::ReferenceMembers(std::string_view type_name, std::string_view description,
                                      std::string_view default_json, OpenJson& json) {
  json.Member("description", description);
  if (is_v3() && !(description.empty() && default_json.empty())) {
    if (!default_json.empty()) json.Key("default").Raw(default_json);
    json.Key("allOf").Begin('[');
    Reference(type_name, json);
    json.End(']');
    return;
  }
  Note(type_name);
  json.Key("$ref").Text(base::Cat(is_v3() ? "#/components/schemas/" : "#/definitions/", type_name));
}

void OpenApiSchemas::ScalarMembers(const Field& field, OpenJson& json) const {
  switch (field.kind) {
    case FieldKind::kInt32:
      return TypeAndFormat("integer", field.format.empty() ? "int32" : field.format, json);
    case FieldKind::kInt64:
      return TypeAndFormat("integer", field.format.empty() ? "int64" : field.format, json);
    case FieldKind::kBool:
      return TypeAndFormat("boolean", "", json);
    case FieldKind::kDouble:
      return TypeAndFormat("number", field.format.empty() ? "double" : field.format, json);
    case FieldKind::kBytes:
      return TypeAndFormat("string", "byte", json);
    case FieldKind::kString:
      return TypeAndFormat("string", field.format, json);
    default:
      return;
  }
}

void OpenApiSchemas::ListOfStrings(OpenJson& json) const {
  json.Key("type").Text("array").Key("items").Begin('{').Key("type").Text("string");
  if (is_v3()) json.Key("default").Text("");
  json.End('}');
}

void OpenApiSchemas::Enumeration(const Field& field, OpenJson& json) const {
  if (!enums_ || field.enum_values.empty()) return;
  std::vector<std::string_view> values(field.enum_values.begin(), field.enum_values.end());
  std::ranges::sort(values);
  json.Key("enum").Begin('[');
  for (std::string_view one : values) json.Text(one);
  json.End(']');
}

void OpenApiSchemas::ItemSchema(const Field& field, OpenJson& json) {
  std::string_view referred = ReferredType(field);
  std::string_view zero = is_v3() ? ItemDefault(field) : "";
  json.Begin('{');
  if (!referred.empty()) {
    ReferenceMembers(referred, "", zero, json);
  } else if (field.kind == FieldKind::kStringList) {
    ListOfStrings(json);
  } else {
    ScalarMembers(field, json);
    if (!zero.empty()) json.Key("default").Raw(zero);
    Enumeration(field, json);
  }
  json.End('}');
}

// Of a member that stands in an inline field the text is with that field's type.
std::string_view OpenApiSchemas::Description(const Type& type, std::string_view member) const {
  std::string_view text = texts_.Of(type.name, member);
  for (const Field& field : type.fields) {
    if (!text.empty()) break;
    if (field.is_inline && field.ref) text = Description(*field.ref, member);
  }
  return text;
}

void OpenApiSchemas::Property(const Type& type, const Field& field, OpenJson& json) {
  std::string_view description = Description(type, field.name);
  std::string_view default_json = is_v3() ? field.default_json : "";
  std::string_view referred = ReferredType(field);
  json.Begin('{');
  if (field.shape == Shape::kSingle && !referred.empty()) {
    ReferenceMembers(referred, description, default_json, json);
  } else {
    json.Member("description", description);
    if (field.shape == Shape::kSingle && field.kind == FieldKind::kStringList) {
      ListOfStrings(json);
    } else if (field.shape == Shape::kSingle) {
      ScalarMembers(field, json);
      Enumeration(field, json);
    } else {
      bool list = field.shape == Shape::kList;
      json.Key("type").Text(list ? "array" : "object").Key(list ? "items" : "additionalProperties");
      ItemSchema(field, json);
    }
    if (!default_json.empty()) json.Key("default").Raw(default_json);
  }
  Markers(field, json);
  json.End('}');
}

void OpenApiSchemas::Markers(const Field& field, OpenJson& json) const {
  static constexpr std::string_view kListTypes[] = {"atomic", "set", "map"};
  if (!field.list_map_keys.empty()) {
    json.Key("x-kubernetes-list-map-keys").Begin('[');
    for (std::string_view key : field.list_map_keys) json.Text(key);
    json.End(']');
  }
  if (field.list_type_declared)
    json.Key("x-kubernetes-list-type").Text(kListTypes[static_cast<size_t>(field.list_type)]);
  if (field.map_atomic || field.map_granular)
    json.Key("x-kubernetes-map-type").Text(field.map_atomic ? "atomic" : "granular");
  json.Member("x-kubernetes-patch-merge-key", field.patch_merge_key);
  std::vector<std::string_view> strategies;
  if (field.patch_merge) strategies.push_back("merge");
  if (field.patch_replace) strategies.push_back("replace");
  if (field.patch_retain_keys) strategies.push_back("retainKeys");
  std::string joined;
  for (std::string_view strategy : strategies) base::Append(joined, joined.empty() ? "" : ",", strategy);
  json.Member("x-kubernetes-patch-strategy", joined);
}

}  // namespace handlers
