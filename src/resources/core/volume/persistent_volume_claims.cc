#include <algorithm>
#include <optional>
#include <string>

#include "api/names.h"
#include "api/quantity.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/volume/claim_rules.h"
#include "resources/go/difference.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

using registry::Arena;
using registry::WriteContext;

constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kAttributesClass = "volumeAttributesClassName";

bool HasGroup(const Value& spec) {
  return spec.Get("dataSource").Find("apiGroup") != nullptr || spec.Get("dataSourceRef").Find("apiGroup") != nullptr;
}

// What was broken before may stay so.
ClaimOptions OptionsOf(const WriteContext& context, const Value* old) {
  const bool classes = context.Has(Feature::kVolumeAttributesClass);
  if (old == nullptr) return {.attributes_classes = classes};
  const Value spec = old->Get("spec"), selector = spec.Get("selector");
  Errors errors;
  if (selector.is_object()) CheckLabelSelector(errors, FieldPath(), selector);
  return {.allow_invalid_selector_values = !errors.empty(),
          .allow_invalid_data_source_groups = HasGroup(spec),
          .attributes_classes = classes || spec.Find(kAttributesClass) != nullptr};
}

void CheckSpec(Scope& spec) { CheckClaimSpec(spec, OptionsOf(spec.context, spec.parent->old)); }

void GoIntoSpec(Scope& claim) {
  static constexpr Rule kSpecRules[] = {Call(CheckSpec)};
  const Value* spec = claim.object.Find("spec");
  Check(claim, kSpecRules, claim.At("spec"), spec != nullptr ? *spec : Value(), nullptr);
}

// The class that the beta annotation names.
const Value* ClassAnnotation(const Value& claim) { return claim.Get({"metadata", "annotations"}).Find(kBetaClass); }

std::string_view TextOf(const Value* v) { return v != nullptr && v->is_string() ? v->AsString() : std::string_view(); }

// The class moves from the annotation to the field that replaced it.
bool MovesClass(const Scope& claim) {
  const Value *old_annotation = ClassAnnotation(*claim.old), *annotation = ClassAnnotation(claim.object);
  const Value* now = claim.Get("spec").Find("storageClassName");
  if (old_annotation == nullptr || now == nullptr) return false;
  if (claim.old->Get("spec").Find("storageClassName") != nullptr) return false;
  return TextOf(now) == TextOf(old_annotation) &&
         (annotation == nullptr || TextOf(annotation) == TextOf(old_annotation));
}

// A claim without class is given one.
bool GivesClass(const Scope& claim) {
  const Value* old_annotation = ClassAnnotation(*claim.old);
  const Value* now = claim.Get("spec").Find("storageClassName");
  if (now == nullptr || claim.old->Get("spec").Find("storageClassName") != nullptr) return false;
  return old_annotation == nullptr || TextOf(now) == TextOf(old_annotation);
}

// Makes `field` of `spec` what it is in `from`.
void TakeField(Arena& arena, const Value& spec, const Value& from, std::string_view field) {
  const Value* found = from.Find(field);
  if (found != nullptr) {
    spec.Set(arena, field, *found);
  } else {
    spec.Remove(field);
  }
}

// With resources and requests of its own; the rest is shared, so that amounts stay as they were sent
// (go/sent_amounts.h).
Value CopyOf(Arena& arena, const Value& spec) {
  const auto copied = [&](const Value& object) { return Value::ObjectOf(arena, object.members(), object.source()); };
  const Value copy = copied(spec);
  Value* resources = copy.Find("resources");
  if (resources == nullptr || !resources->is_object()) return copy;
  *resources = copied(*resources);
  if (Value* requests = resources->Find("requests"); requests != nullptr && requests->is_object()) {
    *requests = copied(*requests);
  }
  return copy;
}

// Once a claim is bound, its request may grow.
void TakeRequest(Arena& arena, const Value& spec, const Value& old) {
  const Value requests = spec.Get({"resources", "requests"});
  if (!requests.is_object()) return;
  const Value before = old.Get({"resources", "requests", "storage"});
  requests.Set(arena, "storage", before.is_null() ? Value::String("0") : before);
}

// The spec as it is and as it was, without what may change: what differs then is refused.
void CheckSpecKept(Scope& claim, bool moves_class) {
  Arena& arena = claim.context.arena;
  const Value spec = CopyOf(arena, claim.Get("spec")), old = CopyOf(arena, claim.old->Get("spec"));
  if (old.GetString("volumeName").empty()) TakeField(arena, old, spec, "volumeName");
  if (moves_class) {
    spec.Remove("storageClassName");
  } else if (GivesClass(claim)) {
    TakeField(arena, spec, old, "storageClassName");
  }
  if (claim.Get("status").GetString("phase") == "Bound") {
    TakeRequest(arena, spec, old);
    if (spec.Find(kAttributesClass) != nullptr) TakeField(arena, spec, old, kAttributesClass);
  }
  if (registry::Same(*schema::FindType("io.k8s.api.core.v1.PersistentVolumeClaimSpec"), spec, old)) return;
  claim.errors.Forbidden(
      claim.At("spec"),
      base::Cat("spec is immutable after creation except resources.requests and volumeAttributesClassName for bound "
                "claims\n",
                Difference("core.PersistentVolumeClaimSpec", old, spec, arena)));
}

