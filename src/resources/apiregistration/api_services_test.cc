// API services: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/error_fields.h"
#include "resources/kind_fixture.h"

namespace resources::apiregistration {
namespace {

TEST(ApiServices, New) {
  KindFixture services("apiregistration.k8s.io", "v1", "apiservices", "APIService", false);
  const std::string name = "metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v1.a.b\"";
  const struct {
    const char *name, *spec;
    std::string errors;
  } cases[] = {
      {"local", "", name},
      {"server", R"(,"service":{"name":"s","namespace":"n"},"caBundle":"eA==")", name},
      {"local with authorities", R"(,"caBundle":"eHk=","insecureSkipTLSVerify":true)",
       name + "\nspec.caBundle: Invalid value: \"2 bytes\": local APIServices may not have a caBundle\n"
              "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify"},
      {"bad server", R"(,"service":{"port":0},"caBundle":"eA==","insecureSkipTLSVerify":true)",
       name + "\nspec.service.namespace: Required value\nspec.service.name: Required value\n"
              "spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive\n"
              "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present"},
  };
  constexpr std::string_view kGood =
      R"("spec":{"group":"a.b","version":"v1","groupPriorityMinimum":1,"versionPriority":1)";
  for (const auto& c : cases) EXPECT_EQ(services.Create(base::Cat(kGood, c.spec, "}")), c.errors) << c.name;
  EXPECT_EQ(services.Create(R"("spec":{"version":"v2","groupPriorityMinimum":20001})"),
            "metadata.name: Invalid value: \"x\": must be `spec.version+\".\"+spec.group`: \"v2.\"\n"
            "spec.group: Required value: only v1 may have an empty group and it better be legacy kube\n"
            "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000\n"
            "spec.versionPriority: Invalid value: 0: must be positive and less than 1000");
}

// Its name is a part of its metadata, whose errors stand before it again in a change.
TEST(ApiServices, NamesAreCheckedWithTheRestOfTheMetadata) {
  KindFixture services("apiregistration.k8s.io", "v1", "apiservices", "APIService", false);
  const std::string_view labels = R"("labels":{"a b":""})";
  EXPECT_EQ(FieldsOf(services.Create(R"("spec":{"version":"v1"})", labels)),
            "metadata.name metadata.labels spec.groupPriorityMinimum spec.versionPriority");
  EXPECT_EQ(FieldsOf(services.Update("", R"("spec":{"version":"v1"})", "", "", labels)),
            "metadata.labels metadata.labels metadata.labels metadata.name metadata.labels "
            "spec.groupPriorityMinimum spec.versionPriority");
}

TEST(ApiServices, WhatIsServedHereIsThereAtOnce) {
  KindFixture services("apiregistration.k8s.io", "v1", "apiservices", "APIService", false);
  services.Create(R"("spec":{"version":"v1"})");
  EXPECT_TRUE(services.object().contains(R"("reason":"Local","status":"True","type":"Available")"))
      << services.object();
  EXPECT_EQ(
      services.Update("", R"("status":{"conditions":[{"type":"a","status":"x"}]})", "status"),
      "status.conditions[0].status: Unsupported value: \"x\": supported values: \"True\", \"False\", \"Unknown\"");
}

}  // namespace
}  // namespace resources::apiregistration
