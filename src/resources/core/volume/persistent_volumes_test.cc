// Persistent volumes, claims and sources of volumes: each rule with an object that breaks it, and one that keeps all.
#include <gtest/gtest.h>

#include <string>

#include "resources/core/pod/pod_rules.h"
#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

constexpr std::string_view kSubdomain =
    R"(a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))";

// A volume that is sound but for `source` and `more`.
std::string Volume(std::string_view source, std::string_view more = "") {
  return base::Cat(R"("spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],)", source,
                   more.empty() ? "" : ",", more, "}");
}
constexpr std::string_view kNfs = R"("nfs":{"server":"s","path":"/a"})";

struct Case {
  const char *name, *json, *errors;
};

// What both kinds of volume ask of a source: its members, and errors without the path of the volume.
constexpr Case kSources[] = {
    {"sound", R"("nfs":{"server":"s","path":"/"})", ""},
    {"none", R"("nfs":{})",
     "nfs.server: Required value\nnfs.path: Required value\nnfs.path: Invalid value: \"\": must be an absolute path"},
    {"two", R"("nfs":{"server":"s","path":"/a"},"hostPath":{"path":"/a"})", nullptr},
    {"host path", R"("hostPath":{"path":"/../a","type":"x"})",
     "hostPath.path: Invalid value: \"/../a\": must not contain '..'\n"
     "hostPath.type: Unsupported value: \"x\": supported values: \"\", \"BlockDevice\", \"CharDevice\", "
     "\"Directory\", \"DirectoryOrCreate\", \"File\", \"FileOrCreate\", \"Socket\""},
    {"GCE disk", R"("gcePersistentDisk":{"partition":256})",
     "persistentDisk.pdName: Required value\n"
     "persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive"},
    {"AWS disk", R"("awsElasticBlockStore":{"partition":-1})",
     "awsElasticBlockStore.volumeID: Required value\n"
     "awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive"},
    {"rbd", R"("rbd":{})", "rbd.monitors: Required value\nrbd.image: Required value"},
    {"cephfs", R"("cephfs":{})", "cephfs.monitors: Required value"},
    {"quobyte", R"("quobyte":{"registry":"h:1,[::1]:2,a","volume":"v"})",
     "quobyte.registry: Invalid value: \"h:1,[::1]:2,a\": must be a host:port pair or multiple pairs separated by "
     "commas"},
    {"fc without", R"("fc":{})",
     "fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both"},
    {"fc with both", R"("fc":{"targetWWNs":["a"],"wwids":["b"],"lun":256})",
     "fc.targetWWNs: Invalid value: []string{\"a\"}: targetWWNs and wwids can not be specified simultaneously\n"
     "fc.lun: Invalid value: 256: must be between 0 and 255, inclusive"},
    {"fc without number", R"("fc":{"targetWWNs":["a"]})",
     "fc.lun: Required value: lun is required if targetWWNs is specified"},
    {"flex", R"("flexVolume":{"options":{"a":"","b.K8S.io/c":""}})",
     "flexVolume.driver: Required value\n"
     "flexVolume.options[b.K8S.io/c]: Invalid value: \"b.K8S.io/c\": kubernetes.io and k8s.io namespaces are reserved"},
    {"flocker", R"("flocker":{"datasetName":"a/b","datasetUUID":"c"})",
     "flocker: Invalid value: \"resource\": datasetName and datasetUUID can not be specified simultaneously\n"
     "flocker.datasetName: Invalid value: \"a/b\": must not contain '/'"},
    {"azure disk", R"("azureDisk":{"diskName":"d","diskURI":"u","cachingMode":"x","kind":"Managed"})",
     "azureDisk.cachingMode: Unsupported value: \"x\": supported values: \"None\", \"ReadOnly\", \"ReadWrite\"\n"
     "azureDisk.diskURI: Unsupported value: \"u\": supported values: "
     "\"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}\""},
    {"azure blob", R"("azureDisk":{"diskName":"d","diskURI":"u"})",
     "azureDisk.diskURI: Unsupported value: \"u\": supported values: "
     "\"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd\""},
    {"scale io", R"("scaleIO":{})",
     "scaleIO.gateway: Required value\nscaleIO.system: Required value\nscaleIO.volumeName: Required value"},
    {"iscsi", R"("iscsi":{"lun":-1,"chapAuthSession":true,"initiatorName":"eui.1"})",
     "iscsi.targetPortal: Required value\niscsi.iqn: Required value\n"
     "iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive\n"
     "iscsi.secretRef: Required value\n"
     "iscsi.initiatorname: Invalid value: \"eui.1\": must be valid format"},
    {"iscsi names", R"("iscsi":{"targetPortal":"t","iqn":"iqn.2001-04.com.example:a b","initiatorName":"naa.1"})",
     "iscsi.iqn: Invalid value: \"iqn.2001-04.com.example:a b\": must be valid format\n"
     "iscsi.initiatorname: Invalid value: \"naa.1\": must be valid format"},
    {"iscsi sound",
     R"("iscsi":{"targetPortal":"t","iqn":"iqn.2001-04.com.example:a","initiatorName":"eui.0123456789abcdef"})", ""},
    {"photon", R"("photonPersistentDisk":{})", "photonPersistentDisk.pdID: Required value"},
    {"portworx", R"("portworxVolume":{})", "portworxVolume.volumeID: Required value"},
    {"vsphere", R"("vsphereVolume":{})", "vsphereVolume.volumePath: Required value"},
};

