// Flow schemas and priority levels: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::flowcontrol {
namespace {

struct Case {
  const char *name, *members, *errors;
};

TEST(FlowSchemas, New) {
  KindFixture schemas("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "FlowSchema", false);
  const Case kCases[] = {
      {"whole", R"("spec":{"priorityLevelConfiguration":{"name":"a"},"rules":[{
         "subjects":[{"kind":"User","user":{"name":"u"}},{"kind":"ServiceAccount","serviceAccount":{"name":"*","namespace":"n"}}],
         "resourceRules":[{"verbs":["get"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"]}],
         "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["/","/a/*"]}]}]})",
       ""},
      {"nothing", "", "spec.priorityLevelConfiguration.name: Required value: must reference a priority level"},
      {"low precedence", R"("spec":{"matchingPrecedence":-1,"priorityLevelConfiguration":{"name":"a"}})",
       "spec.matchingPrecedence: Invalid value: -1: must be a positive value"},
      {"high precedence", R"("spec":{"matchingPrecedence":10001,"priorityLevelConfiguration":{"name":"a"}})",
       "spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000"},
      {"the first", R"("spec":{"matchingPrecedence":1,"priorityLevelConfiguration":{"name":"a"}})",
       "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"},
      {"empty rule", R"("spec":{"priorityLevelConfiguration":{"name":"a"},"rules":[{}]})",
       "spec.rules[0].subjects: Required value: subjects must contain at least one value\n"
       "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty"},
      {"subjects", R"("spec":{"priorityLevelConfiguration":{"name":"a"},"rules":[{"nonResourceRules":[
          {"verbs":["x"],"nonResourceURLs":["a","/ ","//","/*/b",""]}],"subjects":[{"kind":"x"},
          {"kind":"User","group":{"name":"g"}},{"kind":"ServiceAccount","serviceAccount":{}}]}]})",
       "spec.rules[0].subjects[0].kind: Unsupported value: \"x\": supported values: \"Group\", \"ServiceAccount\", "
       "\"User\"\nspec.rules[0].subjects[1].user: Required value: user is required when subject kind is 'User'\n"
       "spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'\n"
       "spec.rules[0].subjects[2].serviceAccount.name: Required value\n"
       "spec.rules[0].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service "
       "account\n"
       "spec.rules[0].nonResourceRules[0].verbs: Unsupported value: []string{\"x\"}: supported values: \"create\", "
       "\"delete\", \"deletecollection\", \"get\", \"list\", \"patch\", \"proxy\", \"update\", \"watch\"\n"
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: \"a\": must start with slash\n"
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: \"/ \": must not contain white-space\n"
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[2]: Invalid value: \"//\": must not contain double slash\n"
       "spec.rules[0].nonResourceRules[0].nonResourceURLs[3]: Invalid value: \"/*/b\": wildcard can only do suffix "
       "matching\nspec.rules[0].nonResourceRules[0].nonResourceURLs[4]: Invalid value: \"\": must not be empty"},
  };
  for (const Case& c : kCases) EXPECT_EQ(schemas.Create(c.members), c.errors) << c.name;
}

TEST(FlowSchemas, StatusConditionsDiffer) {
  KindFixture schemas("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "FlowSchema", false);
  EXPECT_EQ(schemas.Update("", R"("status":{"conditions":[{"type":"a"},{"type":"a"},{}]})", "status"),
            "status.conditions[1].type: Duplicate value: \"a\"\n"
            "status.conditions[2].type: Required value: must not be empty");
}

TEST(PriorityLevels, New) {
  KindFixture levels("flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations", "PriorityLevelConfiguration",
                     false);
  const Case kCases[] = {
      {"whole", R"("spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{}}}})", ""},
      {"nothing", "", "spec.type: Unsupported value: \"\": supported values: \"Exempt\", \"Limited\""},
      {"exempt", R"("spec":{"type":"Exempt"})",
       "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'"},
      {"not limited", R"("spec":{"type":"Limited","exempt":{}})",
       "spec.exempt: Forbidden: must be nil if the type is Limited\n"
       "spec.limited: Required value: must not be empty when type is Limited"},
      {"numbers", R"("spec":{"type":"Limited","limited":{"nominalConcurrencyShares":-1,"lendablePercent":101,
          "borrowingLimitPercent":-1,"limitResponse":{"type":"Reject","queuing":{}}}})",
       "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer\n"
       "spec.limited.limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited\n"
       "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive\n"
       "spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer"},
      {"hands", R"("spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":
          {"queues":183,"handSize":8,"queueLengthLimit":-1}}}})",
       "spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive\n"
       "spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 183 and "
       "handSize "
       "8 should not be greater than 60"},
  };
  for (const Case& c : kCases) EXPECT_EQ(levels.Create(c.members), c.errors) << c.name;
}

}  // namespace
}  // namespace resources::flowcontrol
