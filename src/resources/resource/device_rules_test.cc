// Claims, templates, classes and slices of devices: each rule with an object that breaks it.
#include <gtest/gtest.h>

#include <string>

#include "resources/kind_fixture.h"

namespace resources::resource {
namespace {

struct Case {
  const char *name, *members, *errors;
};

constexpr const char* kGroup = "resource.k8s.io";
constexpr std::string_view kRequests = R"("requests":[{"name":"r","deviceClassName":"c"}])";

std::string Claim(std::string_view more) {
  return base::Cat(R"("spec":{"devices":{)", kRequests, more.empty() ? "" : ",", more, "}}");
}

TEST(ResourceClaims, New) {
  KindFixture claims(kGroup, "v1beta1", "resourceclaims", "ResourceClaim", true);
  const std::string long_name(33, 'a');
  struct {
    const char* name;
    std::string members;
    std::string errors;
  } cases[] = {
      {"sound", Claim(""), ""},
      {"no class", R"("spec":{"devices":{"requests":[{"name":"r"}]}})",
       "spec.devices.requests[0].deviceClassName: Required value"},
      {"all and some",
       R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","allocationMode":"All","count":2}]}})",
       "spec.devices.requests[0].count: Invalid value: 2: must not be specified when allocationMode is 'All'"},
      {"less than one", R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","count":-1}]}})",
       "spec.devices.requests[0].count: Invalid value: -1: must be greater than zero"},
      {"unknown mode", R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","allocationMode":"x"}]}})",
       R"(spec.devices.requests[0].allocationMode: Unsupported value: "x": supported values: "All", "ExactCount")"},
      {"twice",
       R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"},{"name":"r","deviceClassName":"c"}]}})",
       R"(spec.devices.requests[1].name: Duplicate value: "r")"},
      {"no selector", R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","selectors":[{}]}]}})",
       "spec.devices.requests[0].selectors[0].cel: Required value"},
      {"constraint of nothing", Claim(R"("constraints":[{"requests":["s"]}])"),
       "spec.devices.constraints[0].requests[0]: Invalid value: \"s\": must be the name of a request in the claim\n"
       "spec.devices.constraints[0].matchAttribute: Required value"},
      {"no domain", Claim(R"("constraints":[{"matchAttribute":"a"}])"),
       R"(spec.devices.constraints[0].matchAttribute: Invalid value: "a": must include a domain)"},
      {"empty parts", Claim(R"("constraints":[{"matchAttribute":"/"}])"),
       "spec.devices.constraints[0].matchAttribute: Required value: the domain must not be empty\n"
       "spec.devices.constraints[0].matchAttribute: Required value: the name must not be empty"},
      {"long name", Claim(R"("constraints":[{"matchAttribute":"d/)" + long_name + "\"}]"),
       "spec.devices.constraints[0].matchAttribute: Too long: may not be more than 32 bytes"},
      {"no configuration", Claim(R"("config":[{}])"), "spec.devices.config[0].opaque: Required value"},
      {"no parameters", Claim(R"("config":[{"opaque":{"driver":"d"}}])"),
       "spec.devices.config[0].opaque.parameters: Required value"},
      {"no object", Claim(R"("config":[{"opaque":{"driver":"d","parameters":[1]}}])"),
       R"(spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object)"},
      {"long parameters",
       Claim(R"("config":[{"opaque":{"driver":"d","parameters":{"k":")" + std::string(10240, 'v') + "\"}}}]"),
       "spec.devices.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"},
  };
  for (const auto& c : cases) EXPECT_EQ(claims.Create(c.members), c.errors) << c.name;
}

TEST(ResourceClaims, Change) {
  KindFixture claims(kGroup, "v1beta1", "resourceclaims", "ResourceClaim", true);
  EXPECT_EQ(claims.Update(Claim(""), Claim("")), "");
  EXPECT_TRUE(claims.Update(Claim(""), R"("spec":{"devices":{}})").starts_with("spec: Invalid value: resource."));
  // Parameters are the text that was sent.
  const std::string spaced = Claim(R"("config":[{"opaque":{"driver":"d","parameters":{"a": 1}}}])");
  const std::string compact = Claim(R"("config":[{"opaque":{"driver":"d","parameters":{"a":1}}}])");
  EXPECT_EQ(claims.Update(spaced, spaced), "");
  EXPECT_NE(claims.Update(spaced, compact), "");
}