std::string Without(std::string text, std::string_view path) {
  for (size_t at = text.find(path); at != text.npos; at = text.find(path)) text.erase(at, path.size());
  return text;
}

TEST(VolumeSources, OfPersistentVolumes) {
  KindFixture volumes("", "v1", "persistentvolumes", "PersistentVolume", false);
  for (const Case& c : kSources) {
    const std::string_view errors =
        c.errors != nullptr ? c.errors : "nfs: Forbidden: may not specify more than 1 volume type";
    EXPECT_EQ(Without(volumes.Create(Volume(c.json)), "spec."), errors) << c.name;
  }
}

constexpr Rule kVolumesOfPod[] = {Call([](Scope& spec) {
  SoundVolumes sound;
  CheckPodVolumes(spec, sound);
})};

// The errors of one volume of a pod, without its path.
std::string OfPodVolume(std::string_view source) {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  Errors errors;
  const std::string text = base::Cat(R"({"volumes":[{"name":"v",)", source, "}]}");
  const Value read = *value::ReadJson(text, arena);
  const schema::Type& type = *schema::FindType("io.k8s.api.core.v1.PodSpec");
  const Value spec = *schema::Decode(type, read, arena, nullptr);
  SetDefaults(type, spec, arena);
  Check(context, kVolumesOfPod, FieldPath("s"), spec, nullptr, errors);
  std::vector<std::string> lines;
  for (const api::FieldError& error : std::move(errors).Take()) lines.push_back(error.field + ": " + error.Message());
  return Without(base::Join(lines, "\n"), "s.volumes[0].");
}

