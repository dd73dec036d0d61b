#include <gtest/gtest.h>

#include <string>

#include "admission/default_toleration_seconds.h"
#include "admission/priority.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using value::Value;

TEST(DefaultTolerationSeconds, AddsWhatThePodDoesNotSay) {
  const std::string not_ready =
      R"({"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";
  const std::string unreachable =
      R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300})";
  const std::string all = R"({"operator":"Exists"})",
                    other_effect = R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})";
  struct {
    std::string given, result;
  } cases[] = {
      {"", not_ready + "," + unreachable},
      {all, all},
      {other_effect, other_effect + "," + not_ready + "," + unreachable},
      {unreachable, unreachable + "," + not_ready},
  };
  for (const auto& c : cases) {
    value::Arena arena;
    Value pod = *value::ReadJson(arena.CopyString(R"({"spec":{"tolerations":[)" + c.given + "]}}"), arena);
    DefaultTolerationSeconds(pod, arena);
    EXPECT_EQ(value::ToJson(pod), R"({"spec":{"tolerations":[)" + c.result + "]}}");
  }
}

// The pod after its class was resolved, or the refusal.
std::string Resolved(std::string_view spec) {
  value::Arena arena;
  Value pod =
      *value::ReadJson(arena.CopyString(R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}"), arena);
  auto done = ResolvePriority(pod, arena, [&](std::string_view name) {
    return name == "high"
               ? *value::ReadJson(R"({"metadata":{"name":"high"},"value":7,"preemptionPolicy":"Never"})", arena)
               : Value();
  });
  return done ? value::ToJson(pod.Get("spec")) : done.error().message;
}

TEST(Priority, ComesFromTheClass) {
  EXPECT_EQ(Resolved("{}"), R"({"priority":0,"preemptionPolicy":"PreemptLowerPriority"})");
  EXPECT_EQ(Resolved(R"({"priorityClassName":"high"})"),
            R"({"priorityClassName":"high","priority":7,"preemptionPolicy":"Never"})");
  EXPECT_EQ(Resolved(R"({"priorityClassName":"none"})"),
            R"(pods "p" is forbidden: no PriorityClass with name none was found)");
  EXPECT_EQ(
      Resolved(R"({"priorityClassName":"high","priority":8})"),
      R"x(pods "p" is forbidden: the integer value of priority (8) must not be provided in pod spec; priority admission controller computed 7 from the given PriorityClass name)x");
}

TEST(Priority, AnUpdateKeepsWhatWasResolved) {
  value::Arena arena;
  Value pod = *value::ReadJson(R"({"spec":{"priority":9}})", arena);
  KeepPriority(pod, *value::ReadJson(R"({"spec":{"priority":7,"preemptionPolicy":"Never"}})", arena), arena);
  EXPECT_EQ(value::ToJson(pod), R"({"spec":{"priority":9,"preemptionPolicy":"Never"}})");
}

}  // namespace
}  // namespace admission
