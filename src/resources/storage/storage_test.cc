// The storage group: each rule with an object that breaks it, and one that keeps all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "resources/kind_fixture.h"

namespace resources::storage {
namespace {

struct NewCase {
  const char *name, *members, *errors;
};
struct ChangeCase {
  const char *name, *old, *members, *errors;
};

constexpr std::string_view kSubdomain =
    R"(a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))";

TEST(StorageClasses, New) {
  KindFixture classes("storage.k8s.io", "v1", "storageclasses", "StorageClass", false);
  constexpr NewCase kCases[] = {
      {"sound", R"("provisioner":"A.b/c","parameters":{"k":"v"},"allowedTopologies":[
          {"matchLabelExpressions":[{"key":"k","values":["a","b"]}]},{"matchLabelExpressions":[{"key":"k","values":["a"]}]}])",
       ""},
      {"nothing", "", "provisioner: Required value"},
      {"empty parameter", R"("provisioner":"p","parameters":{"":"v"})",
       R"(parameters: Invalid value: "": field can not be empty.)"},
      {"policy and mode", R"("provisioner":"p","reclaimPolicy":"Recycle","volumeBindingMode":"x")",
       "reclaimPolicy: Unsupported value: \"Recycle\": supported values: \"Delete\", \"Retain\"\n"
       "volumeBindingMode: Unsupported value: \"x\": supported values: \"Immediate\", \"WaitForFirstConsumer\""},
      {"empty policy and mode", R"("provisioner":"p","reclaimPolicy":"","volumeBindingMode":"")",
       "volumeBindingMode: Unsupported value: \"\": supported values: \"Immediate\", \"WaitForFirstConsumer\""},
      {"no values, and one twice", R"("provisioner":"p","allowedTopologies":[
          {"matchLabelExpressions":[{"key":"k"},{"key":"k","values":["a","a"]}]}])",
       "allowedTopologies[0].matchLabelExpressions[0].values: Required value\n"
       "allowedTopologies[0].matchLabelExpressions[1].values[1]: Duplicate value: \"a\"\n"
       "allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: \"k\""},
      {"the same topology in another order", R"("provisioner":"p","allowedTopologies":[
          {"matchLabelExpressions":[{"key":"k","values":["a","b"]}]},{"matchLabelExpressions":[{"key":"k","values":["b","a"]}]}])",
       R"(allowedTopologies[1].matchLabelExpressions: Duplicate value: "")"},
      {"an empty topology", R"("provisioner":"p","allowedTopologies":[{}])",
       R"(allowedTopologies[0].matchLabelExpressions: Duplicate value: "")"},
  };
  for (const NewCase& c : kCases) EXPECT_EQ(classes.Create(c.members), c.errors) << c.name;
  classes.Create(
      R"("provisioner":"p","allowedTopologies":[{"matchLabelExpressions":[{"key":"beta.kubernetes.io/os","values":["a"]}]}])");
  EXPECT_EQ(
      classes.warnings(),
      R"(allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead)");
}

TEST(StorageClasses, TooManyParameters) {
  KindFixture classes("storage.k8s.io", "v1", "storageclasses", "StorageClass", false);
  std::string parameters;
  for (int i = 0; i < 513; ++i) base::Append(parameters, i == 0 ? "" : ",", "\"k", i, "\":\"\"");
  EXPECT_EQ(classes.Create(base::Cat(R"("provisioner":"p","parameters":{)", parameters, "}")),
            "parameters: Too long: may not be more than 512 bytes");
  EXPECT_EQ(classes.Create(base::Cat(R"("provisioner":"p","parameters":{"k":")", std::string(262144, 'v'), "\"}")),
            "parameters: Too long: may not be more than 262144 bytes");
}

TEST(StorageClasses, Changes) {
  KindFixture classes("storage.k8s.io", "v1", "storageclasses", "StorageClass", false);
  constexpr ChangeCase kCases[] = {
      {"what may change", R"("provisioner":"p")",
       R"("provisioner":"p","allowVolumeExpansion":true,"mountOptions":["a"])", ""},
      {"what may not", R"("provisioner":"p","parameters":{"a":"b"})",
       R"("provisioner":"q","reclaimPolicy":"Retain","volumeBindingMode":"WaitForFirstConsumer")",
       "parameters: Forbidden: updates to parameters are forbidden.\n"
       "provisioner: Forbidden: updates to provisioner are forbidden.\n"
       "reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.\n"
       "volumeBindingMode: Invalid value: \"WaitForFirstConsumer\": field is immutable"},
      {"an empty map where none was", R"("provisioner":"p")", R"("provisioner":"p","parameters":{})",
       "parameters: Forbidden: updates to parameters are forbidden."},
  };
  for (const ChangeCase& c : kCases) EXPECT_EQ(classes.Update(c.old, c.members), c.errors) << c.name;
}

