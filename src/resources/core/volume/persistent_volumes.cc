#include <algorithm>
#include <string>

#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/volume/persistent_volume_rules.h"
#include "resources/go/difference.h"
#include "resources/rules/errors.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/node_selector.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

using registry::WriteContext;

constexpr std::string_view kMountOptions = "volume.beta.kubernetes.io/mount-options";
constexpr std::string_view kBetaClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kAttributesClass = "volumeAttributesClassName";

// The kinds of volume that can be mounted with options.
constexpr std::string_view kWithMountOptions[] = {"gcePersistentDisk",
                                                  "awsElasticBlockStore",
                                                  "glusterfs",
                                                  "nfs",
                                                  "rbd",
                                                  "quobyte",
                                                  "iscsi",
                                                  "cinder",
                                                  "cephfs",
                                                  "azureFile",
                                                  "azureDisk",
                                                  "vsphereVolume",
                                                  "photonPersistentDisk"};

void CheckMountOptions(Scope& volume) {
  const Value spec = volume.Get("spec");
  const auto given = [&](std::string_view source) { return spec.Find(source) != nullptr; };
  if (std::ranges::any_of(kWithMountOptions, given)) return;
  if (volume.Get({"metadata", "annotations"}).Find(kMountOptions) == nullptr) return;
  const FieldPath metadata = volume.At("metadata");
  const FieldPath annotations = metadata.Child("annotations");
  volume.errors.Forbidden(annotations.Child(kMountOptions), "may not specify mount options for this volume type");
}

void GoIntoSpec(Scope& volume) {
  static constexpr Rule kSpecRules[] = {Call(CheckPersistentVolumeSpec)};
  const Value* spec = volume.object.Find("spec");
  Check(volume, kSpecRules, volume.At("spec"), spec != nullptr ? *spec : Value(), nullptr);
}

// The members of a spec that are its source, one of which is set.
Value SourceOf(WriteContext& context, const Value& spec) {
  Value source = Value::Object(context.arena);
  for (std::string_view field : PersistentVolumeSourceFields()) {
    if (const Value* found = spec.Find(field)) source.Add(context.arena, field, *found);
  }
  return source;
}

// The secret for growing a volume may come later.
void ForgetNewExpandSecret(WriteContext& context, const Value& source, const Value& old) {
  constexpr std::string_view kSecret = "controllerExpandSecretRef";
  const Value *csi = source.Find("csi"), *old_csi = old.Find("csi");
  if (csi == nullptr || old_csi == nullptr || old_csi->Find(kSecret) != nullptr) return;
  Value without = value::DeepCopy(context.arena, *csi);
  without.Remove(kSecret);
  source.Set(context.arena, "csi", without);
}

void CheckSourceKept(Scope& volume) {
  const Value source = SourceOf(volume.context, volume.Get("spec"));
  const Value old = SourceOf(volume.context, volume.old->Get("spec"));
  ForgetNewExpandSecret(volume.context, source, old);
  const schema::Type& spec = *schema::FindType("io.k8s.api.core.v1.PersistentVolumeSpec");
  if (registry::Same(spec, source, old)) return;
  const FieldPath path = volume.At("spec");
  volume.errors.Forbidden(path.Child("persistentvolumesource"),
                          base::Cat("spec.persistentvolumesource is immutable after creation\n",
                                    Difference("core.PersistentVolumeSource", old, source, volume.context.arena)));
}

