#include "api/features.h"

#include <algorithm>

namespace api {
namespace {

constexpr FeatureRow kFeatures[] = {
    {"AnyVolumeDataSource", true},
    {"AuthorizeWithSelectors", true},
    {"CRDValidationRatcheting", true},
    {"ClusterTrustBundle", false},
    {"ClusterTrustBundleProjection", false},
    {"CoordinatedLeaderElection", false},
    {"CrossNamespaceVolumeDataSource", false},
    {"DRAAdminAccess", false},
    {"DRAResourceClaimDeviceStatus", false},
    {"DynamicResourceAllocation", false},
    {"HPAScaleToZero", false},
    {"ImageVolume", false},
    {"InPlacePodVerticalScaling", false},
    {"InPlacePodVerticalScalingAllocatedStatus", false},
    {"JobBackoffLimitPerIndex", true},
    {"JobManagedBy", true},
    {"JobPodReplacementPolicy", true},
    {"JobSuccessPolicy", true},
    {"MatchLabelKeysInPodAffinity", true},
    {"MatchLabelKeysInPodTopologySpread", true},
    {"MaxUnavailableStatefulSet", false},
    {"NodeInclusionPolicyInPodTopologySpread", true},
    {"PodDeletionCost", true},
    {"PodLevelResources", false},
    {"PodLifecycleSleepAction", true},
    {"PodLifecycleSleepActionAllowZero", false},
    {"PodLogsQuerySplitStreams", false},
    {"ProcMountType", false},
    {"RecoverVolumeExpansionFailure", true},
    {"RecursiveReadOnlyMounts", true},
    {"RelaxedDNSSearchValidation", false},
    {"RelaxedEnvironmentVariableValidation", true},
    {"ResourceHealthStatus", false},
    {"SELinuxChangePolicy", false},
    {"SELinuxMount", false},
    {"SELinuxMountReadWriteOncePod", true},
    {"ServiceAccountTokenNodeBinding", true},
    {"ServiceTrafficDistribution", true},
    {"SidecarContainers", true},
    {"StorageVersionMigrator", false},
    {"SupplementalGroupsPolicy", false},
    {"TopologyAwareHints", true},
    {"UserNamespacesSupport", false},
    {"VolumeAttributesClass", false},
};
static_assert(std::size(kFeatures) == static_cast<size_t>(Feature::kEnd));
static_assert(std::ranges::is_sorted(kFeatures, {}, &FeatureRow::gate));

}  // namespace

std::span<const FeatureRow> AllFeatures() { return kFeatures; }

std::optional<Feature> FindFeature(std::string_view gate) {
  const auto* at = std::ranges::lower_bound(kFeatures, gate, {}, &FeatureRow::gate);
  if (at == std::end(kFeatures) || at->gate != gate) return std::nullopt;
  return static_cast<Feature>(at - kFeatures);
}

Features::Features() {
  for (size_t i = 0; i < std::size(kFeatures); ++i) on_.set(i, kFeatures[i].on_by_default);
}

}  // namespace api
