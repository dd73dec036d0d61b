#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/rules/rules.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

// Every error of an object of the resource, a line each.
std::string ErrorsOf(std::string_view plural, Rules rules, const std::string& object) {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  resource.plural = plural;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  Errors errors;
  Check(context, rules, FieldPath(), *value::ReadJson(object, arena), nullptr, errors);
  std::vector<std::string> texts;
  for (const api::FieldError& error : std::move(errors).Take()) texts.push_back(error.field + ": " + error.Message());
  return base::Join(texts, "\n");
}

constexpr Rule kPod[] = {Call(CheckNewPod)};
constexpr Rule kPodTemplate[] = {Call(CheckPodTemplateSpec)};

// A spec that keeps the rules, with `fields` besides.
std::string Spec(std::string_view image, std::string_view fields) {
  return base::Cat(R"("spec":{"restartPolicy":"Always","dnsPolicy":"ClusterFirst","terminationGracePeriodSeconds":30,
      "containers":[{"name":"c","image":")",
                   image, R"(","terminationMessagePolicy":"File","imagePullPolicy":"Always"}])",
                   fields.empty() ? "" : ",", fields, "}");
}

TEST(PodSpec, FieldsOfItsOwn) {
  struct {
    const char* name;
    const char* fields;
    const char* errors;
  } cases[] = {
      {"sound", R"("activeDeadlineSeconds":1,"nodeName":"n","serviceAccountName":"a","hostname":"h","subdomain":"s")",
       ""},
      {"deadline", R"("activeDeadlineSeconds":0)",
       "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"},
      {"overhead", R"("overhead":{"cpu":"-1"})",
       "spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0"},
      {"preemption", R"("preemptionPolicy":"Always")",
       "spec.preemptionPolicy: Unsupported value: \"Always\": supported values: \"PreemptLowerPriority\", \"Never\""},
      {"preemption that is empty", R"("preemptionPolicy":"")", "spec.preemptionPolicy: Required value"},
      {"node before its gates are gone", R"("nodeName":"n","schedulingGates":[{"name":"g"}])",
       "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"},
      {"token without account",
       R"("volumes":[{"name":"v","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"path":"p","expirationSeconds":600}}]}}])",
       "spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when "
       "serviceAccountName is not set"},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(ErrorsOf("pods", kPod, base::Cat("{", Spec("i", test.fields), "}")), test.errors) << test.name;
  }
}

TEST(PodSpec, AbsentOrEmpty) {
  EXPECT_EQ(ErrorsOf("pods", kPod, "{}"),
            "spec.terminationGracePeriodSeconds: Required value\n"
            "spec.containers: Required value\n"
            "spec.restartPolicy: Required value\n"
            "spec.dnsPolicy: Required value");
}

TEST(PodSpec, TemplatesKeepOtherRules) {
  const std::string space = base::Cat("{", Spec(" i", ""), "}");
  EXPECT_EQ(ErrorsOf("pods", kPod, space),
            "spec.containers[0].image: Invalid value: \" i\": must not have leading or trailing whitespace");
  EXPECT_EQ(ErrorsOf("podtemplates", kPodTemplate, space), "");

  const std::string ephemeral = base::Cat(
      "{",
      Spec(
          "i",
          R"("ephemeralContainers":[{"name":"e","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Never"}])"),
      "}");
  EXPECT_EQ(ErrorsOf("pods", kPod, ephemeral), "spec.ephemeralContainers: Forbidden: cannot be set on create");
  EXPECT_EQ(ErrorsOf("podtemplates", kPodTemplate, ephemeral),
            "spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template");

  const std::string port = base::Cat(R"({"metadata":{"labels":{"a b":""}},"spec":{"hostNetwork":true,)",
                                     Spec("i", "").substr(std::string_view(R"("spec":{)").size()), "}");
  EXPECT_TRUE(ErrorsOf("podtemplates", kPodTemplate, port).starts_with("labels: Invalid value: \"a b\": name part"));
}

}  // namespace
}  // namespace resources::core
