#include "resources/behaviours.h"

namespace resources::storage {

namespace {
constexpr std::string_view kStatusResets[] = {"metadata", "spec"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};
}  // namespace

constinit const registry::Behaviour kVolumeAttachments = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .allow_unconditional_update = false,
    .resets = kResets,
    .status_write_keeps = registry::kForStatus,
    .returns_deleted_object = true,
};

}  // namespace resources::storage
