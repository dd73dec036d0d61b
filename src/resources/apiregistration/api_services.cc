#include "resources/behaviours.h"

namespace resources::apiregistration {

namespace {
constexpr std::string_view kStatusResets[] = {"metadata", "spec"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};
}  // namespace

constinit const registry::Behaviour kApiServices = {
    .strict_finalizers = false,
    .allow_unconditional_update = false,
    .resets = kResets,
    .status_write_keeps = registry::kForStatus,
};

}  // namespace resources::apiregistration