TEST(VolumeAttributesClasses, NewAndChanges) {
  KindFixture classes("storage.k8s.io", "v1beta1", "volumeattributesclasses", "VolumeAttributesClass", false);
  EXPECT_EQ(classes.Create(R"("driverName":"d","parameters":{"a":"b"})"), "");
  EXPECT_EQ(classes.Create(""),
            "driverName: Required value\nparameters: Required value: must contain at least one key/value pair");
  EXPECT_EQ(classes.Update(R"("driverName":"d","parameters":{"a":"b"})", R"("driverName":"e","parameters":{"a":"c"})"),
            "driverName: Forbidden: updates to driverName are forbidden.\n"
            "parameters: Forbidden: updates to parameters are forbidden.");
}

TEST(CsiDrivers, NewAndChanges) {
  KindFixture drivers("storage.k8s.io", "v1", "csidrivers", "CSIDriver", false);
  constexpr NewCase kCases[] = {
      {"sound", R"("spec":{"tokenRequests":[{"audience":"a","expirationSeconds":600},{"audience":""}]})", ""},
      {"everything wrong", R"("spec":{"fsGroupPolicy":"x","volumeLifecycleModes":["y"],"tokenRequests":[
          {"audience":"a","expirationSeconds":599},{"audience":"a","expirationSeconds":1},{"audience":"b","expirationSeconds":4294967297}]})",
       "spec.fsGroupPolicy: Unsupported value: \"x\": supported values: \"File\", \"None\", "
       "\"ReadWriteOnceWithFSType\"\n"
       "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes\n"
       "spec.tokenRequests[1].audience: Duplicate value: \"a\"\n"
       "spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than "
       "2^32 seconds\n"
       "spec.volumeLifecycleModes: Unsupported value: \"y\": supported values: \"Persistent\", \"Ephemeral\""},
  };
  for (const NewCase& c : kCases) EXPECT_EQ(drivers.Create(c.members), c.errors) << c.name;
  EXPECT_EQ(drivers.Update(R"("spec":{})", R"("spec":{"podInfoOnMount":true})"), "");
  EXPECT_EQ(
      drivers.Update(R"("spec":{})", R"("spec":{"attachRequired":false,"volumeLifecycleModes":["Ephemeral"]})"),
      "spec.attachedRequired: Invalid value: false: field is immutable\n"
      "spec.volumeLifecycleModes: Invalid value: []storage.VolumeLifecycleMode{\"Ephemeral\"}: field is immutable");
}

TEST(CsiNodes, NewAndChanges) {
  KindFixture nodes("storage.k8s.io", "v1", "csinodes", "CSINode", false);
  const std::string long_id(257, 'n');
  EXPECT_EQ(nodes.Create(R"("spec":{"drivers":[{"name":"d","nodeID":"n","topologyKeys":["a/b"]}]})"), "");
  EXPECT_EQ(nodes.Create(R"("spec":{"drivers":[{"name":"d","allocatable":{"count":-1}},
                {"name":"d","nodeID":"n","topologyKeys":["a","a"]}]})"),
            "spec.drivers[0].nodeID: Required value\n"
            "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0\n"
            "spec.drivers[1].name: Duplicate value: \"d\"\n"
            "spec.drivers[1]: Duplicate value: \"a\"");
  EXPECT_EQ(nodes.Create(base::Cat(R"("spec":{"drivers":[{"name":"d","nodeID":")", long_id, "\"}]}")),
            base::Cat("spec.drivers[0].nodeID: Invalid value: \"", long_id, "\": must be 256 characters or less"));
  constexpr std::string_view kOld = R"("spec":{"drivers":[{"name":"d","nodeID":"n"}]})";
  EXPECT_EQ(nodes.Update(kOld, R"("spec":{"drivers":[]})"), "");
  EXPECT_EQ(nodes.Update(kOld, R"("spec":{"drivers":[{"name":"d","nodeID":"n","topologyKeys":[]}]})"), "");
  EXPECT_EQ(nodes.Update(kOld, R"("spec":{"drivers":[{"name":"d","nodeID":"m"}]})"),
            R"(CSINodeDriver: Invalid value: storage.CSINodeDriver{"name":"d","nodeID":"m"}: field is immutable)");
}

