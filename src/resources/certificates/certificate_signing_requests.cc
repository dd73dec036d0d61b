#include "resources/behaviours.h"

namespace resources::certificates {

namespace {
constexpr std::string_view kOwnResets[] = {"spec", "status"};
constexpr std::string_view kStatusResets[] = {"spec", "status.conditions"};
constexpr std::string_view kApprovalResets[] = {"spec", "status.certificate"};
constexpr registry::ResetPaths kResets[] = {{"", kOwnResets}, {"status", kStatusResets}, {"approval", kApprovalResets}};
}  // namespace

constinit const registry::Behaviour kCertificateSigningRequests = {
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .resets = kResets,
};

}  // namespace resources::certificates
