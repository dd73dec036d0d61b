#include "resources/core/volume/persistent_volume_rules.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "resources/core/volume/claim_rules.h"
#include "resources/core/volume/volume_sources.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/node_selector.h"
#include "value/json_writer.h"

namespace resources::core {
namespace {

constexpr std::string_view kStorage[] = {"storage"};
constexpr std::string_view kReclaimPolicies[] = {"Delete", "Recycle", "Retain"};
constexpr std::string_view kInline = "may not be specified in the context of inline volumes";

constexpr Rule kNamedSecret[] = {Required("name"), Required("namespace")};
constexpr Rule kWholeSecret[] = {
    Required("name"),
    Format("name", kDnsSubdomain),
    Required("namespace"),
    Format("namespace", kDnsLabel),
};

void CheckDriver(Scope& source) { CheckCsiDriverName(source.errors, source.At("driver"), source.String("driver")); }

constexpr Rule kCsi[] = {
    Call(CheckDriver),
    Required("volumeHandle"),
    Into("controllerPublishSecretRef", kWholeSecret),
    Into("controllerExpandSecretRef", kWholeSecret),
    Into("nodePublishSecretRef", kWholeSecret),
    Into("nodeExpandSecretRef", kWholeSecret),
};

void CheckEndpointsNamespace(Scope& source) {
  if (!source.Has("endpointsNamespace")) return;
  const std::string_view space = source.String("endpointsNamespace");
  if (!space.empty()) return kDnsLabel(source.errors, source.At("endpointsNamespace"), space);
  source.errors.Invalid(source.At("endpointsNamespace"), space,
                        "if the endpointnamespace is set, it must be a valid namespace name");
}

constexpr Rule kGlusterfs[] = {Required("endpoints"), Required("path"), Call(CheckEndpointsNamespace)};
constexpr Rule kCinder[] = {Required("volumeID"), Into("secretRef", kNamedSecret)};

void CheckSecretNamespace(Scope& source) {
  if (source.Has("secretNamespace") && source.String("secretNamespace").empty()) {
    source.errors.Required(source.At("secretNamespace"));
  }
}

constexpr Rule kAzureFile[] = {Required("secretName"), Required("shareName"), Call(CheckSecretNamespace)};
constexpr Rule kStorageOs[] = {
    Required("volumeName"),
    Format("volumeName", kDnsLabel),
    Format("volumeNamespace", kDnsLabel),
    Into("secretRef", kNamedSecret),
};

template <const auto& rules>
void Keep(Scope& source) {
  Check(source, rules, source.path, source.object, source.old);
}

void CheckLocal(Scope& source) {
  const std::string_view path = source.String("path");
  if (path.empty()) {
    source.errors.Required(source.At("path"));
  } else {
    CheckNoBacksteps(source.errors, source.At("path"), path);
  }
  const Scope& spec = *source.parent;
  if (!spec.Has("nodeAffinity")) spec.errors.Required(spec.At("nodeAffinity"), "Local volume requires node affinity");
}

// An inline volume's affinity was refused before, and does not count.
void CheckInlineLocal(Scope& source) {
  const Scope& spec = *source.parent;
  const Value affinity = spec.Get("nodeAffinity");
  CheckLocal(source);
  if (affinity.is_object()) spec.errors.Required(spec.At("nodeAffinity"), "Local volume requires node affinity");
}

template <ScopeCheck local>
constexpr VolumeSource kSources[] = {
    {"hostPath", CheckHostPath},
    {.field = "gcePersistentDisk", .check = CheckGcePersistentDisk, .path = "persistentDisk"},
    {"awsElasticBlockStore", CheckAwsElasticBlockStore},
    {"glusterfs", Keep<kGlusterfs>},
    {"flocker", CheckFlocker},
    {"nfs", CheckNfs},
    {"rbd", CheckRbd},
    {"quobyte", CheckQuobyte},
    {.field = "cephfs", .check = CheckCephFs, .surplus = "cephFS"},
    {"iscsi", CheckPersistentIscsi},
    {"cinder", Keep<kCinder>},
    {"fc", CheckFc},
    {.field = "flexVolume", .check = CheckFlexVolume, .beside_others = true},
    {"azureFile", Keep<kAzureFile>},
    {"vsphereVolume", CheckVsphereVolume},
    {"photonPersistentDisk", CheckPhotonPersistentDisk},
    {"portworxVolume", CheckPortworxVolume},
    {"azureDisk", CheckAzureDisk},
    {"scaleIO", CheckScaleIo},
    {"local", local},
    {"storageos", Keep<kStorageOs>},
    {"csi", Keep<kCsi>},
};

void CheckModes(Scope& spec) {
  const Value modes = spec.Get("accessModes");
  if (modes.empty()) spec.errors.Required(spec.At("accessModes"));
  CheckAccessModes(spec.errors, spec.At("accessModes"), modes);
}

// Storage, and nothing else.
void CheckCapacity(Scope& spec) {
  const FieldPath path = spec.At("capacity");
  const Value* found = spec.object.Find("capacity");
  const Value capacity = found != nullptr ? *found : Value();
  if (capacity.empty()) spec.errors.Required(path);
  if (capacity.Find("storage") == nullptr || capacity.size() > 1) {
    spec.errors.NotSupportedAs(path, found == nullptr ? "core.ResourceList(nil)" : value::ToJson(capacity), kStorage);
  }
  for (const value::Member& amount : capacity.members()) {
    CheckAmountUsable(spec.errors, path.Key(amount.key), amount.value);
    CheckAmountPositive(spec.errors, path.Key(amount.key), amount.value);
  }
}

void CheckAffinity(Scope& spec) {
  const Value* affinity = spec.object.Find("nodeAffinity");
  if (affinity == nullptr) return;
  const FieldPath path = spec.At("nodeAffinity");
  const Value* required = affinity->Find("required");
  if (required == nullptr) {
    return spec.errors.Required(path.Child("required"), "must specify required node constraints");
  }
  CheckNodeSelector(spec.errors, path.Child("required"), *required, {.allow_invalid_values = true});
}

// Whether a path is the root, however it is spelled.
bool IsRoot(std::string_view path) {
  if (!path.starts_with('/')) return false;
  int depth = 0;  // a way up from the root stays there
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part == "..") {
      depth = std::max(depth - 1, 0);
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return depth == 0;
}

// Recycling empties the directory.
void CheckRecycledPath(Scope& spec) {
  if (spec.String("persistentVolumeReclaimPolicy") != "Recycle") return;
  const Value* host = spec.object.Find("hostPath");
  if (host == nullptr || !IsRoot(host->GetString("path"))) return;
  spec.errors.Forbidden(spec.At("persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'");
}

void CheckMode(Scope& spec) {
  const std::string_view mode = spec.String("volumeMode");
  if (!spec.Has("volumeMode") || std::ranges::find(kVolumeModes, mode) != std::end(kVolumeModes)) return;
  spec.errors.NotSupported(spec.At("volumeMode"), mode, kVolumeModes);
}

// Looked at where its gate is on, and in a volume that has it already.
void CheckAttributesClass(Scope& spec) {
  constexpr std::string_view kField = "volumeAttributesClassName";
  const Scope* volume = &spec;
  while (volume->parent != nullptr) volume = volume->parent;
  const bool had = volume->old != nullptr && volume->old->Get("spec").Find(kField) != nullptr;
  if (!spec.Has(kField) || (!had && !spec.context.Has(Feature::kVolumeAttributesClass))) return;
  const std::string_view name = spec.String(kField);
  if (name.empty()) {
    spec.errors.Required(spec.At(kField), "an empty string is disallowed");
  } else {
    kDnsSubdomain(spec.errors, spec.At(kField), name);
  }
  if (!spec.Has("csi")) {
    spec.errors.Required(spec.At("csi"), "has to be specified when using volumeAttributesClassName");
  }
}

void CheckInlineHead(Scope& spec) {
  if (spec.Has("claimRef")) spec.errors.Forbidden(spec.At("claimRef"), kInline);
  if (!spec.Get("capacity").empty()) spec.errors.Forbidden(spec.At("capacity"), kInline);
  if (!spec.Has("csi")) spec.errors.Required(spec.At("csi"), "has to be specified in the context of inline volumes");
}

void CheckInlinePolicy(Scope& spec) {
  const std::string_view policy = spec.String("persistentVolumeReclaimPolicy");
  if (!policy.empty() && policy != "Retain") {
    spec.errors.Forbidden(spec.At("persistentVolumeReclaimPolicy"),
                          "may only be Retain in the context of inline volumes");
  }
  if (spec.Has("nodeAffinity")) spec.errors.Forbidden(spec.At("nodeAffinity"), kInline);
}

void CheckInlineTail(Scope& spec) {
  if (!spec.String("storageClassName").empty()) spec.errors.Forbidden(spec.At("storageClassName"), kInline);
  if (!spec.Has("volumeMode") || spec.String("volumeMode") == "Filesystem") return;
  spec.errors.Forbidden(spec.At("volumeMode"),
                        "may not specify volumeMode other than Filesystem in the context of inline volumes");
}

void CheckSources(Scope& spec) { CheckVolumeSources(spec, kSources<CheckLocal>); }
void CheckInlineSources(Scope& spec) { CheckVolumeSources(spec, kSources<CheckInlineLocal>); }

constexpr Rule kSpec[] = {
    Call(CheckModes),
    Call(CheckCapacity),
    Enum("persistentVolumeReclaimPolicy", kReclaimPolicies),
    Call(CheckAffinity),
    Call(CheckSources),
    Call(CheckRecycledPath),
    Format("storageClassName", kDnsSubdomain),
    Call(CheckMode),
    Call(CheckAttributesClass),
};
constexpr Rule kInlineSpec[] = {
    Call(CheckInlineHead),    Call(CheckModes),        Call(CheckInlinePolicy),
    Call(CheckInlineSources), Call(CheckRecycledPath), Call(CheckInlineTail),
};

constexpr std::string_view kSourceFields[] = {"gcePersistentDisk",
                                              "awsElasticBlockStore",
                                              "hostPath",
                                              "glusterfs",
                                              "nfs",
                                              "rbd",
                                              "quobyte",
                                              "iscsi",
                                              "flexVolume",
                                              "cinder",
                                              "cephfs",
                                              "fc",
                                              "flocker",
                                              "azureFile",
                                              "vsphereVolume",
                                              "azureDisk",
                                              "photonPersistentDisk",
                                              "portworxVolume",
                                              "scaleIO",
                                              "local",
                                              "storageos",
                                              "csi"};

}  // namespace

void CheckPersistentVolumeSpec(Scope& spec) { Check(spec, kSpec, spec.path, spec.object, spec.old); }
void CheckInlineVolumeSpec(Scope& spec) { Check(spec, kInlineSpec, spec.path, spec.object, spec.old); }

std::span<const std::string_view> PersistentVolumeSourceFields() { return kSourceFields; }

}  // namespace resources::core
