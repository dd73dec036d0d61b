// Writes through `resize`, and what the gate in front of it does to pods.
#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

using api::Feature;

struct ResizablePods : KindFixture {
  ResizablePods() : KindFixture("", "v1", "pods", "Pod", true) { Set(Feature::kInPlacePodVerticalScaling, true); }
};

// A pod with one container, whose resources these are.
std::string Pod(std::string_view resources, std::string_view spec = "", std::string_view status = "") {
  return base::Cat(R"("spec":{"containers":[{"name":"c","image":"i","resources":)", resources, "}]", spec, "}",
                   status.empty() ? "" : R"(,"status":)", status);
}

constexpr std::string_view kSmall = R"({"requests":{"cpu":"1","memory":"1Gi"}})";
constexpr std::string_view kBig = R"({"requests":{"cpu":"2","memory":"1Gi"}})";

TEST(PodResize, ChangesAmountsAndNothingElse) {
  ResizablePods pods;
  EXPECT_EQ(pods.Update(Pod(kSmall), Pod(kBig, R"(,"hostname":"h")", R"({"phase":"Failed"})"), "resize"), "");
  EXPECT_TRUE(pods.object().contains(R"("requests":{"cpu":"2","memory":"1Gi"})")) << pods.object();
  EXPECT_TRUE(pods.object().ends_with(R"("status":{"resize":"Proposed"}})")) << pods.object();
  EXPECT_FALSE(pods.object().contains("hostname"));
  // The same amount in other words is no change, nor is a container that is not there.
  EXPECT_EQ(pods.Update(Pod(kSmall), Pod(R"({"requests":{"cpu":"1000m","memory":"1Gi"}})"), "resize"), "");
  EXPECT_FALSE(pods.object().contains("Proposed"));
  EXPECT_EQ(pods.Update(Pod(kSmall), R"("spec":{"containers":[{"name":"d","image":"i"}]})", "resize"), "");
  EXPECT_FALSE(pods.object().contains("Proposed"));
  EXPECT_EQ(pods.Update(Pod(kSmall), Pod(R"({"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"2"}})"), "resize"),
            "");
}

TEST(PodResize, Refuses) {
  struct {
    const char* name;
    std::string old, now, metadata, error;
  } const cases[] = {
      {"class of service", Pod("{}"), Pod(kSmall), "", "spec: Invalid value: \"\": Pod QOS Class may not change as a"},
      {"request removed", Pod(kSmall), Pod(R"({"requests":{"cpu":"1"}})"), "",
       "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"},
      {"limit removed", Pod(R"({"limits":{"cpu":"1"}})"), Pod(R"({"requests":{"cpu":"1"}})"), "",
       "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed"},
      {"others", Pod(kSmall),
       Pod(R"({"requests":{"cpu":"1","memory":"1Gi","hugepages-2Mi":"2Mi"},)"
           R"("limits":{"hugepages-2Mi":"2Mi"}})"),
       "", "spec: Forbidden: only cpu and memory resources are mutable\n  core.PodSpec{\n"},
      {"windows", Pod(kSmall, R"(,"os":{"name":"windows"})"), Pod(kBig), "",
       "[]: Forbidden: windows pods cannot be resized"},
      {"static", Pod(kSmall, R"(,"nodeName":"n")"), Pod(kBig), R"("annotations":{"kubernetes.io/config.mirror":"a"})",
       "[]: Forbidden: static pods cannot be resized"},
      {"node", Pod(kSmall, "", R"({"containerStatuses":[{"name":"c","state":{"running":{}}}]})"), Pod(kBig), "",
       "spec: Forbidden: Pod running on node without support for resize"},
      {"node of today",
       Pod(kSmall, "", R"({"containerStatuses":[{"name":"c","state":{"running":{}},"resources":{}}]})"), Pod(kBig), "",
       ""},
  };
  for (const auto& c : cases) {
    const std::string errors = ResizablePods().Update(c.old, c.now, "resize", c.metadata, c.metadata);
    EXPECT_TRUE(errors.starts_with(c.error)) << c.name << ": " << errors;
    EXPECT_EQ(errors.empty(), c.error.empty()) << c.name << ": " << errors;
  }
}

