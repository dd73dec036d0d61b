// Fields that belong to feature gates: kept and looked at while theirs is on, dropped from what does not use them yet
// while it is off.
#include <gtest/gtest.h>

#include <string>

#include "resources/kind_fixture.h"

namespace resources {
namespace {

using api::Feature;

struct Case {
  Feature feature;
  std::string members, field;  // what is written, and what stays of it only with the gate
};

void ExpectGated(const char* group, const char* version, const char* plural, const char* kind, bool namespaced,
                 std::span<const Case> cases) {
  for (const Case& c : cases) {
    for (bool on : {false, true}) {
      KindFixture objects(group, version, plural, kind, namespaced);
      objects.Set(c.feature, on);
      EXPECT_EQ(objects.Create(c.members), "") << c.members;
      EXPECT_EQ(objects.object().contains(c.field), on) << c.field << ": " << objects.object();
      // Who has it keeps it.
      EXPECT_EQ(objects.Update(c.members, c.members), "") << c.members;
      EXPECT_TRUE(objects.object().contains(c.field)) << c.field << ": " << objects.object();
    }
  }
}

std::string Pod(std::string_view container, std::string_view spec = "") {
  return base::Cat(R"("spec":{"containers":[{"name":"c","image":"i")", container.empty() ? "" : ",", container, "}]",
                   spec.empty() ? "" : ",", spec, "}");
}

TEST(FeatureGates, OfPods) {
  constexpr std::string_view kSpread = R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k",)"
                                       R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{},%}])";
  const auto spread = [&](std::string_view field) {
    std::string text(kSpread);
    return Pod("", text.replace(text.find('%'), 1, field));
  };
  const Case cases[] = {
      {Feature::kUserNamespacesSupport, Pod("", R"("hostUsers":false)"), "hostUsers"},
      {Feature::kSupplementalGroupsPolicy, Pod("", R"("securityContext":{"supplementalGroupsPolicy":"Merge"})"),
       "supplementalGroupsPolicy"},
      {Feature::kSeLinuxChangePolicy, Pod("", R"("securityContext":{"seLinuxChangePolicy":"Recursive"})"),
       "seLinuxChangePolicy"},
      {Feature::kDynamicResourceAllocation,
       Pod(R"("resources":{"claims":[{"name":"r"}]})", R"("resourceClaims":[{"name":"r","resourceClaimName":"n"}])"),
       "resourceClaims"},
      {Feature::kClusterTrustBundleProjection,
       Pod("", R"("volumes":[{"name":"v","projected":{"sources":[{"clusterTrustBundle":{"name":"b","path":"p"}},)"
               R"({"configMap":{"name":"n"}}]}}])"),
       "clusterTrustBundle"},
      {Feature::kSidecarContainers, Pod("", R"("initContainers":[{"name":"d","image":"i","restartPolicy":"Always"}])"),
       R"("restartPolicy":"Always","terminationMessagePath")"},
      {Feature::kRecursiveReadOnlyMounts,
       Pod(R"("volumeMounts":[{"name":"v","mountPath":"/v","readOnly":true,"recursiveReadOnly":"Disabled"}])",
           R"("volumes":[{"name":"v"}])"),
       "recursiveReadOnly"},
      {Feature::kPodLifecycleSleepAction, Pod(R"("lifecycle":{"preStop":{"sleep":{"seconds":1}}})"), "lifecycle"},
      {Feature::kPodLevelResources, Pod("", R"("resources":{"requests":{"cpu":"1"}})"),
       R"("resources":{"requests":{"cpu":"1"}},"restartPolicy")"},
      {Feature::kImageVolume, Pod("", R"("volumes":[{"name":"v","image":{"reference":"r","pullPolicy":"Always"}}])"),
       "reference"},
      {Feature::kNodeInclusionPolicyInPodTopologySpread, spread(R"("nodeTaintsPolicy":"Honor")"), "nodeTaintsPolicy"},
      {Feature::kNodeInclusionPolicyInPodTopologySpread, spread(R"("nodeAffinityPolicy":"Honor")"),
       "nodeAffinityPolicy"},
      {Feature::kMatchLabelKeysInPodTopologySpread, spread(R"("matchLabelKeys":["a"])"), "matchLabelKeys"},
      {Feature::kMatchLabelKeysInPodAffinity,
       Pod("", R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k",)"
               R"("labelSelector":{},"mismatchLabelKeys":["a"]}]}})"),
       "mismatchLabelKeys"},
  };
  ExpectGated("", "v1", "pods", "Pod", true, cases);
}

