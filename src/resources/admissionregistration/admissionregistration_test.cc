// Webhook configurations, admission policies and their bindings: each rule with an object that breaks it, and one that
// keeps all.
#include <gtest/gtest.h>

#include "resources/admissionregistration/json_path.h"
#include "resources/kind_fixture.h"

namespace resources::admissionregistration {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

struct Case {
  const char *name, *more, *errors;
};

std::string Webhook(std::string_view more, std::string_view client = R"("url":"https://a.b/c")") {
  return base::Cat(R"({"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{)", client,
                   "}", more.empty() ? "" : ",", more, "}");
}

TEST(Webhooks, CountWhatIsEmptyAsChanges) {
  constexpr std::string_view kFirst = R"("generation":1)";
  const std::string plain = base::Cat("\"webhooks\":[", Webhook(""), "]");
  const std::string no_bytes = base::Cat("\"webhooks\":[", Webhook("", R"("url":"https://a.b/c","caBundle":"")"), "]");
  const struct {
    const char* name;
    std::string old, now;
    int64_t generation;
  } kCases[] = {
      {"same", plain, plain, 1},
      {"list", "", "\"webhooks\":[]", 2},
      {"no bytes", plain, no_bytes, 2},
      {"no bytes any more", no_bytes, plain, 2},
      {"the same bytes", no_bytes, no_bytes, 1},
      {"inner list", plain, base::Cat("\"webhooks\":[", Webhook("\"matchConditions\":[]"), "]"), 2},
  };
  for (const char* kind : {"Mutating", "Validating"}) {
    const std::string plural =
        kind == std::string_view("Mutating") ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations";
    KindFixture hooks(std::string(kGroup), "v1", plural, base::Cat(kind, "WebhookConfiguration"), false);
    for (const auto& c : kCases) {
      EXPECT_EQ(hooks.Update(c.old, c.now, "", kFirst, kFirst), "") << c.name;
      EXPECT_EQ(hooks.generation(), c.generation) << kind << ' ' << c.name;
    }
  }
}

TEST(Webhooks, New) {
  KindFixture hooks(std::string(kGroup), "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", false);
  EXPECT_EQ(hooks.Create(base::Cat("\"webhooks\":[", Webhook(""), "]")), "");
  EXPECT_EQ(hooks.Create(R"("webhooks":[{}])"),
            "webhooks[0].name: Required value\nwebhooks[0].sideEffects: Required value: must specify one of None, "
            "NoneOnDryRun\nwebhooks[0].clientConfig: Required value: exactly one of url or service is required\n"
            "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1");
  const Case kCases[] = {
      {"enums", R"("failurePolicy":"","matchPolicy":"x","reinvocationPolicy":"x","timeoutSeconds":31)",
       "webhooks[0].failurePolicy: Unsupported value: \"\": supported values: \"Fail\", \"Ignore\"\n"
       "webhooks[0].matchPolicy: Unsupported value: \"x\": supported values: \"Equivalent\", \"Exact\"\n"
       "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds\n"
       "webhooks[0].reinvocationPolicy: Unsupported value: \"x\": supported values: \"IfNeeded\", \"Never\""},
      {"rule",
       R"("rules":[{"operations":["*","X"],"apiGroups":[""],"apiVersions":[""],"scope":"x","resources":["*","a"]}])",
       "webhooks[0].rules[0].operations: Invalid value: []admissionregistration.OperationType{\"*\", \"X\"}: if '*' is "
       "present, must not specify other operations\nwebhooks[0].rules[0].operations[1]: Unsupported value: \"X\": "
       "supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"\n"
       "webhooks[0].rules[0].apiVersions[0]: Required value\n"
       "webhooks[0].rules[0].resources: Invalid value: []string{\"*\", \"a\"}: if '*' is present, must not specify "
       "other "
       "resources without subresources\nwebhooks[0].rules[0].scope: Unsupported value: \"x\": supported values: \"*\", "
       "\"Cluster\", \"Namespaced\""},
      {"what stands before a wildcard passes",
       R"("rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["a","*","b/c","b/*","d/*","d/e"]}])",
       "webhooks[0].rules[0].resources[5]: Invalid value: \"d/e\": if 'd/*' is present, must not specify d/e"},
      {"conditions",
       R"("matchConditions":[{"name":"a","expression":" "},{"name":"a","expression":"true"},{"expression":"x"}])",
       "webhooks[0].matchConditions[0].expression: Required value\n"
       "webhooks[0].matchConditions[1].name: Duplicate value: \"a\"\n"
       "webhooks[0].matchConditions[2].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: "
       "undeclared reference to 'x' (in container '')\n | x\n | ^\n"
       "webhooks[0].matchConditions[2].name: Required value"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(hooks.Create(base::Cat("\"webhooks\":[", Webhook(c.more), "]")), c.errors) << c.name;
  }
  EXPECT_EQ(hooks.Create(base::Cat("\"webhooks\":[", Webhook(""), ",", Webhook(""), "]")),
            "webhooks[1].name: Duplicate value: \"a.b.c\"");
}

TEST(Webhooks, Clients) {
  KindFixture hooks(std::string(kGroup), "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
                    false);
  const std::string at = "webhooks[0].clientConfig.";
  struct {
    const char* client;
    std::string errors;
  } cases[] = {
      {R"("service":{"name":"a","namespace":"b","path":"/x/y/"})", ""},
      {R"("service":{"name":"a","port":70000,"path":"x//"})",
       base::Cat(at, "service.name: Required value: service name is required\n", at,
                 "service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive\n", at,
                 "service.path: Invalid value: \"x//\": must start with a '/'\n", at,
                 "service.path: Invalid value: \"x//\": segment[0] may not be empty\n", at,
                 "service.path: Invalid value: \"x//\": segment[1] may not be empty")},
      {R"("url":"http://u:p@/x?q#f")",
       base::Cat(at,
                 "url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: "
                 "https://host[/path]\n",
                 at,
                 "url: Invalid value: \"\": host must be specified; desired format: "
                 "https://host[/path]\n",
                 at,
                 "url: Invalid value: \"u:p\": user information is not permitted in the "
                 "URL\n",
                 at, "url: Invalid value: \"f\": fragments are not permitted in the URL\n", at,
                 "url: Invalid value: \"q\": query parameters are not permitted in the URL")},
      {R"("url":"https://a/%zz")",
       base::Cat(at,
                 "url: Required value: url must be a valid URL: parse \"https://a/%zz\": invalid URL escape \"%zz\"; "
                 "desired format: https://host[/path]")},
      {R"("url":"https://a:b/")",
       base::Cat(at,
                 "url: Required value: url must be a valid URL: parse \"https://a:b/\": invalid port \":b\" after "
                 "host; desired format: https://host[/path]")},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(hooks.Create(base::Cat("\"webhooks\":[", Webhook("", c.client), "]")), c.errors) << c.client;
  }
}

TEST(Policies, New) {
  KindFixture policies(std::string(kGroup), "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", false);
  constexpr std::string_view kMatch =
      R"("matchConstraints":{"resourceRules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]},)";
  EXPECT_EQ(
      policies.Create(""),
      "spec.matchConstraints: Required value\nspec.validations: Required value: validations or auditAnnotations "
      "must contain at least one item\nspec.auditAnnotations: Required value: validations or auditAnnotations must "
      "contain at least one item");
  const Case kCases[] = {
      {"whole", R"("validations":[{"expression":"true"}])", ""},
      {"types", R"("validations":[{"expression":"1","messageExpression":"object"}])",
       "spec.validations[0].expression: Invalid value: \"1\": must evaluate to bool but got int\n"
       "spec.validations[0].messageExpression: Invalid value: \"object\": must evaluate to string but got dyn"},
      {"variables are known to those that follow",
       R"("variables":[{"name":"a","expression":"1"}],"validations":[{"expression":"variables.a == 1 && variables.b"}])",
       "spec.validations[0].expression: Invalid value: \"variables.a == 1 && variables.b\": compilation failed: ERROR: "
       "<input>:1:30: undefined field 'b'\n | variables.a == 1 && variables.b\n | .............................^"},
      {"validation",
       R"("validations":[{"messageExpression":" ","message":" ","reason":"x"},{"expression":"a","message":"b\nc"}])",
       "spec.validations[0].expression: Required value: expression is not specified\n"
       "spec.validations[0].messageExpression: Invalid value: \" \": must be non-empty if specified\n"
       "spec.validations[0].message: Invalid value: \" \": message must be non-empty if specified\n"
       "spec.validations[0].reason: Unsupported value: \"x\": supported values: \"Forbidden\", \"Invalid\", "
       "\"RequestEntityTooLarge\"\n"
       "spec.validations[1].expression: Invalid value: \"a\": compilation failed: ERROR: <input>:1:1: "
       "undeclared reference to 'a' (in container '')\n | a\n | ^\n"
       "spec.validations[1].message: Invalid value: \"b\\nc\": message must not contain line breaks"},
      {"kind of parameters", R"("paramKind":{"apiVersion":"a/b/c"},"validations":[{"expression":"true"}])",
       "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c\n"
       "spec.paramKind.kind: Required value"},
      {"variables",
       R"("variables":[{"name":"if","expression":" "},{"name":" "}],"validations":[{"expression":"true"}])",
       "spec.variables[0].name: Invalid value: \"if\": name is not a valid CEL identifier\n"
       "spec.variables[0].expression: Required value: expression is not specified\n"
       "spec.variables[1].name: Required value: name is not specified\n"
       "spec.variables[1].expression: Required value: expression is not specified"},
      {"annotations", R"("auditAnnotations":[{"key":"a","valueExpression":"'x'"},{"key":"a"}])",
       "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified\n"
       "spec.auditAnnotations[1].key: Duplicate value: \"a\""},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(policies.Create(base::Cat("\"spec\":{", kMatch, c.more, "}")), c.errors) << c.name;
  }
  EXPECT_EQ(
      policies.Update("", R"("status":{"typeChecking":{"expressionWarnings":[{"fieldRef":"a[x]"}]}})", "status"),
      "status.typeChecking.expressionWarnings[0].warning: Required value\n"
      "status.typeChecking.expressionWarnings[0].fieldRef: Invalid value: \"a[x]\": invalid JSONPath: invalid array "
      "index x");
}

