#include "resources/core/pod/pod_warnings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "resources/strategies.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

std::string WarningsOf(std::string_view pod_template) {
  value::Arena arena;
  std::vector<std::string> warnings;
  WarnOfPodTemplate(FieldPath("t"), *value::ReadJson(pod_template, arena), warnings);
  return base::Join(warnings, "\n");
}

TEST(PodWarnings, EachKind) {
  struct {
    const char* name;
    const char* pod_template;
    const char* warnings;
  } cases[] = {
      {"nothing", R"({"spec":{"containers":[{"name":"c"}]}})", ""},
      {"node labels",
       R"({"spec":{"nodeSelector":{"beta.kubernetes.io/os":"a"},"affinity":{"nodeAffinity":{
           "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"app.kubernetes.io/created-by"}]}]},
           "preferredDuringSchedulingIgnoredDuringExecution":[{"preference":{"matchExpressions":[{"key":"a"},{"key":"beta.kubernetes.io/arch"}]}}]}}}})",
       R"(t.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead
t.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: app.kubernetes.io/created-by is deprecated since v1.9
t.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead)"},
      {"spread", R"({"spec":{"topologySpreadConstraints":[{"topologyKey":"beta.kubernetes.io/os"}]}})",
       R"(t.spec.topologySpreadConstraints[0].topologyKey: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead
t.spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod)"},
      {"annotations",
       R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/critical-pod":"","seccomp.security.alpha.kubernetes.io/pod":"x",
           "container.seccomp.security.alpha.kubernetes.io/c":"x","container.apparmor.security.beta.kubernetes.io/c":"x"}},
           "spec":{"containers":[{"name":"c"}]}})",
       R"(t.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead
t.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead
t.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead
t.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead)"},
      {"profiles beside annotations",
       R"({"metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/c":"x"}},
           "spec":{"securityContext":{"appArmorProfile":{}},"containers":[{"name":"c"}]}})",
       ""},
      {"volumes",
       R"({"spec":{"volumes":[{"gitRepo":{}},{"storageos":{}},{"ephemeral":{"volumeClaimTemplate":{"spec":{"resources":{"requests":{"storage":"1500m"}}}}}}]}})",
       R"(t.spec.volumes[0].gitRepo: deprecated in v1.11
t.spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+
t.spec.volumes[2].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer)"},
      {"paths within a volume",
       R"({"spec":{"volumes":[{"name":"v","configMap":{"name":"m","items":[{"path":"a"},{"path":"a/b/"},{"path":"ab"}]}}]}})",
       R"(volume "v" (ConfigMap "m"): overlapping paths: "a/b" with "a")"},
      {"paths of sources; one without any counts those before it again",
       R"({"spec":{"volumes":[{"name":"v","projected":{"sources":[{},{"secret":{"name":"s","items":[{"path":"a"}]}},
           {"serviceAccountToken":{"path":"a"}},{"configMap":{"name":"m"}}]}}]}})",
       R"(volume "v" (Projected) has no sources provided
volume "v" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (Secret "s")
volume "v" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (Secret "s")
volume "v" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (ServiceAccountToken))"},
      {"repeated",
       R"({"spec":{"hostAliases":[{"ip":"1.1.1.1"},{"ip":"1.1.1.1"}],"imagePullSecrets":[{"name":"a"},{"name":"a"},{}]}})",
       R"(t.spec.hostAliases[1].ip: duplicate ip "1.1.1.1"
t.spec.imagePullSecrets[1].name: duplicate name "a"
t.spec.imagePullSecrets[2].name: invalid empty name "")"},
      {"variables",
       R"j({"spec":{"containers":[{"env":[{"name":"A","value":"1"},{"name":"A","value":"$(A)2"},{"name":"A","value":"$(A)"},{"name":"A","value":"3"}]}]}})j",
       R"(t.spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply
t.spec.containers[0].env[3]: hides previous definition of "A", which may be dropped when using apply)"},
      {"ports",
       R"({"spec":{"initContainers":[{"ports":[{"containerPort":80,"protocol":"TCP"}]}],"containers":[{"ports":[
           {"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"TCP","hostPort":1},
           {"containerPort":81,"protocol":"TCP","hostPort":1},{"containerPort":81,"protocol":"TCP","hostPort":1,"hostIP":"1.1.1.1"},
           {"name":"n","containerPort":82,"protocol":"UDP","hostIP":"1.1.1.1"}]}]}})",
       R"(t.spec.containers[0].ports[0]: duplicate port definition with t.spec.initContainers[0].ports[0]