TEST(FeatureGates, OfOtherKinds) {
  const Case sets[] = {{Feature::kMaxUnavailableStatefulSet,
                        R"("spec":{"serviceName":"s","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
                        R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"updateStrategy":)"
                        R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":2}}})",
                        "maxUnavailable"}};
  ExpectGated("apps", "v1", "statefulsets", "StatefulSet", true, sets);
  const Case leases[] = {
      {Feature::kCoordinatedLeaderElection, R"("spec":{"strategy":"OldestEmulationVersion"})", "strategy"}};
  ExpectGated("coordination.k8s.io", "v1", "leases", "Lease", true, leases);
  const Case slices[] = {{Feature::kTopologyAwareHints,
                          R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"hints":{"forZones":)"
                          R"([{"name":"z"}]}}],"ports":[])",
                          "hints"}};
  ExpectGated("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true, slices);
  const Case services[] = {{Feature::kServiceTrafficDistribution,
                            R"("spec":{"clusterIP":"None","clusterIPs":["None"],"ipFamilies":["IPv4"],)"
                            R"("ipFamilyPolicy":"SingleStack","trafficDistribution":"PreferClose"})",
                            "trafficDistribution"}};
  ExpectGated("", "v1", "services", "Service", true, services);
  const Case drivers[] = {{Feature::kSeLinuxMountReadWriteOncePod, R"("spec":{"seLinuxMount":true})", "seLinuxMount"}};
  ExpectGated("storage.k8s.io", "v1", "csidrivers", "CSIDriver", false, drivers);
  const Case nodes[] = {
      {Feature::kSupplementalGroupsPolicy, R"("status":{"features":{"supplementalGroupsPolicy":true}})", "features"}};
  ExpectGated("", "v1", "nodes", "Node", false, nodes);
  const Case claims[] = {{Feature::kDraAdminAccess,
                          R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c","adminAccess":true}]}})",
                          "adminAccess"}};
  ExpectGated("resource.k8s.io", "v1beta1", "resourceclaims", "ResourceClaim", true, claims);
}

TEST(FeatureGates, OfDefinitions) {
  const auto definition = [](std::string_view schema) {
    return base::Cat(R"("spec":{"group":"x.example.com","scope":"Namespaced","names":{"plural":"ns","singular":"n",)",
                     R"("kind":"N","listKind":"NList"},"versions":[{"name":"v1","served":true,"storage":true,)",
                     R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)", schema, "}}}}]}");
  };
  constexpr std::string_view kRules = R"("x-kubernetes-validations":[{"rule":"self == self","optionalOldSelf":true}])";
  constexpr std::string_view kField = "optionalOldSelf";
  const std::string schemas[] = {
      base::Cat(R"({"type":"string",)", kRules, "}"),
      base::Cat(R"({"type":"array","maxItems":1,"items":{"type":"string",)", kRules, "}}"),
      base::Cat(R"({"type":"object","additionalProperties":{"type":"string",)", kRules, "}}"),
  };
  KindFixture kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", false);
  for (const std::string& schema : schemas) {
    for (bool on : {false, true}) {
      kind.Set(Feature::kCrdValidationRatcheting, on);
      kind.Create(definition(schema));
      EXPECT_EQ(kind.object().contains(kField), on) << schema;
      kind.Update(definition(R"({"type":"string"})"), definition(schema));
      EXPECT_EQ(kind.object().contains(kField), on) << schema;
      kind.Update(definition(schema), definition(schema));
      EXPECT_TRUE(kind.object().contains(kField)) << schema;
    }
  }
}

