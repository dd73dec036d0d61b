#include <algorithm>

#include "registry/object_meta.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

using registry::Arena;
using registry::ObjectMeta;
using registry::Value;
using registry::WriteContext;

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";

// Every namespace can be selected by its name, and nobody can change that.
void LabelName(Value object, Arena& arena) {
  ObjectMeta meta(object, arena);
  if (meta.name().empty()) return;
  Value labels = meta.Get("labels");
  if (!labels.is_object()) labels = Value::Object(arena, 1);
  labels.Set(arena, kNameLabel, Value::String(meta.name()));
  meta.Set("labels", labels);
}

void Canonicalise(WriteContext& context, Value object) { LabelName(object, context.arena); }

void SetPhase(Value object, std::string_view phase, Arena& arena) {
  Value status = object.Get("status");
  if (!status.is_object()) status = Value::Object(arena, 1);
  status.Set(arena, "phase", Value::String(phase));
  object.Set(arena, "status", status);
}

// The finalizer that keeps the namespace until its content is gone.
void AddFinalizer(Value object, Arena& arena) {
  Value spec = object.Get("spec");
  if (!spec.is_object()) spec = Value::Object(arena, 1);
  Value finalizers = spec.Get("finalizers");
  if (!finalizers.is_array()) finalizers = Value::Array(arena, 1);
  const auto named = [](const Value& item) { return item.AsString() == kFinalizer; };
  if (std::ranges::none_of(finalizers.items(), named)) finalizers.Append(arena, Value::String(kFinalizer));
  spec.Set(arena, "finalizers", finalizers);
  object.Set(arena, "spec", spec);
}

void PrepareForCreate(WriteContext& context, Value object) {
  AddFinalizer(object, context.arena);
  SetPhase(object, "Active", context.arena);
}

// Finalizers of the spec are changed through the finalize subresource only.
void PrepareForUpdate(WriteContext& context, Value object, const Value& old) {
  if (!context.subresource.empty()) return;
  object.Remove("spec");
  if (const Value* spec = old.Find("spec")) object.Set(context.arena, "spec", *spec);
}

// spec.finalizers, which are names like those of the metadata. Errors stand at the list, but for those of the finalize
// subresource, which stand at the items.
void CheckFinalizers(const Value& object, bool at_items, Errors& errors) {
  const FieldPath spec("spec");
  const FieldPath list = spec.Child("finalizers");
  int64_t index = 0;
  for (const Value& item : object.Get({"spec", "finalizers"}).items()) {
    const FieldPath at_item = list.Index(index++);
    const FieldPath& path = at_items ? at_item : list;
    const std::string_view name = item.AsString();
    kQualifiedName(errors, path, name);
    if (name.contains('/') || name == kFinalizer || name == "orphan" || name == "foregroundDeletion") continue;
    errors.Invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

// The phase says whether the namespace is being deleted, and nothing else.
void CheckPhase(const Value& object, Errors& errors) {
  const FieldPath status("status");
  const std::string_view phase = object.Get("status").GetString("phase");
  const bool deleting = ObjectMeta(object).deleting();
  if (phase == (deleting ? "Terminating" : "Active")) return;
  errors.Invalid(status.Child("Phase"), phase,
                 deleting ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
                          : "may only be 'Active' if `deletionTimestamp` is empty");
}

api::FieldErrors Validate(WriteContext&, const Value& object) {
  Errors errors;
  CheckFinalizers(object, false, errors);
  return std::move(errors).Take();
}

// Of its own endpoint the namespace is looked at as a whole first; the subresources look at the change alone.
api::FieldErrors ValidateUpdate(WriteContext& context, const Value& object, const Value& old) {
  Errors errors;
  const FieldPath root;
  Scope whole{context, root, object, &old, errors};
  if (context.subresource.empty()) {
    CheckObjectMeta(whole);
    CheckFinalizers(object, false, errors);
  }
  CheckObjectMetaUpdate(whole);
  if (context.subresource == "status") CheckPhase(object, errors);
  if (context.subresource == "finalize") CheckFinalizers(object, true, errors);
  return std::move(errors).Take();
}

void BeginTermination(WriteContext& context, Value object) { SetPhase(object, "Terminating", context.arena); }

bool HasFinalizers(const Value& object) { return !object.Get({"spec", "finalizers"}).empty(); }

constexpr std::string_view kFinalizeResets[] = {"status"};
constexpr registry::ResetPaths kResets[] = {{"finalize", kFinalizeResets}};

}  // namespace

constinit const StrategyTable kNamespaces = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate,
    .validate_update = ValidateUpdate,
    .canonicalise = Canonicalise,
    .begin_termination = BeginTermination,
    .termination_pending = HasFinalizers,
    .facts =
        {
            .check_name = api::CheckNameIsDnsLabel,
            .update_checks = registry::MetadataChecks::kInRules,
            .resets = kResets,
            .returns_deleted_object = true,
            .deletes_unreadable = false,
            .deletes_in_two_steps = true,
        },
};

}  // namespace resources::core
