#include "resources/behaviours.h"

namespace resources::policy {

constinit const registry::Behaviour kPodDisruptionBudgets = {
    .update_checks = registry::MetadataChecks::kNone,
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .has_generation = true,
    .generation_of = kSpec,
};

}  // namespace resources::policy
