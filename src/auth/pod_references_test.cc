#include "auth/pod_references.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "value/json_reader.h"

namespace auth {
namespace {

std::set<std::string> ReferencesOf(std::string_view json) {
  value::Arena arena;
  std::set<std::string> found;
  ForEachReference(value::ReadJson(json, arena).value(), [&](PodReference kind, std::string_view name) {
    found.insert(std::string(1, "smcra"[static_cast<int>(kind)]) + std::string(name));
  });
  return found;
}

TEST(PodReferences, FindsThemInEveryPlace) {
  EXPECT_EQ(ReferencesOf(
                R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa","imagePullSecrets":[{"name":"pull"},{}],
      "initContainers":[{"envFrom":[{"secretRef":{"name":"a"}},{"configMapRef":{"name":"b"}}]}],
      "containers":[{"env":[{"valueFrom":{"secretKeyRef":{"name":"c"}}},{"valueFrom":{"configMapKeyRef":{"name":"d"}}},{"value":"x"}]}],
      "ephemeralContainers":[{"envFrom":[{"secretRef":{"name":"e"}}]}],
      "volumes":[{"secret":{"secretName":"f"}},{"configMap":{"name":"g"}},{"azureFile":{"secretName":"h"}},{"csi":{"nodePublishSecretRef":{"name":"i"}}},
        {"projected":{"sources":[{"secret":{"name":"j"}},{"configMap":{"name":"k"}}]}},{"rbd":{"secretRef":{"name":"l"}}},
        {"persistentVolumeClaim":{"claimName":"m"}},{"name":"v","ephemeral":{}}],
      "resourceClaims":[{"name":"x","resourceClaimName":"n"},{"name":"y","resourceClaimTemplateName":"t"},{"name":"z","resourceClaimTemplateName":"t"}]},
      "status":{"resourceClaimStatuses":[{"name":"y","resourceClaimName":"o"},{"name":"z"}]}})"),
            (std::set<std::string>{"asa", "spull", "sa", "mb", "sc", "md", "se", "sf", "mg", "sh", "si", "sj", "mk",
                                   "sl", "cm", "cp-v", "rn", "ro"}));
}

TEST(PodReferences, VolumesNameTheirSecrets) {
  value::Arena arena;
  const auto secrets = [&](std::string_view json) {
    std::set<std::string> found;
    ForEachVolumeSecret(value::ReadJson(json, arena).value(), [&](std::string_view home, std::string_view name) {
      found.insert(std::string(home) + "/" + std::string(name));
    });
    return found;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(secrets(R"({"spec":{"claimRef":{"namespace":"c"},"rbd":{"secretRef":{"name":"s"}}}})"), Names{"c/s"});
  EXPECT_EQ(secrets(R"({"spec":{"claimRef":{"namespace":"c"},"azureFile":{"secretNamespace":"a","secretName":"s"}}})"),
            Names{"a/s"});
  EXPECT_EQ(secrets(R"({"spec":{"claimRef":{"namespace":"c"},"csi":{"nodeStageSecretRef":{"namespace":"n","name":"s"},
      "controllerPublishSecretRef":{"namespace":"n","name":"hidden"}}}})"),
            Names{"n/s"});
}

}  // namespace
}  // namespace auth
