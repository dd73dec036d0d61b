#include "resources/behaviours.h"

namespace resources::core {

constinit const registry::Behaviour kResourceQuotas = {
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .returns_deleted_object = true,
};

}  // namespace resources::core
