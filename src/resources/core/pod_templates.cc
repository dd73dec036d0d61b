#include "resources/behaviours.h"

namespace resources::core {
namespace {

constexpr std::string_view kGenerationOf[] = {"template"};

}  // namespace

constinit const registry::Behaviour kPodTemplates = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kGenerationOf,
    .returns_deleted_object = true,
};

}  // namespace resources::core