TEST(PolicyBindings, New) {
  KindFixture bindings(std::string(kGroup), "v1", "validatingadmissionpolicybindings",
                       "ValidatingAdmissionPolicyBinding", false);
  const Case kCases[] = {
      {"whole", R"("policyName":"a","validationActions":["Deny","Audit"])", ""},
      {"nothing", "",
       "spec.policyName: Required value\nspec.validationActions: Required value: at least one validation action is "
       "required"},
      {"actions", R"("policyName":"a","validationActions":["Deny","Warn","Warn"])",
       "spec.validationActions[2]: Duplicate value: \"Warn\"\nspec.validationActions: Invalid value: "
       "[]admissionregistration.ValidationAction{\"Deny\", \"Warn\", \"Warn\"}: must not contain both Deny and Warn "
       "(repeating the same validation failure information in the API response and headers serves no purpose)"},
      {"parameters", R"("policyName":"a","validationActions":["Deny"],"paramRef":{"name":"a/b","selector":{}})",
       "spec.paramRef.name: Invalid value: \"a/b\": may not contain '/'\n"
       "spec.paramRef.name: Forbidden: name and selector are mutually exclusive\n"
       "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive\n"
       "spec.paramRef.parameterNotFoundAction: Required value"},
  };
  for (const Case& c : kCases) EXPECT_EQ(bindings.Create(base::Cat("\"spec\":{", c.more, "}")), c.errors) << c.name;
}

