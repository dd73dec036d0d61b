#include "admission/limit_ranger.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

class LimitRangerTest : public testing::Test {
 protected:
  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }
  Value Range(std::string_view limits) { return Read(Cat(R"({"spec":{"limits":[)", limits, "]}}")); }
  std::string Pod(std::string_view limits, std::string_view spec) {
    return CheckPodLimits(Range(limits), Read(Cat(R"({"spec":{)", spec, "}}")), features_);
  }
  value::Arena arena_;
  api::Features features_;
};

TEST_F(LimitRangerTest, ContainersThatSayNothingGetDefaults) {
  const Value pod = Read(
      R"({"metadata":{},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}},{"name":"b","resources":{"limits":{"cpu":"1","memory":"1"},"requests":{"cpu":"1","memory":"1"}}}]}})");
  SetLimitDefaults(Range(R"({"type":"Container","default":{"memory":"2Gi","cpu":"2"},"defaultRequest":{"cpu":"1"}},)"
                         R"({"type":"Pod","default":{"x":"1"}})"),
                   pod, arena_);
  EXPECT_EQ(
      value::ToJson(pod),
      R"({"metadata":{"annotations":{"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu request for container a; memory limit for container a; cpu request for init container i; cpu, memory limit for init container i"}},)"
      R"("spec":{"initContainers":[{"name":"i","resources":{"limits":{"cpu":"2","memory":"2Gi"},"requests":{"cpu":"1"}}}],)"
      R"("containers":[{"name":"a","resources":{"limits":{"cpu":"1","memory":"2Gi"},"requests":{"cpu":"1"}}},{"name":"b","resources":{"limits":{"cpu":"1","memory":"1"},"requests":{"cpu":"1","memory":"1"}}}]}})");
  const Value bare = Read(R"({"metadata":{},"spec":{"containers":[{"name":"a"}]}})");
  SetLimitDefaults(Range(R"({"type":"Pod","max":{"cpu":"1"}})"), bare, arena_);
  EXPECT_EQ(value::ToJson(bare), R"({"metadata":{},"spec":{"containers":[{"name":"a"}]}})");
}

TEST_F(LimitRangerTest, OfContainers) {
  const std::string_view range =
      R"({"type":"Container","min":{"cpu":"100m"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"2"}})";
  const auto with = [&](std::string_view resources) {
    return Pod(range, Cat(R"("containers":[{"name":"a","resources":{)", resources, "}}]"));
  };
  EXPECT_EQ(with(R"("requests":{"cpu":"500m"},"limits":{"cpu":"1"})"), "");
  EXPECT_EQ(with(R"("requests":{"cpu":"50m"},"limits":{"cpu":"80m"})"),
            "minimum cpu usage per Container is 100m, but request is 50m");
  EXPECT_EQ(with(R"("requests":{"cpu":"100m"},"limits":{"cpu":"90m"})"),
            "minimum cpu usage per Container is 100m, but limit is 90m");
  EXPECT_EQ(with(R"("requests":{"cpu":"2"},"limits":{"cpu":"2001m"})"),
            "maximum cpu usage per Container is 2, but limit is 2001m");
  EXPECT_EQ(with(R"("requests":{"cpu":"3"},"limits":{"cpu":"2"})"),
            "maximum cpu usage per Container is 2, but request is 3");
  EXPECT_EQ(with(R"("requests":{"cpu":"300m"},"limits":{"cpu":"1"})"),
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333");
  EXPECT_EQ(with(""),
            "[minimum cpu usage per Container is 100m.  No request is specified, maximum cpu usage per Container is 2. "
            " No limit is specified, cpu max limit to request ratio per Container is 2, but no request is specified or "
            "request is 0]");
  EXPECT_EQ(with(R"("requests":{"cpu":"1"})"),
            "[maximum cpu usage per Container is 2.  No limit is specified, cpu max limit to request ratio per "
            "Container is 2, but no limit is specified or limit is 0]");
  // Init containers count as well; the same text is told once.
  EXPECT_EQ(Pod(R"({"type":"Container","min":{"cpu":"1"}})",
                R"("containers":[{"name":"a"}],"initContainers":[{"name":"b"}])"),
            "minimum cpu usage per Container is 1.  No request is specified");
}

TEST_F(LimitRangerTest, OfPodsTheSumCounts) {
  const std::string_view two =
      R"("containers":[{"name":"a","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}},{"name":"b","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}])";
  EXPECT_EQ(Pod(R"({"type":"Pod","max":{"cpu":"2"}})", two), "");
  EXPECT_EQ(Pod(R"({"type":"Pod","max":{"cpu":"1500m"}})", two), "maximum cpu usage per Pod is 1500m, but limit is 2");
  EXPECT_EQ(Pod(R"({"type":"Pod","min":{"memory":"1Gi"}})", two),
            "minimum memory usage per Pod is 1Gi.  No request is specified");
  const std::string own = Cat(R"("resources":{"limits":{"cpu":"5"},"requests":{"cpu":"5"}},)", two);
  EXPECT_EQ(Pod(R"({"type":"Pod","max":{"cpu":"2"}})", own), "");
  features_.Set(api::Feature::kPodLevelResources, true);
  EXPECT_EQ(Pod(R"({"type":"Pod","max":{"cpu":"2"}})", own), "maximum cpu usage per Pod is 2, but limit is 5");
}

TEST_F(LimitRangerTest, OfClaimsTheRequestCounts) {
  const Value range = Range(R"({"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},"max":{"storage":"2Gi"}})");
  const auto asking = [&](std::string_view size) {
    return CheckClaimLimits(range, Read(Cat(R"({"spec":{"resources":{"requests":{"storage":")", size, R"("}}}})")));
  };
  EXPECT_EQ(asking("1Gi"), "");
  EXPECT_EQ(asking("3Gi"), "maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi");
  EXPECT_EQ(asking("500Mi"), "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi");
}

}  // namespace
}  // namespace admission