t.spec.containers[0].ports[1]: overlapping port definition with t.spec.initContainers[0].ports[0]
t.spec.containers[0].ports[1]: overlapping port definition with t.spec.containers[0].ports[0]
t.spec.containers[0].ports[3]: dangerously ambiguous port definition with t.spec.containers[0].ports[2]
t.spec.containers[0].ports[4]: hostIP set without hostPort: {Name:n HostPort:0 ContainerPort:82 Protocol:UDP HostIP:1.1.1.1})"},
      {"grace and affinity",
       R"({"spec":{"terminationGracePeriodSeconds":-1,"affinity":{"podAntiAffinity":{
           "requiredDuringSchedulingIgnoredDuringExecution":[{}],"preferredDuringSchedulingIgnoredDuringExecution":[{"podAffinityTerm":{}}]}}}})",
       R"(t.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1
t.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod
t.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod)"},
  };
  for (const auto& test : cases) EXPECT_EQ(WarningsOf(test.pod_template), test.warnings) << test.name;
}

TEST(PodWarnings, TemplateOfAnObjectWhenItsGenerationChanges) {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  const auto object = [&](std::string_view json) { return *value::ReadJson(json, arena); };
  constexpr std::string_view kFirst =
      R"({"metadata":{"generation":1},"spec":{"template":{"spec":{"terminationGracePeriodSeconds":-1}}}})";
  constexpr std::string_view kSecond =
      R"({"metadata":{"generation":2},"spec":{"template":{"spec":{"terminationGracePeriodSeconds":-1}}}})";
  const Value first = object(kFirst);
  WarnOfTemplateAt(context, first, nullptr, {"spec", "template"});
  EXPECT_EQ(warnings.size(), 1);
  WarnOfTemplateAt(context, object(kFirst), &first, {"spec", "template"});
  EXPECT_EQ(warnings.size(), 1);
  WarnOfTemplateAt(context, object(kSecond), &first, {"spec", "template"});
  ASSERT_EQ(warnings.size(), 2);
  EXPECT_TRUE(warnings[1].starts_with("spec.template.spec.terminationGracePeriodSeconds: ")) << warnings[1];
}

TEST(PodWarnings, ReplicationControllersSpeakOfTheTemplateThatWas) {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  const auto controller = [&](int generation, int seconds) {
    return *value::ReadJson(arena.CopyString(base::Cat(
                                R"({"metadata":{"name":"c","generation":)", generation,
                                R"(},"spec":{"template":{"spec":{"terminationGracePeriodSeconds":)", seconds, "}}}}")),
                            arena);
  };
  const Value faulty = controller(1, -1), sound = controller(2, 1), same = controller(1, 1);
  const auto& behaviour = kReplicationControllers;
  behaviour.warnings_on_write(context, faulty, nullptr);
  EXPECT_EQ(warnings.size(), 1);
  behaviour.warnings_on_write(context, faulty, &sound);
  EXPECT_EQ(warnings.size(), 1);
  behaviour.warnings_on_write(context, sound, &faulty);
  EXPECT_EQ(warnings.size(), 2);
  behaviour.warnings_on_write(context, same, &faulty);
  EXPECT_EQ(warnings.size(), 2);
}

// Paths are not held against each other one by one, nor are more warnings made than are told.
TEST(PodWarnings, OfManyPaths) {
  const auto of_paths = [](int count, std::string_view path, std::string_view sources) {
    std::string items;
    for (int i = 0; i < count; ++i) {
      base::Append(items, i > 0 ? "," : "", R"({"path":")", path, path.empty() ? base::Cat("d/p", i) : "", R"("})");
    }
    return WarningsOf(base::Cat(R"({"spec":{"volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":")",
                                std::string(10'000, 's'), R"(","items":[)", items, "]}}", sources, "]}}]}}"));
  };
  EXPECT_EQ(of_paths(80'000, "", ""), "");
  const std::string equal = of_paths(20'000, "p", "");
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(equal, '\n')) + 1, kMostWarnings);
  EXPECT_LT(equal.size(), kMostWarnings * 20'100);
  std::string again;
  for (int i = 0; i < 20'000; ++i) again += R"(,{"configMap":{}})";
  EXPECT_EQ(of_paths(1, "", again).substr(0, 10), R"(volume "v")");
}

}  // namespace
}  // namespace resources::core