TEST(FeatureGates, OfVolumes) {
  const Case volumes[] = {{Feature::kVolumeAttributesClass,
                           R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)"
                           R"("csi":{"driver":"d","volumeHandle":"h"},"volumeAttributesClassName":"gold"})",
                           "volumeAttributesClassName"}};
  ExpectGated("", "v1", "persistentvolumes", "PersistentVolume", false, volumes);
  KindFixture kept("", "v1", "persistentvolumes", "PersistentVolume", false);
  kept.Set(Feature::kVolumeAttributesClass, false);
  std::string silver = volumes[0].members;
  EXPECT_EQ(
      kept.Update(volumes[0].members, silver.replace(silver.find("gold"), 4, "silver")),
      "spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate "
      "is disabled");

  const auto claim = [](std::string_view more) {
    return base::Cat(R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},)", more,
                     "}");
  };
  const Case claims[] = {
      {Feature::kVolumeAttributesClass, claim(R"("volumeAttributesClassName":"gold")"), "volumeAttributesClassName"},
      {Feature::kAnyVolumeDataSource,
       claim(R"("dataSource":{"kind":"PersistentVolumeClaim","name":"n"},)"
             R"("dataSourceRef":{"kind":"PersistentVolumeClaim","name":"n"})"),
       "dataSourceRef"},
      {Feature::kCrossNamespaceVolumeDataSource,
       claim(R"("dataSourceRef":{"kind":"PersistentVolumeClaim","name":"n","namespace":"o"})"), "dataSourceRef"},
  };
  ExpectGated("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true, claims);

  KindFixture kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
  kind.Set(Feature::kVolumeAttributesClass, true);
  EXPECT_EQ(kind.Create(claim(R"("volumeAttributesClassName":"B_")")).substr(0, 31), "spec.volumeAttributesClassName:");
  const std::string bound = R"(,"status":{"phase":"Bound"})",
                    gold = claim(R"("volumeAttributesClassName":"gold")") + bound;
  EXPECT_EQ(kind.Update(gold, claim(R"("volumeAttributesClassName":"silver")")), "");
  EXPECT_EQ(kind.Update(gold, claim(R"("volumeAttributesClassName":"")")),
            "spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden");
  kind.Set(Feature::kVolumeAttributesClass, false);
  EXPECT_EQ(
      kind.Update(gold, claim(R"("volumeAttributesClassName":"silver")")),
      "spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate "
      "is disabled");
}

TEST(FeatureGates, OfJobs) {
  constexpr std::string_view kTemplate =
      R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})";
  const auto job = [&](std::string_view more) { return base::Cat(R"("spec":{)", more, ",", kTemplate, "}"); };
  struct {
    Feature feature;
    std::string members, field;
  } const cases[] = {
      {Feature::kJobManagedBy, job(R"("managedBy":"a.b/c")"), "managedBy"},
      {Feature::kJobSuccessPolicy,
       job(R"("completionMode":"Indexed","completions":2,"parallelism":2,"successPolicy":{"rules":[{"succeededCount":1}]})"),
       "successPolicy"},
      {Feature::kJobBackoffLimitPerIndex,
       job(R"("completionMode":"Indexed","completions":2,"parallelism":2,"backoffLimitPerIndex":1,"maxFailedIndexes":1)"),
       "axFailedIndexes"},
      {Feature::kJobBackoffLimitPerIndex,
       job(R"("completionMode":"Indexed","completions":2,"parallelism":2,"backoffLimitPerIndex":1,"podFailurePolicy":)"
           R"({"rules":[{"action":"FailIndex","onExitCodes":{"operator":"In","values":[1]}}]})"),
       "FailIndex"},
      {Feature::kJobPodReplacementPolicy, job(R"("parallelism":1)"), "podReplacementPolicy"},
  };
  for (const auto& c : cases) {
    for (bool on : {false, true}) {
      KindFixture jobs("batch", "v1", "jobs", "Job", true);
      jobs.Set(c.feature, on);
      EXPECT_EQ(jobs.Create(c.members), "") << c.members;
      EXPECT_EQ(jobs.object().contains(c.field), on) << c.field << ": " << jobs.object();
    }
  }
}

