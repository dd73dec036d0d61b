#include "resources/behaviours.h"

namespace resources::apps {
namespace {

constexpr std::string_view kGenerationOf[] = {"spec", "metadata.annotations"};

}  // namespace

constinit const registry::Behaviour kDeployments = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .has_generation = true,
    .generation_of = kGenerationOf,
    .status_write_keeps = registry::kLabels,
};

}  // namespace resources::apps
