#include "resources/behaviours.h"

namespace resources::apiextensions {

namespace {
constexpr std::string_view kStatusResets[] = {"metadata", "spec"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};
}  // namespace

constinit const registry::Behaviour kCustomResourceDefinitions = {
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kSpec,
    .resets = kResets,
};

}  // namespace resources::apiextensions
