// Differences as Go's comparison prints them; the texts are its own.
#include "resources/go/difference.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/go/edit_script.h"
#include "schema/decode.h"
#include "value/json_reader.h"

namespace resources {
namespace {

std::string Of(std::string_view go_type, std::string_view before, std::string_view after) {
  value::Arena arena;
  return Difference(go_type, *value::ReadJson(before, arena), *value::ReadJson(after, arena), arena);
}

constexpr std::string_view kClaim = "core.PersistentVolumeClaimSpec";
constexpr std::string_view kPod = "core.PodSpec";

TEST(Difference, NothingDiffers) {
  EXPECT_EQ(Of(kClaim, R"({"volumeName":"v"})", R"({"volumeName":"v"})"), "");
  EXPECT_EQ(Of(kClaim, R"({"resources":{"requests":{"storage":"1Gi"}}})",
               R"({"resources":{"requests":{"storage":"1073741824"}}})"),
            "");
}

TEST(Difference, AmountsAreShownAsTheyWereSent) {
  value::Arena arena;
  const value::Value document = *value::ReadJson(R"({"resources":{"limits":{"storage":"1.5Gi"}}})", arena);
  const auto sent =
      schema::Decode(*schema::FindType("io.k8s.api.core.v1.PersistentVolumeClaimSpec"), document, arena, nullptr);
  ASSERT_TRUE(sent.has_value());
  // Defaults put the same amount elsewhere.
  const value::Value requests = value::Value::Object(arena, 1);
  requests.Add(arena, "storage", sent->Get({"resources", "limits", "storage"}));
  sent->Get("resources").Set(arena, "requests", requests);
  const std::string text = Difference(kClaim, value::Value::Object(arena), *sent, arena);
  constexpr std::string_view kAmount = R"({s"storage": {d: s"1610612736.000", Format: "BinarySI"}})";
  EXPECT_NE(text.find(kAmount), text.rfind(kAmount)) << text;
}

TEST(Difference, AListOfOneIsShownWhole) {
  EXPECT_EQ(
      Of(kClaim,
         R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"})",
         R"({"accessModes":["ReadOnlyMany"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"})"),
      "  core.PersistentVolumeClaimSpec{\n"
      "- \tAccessModes: []core.PersistentVolumeAccessMode{\"ReadWriteOnce\"},\n"
      "+ \tAccessModes: []core.PersistentVolumeAccessMode{\"ReadOnlyMany\"},\n"
      "  \tSelector:    nil,\n"
      "  \tResources:   {Requests: {s\"storage\": {i: {...}, s: \"1Gi\", Format: \"BinarySI\"}}},\n"
      "  \t... // 6 identical fields\n"
      "  }\n");
}

TEST(Difference, StructsAreEntered) {
  EXPECT_EQ(
      Of(kClaim,
         R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"})",
         R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}},"volumeMode":"Filesystem"})"),
      "  core.PersistentVolumeClaimSpec{\n"
      "  \tAccessModes: {\"ReadWriteOnce\"},\n"
      "  \tSelector:    nil,\n"
      "  \tResources: core.VolumeResourceRequirements{\n"
      "  \t\tLimits: nil,\n"
      "- \t\tRequests: core.ResourceList{\n"
      "- \t\t\ts\"storage\": {i: resource.int64Amount{value: 1073741824}, s: \"1Gi\", Format: \"BinarySI\"},\n"
      "- \t\t},\n"
      "+ \t\tRequests: core.ResourceList{\n"
      "+ \t\t\ts\"storage\": {i: resource.int64Amount{value: 2147483648}, s: \"2Gi\", Format: \"BinarySI\"},\n"
      "+ \t\t},\n"
      "  \t},\n"
      "  \tVolumeName:       \"\",\n"
      "  \tStorageClassName: nil,\n"
      "  \t... // 4 identical fields\n"
      "  }\n");
}

constexpr std::string_view kContainer =
    R"("name":"c","image":"i","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File")";

std::string Pod(std::string_view container, std::string_view more) {
  return std::string(R"({"containers":[{)") + std::string(kContainer) + std::string(container) +
         R"(}],"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler")" +
         std::string(more) + "}";
}

