#include "resources/behaviours.h"

namespace resources::apiextensions {

constinit const registry::Behaviour kCustomResourceDefinitions = {
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::apiextensions