TEST(CsiStorageCapacities, NewAndChanges) {
  KindFixture capacities("storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", true);
  EXPECT_EQ(capacities.Create(R"("storageClassName":"s","capacity":"0","maximumVolumeSize":"-1")"), "");
  EXPECT_EQ(capacities.Create(R"("capacity":"-1")"),
            base::Cat("storageClassName: Invalid value: \"\": ", kSubdomain,
                      "\ncapacity: Invalid value: \"-1\": must be greater than or equal to 0"));
  EXPECT_EQ(capacities.Update(R"("storageClassName":"s")",
                              R"("storageClassName":"t","nodeTopology":{"matchLabels":{"beta.kubernetes.io/os":"l"}})"),
            "nodeTopology: Invalid value: v1.LabelSelector{\"matchLabels\":{\"beta.kubernetes.io/os\":\"l\"}}: field "
            "is immutable\n"
            "storageClassName: Invalid value: \"t\": field is immutable");
  EXPECT_EQ(capacities.Update(R"("storageClassName":"s","nodeTopology":{})", R"("storageClassName":"s")"),
            "nodeTopology: Invalid value: \"null\": field is immutable");
  capacities.Create(R"("storageClassName":"s","nodeTopology":{"matchLabels":{"beta.kubernetes.io/os":"l"}})");
  EXPECT_EQ(
      capacities.warnings(),
      R"(nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use "kubernetes.io/os" instead)");
}

TEST(VolumeAttachments, NewAndChanges) {
  KindFixture attachments("storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", false);
  const auto with = [](std::string_view source) {
    return base::Cat(R"("spec":{"attacher":"a","nodeName":"n","source":{)", source, "}}");
  };
  EXPECT_EQ(attachments.Create(with(R"("persistentVolumeName":"v")")), "");
  constexpr std::string_view kOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  EXPECT_EQ(attachments.Create(with("")), base::Cat("spec.source: Required value: ", kOne));
  EXPECT_EQ(attachments.Create(with(R"("persistentVolumeName":"v","inlineVolumeSpec":{})")),
            base::Cat("spec.source: Forbidden: ", kOne));
  EXPECT_EQ(attachments.Create(with(R"("inlineVolumeSpec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1"},
                "claimRef":{"name":"c"},"nfs":{"server":"s","path":"/a"},"storageClassName":"s","volumeMode":"Block",
                "persistentVolumeReclaimPolicy":"Delete"})")),
            "spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes\n"
            "spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes\n"
            "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes\n"
            "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context "
            "of inline volumes\n"
            "spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline "
            "volumes\n"
            "spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in "
            "the context of inline volumes");
  EXPECT_EQ(
      attachments.Update(with(R"("persistentVolumeName":"v")"), with(R"("persistentVolumeName":"w")")),
      R"(spec: Invalid value: storage.VolumeAttachmentSpec{"attacher":"a","source":{"persistentVolumeName":"w"},"nodeName":"n"}: field is immutable)");
  EXPECT_THAT(
      attachments.Update(with(R"("persistentVolumeName":"v")"), R"("spec":{"attacher":"a"})"),
      testing::EndsWith(R"(spec: Invalid value: storage.VolumeAttachmentSpec{"attacher":"a"}: field is immutable)"));
  EXPECT_THAT(attachments.Update(with(R"("persistentVolumeName":"v")"), ""),
              testing::EndsWith("spec: Invalid value: storage.VolumeAttachmentSpec{}: field is immutable"));
  const std::string message(1025, 'm');
  const std::string status = base::Cat(R"(,"status":{"attached":false,"attachError":{"message":")", message, "\"}}");
  const std::string sound = with(R"("persistentVolumeName":"v")");
  EXPECT_EQ(attachments.Update(sound, sound + status, "status"),
            "status.attachError.message: Too long: may not be more than 262144 bytes\n"
            "status.attachError.message: Too long: may not be more than 262144 bytes");
}

}  // namespace
}  // namespace resources::storage
