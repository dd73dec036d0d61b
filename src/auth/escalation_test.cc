#include "auth/escalation.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "value/json_reader.h"

namespace auth {
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

PolicyRule RuleOfWords(size_t count, std::string_view prefix) {
  PolicyRule rule;
  for (auto* words : {&rule.verbs, &rule.groups, &rule.resources, &rule.resource_names}) {
    for (size_t i = 0; i < count; ++i) words->push_back(base::Cat(prefix, i));
  }
  return rule;
}

// A hundred words in each of four lists are 10^8 combinations: enumerating them would take minutes, and gigabytes.
TEST(Escalation, DoesNotEnumerateTheProductOfTheLists) {
  const api::User ann{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const PolicyRule granted = RuleOfWords(100, "w");
  const std::string refusal = Escalation(ann, {.rules = {}, .errors = {}}, {granted});
  EXPECT_TRUE(refusal.ends_with("\n..."));
  EXPECT_LT(refusal.size(), 1U << 20);
  EXPECT_EQ(Escalation(ann, {.rules = {granted}, .errors = {}}, {granted}), "");
  // Only one of all combinations is not held: no rule has the last word of all four lists.
  PolicyRules held;
  for (auto list : {&PolicyRule::verbs, &PolicyRule::groups, &PolicyRule::resources, &PolicyRule::resource_names}) {
    held.push_back(granted);
    (held.back().*list).pop_back();
  }
  EXPECT_EQ(Escalation(ann, {.rules = held, .errors = {}}, {granted}),
            "user \"ann\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n"
            R"({APIGroups:["w99"], Resources:["w99"], ResourceNames:["w99"], Verbs:["w99"]})");
}

// Held rules may be made so that no two words are covered alike.
TEST(Escalation, RefusesWhatTakesTooLongToCompare) {
  const api::User ann{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const PolicyRule granted = RuleOfWords(400, "w");
  PolicyRules held;
  for (size_t i = 0; i < 1000; ++i) {
    PolicyRule rule;
    size_t n = i;
    for (auto list : {&PolicyRule::verbs, &PolicyRule::groups, &PolicyRule::resources, &PolicyRule::resource_names}) {
      for (size_t word = 0; word < 400; ++word) {
        if ((word * 2654435761U + n * 40503U) % 97 < 93) (rule.*list).push_back(base::Cat("w", word));
      }
      n = n * 31 + 7;
    }
    held.push_back(std::move(rule));
  }
  EXPECT_NE(Escalation(ann, {.rules = held, .errors = {}}, {granted}), "");
}

TEST(Escalation, NamesTheRolesThatAreMissing) {
  const api::User ann{.name = "ann", .uid = {}, .groups = {}, .extra = {}};
  const PolicyRules granted{{.verbs = {"get"}, .groups = {}, .resources = {}, .resource_names = {}, .urls = {"/a"}}};
  EXPECT_TRUE(Escalation(ann, {.rules = {}, .errors = {"x"}}, granted).ends_with("; resolution errors: [x]"));
  EXPECT_TRUE(Escalation(ann, {.rules = {}, .errors = {"x", "y"}}, granted).ends_with("; resolution errors: [[x, y]]"));
}

}  // namespace
}  // namespace auth
