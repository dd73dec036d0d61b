#include <gtest/gtest.h>

#include "resources/error_fields.h"
#include "resources/kind_fixture.h"

namespace resources::storagemigration {
namespace {

constexpr const char* kSpec = R"("spec":{"resource":{"group":"g","version":"v1","resource":"things"}})";

TEST(StorageVersionMigrations, NewAndChanged) {
  KindFixture migrations("storagemigration.k8s.io", "v1alpha1", "storageversionmigrations", "StorageVersionMigration",
                         false);
  EXPECT_EQ(migrations.Create(kSpec), "");
  EXPECT_EQ(migrations.Create(R"("spec":{"resource":{}})"),
            "spec.resource.resource: Required value: resource is required\n"
            "spec.resource.version: Required value: version is required");
  EXPECT_EQ(migrations.Update(kSpec, R"("spec":{"resource":{"group":"h","version":"v1","resource":"things"}})"),
            "group: Invalid value: \"h\": field is immutable");
}

// A change's metadata is looked at as a whole before its spec, and as a change after it.
TEST(StorageVersionMigrations, MetadataStandsAroundTheSpec) {
  KindFixture migrations("storagemigration.k8s.io", "v1alpha1", "storageversionmigrations", "StorageVersionMigration",
                         false);
  const std::string errors = migrations.Update(kSpec, R"("spec":{"resource":{"group":"g"}})", "", "",
                                               R"("labels":{"a b":""},"finalizers":["x"])");
  EXPECT_EQ(FieldsOf(errors),
            "metadata.labels metadata.labels metadata.labels metadata.finalizers[0] spec.resource.resource "
            "spec.resource.version metadata.labels metadata.finalizers[0] version resource");
}

TEST(StorageVersionMigrations, Status) {
  KindFixture migrations("storagemigration.k8s.io", "v1alpha1", "storageversionmigrations", "StorageVersionMigration",
                         false);
  const auto with = [](std::string_view status) { return base::Cat(kSpec, R"(,"status":{)", status, "}"); };
  const auto condition = [](std::string_view type, std::string_view status) {
    return base::Cat(R"({"type":")", type, R"(","status":")", status,
                     R"(","lastUpdateTime":"2027-01-01T00:00:00Z","reason":"r"})");
  };
  EXPECT_EQ(migrations.Update(with(""), with(R"("resourceVersion":"7")"), "status"), "");
  EXPECT_EQ(migrations.Update(with(R"("resourceVersion":"7")"), with(R"("resourceVersion":"-8")"), "status"),
            "status.resourceVersion: Invalid value: -8: must be greater than or equal to 0\n"
            "status.resourceVersion: Invalid value: \"-8\": resourceVersion cannot be updated");
  EXPECT_EQ(migrations.Update(with(""), with(R"("resourceVersion":"x")"), "status"),
            "status.resourceVersion: Invalid value: \"x\": failed to parse resource version \"x\": strconv.ParseInt: "
            "parsing \"x\": invalid syntax");
  EXPECT_EQ(
      migrations.Update(with(""), with(R"("conditions":[{"type":"Running","status":"x"}])"), "status"),
      "status.conditions[0].status: Unsupported value: \"x\": supported values: \"False\", \"True\", \"Unknown\"\n"
      "status.conditions[0].lastTransitionTime: Required value: must be set\n"
      "status.conditions[0].reason: Required value: must be set");
  const std::string both =
      base::Cat(R"("conditions":[)", condition("Succeeded", "True"), ",", condition("Failed", "True"), "]");
  EXPECT_NE(migrations.Update(with(""), with(both), "status")
                .find("Both success and failed conditions cannot be true at the same time"),
            std::string::npos);
  const std::string done = base::Cat(R"("conditions":[)", condition("Succeeded", "True"), "]");
  EXPECT_NE(migrations.Update(with(done), with(""), "status")
                .find("Success condition cannot be set to false once it is true"),
            std::string::npos);
}

}  // namespace
}  // namespace resources::storagemigration