TEST(Difference, PointersAndNeighbours) {
  const std::string_view other = R"(,"restartPolicy":"Always","terminationGracePeriodSeconds":)";
  EXPECT_EQ(Of(kPod, Pod("", std::string(other) + "30"), Pod("", std::string(other) + "5")),
            "  core.PodSpec{\n"
            "  \t... // 3 identical fields\n"
            "  \tEphemeralContainers:           nil,\n"
            "  \tRestartPolicy:                 \"Always\",\n"
            "- \tTerminationGracePeriodSeconds: &30,\n"
            "+ \tTerminationGracePeriodSeconds: &5,\n"
            "  \tActiveDeadlineSeconds:         nil,\n"
            "  \tDNSPolicy:                     \"ClusterFirst\",\n"
            "  \t... // 26 identical fields\n"
            "  }\n");
  EXPECT_EQ(Of(kPod, Pod("", R"(,"restartPolicy":"Always","terminationGracePeriodSeconds":30)"),
               Pod("", R"(,"restartPolicy":"Never","terminationGracePeriodSeconds":30)")),
            "  core.PodSpec{\n"
            "  \t... // 2 identical fields\n"
            "  \tContainers:                    {{Name: \"c\", Image: \"i\", TerminationMessagePath: "
            "\"/dev/termination-log\", TerminationMessagePolicy: \"File\", ...}},\n"
            "  \tEphemeralContainers:           nil,\n"
            "- \tRestartPolicy:                 \"Always\",\n"
            "+ \tRestartPolicy:                 \"Never\",\n"
            "  \tTerminationGracePeriodSeconds: &30,\n"
            "  \tActiveDeadlineSeconds:         nil,\n"
            "  \t... // 27 identical fields\n"
            "  }\n");
}

TEST(Difference, ItemsOfLists) {
  EXPECT_EQ(Of(kPod, Pod(R"(,"imagePullPolicy":"Always")", ""), Pod(R"(,"imagePullPolicy":"Never")", "")),
            "  core.PodSpec{\n"
            "  \tVolumes:        nil,\n"
            "  \tInitContainers: nil,\n"
            "  \tContainers: []core.Container{\n"
            "  \t\t{\n"
            "  \t\t\t... // 17 identical fields\n"
            "  \t\t\tTerminationMessagePath:   \"/dev/termination-log\",\n"
            "  \t\t\tTerminationMessagePolicy: \"File\",\n"
            "- \t\t\tImagePullPolicy:          \"Always\",\n"
            "+ \t\t\tImagePullPolicy:          \"Never\",\n"
            "  \t\t\tSecurityContext:          nil,\n"
            "  \t\t\tStdin:                    false,\n"
            "  \t\t\t... // 2 identical fields\n"
            "  \t\t},\n"
            "  \t},\n"
            "  \tEphemeralContainers: nil,\n"
            "  \tRestartPolicy:       \"\",\n"
            "  \t... // 29 identical fields\n"
            "  }\n");
}

TEST(Difference, LongTextsInPieces) {
  const std::string before = std::string(80, 'x'), after = std::string(40, 'x') + 'y' + std::string(39, 'x');
  const auto variable = [](const std::string& text) { return R"({"name":"A","value":")" + text + R"("})"; };
  EXPECT_EQ(Of("core.EnvVar", variable(before), variable(after)),
            "  core.EnvVar{\n"
            "  \tName: \"A\",\n"
            "  \tValue: strings.Join({\n"
            "  \t\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\n"
            "- \t\t\"x\",\n"
            "+ \t\t\"y\",\n"
            "  \t\t\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\n"
            "  \t}, \"\"),\n"
            "  \tValueFrom: nil,\n"
            "  }\n");
}

