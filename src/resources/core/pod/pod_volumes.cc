#include <algorithm>
#include <set>
#include <string>

#include "api/quantity.h"
#include "api/quote.h"
#include "base/text.h"
#include "resources/core/field_refs.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/volume/claim_rules.h"
#include "resources/core/volume/volume_sources.h"
#include "resources/rules/field_checks.h"
#include "value/json_writer.h"

namespace resources::core {
namespace {

using Paths = std::set<std::string_view>;

constexpr std::string_view kFileMode = "must be a number between 0 and 0777 (octal), both inclusive";

void CheckEmptyDir(Scope& source) {
  const Value limit = source.Get("sizeLimit");
  if (!limit.is_string()) return;
  const auto amount = api::Quantity::Parse(limit.AsString());
  if (amount && amount->Sign() < 0) {
    source.errors.Forbidden(source.At("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

void CheckDirectory(Scope& source) {
  CheckRelativePath(source.errors, source.At("directory"), source.String("directory"));
}

void CheckItemPath(Scope& item) { CheckUnreservedPath(item.errors, item.At("path"), item.String("path")); }

constexpr Rule kGitRepo[] = {Required("repository"), Call(CheckDirectory)};
constexpr Rule kItem[] = {
    Required("key"),
    Required("path"),
    Call(CheckItemPath),
    Range("mode", 0, 0777, kFileMode),
};
constexpr Rule kSecret[] = {Required("secretName"), Range("defaultMode", 0, 0777, kFileMode), Each("items", kItem)};
constexpr Rule kConfigMap[] = {Required("name"), Range("defaultMode", 0, 0777, kFileMode), Each("items", kItem)};
constexpr Rule kClaim[] = {Required("claimName")};

template <const auto& rules>
void Keep(Scope& source) {
  Check(source, rules, source.path, source.object, source.old);
}

constexpr std::string_view kVolumeFields[] = {"metadata.annotations", "metadata.labels", "metadata.name",
                                              "metadata.namespace", "metadata.uid"};

// A file of the downward API. Errors stand at the source, for the real server does not number them.
void CheckFile(Errors& errors, const FieldPath& source, const Value& file) {
  const std::string_view path = file.GetString("path");
  const Value *field = file.Find("fieldRef"), *resource = file.Find("resourceFieldRef");
  if (path.empty()) errors.Required(source.Child("path"));
  CheckUnreservedPath(errors, source.Child("path"), path);
  if (field != nullptr) {
    CheckFieldRef(errors, source.Child("fieldRef"), *field, kVolumeFields);
    if (resource != nullptr) {
      errors.Invalid(source, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource != nullptr) {
    CheckResourceFieldRef(errors, source.Child("resourceFieldRef"), *resource, {.names_container = true});
  } else {
    errors.Required(source, "one of fieldRef and resourceFieldRef is required");
  }
  const Value mode = file.Get("mode");
  if (mode.is_int() && (mode.AsInt() < 0 || mode.AsInt() > 0777)) {
    errors.Invalid(source.Child("mode"), mode.AsInt(), kFileMode);
  }
}

void CheckFiles(Scope& source) {
  for (const Value& file : source.Get("items").items()) CheckFile(source.errors, source.path, file);
}

constexpr Rule kDownwardApi[] = {Range("defaultMode", 0, 0777, kFileMode), Call(CheckFiles)};

// A path that a projected volume has already: `name` is what the error shows.
void CheckOnlyPath(Scope& projected, Paths& paths, std::string_view path, std::string_view name) {
  if (path.empty() || paths.insert(path).second) return;
  projected.errors.Invalid(projected.path, name, "conflicting duplicate paths");
}

// A secret or config map among the sources of a projected volume.
void CheckProjectedItems(Scope& projected, const FieldPath& path, const Value& source, Paths& paths) {
  const std::string_view name = source.GetString("name");
  if (name.empty()) projected.errors.Required(path.Child("name"));
  const FieldPath items = path.Child("items");
  int64_t index = 0;
  for (const Value& item : source.Get("items").items()) {
    Check(projected, kItem, items.Index(index++), item, nullptr);
    CheckOnlyPath(projected, paths, item.GetString("path"), name);
  }
}

void CheckProjectedFiles(Scope& projected, const FieldPath& path, const Value& source, Paths& paths) {
  for (const Value& file : source.Get("items").items()) {
    CheckFile(projected.errors, path, file);
    CheckOnlyPath(projected, paths, file.GetString("path"), file.GetString("path"));
  }
}

// Whether the pod as it was has a token at a path that no new pod may use: then it may go on so.
bool HadStrangeTokenPath(const Scope& projected) {
  const Scope* spec = &projected;
  while (spec != nullptr && spec->old == nullptr) spec = spec->parent;
  if (spec == nullptr) return false;
  Errors errors;
  for (const Value& volume : spec->old->Get("volumes").items()) {
    for (const Value& source : volume.Get({"projected", "sources"}).items()) {
      const Value* token = source.Find("serviceAccountToken");
      if (token != nullptr) CheckUnreservedPath(errors, FieldPath(), token->GetString("path"));
    }
  }
  return !errors.empty();
}

// Its path is said to stand in the volume.
void CheckProjectedToken(Scope& projected, const FieldPath& path, const Value& source, bool any_path) {
  const Value given = source.Get("expirationSeconds");
  const int64_t seconds = given.is_int() ? given.AsInt() : 0;
  const FieldPath at = path.Child("expirationSeconds");
  if (seconds < 600) projected.errors.Invalid(at, seconds, "may not specify a duration less than 10 minutes");
  if (seconds > int64_t{1} << 32) {
    projected.errors.Invalid(at, seconds, "may not specify a duration larger than 2^32 seconds");
  }
  const std::string_view file = source.GetString("path");
  if (file.empty()) return projected.errors.Required(projected.At("path"));
  if (!any_path) CheckUnreservedPath(projected.errors, projected.At("path"), file);
}

// A bundle by its name, or all of a signer's.
void CheckBundleChoice(Scope& projected, const FieldPath& path, const Value& source) {
  Errors& errors = projected.errors;
  const Value *name = source.Find("name"), *signer = source.Find("signerName");
  const Value selector = source.Get("labelSelector");
  const FieldPath at_name = path.Child("name"), at_signer = path.Child("signerName"),
                  at_selector = path.Child("labelSelector");
  if (name != nullptr && signer != nullptr) {
    return errors.InvalidAs(path, base::Cat("core.ClusterTrustBundleProjection", value::ToJson(source)),
                            "only one of name and signerName may be used");
  }
  if (name == nullptr && signer == nullptr) return errors.Required(path, "either name or signerName must be specified");
  if (name == nullptr) {
    if (signer->AsString().empty()) errors.Required(at_signer, "must be a valid signer name");
    CheckSignerName(errors, at_signer, signer->AsString());
    if (selector.is_object()) CheckLabelSelector(errors, at_selector, selector);
    return;
  }
  const std::string_view text = name->AsString();
  if (text.empty()) errors.Required(at_name, "must be a valid object name");
  const size_t colon = text.rfind(':');
  std::string of(text.substr(0, colon == text.npos ? 0 : colon));
  std::ranges::replace(of, ':', '/');
  for (const std::string& complaint : CheckTrustBundleName(text, of, false)) {
    errors.Invalid(at_name, text, base::Cat("not a valid clustertrustbundlename: ", complaint));
  }
  if (!selector.is_object()) return;
  errors.InvalidAs(at_selector, base::Cat("v1.LabelSelector", value::ToJson(selector)),
                   "labelSelector must be unset if name is specified");
}

void CheckProjectedBundle(Scope& projected, const FieldPath& path, const Value& source, Paths& paths) {
  CheckBundleChoice(projected, path, source);
  const std::string_view file = source.GetString("path");
  if (file.empty()) projected.errors.Required(path.Child("path"));
  CheckUnreservedPath(projected.errors, path.Child("path"), file);
  if (!paths.insert(file).second) projected.errors.Invalid(projected.path, file, "conflicting duplicate paths");
}

void CheckProjectedSources(Scope& projected) {
  Paths paths;
  const FieldPath sources = projected.At("sources");
  bool any_token_path = true;
  for (const Value& source : projected.Get("sources").items()) {
    Errors strange;
    CheckUnreservedPath(strange, FieldPath(), source.Get("serviceAccountToken").GetString("path"));
    if (strange.empty()) continue;
    any_token_path = HadStrangeTokenPath(projected);
    break;
  }
  int64_t index = 0;
  for (const Value& source : projected.Get("sources").items()) {
    const FieldPath path = sources.Index(index++);
    int count = 0;
    for (std::string_view kind : {"secret", "configMap"}) {
      const Value* found = source.Find(kind);
      if (found == nullptr) continue;
      ++count;
      CheckProjectedItems(projected, path.Child(kind), *found, paths);
    }
    if (const Value* found = source.Find("downwardAPI")) {
      ++count;
      CheckProjectedFiles(projected, path.Child("downwardAPI"), *found, paths);
    }
    if (const Value* found = source.Find("serviceAccountToken")) {
      ++count;
      CheckProjectedToken(projected, path.Child("serviceAccountToken"), *found, any_token_path);
    }
    if (const Value* found = source.Find("clusterTrustBundle")) {
      ++count;
      CheckProjectedBundle(projected, path.Child("clusterTrustBundle"), *found, paths);
    }
    if (count > 1) projected.errors.Forbidden(path, "may not specify more than 1 volume type per source");
  }
}

constexpr Rule kProjected[] = {Range("defaultMode", 0, 0777, kFileMode), Call(CheckProjectedSources)};

void CheckCsi(Scope& source) {
  CheckCsiDriverName(source.errors, source.At("driver"), source.String("driver"));
  const Value* secret = source.object.Find("nodePublishSecretRef");
  if (secret == nullptr) return;
  const FieldPath path = source.At("nodePublishSecretRef");
  const std::string_view name = secret->GetString("name");
  if (name.empty()) return source.errors.Required(path.Child("name"));
  kDnsSubdomain(source.errors, source.At("name"), name);
}

constexpr Rule kClaimTemplate[] = {Call(CheckClaimTemplate)};

// The claim that is made for the volume is named after the pod and the volume.
void CheckClaimName(Scope& volume) {
  const std::string_view pod = MetadataOfPod(volume).GetString("name"), name = volume.String("name");
  if (pod.empty() || name.empty()) return;
  const std::string claim = base::Cat(pod, "-", name);
  for (const std::string& complaint : api::CheckNameIsDnsSubdomain(claim, false)) {
    volume.errors.Invalid(volume.At("name"), name, base::Cat("PVC name ", api::Quote(claim), ": ", complaint));
  }
}

void CheckEphemeral(Scope& source) {
  const Value* claim = source.object.Find("volumeClaimTemplate");
  if (claim == nullptr) {
    source.errors.Required(source.At("volumeClaimTemplate"));
  } else {
    Check(source, kClaimTemplate, source.At("volumeClaimTemplate"), *claim, nullptr);
  }
  Scope volume = *source.parent;
  CheckClaimName(volume);
}

void CheckInitiatorLength(Scope& volume) {
  const Value iscsi = volume.Get("iscsi");
  const std::string_view name = volume.String("name");
  if (iscsi.Find("initiatorName") == nullptr) return;
  if (name.size() + 1 + iscsi.GetString("targetPortal").size() <= 64) return;
  volume.errors.Invalid(volume.At("name"), name,
                        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                        "iscsi.initiatorName is specified.");
}

// Images are off as volumes: this is of a pod that had one before.
constexpr Rule kImagePullPolicy[] = {RequiredEnum("pullPolicy", kPullPolicies)};

void CheckImage(Scope& image) {
  if (IsSpecOfPod(image) && image.String("reference").empty()) image.errors.Required(image.At("reference"));
  Check(image, kImagePullPolicy, image.path, image.object, nullptr);
}

constexpr VolumeSource kSources[] = {
    {"emptyDir", CheckEmptyDir},
    {"hostPath", CheckHostPath},
    {"gitRepo", Keep<kGitRepo>},
    {.field = "gcePersistentDisk", .check = CheckGcePersistentDisk, .path = "persistentDisk"},
    {"awsElasticBlockStore", CheckAwsElasticBlockStore},
    {"secret", Keep<kSecret>},
    {"nfs", CheckNfs},
    {.field = "iscsi", .check = CheckPodIscsi, .of_volume = CheckInitiatorLength},
    {"glusterfs", CheckGlusterfs},
    {"flocker", CheckFlocker},
    {"persistentVolumeClaim", Keep<kClaim>},
    {"rbd", CheckRbd},
    {"cinder", CheckCinder},
    {.field = "cephfs", .check = CheckCephFs, .surplus = "cephFS"},
    {"quobyte", CheckQuobyte},
    {.field = "downwardAPI", .check = Keep<kDownwardApi>, .surplus = "downwarAPI"},
    {"fc", CheckFc},
    {"flexVolume", CheckFlexVolume},
    {"configMap", Keep<kConfigMap>},
    {"azureFile", CheckAzureFile},
    {"vsphereVolume", CheckVsphereVolume},
    {"photonPersistentDisk", CheckPhotonPersistentDisk},
    {"portworxVolume", CheckPortworxVolume},
    {"azureDisk", CheckAzureDisk},
    {"storageos", CheckStorageOs},
    {"projected", Keep<kProjected>},
    {"scaleIO", CheckScaleIo},
    {"csi", CheckCsi},
    {"ephemeral", CheckEphemeral},
    {"image", CheckImage},
};

void CheckSource(Scope& volume) { CheckVolumeSources(volume, kSources); }

constexpr Rule kVolume[] = {Call(CheckSource), Required("name"), Format("name", kDnsLabel)};

// A claim that is made for one volume is not used by another.
void CheckClaimIsNotOwn(Scope& spec, const FieldPath& path, const Value& volume) {
  const Value* claim = volume.Find("persistentVolumeClaim");
  const std::string_view pod = MetadataOfPod(spec).GetString("name");
  if (claim == nullptr || pod.empty()) return;
  const std::string_view name = claim->GetString("claimName");
  for (const Value& other : spec.Get("volumes").items()) {
    if (other.Find("ephemeral") == nullptr || base::Cat(pod, "-", other.GetString("name")) != name) continue;
    const FieldPath at = path.Child("persistentVolumeClaim");
    spec.errors.Invalid(at.Child("claimName"), name,
                        "must not reference a PVC that gets created for an ephemeral volume");
    return;
  }
}

}  // namespace

void CheckPodVolumes(Scope& spec, SoundVolumes& sound) {
  const FieldPath volumes = spec.At("volumes");
  int64_t index = 0;
  for (const Value& volume : spec.Get("volumes").items()) {
    const FieldPath path = volumes.Index(index++);
    const std::string_view name = volume.GetString("name");
    const size_t before = spec.errors.size();
    Check(spec, kVolume, path, volume, nullptr);
    if (sound.Find(name) != nullptr) spec.errors.Duplicate(path.Child("name"), name);
    if (spec.errors.size() == before) sound.Add(volume);
    CheckClaimIsNotOwn(spec, path, volume);
  }
}

}  // namespace resources::core