TEST(FeatureGates, OfValidation) {
  KindFixture scalers("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true);
  constexpr std::string_view kToZero =
      R"("spec":{"maxReplicas":2,"minReplicas":0,"scaleTargetRef":{"kind":"D","name":"d"},"metrics":[{"type":"External",)"
      R"("external":{"metric":{"name":"m"},"target":{"type":"Value","value":"1"}}}]})";
  EXPECT_NE(scalers.Create(kToZero), "");
  scalers.Set(Feature::kHpaScaleToZero, true);
  EXPECT_EQ(scalers.Create(kToZero), "");

  struct {
    Feature feature;
    bool on;  // where it is taken
    std::string pod;
    std::string_view metadata;
  } const cases[] = {
      {Feature::kRelaxedDnsSearchValidation, true, Pod("", R"("dnsConfig":{"searches":["_a.b"]})"), ""},
      {Feature::kPodLifecycleSleepActionAllowZero, true, Pod(R"("lifecycle":{"preStop":{"sleep":{"seconds":0}}})"), ""},
      {Feature::kSeLinuxMount, true, Pod("", R"("securityContext":{"seLinuxChangePolicy":"MountOption"})"), ""},
      {Feature::kPodDeletionCost, false, Pod(""),
       R"("annotations":{"controller.kubernetes.io/pod-deletion-cost":"x"})"},
  };
  for (const auto& c : cases) {
    for (bool on : {false, true}) {
      KindFixture pods("", "v1", "pods", "Pod", true);
      pods.Set(Feature::kSeLinuxChangePolicy, true);
      pods.Set(c.feature, on);
      EXPECT_EQ(pods.Create(c.pod, c.metadata).empty(), on == c.on) << c.pod;
    }
  }
  KindFixture pods("", "v1", "pods", "Pod", true);
  pods.Set(Feature::kProcMountType, true);
  pods.Set(Feature::kUserNamespacesSupport, true);
  constexpr std::string_view kUnmasked = R"("securityContext":{"procMount":"Unmasked"})";
  EXPECT_NE(pods.Create(Pod(kUnmasked)), "");
  EXPECT_EQ(pods.Create(Pod(kUnmasked, R"("hostUsers":false)")), "");
}

TEST(FeatureGates, OfDeviceReports) {
  KindFixture kind("resource.k8s.io", "v1beta1", "resourceclaims", "ResourceClaim", true);
  constexpr std::string_view kSpec = R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}]}})";
  const auto with = [&](std::string_view devices, std::string_view reports) {
    std::string results, list;
    for (char device : devices) {
      base::Append(results, results.empty() ? "" : ",", R"({"request":"r","driver":"d","pool":"p","device":")",
                   std::string(1, device), R"("})");
    }
    for (char device : reports) {
      base::Append(list, list.empty() ? "" : ",", R"({"driver":"d","pool":"p","device":")", std::string(1, device),
                   R"("})");
    }
    return base::Cat(kSpec, R"(,"status":{)", devices.empty() ? "" : R"("allocation":{"devices":{"results":[)", results,
                     devices.empty() ? "" : "]}},", R"("devices":[)", list, "]}");
  };
  const auto reports = [&] { return kind.object().substr(kind.object().find(R"("status")")); };
  for (bool on : {false, true}) {
    kind.Set(Feature::kDraResourceClaimDeviceStatus, on);
    EXPECT_EQ(kind.Update(with("ab", ""), with("ab", "a"), "status"), "");
    EXPECT_EQ(reports().contains(R"("devices":[{"device":"a")"), on) << kind.object();
    // Who has some keeps them, but for those of devices that were given back.
    EXPECT_EQ(kind.Update(with("ab", "a"), with("ab", "ab"), "status"), "");
    EXPECT_TRUE(reports().contains(R"("devices":[{"device":"a","driver":"d","pool":"p"},{"device":"b")")) << reports();
    EXPECT_EQ(kind.Update(with("ab", "ab"), with("", "ab"), "status"), "");
    EXPECT_FALSE(reports().contains("devices")) << reports();
  }
}