TEST(ResourceClaims, DropsWhatIsBehindGates) {
  KindFixture claims(kGroup, "v1beta1", "resourceclaims", "ResourceClaim", true);
  claims.Create(R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","adminAccess":true}]}})");
  EXPECT_EQ(claims.object().find("adminAccess"), std::string::npos);
}

TEST(ResourceClaims, Status) {
  KindFixture claims(kGroup, "v1beta1", "resourceclaims", "ResourceClaim", true);
  const auto with = [](std::string_view status) { return base::Cat(Claim(""), R"(,"status":{)", status, "}"); };
  constexpr std::string_view kAllocation =
      R"("allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p/q","device":"x"}]}})";
  constexpr std::string_view kReserved = R"("reservedFor":[{"resource":"pods","name":"p","uid":"u"}])";
  struct {
    const char* name;
    std::string old, now, errors;
  } cases[] = {
      {"allocated", "", std::string(kAllocation), ""},
      {"reserved", std::string(kAllocation), base::Cat(kAllocation, ",", kReserved), ""},
      {"reserved too early", "", std::string(kReserved),
       "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"},
      {"for nobody", std::string(kAllocation), base::Cat(kAllocation, R"(,"reservedFor":[{}])"),
       "status.reservedFor[0].resource: Required value\nstatus.reservedFor[0].name: Required value\n"
       "status.reservedFor[0].uid: Required value"},
      {"of no request", "",
       R"("allocation":{"devices":{"results":[{"request":"s","driver":"d","pool":"","device":"x"}]}})",
       "status.allocation.devices.results[0].request: Invalid value: \"s\": must be the name of a request in the "
       "claim\n"
       "status.allocation.devices.results[0].pool: Required value"},
      {"of no source", "",
       R"("allocation":{"devices":{"config":[{"opaque":{"driver":"d","parameters":{}}},{"source":"x","opaque":{"driver":"d","parameters":{}}}]}})",
       "status.allocation.devices.config[0].source: Required value\n"
       "status.allocation.devices.config[1].source: Unsupported value: \"x\": supported values: \"FromClaim\", "
       "\"FromClass\""},
      {"allocated anew", std::string(kAllocation), R"("allocation":{"devices":{}})",
       "status.allocation: Invalid value: resource.AllocationResult{}: field is immutable"},
  };
  for (const auto& c : cases) EXPECT_EQ(claims.Update(with(c.old), with(c.now), "status"), c.errors) << c.name;
}

TEST(ResourceClaimTemplates, MetadataIsLabelsAndAnnotations) {
  KindFixture templates(kGroup, "v1beta1", "resourceclaimtemplates", "ResourceClaimTemplate", true);
  const auto with = [](std::string_view metadata) {
    return base::Cat(R"("spec":{"metadata":{)", metadata, "},", Claim(""), "}");
  };
  EXPECT_EQ(templates.Create(with(R"("labels":{"a":"b"})")), "");
  EXPECT_EQ(templates.Create(with(R"("name":"n","uid":"u")")),
            "spec.metadata.name: Forbidden: cannot be set\nspec.metadata.uID: Forbidden: cannot be set");
  EXPECT_TRUE(templates.Update(with(""), with(R"("labels":{"a":"b"})"))
                  .starts_with("spec: Invalid value: resource.ResourceClaimTemplateSpec{"));
}

TEST(DeviceClasses, New) {
  KindFixture classes(kGroup, "v1beta1", "deviceclasses", "DeviceClass", false);
  EXPECT_EQ(classes.Create(R"("spec":{"selectors":[{"cel":{"expression":"true"}}]})"), "");
  EXPECT_EQ(classes.Create(R"("spec":{"selectors":[{"cel":{"expression":")" + std::string(10241, ' ') + "\"}}]}"),
            "spec.selectors[0].cel.expression: Too long: may not be more than 10240 bytes");
  EXPECT_EQ(classes.Create(R"("spec":{"config":[{}]})"), "spec.config[0].opaque: Required value");
}

