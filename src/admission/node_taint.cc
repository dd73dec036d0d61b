#include "admission/node_taint.h"

#include <algorithm>
#include <string_view>

namespace admission {

using value::Value;

void TaintNewNode(const Value& node, value::Arena& arena) {
  constexpr std::string_view kKey = "node.kubernetes.io/not-ready", kEffect = "NoSchedule";
  Value spec = node.Get("spec");
  if (!spec.is_object()) {
    spec = Value::Object(arena, 1);
    node.Set(arena, "spec", spec);
  }
  Value taints = spec.Get("taints");
  const auto is_it = [&](const Value& taint) {
    return taint.GetString("key") == kKey && taint.GetString("effect") == kEffect;
  };
  if (std::ranges::any_of(taints.items(), is_it)) return;
  if (!taints.is_array()) {
    taints = Value::Array(arena, 1);
    spec.Set(arena, "taints", taints);
  }
  Value taint = Value::Object(arena, 2);
  taint.Add(arena, "key", Value::String(kKey));
  taint.Add(arena, "effect", Value::String(kEffect));
  taints.Append(arena, taint);
}

}  // namespace admission
