#include "resources/behaviours.h"

namespace resources::certificates {

constinit const registry::Behaviour kCertificateSigningRequests = {
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
};

}  // namespace resources::certificates
