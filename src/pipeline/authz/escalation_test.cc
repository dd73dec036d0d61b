#include "pipeline/authz/escalation.h"

#include <gtest/gtest.h>

#include "value/json_reader.h"

namespace pipeline {
namespace {

TEST(Escalation, SaysWhatIsNotHeld) {
  struct Case {
    std::string_view name, held, granted, missing;
  };
  constexpr std::string_view kPods = R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}])";
  const Case cases[] = {
      {"nothing granted", "[]", "[]", ""},
      {"the same", kPods, kPods, ""},
      {"verbs of one resource stand together", "[]", kPods,
       R"({APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]})"},
      {"a name of what is held", kPods,
       R"([{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}])", ""},
      {"all of which one is held",
       R"([{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}])", kPods,
       R"({APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]})"},
      {"a subresource of everything", R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*/scale"]}])",
       R"([{"verbs":["get"],"apiGroups":["apps"],"resources":["deployments/scale","deployments/status"]}])",
       R"({APIGroups:["apps"], Resources:["deployments/status"], Verbs:["get"]})"},
      {"URLs, in order of their text", R"([{"verbs":["get"],"nonResourceURLs":["/x/*"]}])",
       R"([{"verbs":["get","post"],"nonResourceURLs":["/x/y","/a"]}])",
       R"({NonResourceURLs:["/a"], Verbs:["get"]}
{NonResourceURLs:["/a"], Verbs:["post"]}
{NonResourceURLs:["/x/y"], Verbs:["post"]})"},
  };
  const api::User ann{.name = "ann", .uid = {}, .groups = {"a", "b"}, .extra = {}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    value::Arena arena;
    const auto rules = [&](std::string_view json) { return ParsePolicyRules(value::ReadJson(json, arena).value()); };
    std::string wanted(c.missing);
    if (!wanted.empty()) {
      wanted.insert(
          0, "user \"ann\" (groups=[\"a\" \"b\"]) is attempting to grant RBAC permissions not currently held:\n");
    }
    EXPECT_EQ(Escalation(ann, {.rules = rules(c.held), .errors = {}}, rules(c.granted)), wanted);
    EXPECT_EQ(Escalation(ann, {.rules = FullAuthority(), .errors = {}}, rules(c.granted)), "");
  }
}

TEST(Escalation, NamesTheRolesThatAreMissing) {
  const api::User ann{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const PolicyRules granted{{.verbs = {"get"}, .groups = {}, .resources = {}, .resource_names = {}, .urls = {"/a"}}};
  EXPECT_TRUE(Escalation(ann, {.rules = {}, .errors = {"x"}}, granted).ends_with("; resolution errors: [x]"));
  EXPECT_TRUE(Escalation(ann, {.rules = {}, .errors = {"x", "y"}}, granted).ends_with("; resolution errors: [[x, y]]"));
}

}  // namespace
}  // namespace pipeline
