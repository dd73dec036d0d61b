#include "admission/optional_plugins.h"

#include "admission/plugins.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "registry/registry_fixture.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace admission {
namespace {

using value::Value;

class OptionalPluginsTest : public testing::Test {
 protected:
  Value Read(std::string_view json) { return *value::ReadJson(arena_.CopyString(json), arena_); }
  // The object as the plugin of that name leaves it, or why it does not take it.
  std::string Admit(std::string_view name, std::string_view plural, const std::string& object,
                    const std::string& old = "", std::string_view subresource = "") {
    const auto plugin = *MakePlugin(name, {*fixture_.store, *fixture_.served, {}, {}});
    registry::Resource resource;
    resource.plural = plural;
    resource.namespaced = true;
    const Value before = old.empty() ? Value() : Read(old);
    registry::Call call = fixture_.NewCall();
    AdmissionRequest request{.call = call,
                             .resource = resource,
                             .subresource = subresource,
                             .operation = old.empty() ? Operation::kCreate : Operation::kUpdate,
                             .key = {"", "x"},
                             .object = Read(object),
                             .old = old.empty() ? nullptr : &before,
                             .arena = arena_};
    api::Result<> admitted = plugin->Mutate(request);
    if (admitted) admitted = plugin->Validate(request);
    return admitted ? value::ToJson(request.object.Get("spec")) : admitted.error().message;
  }

  value::Arena arena_;
  registry::Fixture fixture_;
};

TEST_F(OptionalPluginsTest, PullsEveryImageThatIsNew) {
  const std::string_view plugin = "AlwaysPullImages";
  const std::string never = R"({"spec":{"containers":[{"image":"a","imagePullPolicy":"Never"}]}})";
  const std::string always = R"({"containers":[{"image":"a","imagePullPolicy":"Always"}]})";
  EXPECT_EQ(Admit(plugin, "pods", never), always);
  EXPECT_EQ(Admit(plugin, "pods", never, R"({"spec":{"containers":[{"image":"b"}]}})"), always);
  const std::string as_it_was = R"({"containers":[{"image":"a","imagePullPolicy":"Never"}]})";
  EXPECT_EQ(Admit(plugin, "pods", never, R"({"spec":{"initContainers":[{"image":"a"}]}})"), as_it_was);
  EXPECT_EQ(Admit(plugin, "pods", never, "", "status"), as_it_was);
  EXPECT_EQ(Admit(plugin, "others", never), as_it_was);
  EXPECT_EQ(
      Admit(plugin, "pods",
            R"({"spec":{"initContainers":[{"image":"a"}],"volumes":[{"image":{"reference":"r"}},{"emptyDir":{}}]}})"),
      R"({"initContainers":[{"image":"a","imagePullPolicy":"Always"}],)"
      R"("volumes":[{"image":{"reference":"r","pullPolicy":"Always"}},{"emptyDir":{}}]})");
}

TEST_F(OptionalPluginsTest, RefusesWhatOthersMadeOfThePolicy) {
  const Value pod =
      Read(R"({"metadata":{"name":"p"},"spec":{"containers":[{"image":"a","imagePullPolicy":"Never"}]}})");
  EXPECT_EQ(CheckPullPolicies(pod, nullptr).error().message,
            R"(pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": )"
            R"(supported values: "Always")");
}

TEST_F(OptionalPluginsTest, ToleratesTheNodesOfExtendedResources) {
  const std::string_view plugin = "ExtendedResourceToleration";
  const auto spec = [](std::string_view requests, std::string_view tolerations) {
    return base::Cat(R"({"spec":{"containers":[{"resources":{"requests":{)", requests, R"(}}}],"tolerations":[)",
                     tolerations, "]}}");
  };
  const auto tolerations = [&](const std::string& object) {
    const std::string all = Admit(plugin, "pods", object);
    return all.substr(all.find("\"tolerations\":") + 14);
  };
  const std::string gpu = R"({"key":"example.com/gpu","operator":"Exists","effect":"NoSchedule"})";
  const std::string nic = R"({"key":"example.com/nic","operator":"Exists","effect":"NoSchedule"})";
  EXPECT_EQ(tolerations(spec(R"("example.com/nic":"1","example.com/gpu":"1")", "")), "[" + gpu + "," + nic + "]}");
  EXPECT_EQ(tolerations(spec(R"("example.com/gpu":"1")", gpu)), "[" + gpu + "]}");
  EXPECT_EQ(tolerations(spec(R"("cpu":"1","kubernetes.io/x":"1","requests.example.com/y":"1","a.b/":"1")", "")), "[]}");
}

TEST_F(OptionalPluginsTest, KeepsPodsApartByNodeOnly) {
  const std::string_view plugin = "LimitPodHardAntiAffinityTopology";
  const auto pod = [](std::string_view key) {
    return base::Cat(R"({"metadata":{"name":"p"},"spec":{"affinity":{"podAntiAffinity":{)",
                     R"("requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":")", key, "\"}]}}}}");
  };
  EXPECT_EQ(Admit(plugin, "pods", pod("zone")),
            "pods \"p\" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only "
            "key kubernetes.io/hostname is allowed");
  EXPECT_TRUE(Admit(plugin, "pods", pod("kubernetes.io/hostname")).starts_with("{"));
}

TEST_F(OptionalPluginsTest, NothingOrAllIsTaken) {
  EXPECT_EQ(Admit("AlwaysAdmit", "pods", "{}"), "null");
  EXPECT_EQ(Admit("AlwaysDeny", "pods", "{}"),
            "pods \"x\" is forbidden: admission control is denying all modifications");
}

TEST_F(OptionalPluginsTest, ServicesGetNoNewExternalAddresses) {
  const std::string_view plugin = "DenyServiceExternalIPs";
  const auto service = [](std::string_view addresses) {
    return base::Cat(R"({"metadata":{"name":"s"},"spec":{"externalIPs":[)", addresses, "]}}");
  };
  const std::string_view refusal = "services \"s\" is forbidden: Use of external IPs is denied by admission control";
  EXPECT_EQ(Admit(plugin, "services", service(R"("1.1.1.1")")), refusal);
  EXPECT_EQ(Admit(plugin, "services", service(R"("1.1.1.1","2.2.2.2")"), service(R"("1.1.1.1")")), refusal);
  EXPECT_EQ(Admit(plugin, "services", service(R"("2.2.2.2")"), service(R"("1.1.1.1","2.2.2.2")")),
            R"({"externalIPs":["2.2.2.2"]})");
  EXPECT_EQ(Admit(plugin, "services", service("")), R"({"externalIPs":[]})");
}

}  // namespace
}  // namespace admission
