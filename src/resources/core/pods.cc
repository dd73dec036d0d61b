#include "api/quantity.h"
#include "resources/behaviours.h"
#include "resources/core/pod_rules.h"
#include "resources/core/pod_warnings.h"
#include "resources/rules/validation.h"

namespace resources::core {
namespace {

using registry::Value;

// BestEffort where no container asks for processor or memory, Guaranteed where each one's limits are all it asks for,
// else Burstable.
std::string_view QosClass(const Value& pod) {
  bool any = false, guaranteed = true;
  for (std::string_view list : {"containers", "initContainers"}) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      for (std::string_view resource : {"cpu", "memory"}) {
        const auto amount = [&](std::string_view kind) {
          const Value text = container.Get({"resources", kind, resource});
          return text.is_string() ? api::Quantity::Parse(text.AsString()).value_or(api::Quantity()) : api::Quantity();
        };
        const api::Quantity requested = amount("requests"), limit = amount("limits");
        any |= !requested.IsZero() || !limit.IsZero();
        guaranteed &= !limit.IsZero() && (requested.IsZero() || requested == limit);
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

// A new pod waits for a node, whatever its creator says.
void PrepareForCreate(registry::WriteContext& context, Value pod) {
  Value status = Value::Object(context.arena, 2);
  status.Add(context.arena, "phase", Value::String("Pending"));
  status.Add(context.arena, "qosClass", Value::String(QosClass(pod)));
  pod.Set(context.arena, "status", status);
}

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

constexpr std::string_view kStatusResets[] = {"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"};
constexpr registry::ResetPaths kResets[] = {{"status", kStatusResets}};

}  // namespace

constinit const Behaviour kPods = {
    .prepare_for_create = PrepareForCreate,
    .validate = Validate<kCreateRules>,
    .warnings_on_write = WarnOfPod,
    .index_selector = "spec.nodeName",
    .check_name = api::CheckNameIsDnsSubdomain,
    .update_checks = registry::MetadataChecks::kUpdateAndFull,
    .resets = kResets,
    .status_write_keeps = registry::kOwnerReferences,
    .returns_deleted_object = true,
    .grace_seconds = GraceSeconds,
};

}  // namespace resources::core
