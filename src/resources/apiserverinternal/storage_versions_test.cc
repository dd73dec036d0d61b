#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::apiserverinternal {
namespace {

TEST(StorageVersions, Name) {
  KindFixture versions("internal.apiserver.k8s.io", "v1alpha1", "storageversions", "StorageVersion", false);
  EXPECT_EQ(versions.Create(R"("spec":{})", R"("name":"apps.deployments")"), "");
  EXPECT_EQ(versions.Create(R"("spec":{})"),
            R"(metadata.name: Invalid value: "x": name must be in the form of <group>.<resource>)");
}

TEST(StorageVersions, Status) {
  KindFixture versions("internal.apiserver.k8s.io", "v1alpha1", "storageversions", "StorageVersion", false);
  constexpr const char* kOne =
      R"("storageVersions":[{"apiServerID":"a","encodingVersion":"v1","decodableVersions":["v1"]}])";
  struct {
    const char* name;
    std::string status, errors;
  } cases[] = {
      {"sound", base::Cat(kOne, R"(,"commonEncodingVersion":"v1")"), ""},
      {"not told", kOne, "status.commonEncodingVersion: Invalid value: \"null\": the common encoding version is v1"},
      {"told wrong", base::Cat(kOne, R"(,"commonEncodingVersion":"v2")"),
       "status.commonEncodingVersion: Invalid value: \"v2\": the actual common encoding version is v1"},
      {"told of nobody", R"("commonEncodingVersion":"v2")",
       "status.commonEncodingVersion: Invalid value: \"v2\": should be nil if servers do not agree on the same "
       "encoding version, or if there is no server reporting the supported versions yet"},
      {"not decodable",
       R"("commonEncodingVersion":"v1","storageVersions":[{"apiServerID":"a","encodingVersion":"v1","servedVersions":["v1"]}])",
       "status.storageVersions[0].decodableVersions: Invalid value: []string(nil): decodableVersions must include "
       "encodingVersion v1\nstatus.storageVersions[0].servedVersions[0]: Invalid value: \"v1\": individual served "
       "version : v1 must be included in decodableVersions : []"},
      {"no version",
       R"("commonEncodingVersion":"a/","storageVersions":[{"apiServerID":"a","encodingVersion":"a/","decodableVersions":["a/"]}])",
       "status.storageVersions[0].encodingVersion: Invalid value: \"a/\": version part: must be non-empty\n"
       "status.storageVersions[0].decodableVersions[0]: Invalid value: \"a/\": version part: must be non-empty"},
      {"condition twice",
       R"("conditions":[{"type":"A","status":"True","reason":"r","message":"m"},{"type":"A","status":"True","reason":"","message":""}])",
       "status[1].type: Invalid value: \"A\": the type of the condition is not unique, it also appears in "
       "conditions[0]\n"
       "status[1].reason: Required value: reason cannot be empty\n"
       "status[1].message: Required value: message cannot be empty"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(versions.Update(R"("spec":{})", base::Cat(R"("spec":{},"status":{)", c.status, "}"), "status"), c.errors)
        << c.name;
  }
}

}  // namespace
}  // namespace resources::apiserverinternal