TEST(VolumeSources, OfPods) {
  for (const Case& c : kSources) {
    const std::string_view errors =
        c.errors != nullptr ? c.errors : "nfs: Forbidden: may not specify more than 1 volume type";
    EXPECT_EQ(OfPodVolume(c.json), errors) << c.name;
  }
  constexpr Case kCases[] = {
      {"iscsi kind", R"("iscsi":{"targetPortal":"t","iqn":"x"})",
       "iscsi.iqn: Invalid value: \"x\": must be valid format starting with iqn, eui, or naa"},
      {"git", R"("gitRepo":{"directory":"/a"})",
       "gitRepo.repository: Required value\ngitRepo.directory: Invalid value: \"/a\": must be a relative path"},
      {"secret", R"("secret":{"defaultMode":512,"items":[{"path":"..a","mode":-1}]})",
       "secret.secretName: Required value\n"
       "secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive\n"
       "secret.items[0].key: Required value\n"
       "secret.items[0].path: Invalid value: \"..a\": must not start with '..'\n"
       "secret.items[0].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive"},
      {"claim", R"("persistentVolumeClaim":{})", "persistentVolumeClaim.claimName: Required value"},
      {"size", R"("emptyDir":{"sizeLimit":"-1"})",
       "emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"},
      {"files", R"("downwardAPI":{"items":[{"path":"a","fieldRef":{"fieldPath":"metadata.name"}},{"path":"b"},
          {"path":"c","fieldRef":{"fieldPath":"status.podIP"}},{"path":"d","resourceFieldRef":{"resource":"x"}}]})",
       "downwardAPI: Required value: one of fieldRef and resourceFieldRef is required\n"
       "downwardAPI.fieldRef.fieldPath: Unsupported value: \"status.podIP\": supported values: "
       "\"metadata.annotations\", \"metadata.labels\", \"metadata.name\", \"metadata.namespace\", \"metadata.uid\"\n"
       "downwardAPI.resourceFieldRef.containerName: Required value"},
      {"keys", R"("downwardAPI":{"items":[{"path":"a","fieldRef":{"fieldPath":"x"}},
          {"path":"b","fieldRef":{"fieldPath":"metadata.name['a']"}},
          {"path":"c","resourceFieldRef":{"containerName":"c","resource":"limits.cpu","divisor":"1k"}}]})",
       "downwardAPI.fieldRef.fieldPath: Invalid value: \"x\": error converting fieldPath: field label not supported: "
       "x\n"
       "downwardAPI.fieldRef.fieldPath: Invalid value: \"metadata.name['a']\": error converting fieldPath: field label "
       "does not support subscript: metadata.name['a']\n"
       "downwardAPI.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only divisor's values 1m and 1 are "
       "supported with the cpu resource"},
      {"projected", R"("projected":{"sources":[{"secret":{"name":"s","items":[{"key":"k","path":"p"}]},"configMap":{}},
          {"downwardAPI":{"items":[{"path":"p","fieldRef":{"fieldPath":"metadata.uid"}}]}},
          {"serviceAccountToken":{"path":"","expirationSeconds":1}}]})",
       "projected.sources[0].configMap.name: Required value\n"
       "projected.sources[0]: Forbidden: may not specify more than 1 volume type per source\n"
       "projected: Invalid value: \"p\": conflicting duplicate paths\n"
       "projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less "
       "than 10 minutes\n"
       "projected.path: Required value"},
      {"ephemeral", R"("ephemeral":{"volumeClaimTemplate":{"metadata":{"name":"n","uid":"u"},
          "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}}}}})",
       "ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set\n"
       "ephemeral.volumeClaimTemplate.metadata.uID: Forbidden: cannot be set"},
      {"ephemeral without", R"("ephemeral":{})", "ephemeral.volumeClaimTemplate: Required value"},
      {"csi", R"("csi":{"driver":"D","nodePublishSecretRef":{}})", "csi.nodePublishSecretRef.name: Required value"},
  };
  for (const Case& c : kCases) EXPECT_EQ(OfPodVolume(c.json), c.errors) << c.name;
}

