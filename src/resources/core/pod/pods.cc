#include "resources/core/pod/pod_creation.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/pod_update.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

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

constexpr Rule kCreateRules[] = {Call(CheckNewPod)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckObjectMeta), Call(CheckPodUpdate)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Call(CheckPodStatusUpdate)};
constexpr Rule kResizeRules[] = {Call(CheckObjectMeta), Call(CheckPodResize)};
constexpr Rule kEphemeralContainersRules[] = {Call(CheckObjectMetaUpdate), Call(CheckObjectMeta),
                                              Call(CheckEphemeralContainersUpdate)};

api::FieldErrors ValidatePodUpdate(registry::WriteContext& context, const Value& pod, const Value& old) {
  const bool resizes = context.subresource == "resize";
  if (!resizes && context.subresource != "ephemeralcontainers") {
    return ValidateUpdate<kUpdateRules, kStatusRules>(context, pod, old);
  }
  Errors errors;
  Check(context, resizes ? Rules(kResizeRules) : Rules(kEphemeralContainersRules), FieldPath(), pod, &old, errors);
  return std::move(errors).Take();
}

constexpr std::string_view kStatusResets[] = {"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"};
// Through the last two nothing counts as reset, whatever it becomes.
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}, {"ephemeralcontainers", {}}, {"resize", {}}};

}  // namespace

constinit const StrategyTable kPods = {
    .prepare_for_create = PrepareNewPod,
    .prepare_for_update = PreparePodUpdate,
    .validate = Validate<kCreateRules>,
    .validate_update = ValidatePodUpdate,
    .warnings_on_write = WarnOfPod,
    .grace_seconds = GraceSeconds,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .index_selector = "spec.nodeName",
            .resets = kResets,
            // of which only the class of service stays

            .creates_with_status = true,
            .status_write_keeps = registry::kOwnerReferences,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
