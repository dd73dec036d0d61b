#include "admission/default_toleration_seconds.h"

#include <algorithm>

namespace admission {
namespace {

using value::Value;

struct Taint {
  std::string_view key;
  int64_t TolerationSeconds::* seconds;
};
constexpr Taint kTaints[] = {{"node.kubernetes.io/not-ready", &TolerationSeconds::not_ready},
                             {"node.kubernetes.io/unreachable", &TolerationSeconds::unreachable}};

// Whether the toleration says something of being thrown off a node with that taint.
bool Covers(const Value& toleration, std::string_view taint) {
  const std::string_view key = toleration.GetString("key"), effect = toleration.GetString("effect");
  return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
}

Value Toleration(std::string_view taint, int64_t seconds, value::Arena& arena) {
  Value toleration = Value::Object(arena, 4);
  toleration.Add(arena, "key", Value::String(taint));
  toleration.Add(arena, "operator", Value::String("Exists"));
  toleration.Add(arena, "effect", Value::String("NoExecute"));
  toleration.Add(arena, "tolerationSeconds", Value::Int(seconds));
  return toleration;
}

}  // namespace

void DefaultTolerationSeconds(const Value& pod, value::Arena& arena, const TolerationSeconds& seconds) {
  const Value spec = pod.Get("spec");
  if (!spec.is_object()) return;
  const Value given = spec.Get("tolerations");
  Value all = Value::Array(arena, given.size() + 2);
  for (const Value& toleration : given.items()) all.Append(arena, toleration);
  for (const Taint& taint : kTaints) {
    if (std::ranges::none_of(given.items(), [&](const Value& toleration) { return Covers(toleration, taint.key); })) {
      all.Append(arena, Toleration(taint.key, seconds.*taint.seconds, arena));
    }
  }
  if (all.size() != given.size()) spec.Set(arena, "tolerations", all);
}

}  // namespace admission
