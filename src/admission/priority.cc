#include "admission/priority.h"

#include <string>

#include "admission/refusal.h"
#include "base/text.h"

namespace admission {
namespace {

using value::Value;

int64_t NumberOr(const Value& v, int64_t absent) { return v.is_int() ? v.AsInt() : absent; }

}  // namespace

api::Result<> ResolvePriority(const Value& pod, value::Arena& arena, FindPriorityClass find) {
  const Value spec = pod.Get("spec");
  if (!spec.is_object()) return {};
  const std::string_view wanted = spec.GetString("priorityClassName");
  const Value found = find(wanted);
  if (!wanted.empty() && !found.is_object()) {
    return RefusePod(pod, base::Cat("no PriorityClass with name ", wanted, " was found"));
  }
  const int64_t priority = found.is_object() ? NumberOr(found.Get("value"), 0) : 0;
  std::string_view policy = found.GetString("preemptionPolicy");
  if (policy.empty()) policy = "PreemptLowerPriority";
  if (wanted.empty() && found.is_object()) {
    spec.Set(arena, "priorityClassName", Value::Copy(arena, found.Get("metadata").GetString("name")));
  }
  const Value* given = spec.Find("priority");
  if (given != nullptr && NumberOr(*given, priority) != priority) {
    return RefusePod(pod, base::Cat("the integer value of priority (", NumberOr(*given, 0),
                                    ") must not be provided in pod spec; priority admission controller computed ",
                                    priority, " from the given PriorityClass name"));
  }
  const std::string_view asked = spec.GetString("preemptionPolicy");
  if (spec.Find("preemptionPolicy") != nullptr && asked != policy) {
    return RefusePod(pod, base::Cat("the string value of PreemptionPolicy (", asked,
                                    ") must not be provided in pod spec; priority admission controller computed ",
                                    policy, " from the given PriorityClass name"));
  }
  spec.Set(arena, "priority", Value::Int(priority));
  spec.Set(arena, "preemptionPolicy", Value::Copy(arena, policy));
  return {};
}

void KeepPriority(const Value& pod, const Value& old, value::Arena& arena) {
  const Value spec = pod.Get("spec"), old_spec = old.Get("spec");
  if (!spec.is_object()) return;
  for (std::string_view field : {"priority", "preemptionPolicy"}) {
    const Value* before = old_spec.Find(field);
    if (spec.Find(field) == nullptr && before != nullptr) spec.Add(arena, field, *before);
  }
}

api::Result<> CheckDefaultClass(const Value& priority_class, bool creating, FindPriorityClass find) {
  const auto is_default = [](const Value& v) {
    return v.Get("globalDefault").is_bool() && v.Get("globalDefault").AsBool();
  };
  if (!is_default(priority_class)) return {};
  const Value other = find("");
  if (!other.is_object()) return {};
  const std::string_view name = other.Get("metadata").GetString("name");
  if (!creating && name == priority_class.Get("metadata").GetString("name")) return {};
  return Refuse({"scheduling.k8s.io", "priorityclasses"}, priority_class,
                base::Cat("PriorityClass ", name, " is already marked as default. Only one default can exist"));
}

api::Result<> CheckSystemClass(std::string_view name) {
  if (name != "system-node-critical" && name != "system-cluster-critical") return {};
  return api::Fail(api::Forbidden("this is a system priority class and cannot be deleted",
                                  {"scheduling.k8s.io", "priorityclasses"}, name));
}

}  // namespace admission