TEST(FeatureGates, OfDeviceReportsRefused) {
  KindFixture kind("resource.k8s.io", "v1beta1", "resourceclaims", "ResourceClaim", true);
  kind.Set(Feature::kDraResourceClaimDeviceStatus, true);
  constexpr std::string_view kSpec = R"("spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}]}})";
  constexpr std::string_view kAllocation =
      R"("allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p/q","device":"x"}]}})";
  const auto with = [&](std::string_view more) {
    return base::Cat(kSpec, R"(,"status":{)", kAllocation, more.empty() ? "" : R"(,"devices":[)", more,
                     more.empty() ? "}" : "]}");
  };
  const auto report = [](std::string_view more) {
    return base::Cat(R"({"driver":"d","pool":"p/q","device":"x")", more, "}");
  };
  const auto network = [&](std::string_view members) { return report(base::Cat(R"(,"networkData":{)", members, "}")); };
  const std::string address = R"("10.0.0.1/24")";
  std::string many;
  for (int i = 0; i < 17; ++i) base::Append(many, i == 0 ? "" : ",", R"("10.0.0.)", i, R"(/24")");
  struct {
    std::string reports, errors;
  } const cases[] = {
      {report(R"(,"data":{"a":1},"conditions":[])"), ""},
      {network(R"("interfaceName":"eth0","hardwareAddress":"aa:bb","ips":["10.0.0.1/24","2001:db8::1/64"])"), ""},
      {R"({"driver":"d","pool":"p","device":"x"})",
       "status.devices[0]: Invalid value: d/p/x: must be an allocated device in the claim"},
      {base::Cat(report(""), ",", report("")), "status.devices[1].deviceID: Duplicate value: d/p/q/x"},
      {report(R"(,"data":[1])"),
       "status.devices[0].data: Invalid value: \"<value omitted>\": parameters must be a valid JSON object"},
      {report(base::Cat(R"(,"data":{"a":")", std::string(10240, 'a'), R"("})")),
       "status.devices[0].data: Too long: may not be more than 10240 bytes"},
      {network(base::Cat(R"("interfaceName":")", std::string(257, 'a'), R"(","hardwareAddress":")",
                         std::string(129, 'a'), R"(")")),
       "status.devices[0].networkData.interfaceName: Too long: may not be more than 256 bytes\n"
       "status.devices[0].networkData.hardwareAddress: Too long: may not be more than 128 bytes"},
      {network(R"("ips":["x","y"])"),
       "status.devices[0].networkData.ips[0]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
       "2001:db8::/64)\n"
       "status.devices[0].networkData.ips[1]: Invalid value: \"y\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
       "2001:db8::/64)\n"
       "status.devices[0].networkData.ips[1]: Duplicate value: \"\""},
      {network(R"("ips":["2001:db8::1/64","2001:0db8::1/64"])"),
       "status.devices[0].networkData.ips[1]: Duplicate value: \"2001:db8::1/64\""},
      {network(base::Cat(R"("ips":[)", many, "]")),
       "status.devices[0].networkData.ips: Too many: 17: must have at most 16 items"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(kind.Update(with(""), with(c.reports), "status"), c.errors) << c.reports.substr(0, 200);
  }
}