api::Quantity Amount(const Value& text) {
  return text.is_string() ? api::Quantity::Parse(text.AsString()).value_or(api::Quantity()) : api::Quantity();
}

// What says in its status how it grows.
bool Grows(const Value& claim) {
  return !claim.Get({"status", "allocatedResources"}).empty() ||
         !claim.Get({"status", "allocatedResourceStatuses"}).empty();
}

// A request that cannot be met may be made smaller, but not so small as what is there already.
void CheckShrinking(Scope& claim) {
  const api::Quantity size = Amount(claim.Get("spec").Get({"resources", "requests", "storage"}));
  const api::Quantity old = Amount(claim.old->Get("spec").Get({"resources", "requests", "storage"}));
  const api::Quantity there = Amount(claim.old->Get("status").Get({"capacity", "storage"}));
  if (size.Compare(old) >= 0) return;
  const bool recovers = claim.context.Has(Feature::kRecoverVolumeExpansionFailure) || Grows(*claim.old);
  if (recovers && size.Compare(there) > 0) return;
  const FieldPath spec = claim.At("spec");
  const FieldPath resources = spec.Child("resources");
  const FieldPath requests = resources.Child("requests");
  claim.errors.Forbidden(requests.Child("storage"), recovers ? "field can not be less than status.capacity"
                                                             : "field can not be less than previous value");
}

// Once a claim has a class of attributes, it has one.
void CheckAttributesClass(Scope& claim) {
  const Value now = claim.Get("spec").Get(kAttributesClass), before = claim.old->Get("spec").Get(kAttributesClass);
  if (value::Equal(now, before)) return;
  const FieldPath spec = claim.At("spec"), path = spec.Child(kAttributesClass);
  if (!claim.context.Has(Feature::kVolumeAttributesClass)) {
    claim.errors.Forbidden(path, "update is forbidden when the VolumeAttributesClass feature gate is disabled");
  }
  if (before.is_null()) return;
  if (now.is_null()) {
    claim.errors.Forbidden(path, "update from non-nil value to nil is forbidden");
  } else if (now.AsString().empty()) {
    claim.errors.Forbidden(path, "update from non-nil value to an empty string is forbidden");
  }
}

void CheckChange(Scope& claim) {
  const bool moves_class = MovesClass(claim);
  const std::string_view annotation = TextOf(ClassAnnotation(claim.object));
  if (!moves_class && annotation != TextOf(ClassAnnotation(*claim.old))) {
    const FieldPath metadata = claim.At("metadata");
    const FieldPath annotations = metadata.Child("annotations");
    claim.errors.Invalid(annotations.Child(kBetaClass), annotation, "field is immutable");
  }
  CheckSpecKept(claim, moves_class);
  CheckShrinking(claim);
  const std::string_view mode = claim.Get("spec").GetString("volumeMode");
  if (mode != claim.old->Get("spec").GetString("volumeMode")) {
    claim.errors.Invalid(claim.At("volumeMode"), mode, "field is immutable");
  }
  CheckAttributesClass(claim);
}

// Resources of a claim are storage, or those that somebody else defines. False where it is neither.
bool CheckResourceName(Errors& errors, const FieldPath& path, std::string_view name) {
  const api::Complaints complaints = api::CheckQualifiedName(name);
  PutComplaints(errors, path, name, complaints);
  if (!complaints.empty()) return false;
  const bool own = !name.contains('/') || name.contains("kubernetes.io/");
  if (!own || name == "storage") return true;
  errors.NotSupported(path, name, {"storage"});
  return false;
}

constexpr std::string_view kResizeStates[] = {"ControllerResizeInProgress", "ControllerResizeInfeasible",
                                              "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"};

void CheckStatus(Scope& status) {
  Errors& errors = status.errors;
  const FieldPath capacity = status.At("capacity"), states = status.At("allocatedResourceStatus"),
                  allocated = status.At("allocatedResources");
  for (const value::Member& amount : status.Get("capacity").members()) {
    CheckAmountUsable(errors, capacity.Key(amount.key), amount.value);
  }
  for (const value::Member& state : status.Get("allocatedResourceStatuses").members()) {
    CheckResourceName(errors, states, state.key);
    if (std::ranges::find(kResizeStates, state.value.AsString()) == std::end(kResizeStates)) {
      errors.NotSupportedAs(states, std::string(state.key), kResizeStates);
    }
  }
  for (const value::Member& amount : status.Get("allocatedResources").members()) {
    if (!CheckResourceName(errors, allocated, amount.key)) continue;
    const size_t before = errors.size();
    CheckAmountUsable(errors, allocated.Key(amount.key), amount.value);
    if (errors.size() == before) CheckAmountNotNegative(errors, allocated.Key(amount.key), amount.value);
  }
}