TEST(PersistentVolumes, New) {
  KindFixture volumes("", "v1", "persistentvolumes", "PersistentVolume", false);
  EXPECT_EQ(volumes.Create(Volume(kNfs)), "");
  EXPECT_EQ(volumes.object(),
            R"({"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"nfs":{"path":"/a","server":"s"},)"
            R"("persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"},)"
            R"("status":{"lastPhaseTransitionTime":"2027-01-15T08:00:00Z","phase":"Pending"}})");
  EXPECT_EQ(volumes.Create(""),
            "spec.accessModes: Required value\nspec.capacity: Required value\n"
            "spec.capacity: Unsupported value: core.ResourceList(nil): supported values: \"storage\"\n"
            "spec: Required value: must specify a volume type");
  struct {
    const char* name;
    std::string spec, errors;
  } cases[] = {
      {"capacity", R"("spec":{"capacity":{"storage":"-1"},"accessModes":["x"],"nfs":{"server":"s","path":"/a"}})",
       "spec.accessModes: Unsupported value: \"x\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", "
       "\"ReadWriteOnce\", \"ReadWriteOncePod\"\n"
       "spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity\n"
       "spec.capacity[storage]: Invalid value: \"-1\": must be greater than zero"},
      {"a root that is recycled",
       Volume(R"("hostPath":{"path":"/a/../."})", R"("persistentVolumeReclaimPolicy":"Recycle")"),
       "spec.hostPath.path: Invalid value: \"/a/../.\": must not contain '..'\n"
       "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"},
      {"policy and mode", Volume(kNfs, R"("persistentVolumeReclaimPolicy":"x","volumeMode":"y")"),
       "spec.persistentVolumeReclaimPolicy: Unsupported value: \"x\": supported values: \"Delete\", \"Recycle\", "
       "\"Retain\"\nspec.volumeMode: Unsupported value: \"y\": supported values: \"Block\", \"Filesystem\""},
      {"local", Volume(R"("local":{})"),
       "spec.local.path: Required value\nspec.nodeAffinity: Required value: Local volume requires node affinity"},
      {"affinity", Volume(kNfs, R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[
          {"key":"k","operator":"Gt"},{"key":"k","operator":"x"}],"matchFields":[{"key":"f","operator":"In"}]}]}})"),
       "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified "
       "single value when `operator` is 'Lt' or 'Gt'\n"
       "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].operator: Invalid value: \"x\": not a "
       "valid selector operator\n"
       "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value "
       "when `operator` is 'In' or 'NotIn' for node field selector\n"
       "spec.nodeAffinity.required.nodeSelectorTerms[0].matchFields[0].key: Invalid value: \"f\": not a valid field "
       "selector key"},
      {"csi", Volume(R"("csi":{"driver":"d","volumeHandle":"h","nodePublishSecretRef":{}})"),
       "spec.csi.nodePublishSecretRef.name: Required value\nspec.csi.nodePublishSecretRef.namespace: Required value"},
      {"flex beside another", Volume(R"("nfs":{"server":"s","path":"/a"},"flexVolume":{"driver":"d"})"), ""},
      {"class", Volume(kNfs, R"("storageClassName":"A_")"),
       base::Cat("spec.storageClassName: Invalid value: \"A_\": ", kSubdomain)},
  };
  for (const auto& c : cases) EXPECT_EQ(volumes.Create(c.spec), c.errors) << c.name;
  EXPECT_EQ(volumes.Create(Volume(R"("local":{"path":"/a"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{}]}})"),
                           R"("annotations":{"volume.beta.kubernetes.io/mount-options":"x"})"),
            "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options "
            "for this volume type");
}

TEST(PersistentVolumes, Changes) {
  KindFixture volumes("", "v1", "persistentvolumes", "PersistentVolume", false);
  const auto affinity = [](std::string_view key) {
    return base::Cat(R"("nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":")", key,
                     R"(","operator":"Exists"}]}]}})");
  };
  constexpr std::string_view kCsi = R"("csi":{"driver":"d","volumeHandle":"h"})";
  EXPECT_EQ(volumes.Update(Volume(kNfs), Volume(kNfs, R"("storageClassName":"s")")), "");
  EXPECT_EQ(volumes.Update(Volume(kCsi), Volume(R"("csi":{"driver":"d","volumeHandle":"h","controllerExpandSecretRef":
                {"name":"n","namespace":"s"}})")),
            "");
  EXPECT_EQ(volumes.Update(Volume(kNfs), Volume(kNfs, affinity("k"))), "");
  EXPECT_EQ(volumes.Update(Volume(kNfs, affinity("beta.kubernetes.io/os")), Volume(kNfs, affinity("kubernetes.io/os"))),
            "");
  EXPECT_EQ(volumes.Update(Volume(kNfs, affinity("k")), Volume(kNfs)),
            "nodeAffinity: Invalid value: \"null\": field is immutable, except for updating from beta label to GA");
  EXPECT_EQ(volumes.Update(Volume(kNfs), Volume(kNfs, R"("volumeMode":"Block")")),
            "volumeMode: Invalid value: \"Block\": field is immutable");
  const std::string other = volumes.Update(Volume(kNfs), Volume(R"("nfs":{"server":"t","path":"/a"})"));
  EXPECT_TRUE(
      other.starts_with("spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after "
                        "creation\n  core.PersistentVolumeSource{\n"))
      << other;
}

