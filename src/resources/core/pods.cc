#include "resources/behaviours.h"

namespace resources::core {
namespace {

using registry::Value;

// The pod's own grace unless another is asked for; none for pods that run nowhere or have ended.
int64_t GraceSeconds(const Value& pod, std::optional<int64_t> asked) {
  const Value own = pod.Get({"spec", "terminationGracePeriodSeconds"});
  const int64_t seconds = asked.value_or(own.is_int() ? own.AsInt() : 0);
  const std::string_view phase = pod.Get("status").GetString("phase");
  const bool ended = phase == "Failed" || phase == "Succeeded";
  if (ended || pod.Get("spec").GetString("nodeName").empty()) return 0;
  return seconds < 0 ? 1 : seconds;
}

constexpr std::string_view kStatusResets[] = {"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};

}  // namespace

constinit const Behaviour kPods = {
    .index_selector = "spec.nodeName",
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .resets = kResets,
    .status_write_keeps = registry::kOwnerReferences,
    .returns_deleted_object = true,
    .grace_seconds = GraceSeconds,
};

}  // namespace resources::core
