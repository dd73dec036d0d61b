// Features: which feature gates are on, of those that change what built-in types may hold and how they are treated.
// Made once at start, then constant; cheap to copy. Any thread.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace api {

enum class Feature : uint8_t {
  kAnyVolumeDataSource,
  kAuthorizeWithSelectors,
  kCrdValidationRatcheting,
  kClusterTrustBundle,
  kClusterTrustBundleProjection,
  kCoordinatedLeaderElection,
  kCrossNamespaceVolumeDataSource,
  kDraAdminAccess,
  kDraResourceClaimDeviceStatus,
  kDynamicResourceAllocation,
  kHpaScaleToZero,
  kImageVolume,
  kInPlacePodVerticalScaling,
  kInPlacePodVerticalScalingAllocatedStatus,
  kJobBackoffLimitPerIndex,
  kJobManagedBy,
  kJobPodReplacementPolicy,
  kJobSuccessPolicy,
  kMatchLabelKeysInPodAffinity,
  kMatchLabelKeysInPodTopologySpread,
  kMaxUnavailableStatefulSet,
  kNodeInclusionPolicyInPodTopologySpread,
  kPodDeletionCost,
  kPodLevelResources,
  kPodLifecycleSleepAction,
  kPodLifecycleSleepActionAllowZero,
  kPodLogsQuerySplitStreams,
  kProcMountType,
  kRecoverVolumeExpansionFailure,
  kRecursiveReadOnlyMounts,
  kRelaxedDnsSearchValidation,
  kRelaxedEnvironmentVariableValidation,
  kResourceHealthStatus,
  kSeLinuxChangePolicy,
  kSeLinuxMount,
  kSeLinuxMountReadWriteOncePod,
  kServiceAccountTokenNodeBinding,
  kServiceTrafficDistribution,
  kSidecarContainers,
  kStorageVersionMigrator,
  kSupplementalGroupsPolicy,
  kTopologyAwareHints,
  kUserNamespacesSupport,
  kVolumeAttributesClass,
  kEnd,  // none
};

struct FeatureRow {
  std::string_view gate;  // as --feature-gates names it
  bool on_by_default;
};

// In the order of Feature, which is that of their names.
std::span<const FeatureRow> AllFeatures();
// Nullopt for a gate that is no Feature.
std::optional<Feature> FindFeature(std::string_view gate);

class Features {
 public:
  Features();  // as they are by default

  bool Has(Feature feature) const { return on_.test(static_cast<size_t>(feature)); }
  void Set(Feature feature, bool on) { on_.set(static_cast<size_t>(feature), on); }

  // No gate, but it goes the same way: whether containers may be privileged (--allow-privileged).
  bool privileged_containers() const { return privileged_containers_; }
  void AllowPrivilegedContainers(bool allowed) { privileged_containers_ = allowed; }

 private:
  std::bitset<static_cast<size_t>(Feature::kEnd)> on_;
  bool privileged_containers_ = true;
};

}  // namespace api