TEST(PersistentVolumes, ThePhaseMovesItsTime) {
  KindFixture volumes("", "v1", "persistentvolumes", "PersistentVolume", false);
  const std::string old =
      Volume(kNfs) + R"(,"status":{"phase":"Pending","lastPhaseTransitionTime":"2026-01-01T00:00:00Z"})";
  struct {
    const char *name, *status, *time;
  } cases[] = {
      {"kept", R"({"phase":"Pending"})", "2026-01-01T00:00:00Z"},
      {"said", R"({"phase":"Pending","lastPhaseTransitionTime":"2026-02-01T00:00:00Z"})", "2026-02-01T00:00:00Z"},
      {"moved", R"({"phase":"Bound","lastPhaseTransitionTime":"2026-01-01T00:00:00Z"})", "2027-01-15T08:00:00Z"},
      {"moved and said", R"({"phase":"Bound","lastPhaseTransitionTime":"2026-02-01T00:00:00Z"})",
       "2026-02-01T00:00:00Z"},
      {"said to be none", R"({"phase":"Pending","lastPhaseTransitionTime":"0001-01-01T00:00:00Z"})", "Time\":null"},
      {"moved and said to be none", R"({"phase":"Bound","lastPhaseTransitionTime":"0001-01-01T00:00:00Z"})",
       "Time\":null"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(volumes.Update(old, Volume(kNfs) + R"(,"status":)" + c.status, "status"), "") << c.name;
    EXPECT_TRUE(volumes.object().contains(c.time)) << c.name << volumes.object();
  }
}

TEST(PersistentVolumes, Warnings) {
  KindFixture volumes("", "v1", "persistentvolumes", "PersistentVolume", false);
  volumes.Create(Volume(R"("rbd":{"monitors":["m"],"image":"i"})", R"("persistentVolumeReclaimPolicy":"Recycle")"),
                 R"("annotations":{"volume.beta.kubernetes.io/storage-class":"x"})");
  EXPECT_EQ(volumes.warnings(),
            "metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "
            "\"storageClassName\" attribute instead\n"
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended "
            "approach is to use dynamic provisioning.\n"
            "spec.rbd: deprecated in v1.28, non-functional in v1.31+");
}

std::string Claim(std::string_view more = "", std::string_view size = "1Gi") {
  return base::Cat(R"("spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")", size, "\"}}",
                   more.empty() ? "" : ",", more, "}");
}

TEST(Claims, New) {
  KindFixture claims("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
  struct {
    const char* name;
    std::string members, errors;
  } cases[] = {
      {"sound", Claim(), ""},
      {"nothing", "",
       "spec.accessModes: Required value: at least 1 access mode is required\nspec.resources[storage]: Required value"},
      {"size", Claim("", "0"), "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"},
      {"class and mode", Claim(R"("storageClassName":"A_","volumeMode":"x")"),
       base::Cat("spec.storageClassName: Invalid value: \"A_\": ", kSubdomain,
                 "\nspec.volumeMode: Unsupported value: \"x\": supported values: \"Block\", \"Filesystem\"")},
      {"source", Claim(R"("dataSourceRef":{"kind":"K","apiGroup":""})"),
       "spec.dataSource.name: Required value\n"
       "spec.dataSource: Invalid value: \"K\": must be 'PersistentVolumeClaim' when referencing the default apiGroup\n"
       "spec.dataSourceRef.name: Required value\n"
       "spec.dataSourceRef: Invalid value: \"K\": must be 'PersistentVolumeClaim' when referencing the default "
       "apiGroup"},
      {"sources that differ", Claim(R"("dataSource":{"kind":"PersistentVolumeClaim","name":"a"},
          "dataSourceRef":{"kind":"PersistentVolumeClaim","name":"b"})"),
       "spec: Invalid value: field.Path{name:\"dataSource\", index:\"\", parent:(*field.Path)(0xc000000000)}: must "
       "match "
       "dataSourceRef"},
  };
  for (const auto& c : cases) EXPECT_EQ(claims.Create(c.members), c.errors) << c.name;
}

TEST(Claims, SourcesFollowEachOther) {
  KindFixture claims("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
  struct {
    const char *name, *given, *settled;
  } cases[] = {
      {"a source", R"("dataSource":{"kind":"PersistentVolumeClaim","name":"a"})",
       R"("dataSource":{"kind":"PersistentVolumeClaim","name":"a"},"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"a"})"},
      {"a reference", R"("dataSourceRef":{"apiGroup":"g","kind":"K","name":"a"})",
       R"("dataSource":{"apiGroup":"g","kind":"K","name":"a"},"dataSourceRef":{"apiGroup":"g","kind":"K","name":"a"})"},
      {"another source is dropped", R"("dataSource":{"apiGroup":"g","kind":"K","name":"a"})", ""},
      {"another namespace is dropped", R"("dataSourceRef":{"apiGroup":"g","kind":"K","name":"a","namespace":"n"})", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(claims.Create(Claim(c.given)), "") << c.name;
    EXPECT_EQ(claims.object(),
              base::Cat(R"({"spec":{"accessModes":["ReadWriteOnce"],)", c.settled, *c.settled ? "," : "",
                        R"("resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"},)",
                        R"("status":{"phase":"Pending"}})"))
        << c.name;
  }
}

TEST(Claims, Changes) {
  KindFixture claims("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
  const std::string bound = R"(,"status":{"phase":"Bound","capacity":{"storage":"1Gi"}})";
  constexpr std::string_view kImmutable =
      "spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for "
      "bound claims\n";
  struct {
    const char* name;
    std::string old, members;
    std::string_view begins;  // of the errors; "" none
  } cases[] = {
      {"in other words", Claim(), Claim("", "1073741824"), ""},
      {"a volume, once", Claim(), Claim(R"("volumeName":"v")"), ""},
      {"another volume", Claim(R"("volumeName":"v")"), Claim(R"("volumeName":"w")"), kImmutable},
      {"a class, once", Claim(), Claim(R"("storageClassName":"s")"), ""},
      {"another class", Claim(R"("storageClassName":"r")"), Claim(R"("storageClassName":"s")"), kImmutable},
      {"more before it is bound", Claim(), Claim("", "2Gi"), kImmutable},
      {"more", Claim() + bound, Claim("", "2Gi") + bound, ""},
      {"less than asked", Claim("", "3Gi") + bound, Claim("", "2Gi") + bound, ""},
      {"less than there is", Claim("", "3Gi") + bound, Claim("", "1Gi") + bound,
       "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"},
  };
  for (const auto& c : cases) {
    const std::string errors = claims.Update(c.old, c.members);
    EXPECT_TRUE(c.begins.empty() ? errors.empty() : errors.starts_with(c.begins)) << c.name << ": " << errors;
  }
  EXPECT_EQ(claims.Update(Claim(), Claim(), "", R"("annotations":{"volume.beta.kubernetes.io/storage-class":"s"})"),
            "metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: \"\": field is immutable");
  EXPECT_EQ(claims.Update(Claim(), Claim(R"("storageClassName":"s")"), "",
                          R"("annotations":{"volume.beta.kubernetes.io/storage-class":"s"})"),
            "");
}

TEST(Claims, Status) {
  KindFixture claims("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", true);
  const auto change = [&](std::string_view status) {
    return claims.Update(Claim(), base::Cat(Claim(), R"(,"status":)", status), "status");
  };
  EXPECT_EQ(change(R"({"phase":"x","capacity":{"a b":"1"},"allocatedResources":{"storage":"1","a.b/c":"2"}})"), "");
  EXPECT_EQ(
      change(R"({"capacity":{"storage":"-1"},"allocatedResourceStatuses":{"cpu":"x"},
                       "allocatedResources":{"cpu":"1","storage":"-500m"}})"),
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity\n"
      "status.allocatedResourceStatus: Unsupported value: \"cpu\": supported values: \"storage\"\n"
      "status.allocatedResourceStatus: Unsupported value: cpu: supported values: \"ControllerResizeInProgress\", "
      "\"ControllerResizeInfeasible\", \"NodeResizeInProgress\", \"NodeResizeInfeasible\", \"NodeResizePending\"\n"
      "status.allocatedResources: Unsupported value: \"cpu\": supported values: \"storage\"\n"
      "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity");
}

}  // namespace
}  // namespace resources::core
