#include "cel/kubernetes_variables.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace cel {
namespace {

struct FieldRow {
  std::string_view name;
  std::string_view type;  // as TypePool::Parse reads it; "" with `declaration`
  const Declaration* declaration = nullptr;
};

const Declaration* Simple(Declarations& declarations, const Type* type) {
  Declaration* made = declarations.New();
  made->type = type;
  switch (type->kind) {
    case TypeKind::kList:
      made->reading = Reading::kList;
      made->element = Simple(declarations, type->parameters[0]);
      break;
    case TypeKind::kMap:
      made->reading = Reading::kMap;
      made->key = Simple(declarations, type->parameters[0]);
      made->element = Simple(declarations, type->parameters[1]);
      break;
    case TypeKind::kTimestamp:
      made->reading = Reading::kTimestamp;
      break;
    default:
      made->reading = Reading::kPlain;
  }
  return made;
}

const Declaration* Object(Declarations& declarations, std::string_view name, std::initializer_list<FieldRow> rows) {
  Declaration* made = declarations.New();
  made->reading = Reading::kObject;
  made->name = name;
  for (const FieldRow& row : rows) {
    const Declaration* field =
        row.declaration != nullptr ? row.declaration : Simple(declarations, declarations.types().Parse(row.type));
    made->fields.push_back({std::string(row.name), std::string(row.name), field, false});
  }
  std::sort(made->fields.begin(), made->fields.end(),
            [](const DeclaredField& a, const DeclaredField& b) { return a.name < b.name; });
  made->type = declarations.types().Struct(name, made);
  return made;
}

const Declaration* ListOf(Declarations& declarations, const Declaration* item) {
  Declaration* made = declarations.New();
  made->reading = Reading::kList;
  made->element = item;
  made->type = declarations.types().List(item->type);
  return made;
}

}  // namespace

const Declaration* DeclareUserInfo(Declarations& declarations) {
  return Object(
      declarations, "kubernetes.UserInfo",
      {{"username", "string"}, {"uid", "string"}, {"groups", "list(string)"}, {"extra", "map(string, list(string))"}});
}

const Declaration* DeclareJsonPatch(Declarations& declarations) {
  const Declaration* made =
      Object(declarations, "JSONPatch", {{"op", "string"}, {"path", "string"}, {"from", "string"}, {"value", "dyn"}});
  // It was made just now, and nobody else has it.
  const_cast<Declaration*>(made)->untyped = true;
  return made;
}

const Declaration* DeclareAdmissionRequest(Declarations& declarations) {
  const Declaration* kind = Object(declarations, "kubernetes.GroupVersionKind",
                                   {{"group", "string"}, {"version", "string"}, {"kind", "string"}});
  const Declaration* resource = Object(declarations, "kubernetes.GroupVersionResource",
                                       {{"group", "string"}, {"version", "string"}, {"resource", "string"}});
  return Object(declarations, "kubernetes.AdmissionRequest",
                {{"kind", "", kind},
                 {"resource", "", resource},
                 {"subResource", "string"},
                 {"requestKind", "", kind},
                 {"requestResource", "", resource},
                 {"requestSubResource", "string"},
                 {"name", "string"},
                 {"namespace", "string"},
                 {"operation", "string"},
                 {"userInfo", "", DeclareUserInfo(declarations)},
                 {"dryRun", "bool"},
                 {"options", "dyn"}});
}

const Declaration* DeclareNamespace(Declarations& declarations) {
  const Declaration* metadata = Object(declarations, "kubernetes.NamespaceMetadata",
                                       {{"name", "string"},
                                        {"generateName", "string"},
                                        {"namespace", "string"},
                                        {"labels", "map(string, string)"},
                                        {"annotations", "map(string, string)"},
                                        {"UID", "string"},
                                        {"creationTimestamp", "timestamp"},
                                        {"deletionGracePeriodSeconds", "int"},
                                        {"deletionTimestamp", "timestamp"},
                                        {"generation", "int"},
                                        {"resourceVersion", "string"},
                                        {"finalizers", "list(string)"}});
  const Declaration* spec = Object(declarations, "kubernetes.NamespaceSpec", {{"finalizers", "list(string)"}});
  const Declaration* condition = Object(declarations, "kubernetes.NamespaceCondition",
                                        {{"status", "string"},
                                         {"type", "string"},
                                         {"lastTransitionTime", "timestamp"},
                                         {"message", "string"},
                                         {"reason", "string"}});
  const Declaration* status = Object(declarations, "kubernetes.NamespaceStatus",
                                     {{"conditions", "", ListOf(declarations, condition)}, {"phase", "string"}});
  return Object(declarations, "kubernetes.Namespace",
                {{"metadata", "", metadata}, {"spec", "", spec}, {"status", "", status}});
}

const Declaration* DeclareSubjectAccessReview(Declarations& declarations, bool selectors) {
  std::initializer_list<FieldRow> requirement = {{"key", "string"}, {"operator", "string"}, {"values", "list(string)"}};
  const Declaration* resource = nullptr;
  if (selectors) {
    const Declaration* field = Object(declarations, "kubernetes.FieldSelectorRequirement", requirement);
    const Declaration* label = Object(declarations, "kubernetes.LabelSelectorRequirement", requirement);
    const Declaration* fields = Object(declarations, "kubernetes.FieldSelectorAttributes",
                                       {{"rawSelector", "string"}, {"requirements", "", ListOf(declarations, field)}});
    const Declaration* labels = Object(declarations, "kubernetes.LabelSelectorAttributes",
                                       {{"rawSelector", "string"}, {"requirements", "", ListOf(declarations, label)}});
    resource = Object(declarations, "kubernetes.ResourceAttributes",
                      {{"namespace", "string"},
                       {"verb", "string"},
                       {"group", "string"},
                       {"version", "string"},
                       {"resource", "string"},
                       {"subresource", "string"},
                       {"name", "string"},
                       {"fieldSelector", "", fields},
                       {"labelSelector", "", labels}});
  } else {
    resource = Object(declarations, "kubernetes.ResourceAttributes",
                      {{"namespace", "string"},
                       {"verb", "string"},
                       {"group", "string"},
                       {"version", "string"},
                       {"resource", "string"},
                       {"subresource", "string"},
                       {"name", "string"}});
  }
  const Declaration* other =
      Object(declarations, "kubernetes.NonResourceAttributes", {{"path", "string"}, {"verb", "string"}});
  return Object(declarations, "kubernetes.SubjectAccessReviewSpec",
                {{"resourceAttributes", "", resource},
                 {"nonResourceAttributes", "", other},
                 {"user", "string"},
                 {"groups", "list(string)"},
                 {"extra", "map(string, list(string))"},
                 {"uid", "string"}});
}

const Type* AuthorizerType(Declarations& declarations) {
  return declarations.types().Struct("kubernetes.authorization.Authorizer");
}
const Type* ResourceCheckType(Declarations& declarations) {
  return declarations.types().Struct("kubernetes.authorization.ResourceCheck");
}

}  // namespace cel