// A pod's own resources hold its containers' together.
TEST(FeatureGates, OfPodResources) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  pods.Set(Feature::kPodLevelResources, true);
  const auto pod = [](std::string_view own, std::string_view container, std::string_view init = "") {
    return base::Cat(R"("spec":{"resources":)", own, R"(,"containers":[{"name":"c","image":"i","resources":)",
                     container, "}]", init.empty() ? "" : R"(,"initContainers":[{"name":"i","image":"i","resources":)",
                     init, init.empty() ? "}" : "}]}");
  };
  struct {
    std::string pod, shown, qos;
  } const good[] = {
      {pod(R"({"limits":{"cpu":"2","memory":"1Gi"}})", "{}"), R"("requests":{"cpu":"2","memory":"1Gi"})", "Guaranteed"},
      {pod(R"({"limits":{"cpu":"2","memory":"1Gi"}})", R"({"requests":{"cpu":"500m"}})"),
       R"("requests":{"cpu":"500m","memory":"1Gi"})", "Burstable"},
      {pod(R"({"limits":{"cpu":"2"}})", R"({"requests":{"cpu":"500m"}})", R"({"requests":{"cpu":"1500m"}})"),
       R"("requests":{"cpu":"1500m"})", "Burstable"},
      {pod(R"({"limits":{"cpu":"3"},"requests":{"cpu":"1"}})", R"({"limits":{"cpu":"1"}})"),
       R"("requests":{"cpu":"1"})", "Burstable"},
      {pod(R"({"requests":{"cpu":"1"}})", R"({"limits":{"cpu":"1","memory":"0"}})"), R"("requests":{"cpu":"1"})",
       "Burstable"},
      {pod("{}", "{}"), R"("resources":{})", "BestEffort"},
  };
  for (const auto& c : good) {
    EXPECT_EQ(pods.Create(c.pod), "") << c.pod;
    EXPECT_TRUE(pods.object().contains(c.shown)) << pods.object();
    EXPECT_TRUE(pods.object().contains(base::Cat(R"("qosClass":")", c.qos, "\""))) << pods.object();
  }
  struct {
    std::string pod, errors;
  } const bad[] = {
      {pod(R"({"claims":[{"name":"r"}]})", "{}"),
       "spec.resources.claims: Forbidden: claims cannot be set for Resources at pod-level\n"
       "spec.resources.claims[0]: Not found: \"r\": must be one of the names in pod.spec.resourceClaims which is "
       "empty"},
      {pod(R"({"limits":{"ephemeral-storage":"1"}})", "{}"),
       "spec.resources.limits[ephemeral-storage]: Unsupported value: ephemeral-storage: supported values: \"cpu\", "
       "\"memory\""},
      {pod(R"({"requests":{"x":"1"}})", "{}"),
       "spec.resources.requests[x]: Invalid value: x: must be a standard resource type or fully qualified"},
      {pod(R"({"requests":{"cpu":"1"}})", R"({"requests":{"cpu":"2","memory":"1"}})"),
       "spec.resources.requests[cpu]: Invalid value: \"1\": must be greater than or equal to aggregate container "
       "requests "
       "of 2\n"
       "spec.resources.requests[memory]: Invalid value: \"0\": must be greater than or equal to aggregate container "
       "requests of 1"},
      {pod(R"({"limits":{"cpu":"1"},"requests":{"cpu":"500m"}})", R"({"requests":{"cpu":"1m"},"limits":{"cpu":"2"}})"),
       "spec.resources.containers[0][cpu].limits: Invalid value: \"2\": must be less than or equal to pod limits of 1"},
  };
  for (const auto& c : bad) EXPECT_EQ(pods.Create(c.pod), c.errors) << c.pod;
  // Behind the gate nothing of them counts.
  pods.Set(Feature::kPodLevelResources, false);
  EXPECT_EQ(pods.Create(bad[0].pod), "");
  EXPECT_TRUE(pods.object().contains(R"("qosClass":"BestEffort")"));
}