TEST(PodResize, PoliciesAreGivenAndLookedAt) {
  ResizablePods pods;
  EXPECT_EQ(pods.Create(Pod(kSmall)), "");
  EXPECT_TRUE(pods.object().contains(R"("resizePolicy":[{"resourceName":"cpu","restartPolicy":"NotRequired"},)"
                                     R"({"resourceName":"memory","restartPolicy":"NotRequired"}])"))
      << pods.object();
  const auto errors = [](std::string_view policies, std::string_view spec = "") {
    return ResizablePods().Create(
        base::Cat(R"("spec":{"containers":[{"name":"c","image":"i","resizePolicy":)", policies, "}]", spec, "}"));
  };
  constexpr std::string_view kAt = "spec.containers[0].resizePolicy";
  EXPECT_EQ(errors(R"([{"resourceName":"cpu","restartPolicy":"NotRequired"},)"
                   R"({"resourceName":"cpu","restartPolicy":"RestartContainer"}])"),
            base::Cat(kAt, "[1]: Duplicate value: cpu"));
  EXPECT_EQ(errors(R"([{"resourceName":"disk","restartPolicy":"Odd"}])"),
            base::Cat(kAt, ": Unsupported value: disk: supported values: \"cpu\", \"memory\"\n", kAt,
                      ": Unsupported value: \"Odd\": supported values: \"NotRequired\", \"RestartContainer\""));
  EXPECT_EQ(errors(R"([{"resourceName":"cpu","restartPolicy":"RestartContainer"}])", R"(,"restartPolicy":"Never")"),
            base::Cat(kAt,
                      ": Invalid value: \"RestartContainer\": must be 'NotRequired' when `restartPolicy` is "
                      "'Never'"));
  const std::string init = ResizablePods().Create(
      R"("spec":{"containers":[{"name":"c","image":"i"}],"initContainers":[{"name":"d","image":"i","resizePolicy":)"
      R"([{"resourceName":"cpu","restartPolicy":"NotRequired"}]}]})");
  EXPECT_TRUE(init.ends_with("must not be set for init containers")) << init;
}

TEST(PodResize, WithoutItsGateNothingOfItIsKept) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  EXPECT_EQ(pods.Create(Pod(kSmall)), "");
  EXPECT_FALSE(pods.object().contains("resizePolicy"));
}

TEST(PodResize, StatusOfResizing) {
  constexpr std::string_view kStatus =
      R"({"containerStatuses":[{"name":"c","allocatedResources":{"cpu":"1"},"resources":{}}],"resize":"InProgress"})";
  const std::string pod = Pod(kSmall, "", kStatus);
  struct {
    bool resizes, allocated;
    std::string_view status;
  } const cases[] = {
      {false, true, R"("status":{"containerStatuses":[{"name":"c")"},
      {true, false, R"("name":"c","resources":{}}],"resize":"InProgress"}})"},
      {true, true, R"("allocatedResources":{"cpu":"1"})"},
  };
  for (const auto& c : cases) {
    KindFixture pods("", "v1", "pods", "Pod", true);
    pods.Set(Feature::kInPlacePodVerticalScaling, c.resizes);
    pods.Set(Feature::kInPlacePodVerticalScalingAllocatedStatus, c.allocated);
    EXPECT_EQ(pods.Update(pod, pod), "");
    EXPECT_TRUE(pods.object().contains(c.status)) << pods.object();
    EXPECT_EQ(pods.object().contains("allocatedResources"), c.resizes && c.allocated) << pods.object();
    EXPECT_EQ(pods.object().contains("InProgress"), c.resizes) << pods.object();
  }
}

}  // namespace
}  // namespace resources::core