// Drops what waits for its feature gate, unless it is in use.
void DropUnused(const Value& now, const Value& old, std::string_view field) {
  if (old.Find(field) == nullptr) now.Remove(field);
}

bool IsClaimOrSnapshot(const Value& source) {
  const std::string_view kind = source.GetString("kind"), group = source.GetString("apiGroup");
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

// A copy without the namespace, which only dataSourceRef can name.
Value Reference(Arena& arena, const Value& source) {
  Value made = Value::Object(arena, 3);
  for (std::string_view field : {"apiGroup", "kind", "name"}) {
    if (const Value* found = source.Find(field)) made.Add(arena, field, *found);
  }
  return made;
}

// dataSource takes claims and snapshots only, anything else is dropped; then each of the two fields follows the other.
void SettleDataSource(WriteContext& context, const Value& spec, const Value& old) {
  Arena& arena = context.arena;
  const bool old_ref = old.Find("dataSourceRef") != nullptr, old_source = old.Find("dataSource") != nullptr;
  const bool any_source = context.Has(Feature::kAnyVolumeDataSource);
  const bool far = !spec.Get("dataSourceRef").GetString("namespace").empty();
  const bool may_be_far = context.Has(Feature::kCrossNamespaceVolumeDataSource);
  if (!old_ref && (!any_source || (far && !may_be_far))) spec.Remove("dataSourceRef");
  const bool settled = old_ref || old_source || spec.Find("dataSourceRef") != nullptr;
  if (!settled && !IsClaimOrSnapshot(spec.Get("dataSource"))) spec.Remove("dataSource");
  if (!any_source) return;
  const Value source = spec.Get("dataSource"), ref = spec.Get("dataSourceRef");
  if (source.is_object() && ref.is_null()) spec.Set(arena, "dataSourceRef", Reference(arena, source));
  if (source.is_null() && ref.is_object() && ref.GetString("namespace").empty()) {
    spec.Set(arena, "dataSource", Reference(arena, ref));
  }
}

void SettleSpec(WriteContext& context, const Value& claim, const Value& old) {
  const Value spec = claim.Get("spec"), old_spec = old.Get("spec");
  if (!spec.is_object()) return;
  if (!context.Has(Feature::kVolumeAttributesClass)) DropUnused(spec, old_spec, kAttributesClass);
  SettleDataSource(context, spec, old_spec);
}

void PrepareForCreate(WriteContext& context, Value claim) {
  SettleSpec(context, claim, Value());
  Value status = Value::Object(context.arena, 1);
  status.Add(context.arena, "phase", Value::String("Pending"));
  claim.Set(context.arena, "status", status);
}

void PrepareForUpdate(WriteContext& context, Value claim, const Value& old) {
  if (context.subresource != "status") return SettleSpec(context, claim, old);
  const auto drop = [&](Feature feature, std::initializer_list<std::string_view> fields) {
    if (context.Has(feature)) return;
    for (std::string_view field : fields) DropUnused(claim.Get("status"), old.Get("status"), field);
  };
  drop(Feature::kVolumeAttributesClass, {"currentVolumeAttributesClassName", "modifyVolumeStatus"});
  drop(Feature::kRecoverVolumeExpansionFailure, {"allocatedResources", "allocatedResourceStatuses"});
}

void WarnOfFraction(WriteContext& context, const Value& spec, std::string_view list) {
  const Value given = spec.Get({"resources", list, "storage"});
  const api::Quantity amount = Amount(given);
  if (amount.MilliValue() % 1000 == 0) return;
  context.warnings.push_back(base::Cat("spec.resources.", list, "[storage]: fractional byte value ",
                                       api::Quote(amount.text()), " is invalid, must be an integer"));
}

void Warn(WriteContext& context, const Value& claim, const Value*) {
  if (context.subresource == "status") return;
  if (ClassAnnotation(claim) != nullptr) {
    context.warnings.push_back(base::Cat("metadata.annotations[", kBetaClass,
                                         R"(]: deprecated since v1.8; use "storageClassName" attribute instead)"));
  }
  for (std::string_view list : {"requests", "limits"}) WarnOfFraction(context, claim.Get("spec"), list);
}

constexpr Rule kStatus[] = {Call(CheckStatus)};
constexpr Rule kRules[] = {Call(GoIntoSpec)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(GoIntoSpec), Call(CheckObjectMetaUpdate),
    Call(CheckObjectMeta), Call(GoIntoSpec), Call(CheckChange),
};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Into("status", kStatus)};

}  // namespace

constinit const registry::StrategyTable kPersistentVolumeClaims = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warn,
    // the phase

    .first_update_writes = [](const Value&) { return true; },
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
