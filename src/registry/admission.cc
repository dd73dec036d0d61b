#include "registry/admission.h"

#include "registry/object_meta.h"
#include "registry/registry.h"

namespace registry {
namespace {

std::string_view OptionsKind(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CreateOptions";
    case Operation::kUpdate:
      return "UpdateOptions";
    case Operation::kDelete:
      return "DeleteOptions";
    case Operation::kConnect:
      return "";
  }
  return "";
}

void AddText(const Value& object, std::string_view key, std::string_view text, Arena& arena) {
  if (!text.empty()) object.Add(arena, key, Value::Copy(arena, text));
}

void AddDeletion(const Value& made, const DeleteOptions& deletion, Arena& arena) {
  if (deletion.grace_period_seconds) {
    made.Add(arena, "gracePeriodSeconds", Value::Int(*deletion.grace_period_seconds));
  }
  const Preconditions& wanted = deletion.preconditions;
  if (deletion.has_preconditions || wanted.uid || wanted.resource_version) {
    const Value preconditions = Value::Object(arena, 2);
    if (wanted.uid) preconditions.Add(arena, "uid", Value::Copy(arena, *wanted.uid));
    if (wanted.resource_version) {
      preconditions.Add(arena, "resourceVersion", Value::Copy(arena, *wanted.resource_version));
    }
    made.Add(arena, "preconditions", preconditions);
  }
  if (deletion.orphan_dependents) {
    made.Add(arena, "orphanDependents", Value::Bool(*deletion.orphan_dependents));
  }
  AddText(made, "propagationPolicy", deletion.propagation_policy, arena);
}

}  // namespace

Value OptionsOf(const AdmissionRequest& request) {
  const std::string_view kind = OptionsKind(request.operation);
  if (kind.empty()) return {};
  Arena& arena = request.arena;
  const Value made = Value::Object(arena, 7);
  made.Add(arena, "kind", Value::String(kind));
  made.Add(arena, "apiVersion", Value::String("meta.k8s.io/v1"));
  if (request.deletion != nullptr) AddDeletion(made, *request.deletion, arena);
  if (request.dry_run) {
    const Value all = Value::Array(arena, 1);
    all.Append(arena, Value::String("All"));
    made.Add(arena, "dryRun", all);
  }
  if (request.operation == Operation::kDelete) return made;
  const api::Query& query = request.call.request.query;
  AddText(made, "fieldManager", query.Get("fieldManager"), arena);
  AddText(made, "fieldValidation", query.Get("fieldValidation"), arena);
  return made;
}

std::string_view OperationName(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

std::string_view AdmissionRequest::ShownName() const {
  const ObjectMeta meta(object);
  if (!meta.name().empty()) return meta.name();
  return meta.generate_name().empty() ? "Unknown" : meta.generate_name();
}

}  // namespace registry
