#include "resources/core/resource_rules.h"

#include <gtest/gtest.h>

#include "value/json_reader.h"

namespace resources::core {
namespace {

// Every error of `requirements` as the API lists it, a line each.
std::string ErrorsOf(std::string_view requirements, const RequirementOptions& options = {}) {
  value::Arena arena;
  Errors errors;
  CheckResourceRequirements(errors, FieldPath("r"), *value::ReadJson(requirements, arena), options);
  std::string text;
  for (const api::FieldError& error : std::move(errors).Take()) text += error.field + ": " + error.Message() + "\n";
  return text;
}

TEST(ResourceRules, Requirements) {
  struct {
    const char* name;
    const char* requirements;
    const char* errors;
  } cases[] = {
      {"nothing", "{}", ""},
      {"equal", R"({"limits":{"e.com/a":"2","cpu":"1"},"requests":{"e.com/a":"2","cpu":"500m"}})", ""},
      {"above the limit", R"({"limits":{"cpu":"1"},"requests":{"cpu":"2"}})",
       "r.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1\n"},
      {"extended, below the limit", R"({"limits":{"e.com/a":"2"},"requests":{"e.com/a":"1"}})",
       "r.requests: Invalid value: \"1\": must be equal to e.com/a limit of 2\n"},
      {"extended, no limit", R"({"requests":{"e.com/a":"1"}})",
       "r.limits: Required value: Limit must be set for non overcommitable resources\n"},
      {"native of a domain, no limit", R"({"requests":{"kubernetes.io/batch-cpu":"1"}})", ""},
      {"negative", R"({"limits":{"cpu":"-1"}})",
       "r.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n"},
      {"part of a counted thing", R"({"limits":{"e.com/a":"1500m"}})",
       "r.limits[e.com/a]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, "
       "d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"1500m\", Format:\"DecimalSI\"}: must be an integer\n"},
      {"unknown", R"({"limits":{"gpu":"1"}})",
       "r.limits[gpu]: Invalid value: gpu: must be a standard resource type or fully qualified\n"
       "r.limits[gpu]: Invalid value: gpu: must be a standard resource for containers\n"},
      {"of quotas only", R"({"limits":{"pods":"1"}})",
       "r.limits[pods]: Invalid value: pods: must be a standard resource for containers\n"},
      {"a quota's prefix", R"({"limits":{"requests.e.com/x":"1"}})",
       "r.limits[requests.e.com/x]: Invalid value: requests.e.com/x: doesn't follow extended resource name standard\n"},
      {"huge pages alone", R"({"limits":{"hugepages-2Mi":"4Mi"},"requests":{"hugepages-2Mi":"4Mi"}})",
       "r: Forbidden: HugePages require cpu or memory\n"},
      {"huge pages with memory", R"({"limits":{"hugepages-2Mi":"4Mi","memory":"1"}})", ""},
      {"half a huge page", R"({"limits":{"hugepages-2Mi":"3Mi","cpu":"1"}})",
       "r.limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not positive integer multiple of hugepages-2Mi\n"},
      {"no size of a page", R"({"limits":{"hugepages-x":"2Mi","cpu":"1"}})",
       "r.limits[hugepages-x]: Invalid value: \"2Mi\": 2Mi is not positive integer multiple of hugepages-x\n"},
      {"claims", R"({"claims":[{},{"name":"a"},{"name":"a"},{"name":"b","request":"R"},{"name":"b"},{"name":"c"}]})",
       "r.claims[0]: Required value\n"
       "r.claims[2]: Duplicate value: \"a\"\n"
       "r.claims[3].request: Invalid value: \"R\": a lowercase RFC 1123 label must consist of lower case alphanumeric "
       "characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
       "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
       "r.claims[4]: Duplicate value: \"b\"\n"
       "r.claims[5]: Not found: \"c\": must be one of the names in pod.spec.resourceClaims: a, b\n"},
      {"requests of a claim", R"({"claims":[{"name":"a","request":"x"},{"name":"a","request":"y"}]})", ""},
      {"a request twice", R"({"claims":[{"name":"a","request":"x"},{"name":"a","request":"x"}]})",
       "r.claims[1]: Duplicate value: \"a/x\"\n"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ErrorsOf(test.requirements, {.claims = {"a", "b"}}), test.errors) << test.name;
  }
  EXPECT_EQ(ErrorsOf(R"({"limits":{"hugepages-2Mi":"3Mi","cpu":"1"}})", {.allow_indivisible_huge_pages = true}), "");
}

TEST(ResourceRules, KindsOfNames) {
  struct {
    std::string_view name;
    bool standard, quota, container, integer, overcommit;
  } cases[] = {
      {"cpu", true, true, true, false, true},
      {"storage", true, false, false, false, true},
      {"requests.storage", true, true, false, false, true},
      {"services.nodeports", true, true, false, true, true},
      {"hugepages-1Gi", true, true, true, false, false},
      {"requests.hugepages-1Gi", true, true, false, false, true},
      {"e.com/a", false, false, false, true, false},
      {"kubernetes.io/a", false, false, false, false, true},
      {"gpu", false, false, false, false, true},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(IsStandardResource(test.name), test.standard) << test.name;
    EXPECT_EQ(IsStandardQuotaResource(test.name), test.quota) << test.name;
    EXPECT_EQ(IsStandardContainerResource(test.name), test.container) << test.name;
    EXPECT_EQ(IsIntegerResource(test.name), test.integer) << test.name;
    EXPECT_EQ(IsOvercommitAllowed(test.name), test.overcommit) << test.name;
  }
}

}  // namespace
}  // namespace resources::core
