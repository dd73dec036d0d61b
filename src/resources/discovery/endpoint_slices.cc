#include "resources/behaviours.h"

namespace resources::discovery {
namespace {

constexpr std::string_view kGenerationOf[] = {"addressType", "endpoints", "ports", "metadata.labels"};

}  // namespace

constinit const registry::Behaviour kEndpointSlices = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFull,
    .has_generation = true,
    .generation_of = kGenerationOf,
};

}  // namespace resources::discovery
