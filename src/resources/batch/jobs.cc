#include "api/quote.h"
#include "base/text.h"
#include "resources/behaviours.h"

namespace resources::batch {

namespace {

std::string UnsupportedField(std::string_view label) {
  return base::Cat("field label ", api::Quote(label), " not supported for Job");
}

}  // namespace

constinit const registry::Behaviour kJobs = {
    .unsupported_field = UnsupportedField,
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kFullAndUpdate,
    .has_generation = true,
    .generation_of = kSpec,
    .deletion_default = registry::DeletionDefault::kOrphan,
    .deletion_warning =
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or "
        "set propagationPolicy=Orphan to suppress this warning",
};

}  // namespace resources::batch
