// Leases and their candidates: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/coordination/semantic_version.h"
#include "resources/kind_fixture.h"

namespace resources::coordination {
namespace {

TEST(SemanticVersion, ReadsWhatIsOneAndOrders) {
  for (const char* good : {"0.0.0", "1.32.0", "1.2.3-rc.1", "1.2.3+b.01", "1.2.3-a-b+c", "10.20.30"}) {
    EXPECT_TRUE(SemanticVersion::Parse(good)) << good;
  }
  for (const char* bad :
       {"", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3.4", "1.2.x", "1.2.3-", "1.2.3-01", "1.2.3+", "1..3"}) {
    EXPECT_FALSE(SemanticVersion::Parse(bad)) << bad;
  }
  const char* ordered[] = {"0.0.1",     "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-a",
                           "1.0.0-a.1", "1.0.0",   "1.0.1",   "2.0.0"};
  for (size_t i = 1; i < std::size(ordered); ++i) {
    const auto low = SemanticVersion::Parse(ordered[i - 1]), high = SemanticVersion::Parse(ordered[i]);
    EXPECT_LT(low->Compare(*high), 0) << ordered[i];
    EXPECT_GT(high->Compare(*low), 0) << ordered[i];
    EXPECT_EQ(high->Compare(*high), 0) << ordered[i];
  }
}

TEST(Leases, New) {
  KindFixture leases("coordination.k8s.io", "v1", "leases", "Lease", true);
  EXPECT_EQ(leases.Create(""), "");
  EXPECT_EQ(leases.Create(R"("spec":{"leaseDurationSeconds":0,"leaseTransitions":-1})"),
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0\n"
            "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(leases.Create(R"("spec":{"strategy":"x","preferredHolder":"y"})"), "");
  EXPECT_EQ(leases.object(), R"({"spec":{}})");
}

TEST(LeaseCandidates, New) {
  KindFixture candidates("coordination.k8s.io", "v1alpha2", "leasecandidates", "LeaseCandidate", true);
  struct {
    const char *name, *spec, *errors;
  } cases[] = {
      {"whole",
       R"("leaseName":"l","binaryVersion":"1.2.0","emulationVersion":"1.1.0","strategy":"OldestEmulationVersion")", ""},
      {"nothing", "",
       "spec.leaseName: Required value\nspec.binaryVersion: Required value\nspec.strategy: Required value"},
      {"older binary", R"("leaseName":"l","binaryVersion":"1.0.0","emulationVersion":"1.1.0","strategy":"e.com/s")",
       "spec.binaryVersion: Invalid value: \"1.0.0\": must be greater than or equal to `emulationVersion`"},
      {"no emulation", R"("leaseName":"l","binaryVersion":"1.0.0","strategy":"OldestEmulationVersion")",
       "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'"},
      {"unknown strategy", R"("leaseName":"l","binaryVersion":"1.0.0","strategy":"x")",
       "spec.strategy.strategy: Unsupported value: \"x\": supported values: \"OldestEmulationVersion\""},
      {"no version", R"("leaseName":"l","binaryVersion":"x","strategy":"e.com/s")",
       "spec.binaryVersion: Invalid value: \"x\": must be a valid semantic version"},
  };
  for (const auto& c : cases) EXPECT_EQ(candidates.Create(base::Cat("\"spec\":{", c.spec, "}")), c.errors) << c.name;
  constexpr std::string_view kRest = R"("binaryVersion":"1.0.0","strategy":"e.com/s"})";
  EXPECT_EQ(candidates.Update(base::Cat(R"("spec":{"leaseName":"a",)", kRest),
                              base::Cat(R"("spec":{"leaseName":"b",)", kRest)),
            "spec.leaseName: Invalid value: \"b\": field is immutable");
}

}  // namespace
}  // namespace resources::coordination
