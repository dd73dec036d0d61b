#include "resources/core/volume/volume_sources.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

// The items of a list that commas make of a text, whose empty ones count.
template <class Visit>
void SplitText(std::string_view text, char separator, Visit visit) {
  while (true) {
    const size_t end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kHostPathTypes[] = {"",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
                                               "File", "FileOrCreate", "Socket"};

void CheckNfsPath(Scope& source) {
  const std::string_view path = source.String("path");
  if (!path.starts_with('/')) source.errors.Invalid(source.At("path"), path, "must be an absolute path");
}

// "host:port", where an IPv6 address stands in brackets.
bool IsHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return false;
  if (!text.starts_with('[')) return text.find_first_of(":[]") == colon && text.find_first_of("[]") == text.npos;
  const size_t close = text.find(']');
  if (close == text.npos || close + 1 != colon) return false;
  return text.find('[', 1) == text.npos && text.find(']', close + 1) == text.npos;
}

void CheckRegistry(Scope& source) {
  constexpr std::string_view kPairs = "must be a host:port pair or multiple pairs separated by commas";
  const std::string_view registry = source.String("registry");
  if (registry.empty()) return source.errors.Required(source.At("registry"), kPairs);
  if (source.String("tenant").size() >= 65) {
    return source.errors.Required(source.At("tenant"), "must be a UUID and may not exceed a length of 64 characters");
  }
  SplitText(registry, ',', [&](std::string_view pair) {
    if (!IsHostAndPort(pair)) source.errors.Invalid(source.At("registry"), registry, kPairs);
  });
}

// Options of drivers may not be named as the system's own.
void CheckOptions(Scope& source) {
  const FieldPath options = source.At("options");
  for (const value::Member& option : source.Get("options").members()) {
    std::string owner = "." + std::string(option.key.substr(0, option.key.find('/')));
    absl::AsciiStrToLower(&owner);
    if (!owner.ends_with(".kubernetes.io") && !owner.ends_with(".k8s.io")) continue;
    source.errors.Invalid(options.Key(option.key), option.key, "kubernetes.io and k8s.io namespaces are reserved");
  }
}

constexpr std::string_view kCachingModes[] = {"None", "ReadOnly", "ReadWrite"};
constexpr std::string_view kDiskKinds[] = {"Dedicated", "Managed", "Shared"};

// A pointer field's own zero value is a value, too.
void CheckPresentEnum(Scope& scope, std::string_view field, std::span<const std::string_view> words) {
  const std::string_view text = scope.String(field);
  if (!scope.Has(field) || std::ranges::find(words, text) != words.end()) return;
  scope.errors.NotSupported(scope.At(field), text, words);
}

void CheckDisk(Scope& source) {
  CheckPresentEnum(source, "cachingMode", kCachingModes);
  CheckPresentEnum(source, "kind", kDiskKinds);
  if (!source.Has("kind")) return;
  const std::string_view uri = source.String("diskURI");
  const bool managed = source.String("kind") == "Managed";
  if (managed && !uri.starts_with("/subscriptions/")) {
    source.errors.NotSupported(
        source.At("diskURI"), uri,
        {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"});
  }
  if (!managed && !uri.starts_with("https://")) {
    source.errors.NotSupported(source.At("diskURI"), uri,
                               {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
  }
}

// Of text: "iqn.2001-04.com.example:storage". Unanchored as the real server's expression is.
bool IsIqn(std::string_view text) {
  for (size_t at = text.find("iqn."); at != text.npos; at = text.find("iqn.", at + 1)) {
    const std::string_view rest = text.substr(at + 4);
    if (rest.size() < 8) return false;
    const auto digit = [&](size_t i) { return absl::ascii_isdigit(static_cast<unsigned char>(rest[i])); };
    const bool date =
        digit(0) && digit(1) && digit(2) && digit(3) && rest[4] == '-' && digit(5) && digit(6) && rest[7] == '.';
    const size_t colon = rest.find(':');
    if (!date || colon == rest.npos || colon == 8 || colon + 1 == rest.size()) continue;
    const auto in_domain = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '-' || c == '.'; };
    if (!std::ranges::all_of(rest.substr(8, colon - 8), in_domain)) continue;
    if (rest.substr(colon + 1).find_first_of(",;*&$| \t\n\f\r") == rest.npos) return true;
  }
  return false;
}

// Three letters, any character, and so many letters or digits.
bool IsNumbered(std::string_view text, size_t digits) {
  return text.size() == 4 + digits &&
         std::ranges::all_of(text.substr(4), [](unsigned char c) { return absl::ascii_isalnum(c); });
}

// The name of an initiator or target, in one of three forms. `kinds` is what is said where it is none of them.
void CheckIscsiName(Errors& errors, const FieldPath& path, std::string_view text, std::string_view kinds) {
  const bool iqn = text.starts_with("iqn"), eui = text.starts_with("eui"), naa = text.starts_with("naa");
  if (!iqn && !eui && !naa) return errors.Invalid(path, text, kinds);
  const bool good = iqn ? IsIqn(text) : IsNumbered(text, eui ? 16 : 32);
  if (!good) errors.Invalid(path, text, "must be valid format");
}

bool IsTrue(const Value& v) { return v.is_bool() && v.AsBool(); }

void CheckIscsiTarget(Scope& iscsi, std::string_view kinds) {
  const std::string_view iqn = iscsi.String("iqn");
  if (iqn.empty()) {
    iscsi.errors.Required(iscsi.At("iqn"));
  } else {
    CheckIscsiName(iscsi.errors, iscsi.At("iqn"), iqn, kinds);
  }
  const int64_t lun = iscsi.Int("lun");
  if (lun < 0 || lun > 255) iscsi.errors.Invalid(iscsi.At("lun"), lun, "must be between 0 and 255, inclusive");
  const bool asks = IsTrue(iscsi.Get("chapAuthDiscovery")) || IsTrue(iscsi.Get("chapAuthSession"));
  if (asks && !iscsi.Has("secretRef")) iscsi.errors.Required(iscsi.At("secretRef"));
}

void CheckInitiator(Scope& iscsi, std::string_view kinds) {
  if (!iscsi.Has("initiatorName")) return;
  CheckIscsiName(iscsi.errors, iscsi.At("initiatorname"), iscsi.String("initiatorName"), kinds);
}

constexpr std::string_view kPartition = "must be between 1 and 255, inclusive";

constexpr Rule kGcePersistentDisk[] = {Required("pdName"), Range("partition", 0, 255, kPartition)};
constexpr Rule kAwsElasticBlockStore[] = {Required("volumeID"), Range("partition", 0, 255, kPartition)};
constexpr Rule kNfs[] = {Required("server"), Required("path"), Call(CheckNfsPath)};
constexpr Rule kRbd[] = {Required("monitors"), Required("image")};
constexpr Rule kQuobyte[] = {Call(CheckRegistry), Required("volume")};
constexpr Rule kCephFs[] = {Required("monitors")};
constexpr Rule kFlexVolume[] = {Required("driver"), Call(CheckOptions)};
constexpr Rule kVsphereVolume[] = {Required("volumePath")};
constexpr Rule kPhotonPersistentDisk[] = {Required("pdID")};
constexpr Rule kPortworxVolume[] = {Required("volumeID")};
constexpr Rule kAzureDisk[] = {Required("diskName"), Required("diskURI"), Call(CheckDisk)};
constexpr Rule kScaleIo[] = {Required("gateway"), Required("system"), Required("volumeName")};
constexpr Rule kGlusterfs[] = {Required("endpoints"), Required("path")};
constexpr Rule kAzureFile[] = {Required("secretName"), Required("shareName")};
constexpr Rule kSecretRef[] = {Required("name")};
constexpr Rule kCinder[] = {Required("volumeID"), Into("secretRef", kSecretRef)};
constexpr Rule kStorageOs[] = {
    Required("volumeName"),
    Format("volumeName", kDnsLabel),
    Format("volumeNamespace", kDnsLabel),
    Into("secretRef", kSecretRef),
};

void Keep(Scope& source, Rules rules) { Check(source, rules, source.path, source.object, source.old); }

}  // namespace

void CheckHostPath(Scope& source) {
  const std::string_view path = source.String("path"), type = source.String("type");
  if (path.empty()) return source.errors.Required(source.At("path"));
  CheckNoBacksteps(source.errors, source.At("path"), path);
  if (std::ranges::find(kHostPathTypes, type) == std::end(kHostPathTypes)) {
    source.errors.NotSupported(source.At("type"), type, kHostPathTypes);
  }
}

void CheckFc(Scope& source) {
  const Value names = source.Get("targetWWNs"), ids = source.Get("wwids");
  const FieldPath at = source.At("targetWWNs");
  if (names.empty() && ids.empty()) source.errors.Required(at, "must specify either targetWWNs or wwids, but not both");
  if (names.empty()) return;
  if (!ids.empty()) source.errors.Invalid(at, names, "targetWWNs and wwids can not be specified simultaneously");
  if (!source.Has("lun")) return source.errors.Required(source.At("lun"), "lun is required if targetWWNs is specified");
  const int64_t lun = source.Int("lun");
  if (lun < 0 || lun > 255) source.errors.Invalid(source.At("lun"), lun, "must be between 0 and 255, inclusive");
}

void CheckFlocker(Scope& source) {
  const std::string_view name = source.String("datasetName"), id = source.String("datasetUUID");
  if (name.empty() && id.empty()) {
    source.errors.Required(source.path, "one of datasetName and datasetUUID is required");
  }
  if (!name.empty() && !id.empty()) {
    source.errors.Invalid(source.path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.contains('/')) source.errors.Invalid(source.At("datasetName"), name, "must not contain '/'");
}

void CheckGcePersistentDisk(Scope& source) { Keep(source, kGcePersistentDisk); }
void CheckAwsElasticBlockStore(Scope& source) { Keep(source, kAwsElasticBlockStore); }
void CheckNfs(Scope& source) { Keep(source, kNfs); }
void CheckRbd(Scope& source) { Keep(source, kRbd); }
void CheckQuobyte(Scope& source) { Keep(source, kQuobyte); }
void CheckCephFs(Scope& source) { Keep(source, kCephFs); }
void CheckFlexVolume(Scope& source) { Keep(source, kFlexVolume); }
void CheckVsphereVolume(Scope& source) { Keep(source, kVsphereVolume); }
void CheckPhotonPersistentDisk(Scope& source) { Keep(source, kPhotonPersistentDisk); }
void CheckPortworxVolume(Scope& source) { Keep(source, kPortworxVolume); }
void CheckAzureDisk(Scope& source) { Keep(source, kAzureDisk); }
void CheckScaleIo(Scope& source) { Keep(source, kScaleIo); }
void CheckGlusterfs(Scope& source) { Keep(source, kGlusterfs); }
void CheckAzureFile(Scope& source) { Keep(source, kAzureFile); }
void CheckCinder(Scope& source) { Keep(source, kCinder); }
void CheckStorageOs(Scope& source) { Keep(source, kStorageOs); }

void CheckVolumeSources(Scope& volume, std::span<const VolumeSource> sources) {
  bool found = false;
  for (const VolumeSource& source : sources) {
    const Value* given = volume.object.Find(source.field);
    if (given == nullptr) continue;
    if (found && !source.beside_others) {
      const std::string_view name = source.surplus.empty() ? source.field : source.surplus;
      volume.errors.Forbidden(volume.At(name), "may not specify more than 1 volume type");
    } else {
      const Value* former = volume.old != nullptr ? volume.old->Find(source.field) : nullptr;
      const FieldPath path = volume.At(source.path.empty() ? source.field : source.path);
      Scope scope{volume.context, path, *given, former, volume.errors, &volume};
      source.check(scope);
    }
    found = true;
    if (source.of_volume != nullptr) source.of_volume(volume);
  }
  if (!found) volume.errors.Required(volume.path, "must specify a volume type");
}

void CheckPodIscsi(Scope& iscsi) {
  constexpr std::string_view kKinds = "must be valid format starting with iqn, eui, or naa";
  if (iscsi.String("targetPortal").empty()) iscsi.errors.Required(iscsi.At("targetPortal"));
  CheckIscsiTarget(iscsi, kKinds);
  CheckInitiator(iscsi, kKinds);
}

void CheckPersistentIscsi(Scope& iscsi) {
  constexpr std::string_view kKinds = "must be valid format";
  const std::string_view portal = iscsi.String("targetPortal");
  if (portal.empty()) iscsi.errors.Required(iscsi.At("targetPortal"));
  // An inline volume has no name.
  const Scope* outermost = &iscsi;
  while (outermost->parent != nullptr) outermost = outermost->parent;
  const bool named = iscsi.context.resource.plural == "persistentvolumes";
  const std::string_view name = named ? outermost->Get("metadata").GetString("name") : std::string_view();
  if (iscsi.Has("initiatorName") && name.size() + 1 + portal.size() > 64) {
    iscsi.errors.Invalid(iscsi.At("targetportal"), portal,
                         "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                         "iscsi.initiatorName is specified.");
  }
  CheckIscsiTarget(iscsi, kKinds);
  const FieldPath secret = iscsi.At("secretRef");
  if (iscsi.Has("secretRef") && iscsi.Get("secretRef").GetString("name").empty()) {
    iscsi.errors.Required(secret.Child("name"));
  }
  CheckInitiator(iscsi, kKinds);
}

void CheckCsiDriverName(Errors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) errors.Required(path);
  if (name.size() > 63) errors.TooLong(path, 63);
  std::string lower(name);
  absl::AsciiStrToLower(&lower);
  PutComplaints(errors, path, name, api::CheckDns1123Subdomain(lower));
}

void CheckNoBacksteps(Errors& errors, const FieldPath& path, std::string_view text) {
  bool back = false;
  SplitText(text, '/', [&](std::string_view part) { back |= part == ".."; });
  if (back) errors.Invalid(path, text, "must not contain '..'");
}

void CheckRelativePath(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.starts_with('/')) errors.Invalid(path, text, "must be a relative path");
  CheckNoBacksteps(errors, path, text);
}

void CheckUnreservedPath(Errors& errors, const FieldPath& path, std::string_view text) {
  CheckRelativePath(errors, path, text);
  // The way up was named above.
  if (text.starts_with("..") && !text.starts_with("../")) errors.Invalid(path, text, "must not start with '..'");
}

}  // namespace resources::core