TEST(ResourceSlices, New) {
  KindFixture slices(kGroup, "v1beta1", "resourceslices", "ResourceSlice", false);
  const auto with = [](std::string_view more) {
    return base::Cat(R"("spec":{"driver":"d","pool":{"name":"p","resourceSliceCount":1})", more, "}");
  };
  const auto device = [&](std::string_view basic) {
    return with(base::Cat(R"(,"allNodes":true,"devices":[{"name":"x","basic":)", basic, "}]"));
  };
  std::string many;
  for (int i = 0; i < 33; ++i) base::Append(many, i == 0 ? "" : ",", "\"a", i, "\":{\"bool\":true}");
  struct {
    const char* name;
    std::string members, errors;
  } cases[] = {
      {"sound",
       device(R"({"attributes":{"a":{"version":"1.2.3-rc.1+b"},"d/b":{"int":1}},"capacity":{"c":{"value":"1"}}})"), ""},
      {"empty pool", R"("spec":{"driver":"d","allNodes":true,"pool":{"generation":-1}})",
       "spec.pool.name: Required value\nspec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero\n"
       "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero"},
      {"nowhere", with(""),
       "spec: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"},
      {"at two places", with(R"(,"allNodes":true,"nodeName":"n")"),
       "spec: Invalid value: \"null\": exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"},
      {"no term", with(R"(,"nodeSelector":{"nodeSelectorTerms":[]})"),
       "spec.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term\n"
       "spec.nodeSelector.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm{}: must have exactly one node "
       "selector term"},
      {"device of no kind", with(R"(,"allNodes":true,"devices":[{"name":"x"},{"name":"x","basic":{}}])"),
       "spec.devices[0].basic: Required value\nspec.devices[1].name: Duplicate value: \"x\""},
      {"no value", device(R"({"attributes":{"a":{}}})"),
       "spec.devices[0].basic.attributes[a]: Required value: exactly one value must be specified"},
      {"two values", device(R"({"attributes":{"a":{"int":1,"bool":true}}})"),
       "spec.devices[0].basic.attributes[a]: Invalid value: resource.DeviceAttribute{\"int\":1,\"bool\":true}: exactly "
       "one value must be specified"},
      {"no version", device(R"({"attributes":{"a":{"version":"01.2.3"}}})"),
       "spec.devices[0].basic.attributes[a].version: Invalid value: \"01.2.3\": must be a string compatible with "
       "semver.org spec 2.0.0"},
      {"too many", device("{\"attributes\":{" + many + "}}"),
       "spec.devices[0].basic: Invalid value: 33: the total number of attributes and capacities must not exceed 32"},
  };
  for (const auto& c : cases) EXPECT_EQ(slices.Create(c.members), c.errors) << c.name;
  EXPECT_EQ(slices.Update(with(R"(,"nodeName":"n")"), with(R"(,"nodeName":"m")")),
            "spec.nodeName: Invalid value: \"m\": field is immutable");
}

// What is wrong with metadata is told where the real server looks at them: between the rules.
TEST(ResourceKinds, TellErrorsOfMetadataBetweenOthers) {
  const std::string metadata = R"("finalizers":["f"])";
  const std::string finalizer =
      "metadata.finalizers[0]: Invalid value: \"f\": name is neither a standard finalizer name nor is it fully "
      "qualified\n";
  KindFixture templates(kGroup, "v1beta1", "resourceclaimtemplates", "ResourceClaimTemplate", true);
  const auto claim_template = [](std::string_view more) {
    return base::Cat(R"("spec":{)", more, R"("spec":{"devices":{)", kRequests, "}}}");
  };
  const std::string forbidden = "spec.metadata.name: Forbidden: cannot be set";
  EXPECT_EQ(templates.Update(claim_template(R"("metadata":{"name":"n"},)"),
                             claim_template(R"("metadata":{"name":"n"},)"), "", "", metadata),
            finalizer + forbidden + "\n" + finalizer + forbidden);
  KindFixture claims(kGroup, "v1beta1", "resourceclaims", "ResourceClaim", true);
  const std::string bad = R"("spec":{"devices":{"requests":[{"name":"r"}]}})";
  const std::string required = "spec.devices.requests[0].deviceClassName: Required value";
  EXPECT_EQ(claims.Update(bad, bad, "", "", metadata), finalizer + required + "\n" + finalizer + required);
}

}  // namespace
}  // namespace resources::resource
