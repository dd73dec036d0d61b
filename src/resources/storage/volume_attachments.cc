#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/volume/persistent_volume_rules.h"
#include "resources/core/volume/volume_sources.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::storage {
namespace {

constexpr int64_t kMostMetadataBytes = 256 * 1024;
constexpr size_t kLongestMessage = 1024;

constexpr Rule kInlineVolume[] = {Call(core::CheckInlineVolumeSpec)};

// A volume that is an object, or one that is said in place.
void CheckSource(Scope& spec) {
  const Value source = spec.Get("source");
  const FieldPath path = spec.At("source");
  const Value *volume = source.Find("inlineVolumeSpec"), *name = source.Find("persistentVolumeName");
  constexpr std::string_view kOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (volume == nullptr && name == nullptr) return spec.errors.Required(path, kOne);
  if (volume != nullptr && name != nullptr) return spec.errors.Forbidden(path, kOne);
  if (volume != nullptr) return Check(spec, kInlineVolume, path.Child("inlineVolumeSpec"), *volume, nullptr);
  if (name->AsString().empty()) {
    spec.errors.Required(path.Child("persistentVolumeName"), "must specify non empty persistentVolumeName");
  }
}

void CheckNodeName(Scope& spec) { kDnsSubdomain(spec.errors, spec.At("nodeName"), spec.String("nodeName")); }

void CheckMetadataSize(Scope& status) {
  int64_t bytes = 0;
  for (const value::Member& entry : status.Get("attachmentMetadata").members()) {
    bytes += static_cast<int64_t>(entry.key.size() + entry.value.AsString().size());
  }
  if (bytes > kMostMetadataBytes) status.errors.TooLong(status.At("attachmentMetadata"), kMostMetadataBytes);
}

// The real server names the bound of the metadata here.
void CheckMessage(Scope& error) {
  if (error.String("message").size() > kLongestMessage) error.errors.TooLong(error.At("message"), kMostMetadataBytes);
}

constexpr Rule kError[] = {Call(CheckMessage)};
constexpr Rule kSpecRules[] = {Required("attacher"), Call(CheckSource), Call(CheckNodeName)};
constexpr Rule kStatusRules[] = {
    Call(CheckMetadataSize),
    Into("attachError", kError),
    Into("detachError", kError),
};

void CheckAll(Scope& attachment) {
  const Value* spec = attachment.object.Find("spec");
  Check(attachment, kSpecRules, attachment.At("spec"), spec != nullptr ? *spec : Value(), nullptr);
  const Value* status = attachment.object.Find("status");
  if (status != nullptr) Check(attachment, kStatusRules, attachment.At("status"), *status, nullptr);
}

// What only new attachments must keep.
void CheckNew(Scope& attachment) {
  const Value spec = attachment.Get("spec");
  const FieldPath path = attachment.At("spec");
  const FieldPath source = path.Child("source");
  core::CheckCsiDriverName(attachment.errors, path.Child("attacher"), spec.GetString("attacher"));
  const Value* name = spec.Get("source").Find("persistentVolumeName");
  if (name != nullptr) kDnsSubdomain(attachment.errors, source.Child("persistentVolumeName"), name->AsString());
}

void CheckSpecKept(Scope& attachment) {
  const schema::Type& type = *schema::FindType("io.k8s.api.storage.v1.VolumeAttachmentSpec");
  if (registry::Same(type, attachment.Get("spec"), attachment.old->Get("spec"))) return;
  const Value* spec = attachment.object.Find("spec");
  attachment.errors.InvalidAs(attachment.At("spec"),
                              base::Cat("storage.VolumeAttachmentSpec", spec != nullptr ? value::ToJson(*spec) : "{}"),
                              "field is immutable");
}

constexpr Rule kRules[] = {Call(CheckAll), Call(CheckNew)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckAll), Call(CheckObjectMeta), Call(CheckAll), Call(CheckSpecKept),
};

}  // namespace

constinit const registry::StrategyTable kVolumeAttachments = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_unconditional_update = false,
            .resets = kStatusResets,
            .status_write_keeps = registry::kForStatus,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::storage