constexpr std::string_view kStableLabels[][2] = {
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"}};

bool IsStableFormOf(std::string_view key, std::string_view old) {
  return std::ranges::any_of(kStableLabels, [&](const auto& pair) { return pair[0] == old && pair[1] == key; });
}

// Gives `old` the stable names of labels that `now` names so at the same places.
void TakeStableLabels(WriteContext& context, const Value& old, const Value& now) {
  const Value old_terms = old.Get({"required", "nodeSelectorTerms"}),
              terms = now.Get({"required", "nodeSelectorTerms"});
  for (uint32_t i = 0; i < std::min(old_terms.size(), terms.size()); ++i) {
    for (std::string_view list : {"matchExpressions", "matchFields"}) {
      const Value before = old_terms[i].Get(list), after = terms[i].Get(list);
      for (uint32_t j = 0; j < std::min(before.size(), after.size()); ++j) {
        const std::string_view key = after[j].GetString("key");
        if (IsStableFormOf(key, before[j].GetString("key"))) before[j].Set(context.arena, "key", Value::String(key));
      }
    }
  }
}

void CheckAffinityKept(Scope& volume) {
  const Value* old = volume.old->Get("spec").Find("nodeAffinity");
  if (old == nullptr) return;
  const Value now = volume.Get("spec").Get("nodeAffinity");
  const Value before = value::DeepCopy(volume.context.arena, *old);
  TakeStableLabels(volume.context, before, now);
  const schema::Type& type = *schema::FindType("io.k8s.api.core.v1.VolumeNodeAffinity");
  if (now.is_object() && registry::Same(type, now, before)) return;
  constexpr std::string_view kWhy = "field is immutable, except for updating from beta label to GA";
  if (now.is_object()) {
    volume.errors.Invalid(volume.At("nodeAffinity"), now, kWhy);
  } else {
    volume.errors.Invalid(volume.At("nodeAffinity"), "null", kWhy);
  }
}

void CheckChange(Scope& volume) {
  CheckSourceKept(volume);
  const std::string_view mode = volume.Get("spec").GetString("volumeMode");
  if (mode != volume.old->Get("spec").GetString("volumeMode")) {
    volume.errors.Invalid(volume.At("volumeMode"), mode, "field is immutable");
  }
  CheckAffinityKept(volume);
  const Value *now = volume.Get("spec").Find(kAttributesClass),
              *before = volume.old->Get("spec").Find(kAttributesClass);
  const FieldPath spec = volume.At("spec"), path = spec.Child(kAttributesClass);
  if (before == nullptr ? now == nullptr : now != nullptr && value::Equal(*now, *before)) return;
  if (!volume.context.Has(Feature::kVolumeAttributesClass)) {
    volume.errors.Forbidden(path, "update is forbidden when the VolumeAttributesClass feature gate is disabled");
  }
  if (now == nullptr) volume.errors.Forbidden(path, "update from non-nil value to nil is forbidden");
}

// Without its feature gate a class of attributes stays where it is and is not set anew.
void DropAttributesClass(WriteContext& context, const Value& volume, const Value& old) {
  if (context.Has(Feature::kVolumeAttributesClass)) return;
  if (old.Get("spec").Find(kAttributesClass) == nullptr) volume.Get("spec").Remove(kAttributesClass);
}

void PrepareForCreate(WriteContext& context, Value volume) {
  DropAttributesClass(context, volume, Value());
  Value status = Value::Object(context.arena, 2);
  status.Add(context.arena, "phase", Value::String("Pending"));
  status.Add(context.arena, "lastPhaseTransitionTime", Value::String(context.now));
  volume.Set(context.arena, "status", status);
}

// The time of the last change of phase, where the writer does not say it.
void TimePhase(WriteContext& context, const Value& volume, const Value& old) {
  constexpr std::string_view kTime = "lastPhaseTransitionTime";
  const Value old_status = old.Get("status");
  if (!volume.Get("status").is_object()) volume.Set(context.arena, "status", Value::Object(context.arena));
  const Value status = volume.Get("status");
  const Value* time = status.Find(kTime);  // null where the zero time was said
  const Value* old_time = old_status.Find(kTime);
  if (status.GetString("phase") == old_status.GetString("phase")) {
    if (time == nullptr && old_time != nullptr) status.Set(context.arena, kTime, *old_time);
  } else if (time == nullptr || (old_time != nullptr && value::Equal(*time, *old_time))) {
    status.Set(context.arena, kTime, Value::String(context.now));
  }
}

void PrepareForUpdate(WriteContext& context, Value volume, const Value& old) {
  if (context.subresource == "status") return TimePhase(context, volume, old);
  DropAttributesClass(context, volume, old);
}

constexpr std::string_view kDeprecatedSources[][3] = {
    {"cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"}};

void Warn(WriteContext& context, const Value& volume, const Value*) {
  if (context.subresource == "status") return;
  const auto say = [&](auto... pieces) { context.warnings.push_back(base::Cat(pieces...)); };
  const Value annotations = volume.Get({"metadata", "annotations"}), spec = volume.Get("spec");
  if (annotations.Find(kBetaClass) != nullptr) {
    say("metadata.annotations[", kBetaClass, R"(]: deprecated since v1.8; use "storageClassName" attribute instead)");
  }
  if (annotations.Find(kMountOptions) != nullptr) {
    say("metadata.annotations[", kMountOptions, R"(]: deprecated since v1.31; use "mountOptions" attribute instead)");
  }
  if (spec.GetString("persistentVolumeReclaimPolicy") == "Recycle") {
    say("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
        "approach is to use dynamic provisioning.");
  }
  const FieldPath terms("spec.nodeAffinity.required.nodeSelectorTerms");
  int64_t index = 0;
  for (const Value& term : spec.Get({"nodeAffinity", "required", "nodeSelectorTerms"}).items()) {
    WarnOfNodeLabels(terms.Index(index++), term, context.warnings);
  }
  for (const auto& [field, name, text] : kDeprecatedSources) {
    if (spec.Find(field) != nullptr) say("spec.", name, ": ", text);
  }
}

constexpr Rule kRules[] = {Call(GoIntoSpec), Call(CheckMountOptions)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(GoIntoSpec), Call(CheckMountOptions),
    Call(CheckObjectMeta), Call(GoIntoSpec), Call(CheckChange),
};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate)};

}  // namespace

constinit const registry::StrategyTable kPersistentVolumes = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