TEST(MutatingPolicies, New) {
  KindFixture policies(std::string(kGroup), "v1alpha1", "mutatingadmissionpolicies", "MutatingAdmissionPolicy", false);
  constexpr std::string_view kMatch =
      R"("matchConstraints":{"resourceRules":[{"operations":["DELETE"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}]},)";
  EXPECT_EQ(policies.Create(
                base::Cat("\"spec\":{", kMatch, R"("mutations":[{"patchType":"JSONPatch","applyConfiguration":{}},{},
              {"patchType":"x"},{"patchType":"ApplyConfiguration","applyConfiguration":{}}]})")),
            "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", "
            "\"CONNECT\", \"CREATE\", \"UPDATE\"\n"
            "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch\n"
            "spec.mutations[0].applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be specified when "
            "patchType is JSONPatch\nspec.mutations[1].patchType: Required value\n"
            "spec.mutations[2].patchType: Unsupported value: \"x\": supported values: \"ApplyConfiguration\", "
            "\"JSONPatch\"\nspec.mutations[3].applyConfiguration.expression: Required value\n"
            "spec.reinvocationPolicy: Required value");
}

TEST(JsonPath, SaysWhatIsWrong) {
  const struct {
    const char *path, *complaint;
  } cases[] = {
      {"{.a.b[0].c[1:2]['x y'][*][?(@.a==\"b\")]..d}", ""},
      {"{a[0}", "unterminated array"},
      {"{a[x]}", "invalid array index x"},
      {"{a", "unclosed action"},
      {"{a['b','c']}", ""},
      {"{#}", "unrecognized character in action: U+0023 '#'"},
      {"{'a}", "unterminated quoted string"},
      {"{a[?(@.b}", "unterminated filter"},
      {"text", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(JsonPathComplaint(c.path), c.complaint) << c.path;
}

}  // namespace
}  // namespace resources::admissionregistration