TEST(FeatureGates, OfNamesOfVariables) {
  KindFixture pods("", "v1", "pods", "Pod", true);
  const std::string strict = Pod(R"("env":[{"name":"A.b-c_1"}])"), relaxed = Pod(R"("env":[{"name":"a b"}])"),
                    prefix = Pod(R"("envFrom":[{"prefix":"1","secretRef":{"name":"s"}}])"),
                    both = Pod(R"("env":[{"name":"a b"},{"name":"c d"}])"),
                    none = Pod(R"("env":[{"name":"a b"},{"name":"="}])");
  constexpr std::string_view kText =
      "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not "
      "start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
      "'[-._a-zA-Z][-._a-zA-Z0-9]*')";
  for (const std::string& any : {strict, relaxed, prefix, both}) EXPECT_EQ(pods.Create(any), "") << any;
  pods.Set(Feature::kRelaxedEnvironmentVariableValidation, false);
  EXPECT_EQ(pods.Create(strict), "");
  EXPECT_EQ(pods.Create(relaxed), base::Cat(R"(spec.containers[0].env[0].name: Invalid value: "a b": )", kText));
  EXPECT_EQ(pods.Create(prefix), base::Cat(R"(spec.containers[0].envFrom[0].prefix: Invalid value: "1": )", kText));
  // One that was there before makes way for all of its kind.
  KindFixture templates("", "v1", "podtemplates", "PodTemplate", true);
  templates.Set(Feature::kRelaxedEnvironmentVariableValidation, false);
  const auto in_template = [](const std::string& pod) {
    return base::Cat(R"("template":{"metadata":{"labels":{"a":"b"}},)", pod, "}");
  };
  EXPECT_EQ(templates.Update(in_template(relaxed), in_template(both)), "");
  EXPECT_EQ(templates.Update(in_template(strict), in_template(relaxed)),
            base::Cat(R"(template.spec.containers[0].env[0].name: Invalid value: "a b": )", kText));
  EXPECT_EQ(templates.Update(in_template(relaxed), in_template(prefix)),
            base::Cat(R"(template.spec.containers[0].envFrom[0].prefix: Invalid value: "1": )", kText));
  EXPECT_EQ(templates.Update(in_template(relaxed), in_template(none)),
            R"(template.spec.containers[0].env[1].name: Invalid value: "=": a valid environment variable name must )"
            "consist only of printable ASCII characters other than '='");
}

TEST(PrivilegedContainers, NeedToBeAllowed) {
  constexpr std::string_view kRefused = ".securityContext.privileged: Forbidden: disallowed by cluster policy";
  for (const std::string_view list : {"initContainers", "containers"}) {
    const std::string spec = base::Cat(R"("spec":{"containers":[{"name":"c","image":"i"}],")", list,
                                       R"(":[{"name":"d","image":"i","securityContext":{"privileged":true}}]})");
    KindFixture pods("", "v1", "pods", "Pod", true);
    EXPECT_EQ(pods.Create(list == "containers" ? Pod(R"("securityContext":{"privileged":true})") : spec), "");
    pods.AllowPrivileged(false);
    EXPECT_EQ(pods.Create(list == "containers" ? Pod(R"("securityContext":{"privileged":true})") : spec),
              base::Cat("spec.", list, "[0]", kRefused));
    EXPECT_EQ(pods.Create(Pod(R"("securityContext":{"privileged":false})")), "");
  }
  KindFixture jobs("batch", "v1", "jobs", "Job", true);
  jobs.AllowPrivileged(false);
  EXPECT_EQ(jobs.Create(R"("spec":{"template":{"spec":{"restartPolicy":"Never","containers":[)"
                        R"({"name":"c","image":"i","securityContext":{"privileged":true}}]}}})"),
            base::Cat("spec.template.spec.containers[0]", kRefused));
}

}  // namespace
}  // namespace resources
