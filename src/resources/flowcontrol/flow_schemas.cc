#include "resources/behaviours.h"

namespace resources::flowcontrol {

namespace {
constexpr std::string_view kStatusResets[] = {"metadata", "spec"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};
}  // namespace

constinit const registry::Behaviour kFlowSchemas = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .has_generation = true,
    .generation_of = kSpec,
    .resets = kResets,
    .status_write_keeps = registry::kWholeMetadata,
};

}  // namespace resources::flowcontrol