TEST(Difference, ListsOfNumbersAndMaps) {
  EXPECT_EQ(Of("core.PodSecurityContext", R"({"supplementalGroups":[1,2,3]})", R"({"supplementalGroups":[4,5]})"),
            "  core.PodSecurityContext{\n"
            "  \t... // 8 identical fields\n"
            "  \tRunAsGroup:   nil,\n"
            "  \tRunAsNonRoot: nil,\n"
            "  \tSupplementalGroups: []int64{\n"
            "- \t\t1, 2, 3,\n"
            "+ \t\t4, 5,\n"
            "  \t},\n"
            "  \tSupplementalGroupsPolicy: nil,\n"
            "  \tFSGroup:                  nil,\n"
            "  \t... // 5 identical fields\n"
            "  }\n");
  EXPECT_EQ(Of("core.VolumeResourceRequirements", R"({"limits":{"a":"100m"}})", R"({"limits":{"a":"1500m"}})"),
            "  core.VolumeResourceRequirements{\n"
            "- \tLimits: core.ResourceList{\n"
            "- \t\ts\"a\": {i: resource.int64Amount{value: 100, scale: -3}, s: \"100m\", Format: \"DecimalSI\"},\n"
            "- \t},\n"
            "+ \tLimits: core.ResourceList{\n"
            "+ \t\ts\"a\": {i: resource.int64Amount{value: 1500, scale: -3}, s: \"1500m\", Format: \"DecimalSI\"},\n"
            "+ \t},\n"
            "  \tRequests: nil,\n"
            "  }\n");
  EXPECT_EQ(Of("core.VolumeResourceRequirements", R"({"limits":{"a":"100m"}})", R"({"limits":{"a":"1e3"}})"),
            "  core.VolumeResourceRequirements{\n"
            "- \tLimits: core.ResourceList{\n"
            "- \t\ts\"a\": {i: resource.int64Amount{value: 100, scale: -3}, s: \"100m\", Format: \"DecimalSI\"},\n"
            "- \t},\n"
            "+ \tLimits: core.ResourceList{\n"
            "+ \t\ts\"a\": {i: resource.int64Amount{value: 1, scale: 3}, s: \"1e3\", Format: \"DecimalExponent\"},\n"
            "+ \t},\n"
            "  \tRequests: nil,\n"
            "  }\n");
}

TEST(Difference, Amounts) {
  struct {
    std::string_view text, shown;
  } cases[] = {
      {"500Mi", R"({i: resource.int64Amount{value: 524288000}, s: "500Mi", Format: "BinarySI"})"},
      {"1000Ki", R"({i: resource.int64Amount{value: 1024000}, Format: "BinarySI"})"},
      {"2Ti", R"({i: resource.int64Amount{value: 2199023255552}, s: "2Ti", Format: "BinarySI"})"},
      {"1Pi", R"({d: s"1125899906842624.000", Format: "BinarySI"})"},
      {"9223372036854775807", R"({d: s"9223372036854775807.000", Format: "DecimalSI"})"},
      {"1e3", R"({i: resource.int64Amount{value: 1, scale: 3}, s: "1e3", Format: "DecimalExponent"})"},
  };
  for (const auto& test : cases) {
    const std::string text = Of("core.VolumeResourceRequirements", R"({"limits":{}})",
                                base::Cat(R"({"limits":{"a":")", test.text, R"("}})"));
    EXPECT_TRUE(text.contains(test.shown)) << test.text << ": " << text;
  }
}

TEST(Difference, ClaimTemplatesAreShownAsTheirMetadata) {
  const std::string text = Of("core.EphemeralVolumeSource", "{}",
                              R"({"volumeClaimTemplate":{"metadata":{"labels":{"b":"1","a":"2"}},"spec":{}}})");
  EXPECT_TRUE(text.contains("+ \tVolumeClaimTemplate: s\"&ObjectMeta{Name:,GenerateName:,")) << text;
}

TEST(Difference, Steps) {
  struct {
    std::string_view x, y, steps;  // = same, - removed, + inserted
  } cases[] = {{"", "", ""}, {"abc", "abc", "==="}, {"abc", "ac", "=-="}, {"ac", "abc", "=+="}, {"", "ab", "++"}};
  for (const auto& c : cases) {
    const auto likeness = [&](int i, int j) {
      return c.x[static_cast<size_t>(i)] == c.y[static_cast<size_t>(j)] ? text::Likeness{1, 0} : text::Likeness{0, 2};
    };
    std::string steps;
    for (text::Edit edit : text::EditScript(static_cast<int>(c.x.size()), static_cast<int>(c.y.size()), likeness)) {
      steps += edit == text::Edit::kSame ? '=' : edit == text::Edit::kRemoved ? '-' : '+';
    }
    EXPECT_EQ(steps, c.steps) << c.x << " " << c.y;
  }
}

}  // namespace
}  // namespace resources
