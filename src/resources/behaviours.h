// The Behaviour of every built-in resource, one small file each in the folder of its group, and the one table that
// names them all. Called by builtin.h when resources are made. Immutable, any thread.
#pragma once

#include <string_view>

#include "registry/resource.h"

namespace resources {

using registry::Behaviour;

// The behaviour of that resource; of one that nothing is said of, the one that changes and refuses nothing.
const Behaviour& BehaviourOf(std::string_view group, std::string_view version, std::string_view plural);

// For Behaviour::generation_of of the many kinds whose generation counts the changes of spec.
inline constexpr std::string_view kSpec[] = {"spec"};

// For Behaviour::resets of kinds whose status endpoint changes nothing but the status.
inline constexpr std::string_view kMetadataAndSpec[] = {"metadata", "spec"};
inline constexpr registry::ResetPaths kStatusResets[] = {{"status", kMetadataAndSpec}};

namespace core {
extern const Behaviour kConfigMaps, kEndpoints, kEvents, kEventsV1, kLimitRanges, kNamespaces, kNodes,
    kPersistentVolumeClaims, kPersistentVolumes, kPods, kPodTemplates, kReplicationControllers, kResourceQuotas,
    kSecrets, kServiceAccounts, kServices;
}
namespace apps {
extern const Behaviour kControllerRevisions, kDaemonSets, kDeployments, kReplicaSets, kStatefulSets;
}
namespace batch {
extern const Behaviour kCronJobs, kJobs;
}
namespace autoscaling {
extern const Behaviour kHorizontalPodAutoscalers;
}
namespace networking {
extern const Behaviour kIngressClasses, kIngresses, kNetworkPolicies, kIpAddresses, kServiceCidrs;
}
namespace policy {
extern const Behaviour kPodDisruptionBudgets;
}
namespace rbac {
extern const Behaviour kClusterRoleBindings, kClusterRoles, kRoleBindings, kRoles;
}
namespace storage {
extern const Behaviour kCsiDrivers, kCsiNodes, kCsiStorageCapacities, kStorageClasses, kVolumeAttachments,
    kVolumeAttributesClasses;
}
namespace scheduling {
extern const Behaviour kPriorityClasses;
}
namespace coordination {
extern const Behaviour kLeases, kLeaseCandidates;
}
namespace node {
extern const Behaviour kRuntimeClasses;
}
namespace discovery {
extern const Behaviour kEndpointSlices;
}
namespace flowcontrol {
extern const Behaviour kFlowSchemas, kPriorityLevelConfigurations;
}
namespace admissionregistration {
extern const Behaviour kMutatingAdmissionPolicies, kMutatingAdmissionPolicyBindings, kMutatingWebhookConfigurations,
    kValidatingAdmissionPolicies, kValidatingAdmissionPolicyBindings, kValidatingWebhookConfigurations;
}
namespace apiextensions {
extern const Behaviour kCustomResourceDefinitions;
}
namespace apiregistration {
extern const Behaviour kApiServices;
}
namespace certificates {
extern const Behaviour kCertificateSigningRequests, kClusterTrustBundles;
}
namespace apiserverinternal {
extern const Behaviour kStorageVersions;
}
namespace resource {
extern const Behaviour kDeviceClasses, kResourceClaims, kResourceClaimTemplates, kResourceSlices,
    kResourceSlicesV1alpha3;
}
namespace storagemigration {
extern const Behaviour kStorageVersionMigrations;
}

}  // namespace resources
