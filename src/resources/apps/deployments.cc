#include "resources/behaviours.h"

namespace resources::apps {
namespace {

constexpr std::string_view kGenerationOf[] = {"spec", "metadata.annotations"};

constexpr std::string_view kStatusResets[] = {"spec", "metadata.labels"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};

}  // namespace

constinit const registry::Behaviour kDeployments = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
    .generation_of = kGenerationOf,
    .resets = kResets,
    .status_write_keeps = registry::kLabels,
};

}  // namespace resources::apps
