// The StrategyTable of every built-in resource, one small file each in the folder of its group, and the one table that
// names them all. Called by builtin.h when resources are made. Immutable, any thread.
#pragma once

#include <memory>
#include <string_view>

#include "registry/resource.h"

namespace resources {

using registry::StrategyTable;

// That of a resource; of one that nothing is said of, the one that changes and refuses nothing.
const StrategyTable& StrategyTableOf(std::string_view group, std::string_view version, std::string_view plural);

// For StrategyFacts::generation_of of the many kinds whose generation counts the changes of spec.
inline constexpr std::string_view kSpec[] = {"spec"};

// For StrategyFacts::resets of kinds whose status endpoint changes nothing but the status.
inline constexpr std::string_view kMetadataAndSpec[] = {"metadata", "spec"};
inline constexpr registry::ResetPaths kStatusResets[] = {{"status", kMetadataAndSpec}};

// A strategy of these functions, and of the defaults of built-in types.
std::shared_ptr<registry::TableStrategy> MakeStrategy(const StrategyTable& table);

namespace core {
extern const StrategyTable kConfigMaps, kEndpoints, kEvents, kEventsV1, kLimitRanges, kNamespaces, kNodes,
    kPersistentVolumeClaims, kPersistentVolumes, kPods, kPodTemplates, kReplicationControllers, kResourceQuotas,
    kSecrets, kServiceAccounts, kServices;
}
namespace apps {
extern const StrategyTable kControllerRevisions, kDaemonSets, kDeployments, kReplicaSets, kStatefulSets;
}
namespace batch {
extern const StrategyTable kCronJobs, kJobs;
}
namespace autoscaling {
extern const StrategyTable kHorizontalPodAutoscalers;
}
namespace networking {
extern const StrategyTable kIngressClasses, kIngresses, kNetworkPolicies, kIpAddresses, kServiceCidrs;
}
namespace policy {
extern const StrategyTable kPodDisruptionBudgets;
}
namespace rbac {
extern const StrategyTable kClusterRoleBindings, kClusterRoles, kRoleBindings, kRoles;
}
namespace storage {
extern const StrategyTable kCsiDrivers, kCsiNodes, kCsiStorageCapacities, kStorageClasses, kVolumeAttachments,
    kVolumeAttributesClasses;
}
namespace scheduling {
extern const StrategyTable kPriorityClasses;
}
namespace coordination {
extern const StrategyTable kLeases, kLeaseCandidates;
}
namespace node {
extern const StrategyTable kRuntimeClasses;
}
namespace discovery {
extern const StrategyTable kEndpointSlices;
}
namespace flowcontrol {
extern const StrategyTable kFlowSchemas, kPriorityLevelConfigurations;
}
namespace admissionregistration {
extern const StrategyTable kMutatingAdmissionPolicies, kMutatingAdmissionPolicyBindings, kMutatingWebhookConfigurations,
    kValidatingAdmissionPolicies, kValidatingAdmissionPolicyBindings, kValidatingWebhookConfigurations;
}
namespace apiextensions {
extern const StrategyTable kCustomResourceDefinitions;
}
namespace apiregistration {
extern const StrategyTable kApiServices;
}
namespace certificates {
extern const StrategyTable kCertificateSigningRequests, kClusterTrustBundles;
}
namespace apiserverinternal {
extern const StrategyTable kStorageVersions;
}
namespace resource {
extern const StrategyTable kDeviceClasses, kResourceClaims, kResourceClaimTemplates, kResourceSlices,
    kResourceSlicesV1alpha3;
}
namespace storagemigration {
extern const StrategyTable kStorageVersionMigrations;
}

}  // namespace resources
