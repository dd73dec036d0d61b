#include "resources/strategies.h"

#include <algorithm>

#include "resources/defaults/defaults.h"

namespace resources {
namespace {

struct Row {
  std::string_view group, version, plural;  // version "": all of them
  const StrategyTable* strategy;
};

// One line a resource; a line for one version stands before that for all.
constexpr Row kRows[] = {
    {"", "", "configmaps", &core::kConfigMaps},
    {"", "", "endpoints", &core::kEndpoints},
    {"", "", "events", &core::kEvents},
    {"", "", "limitranges", &core::kLimitRanges},
    {"", "", "namespaces", &core::kNamespaces},
    {"", "", "nodes", &core::kNodes},
    {"", "", "persistentvolumeclaims", &core::kPersistentVolumeClaims},
    {"", "", "persistentvolumes", &core::kPersistentVolumes},
    {"", "", "pods", &core::kPods},
    {"", "", "podtemplates", &core::kPodTemplates},
    {"", "", "replicationcontrollers", &core::kReplicationControllers},
    {"", "", "resourcequotas", &core::kResourceQuotas},
    {"", "", "secrets", &core::kSecrets},
    {"", "", "serviceaccounts", &core::kServiceAccounts},
    {"", "", "services", &core::kServices},
    {"admissionregistration.k8s.io", "", "mutatingadmissionpolicies",
     &admissionregistration::kMutatingAdmissionPolicies},
    {"admissionregistration.k8s.io", "", "mutatingadmissionpolicybindings",
     &admissionregistration::kMutatingAdmissionPolicyBindings},
    {"admissionregistration.k8s.io", "", "mutatingwebhookconfigurations",
     &admissionregistration::kMutatingWebhookConfigurations},
    {"admissionregistration.k8s.io", "", "validatingadmissionpolicies",
     &admissionregistration::kValidatingAdmissionPolicies},
    {"admissionregistration.k8s.io", "", "validatingadmissionpolicybindings",
     &admissionregistration::kValidatingAdmissionPolicyBindings},
    {"admissionregistration.k8s.io", "", "validatingwebhookconfigurations",
     &admissionregistration::kValidatingWebhookConfigurations},
    {"apiextensions.k8s.io", "", "customresourcedefinitions", &apiextensions::kCustomResourceDefinitions},
    {"apiregistration.k8s.io", "", "apiservices", &apiregistration::kApiServices},
    {"apps", "", "controllerrevisions", &apps::kControllerRevisions},
    {"apps", "", "daemonsets", &apps::kDaemonSets},
    {"apps", "", "deployments", &apps::kDeployments},
    {"apps", "", "replicasets", &apps::kReplicaSets},
    {"apps", "", "statefulsets", &apps::kStatefulSets},
    {"autoscaling", "", "horizontalpodautoscalers", &autoscaling::kHorizontalPodAutoscalers},
    {"batch", "", "cronjobs", &batch::kCronJobs},
    {"batch", "", "jobs", &batch::kJobs},
    {"certificates.k8s.io", "", "certificatesigningrequests", &certificates::kCertificateSigningRequests},
    {"certificates.k8s.io", "", "clustertrustbundles", &certificates::kClusterTrustBundles},
    {"coordination.k8s.io", "", "leasecandidates", &coordination::kLeaseCandidates},
    {"coordination.k8s.io", "", "leases", &coordination::kLeases},
    {"discovery.k8s.io", "", "endpointslices", &discovery::kEndpointSlices},
    {"events.k8s.io", "", "events", &core::kEventsV1},
    {"flowcontrol.apiserver.k8s.io", "", "flowschemas", &flowcontrol::kFlowSchemas},
    {"flowcontrol.apiserver.k8s.io", "", "prioritylevelconfigurations", &flowcontrol::kPriorityLevelConfigurations},
    {"internal.apiserver.k8s.io", "", "storageversions", &apiserverinternal::kStorageVersions},
    {"networking.k8s.io", "", "ingressclasses", &networking::kIngressClasses},
    {"networking.k8s.io", "", "ingresses", &networking::kIngresses},
    {"networking.k8s.io", "", "ipaddresses", &networking::kIpAddresses},
    {"networking.k8s.io", "", "networkpolicies", &networking::kNetworkPolicies},
    {"networking.k8s.io", "", "servicecidrs", &networking::kServiceCidrs},
    {"node.k8s.io", "", "runtimeclasses", &node::kRuntimeClasses},
    {"policy", "", "poddisruptionbudgets", &policy::kPodDisruptionBudgets},
    {"rbac.authorization.k8s.io", "", "clusterrolebindings", &rbac::kClusterRoleBindings},
    {"rbac.authorization.k8s.io", "", "clusterroles", &rbac::kClusterRoles},
    {"rbac.authorization.k8s.io", "", "rolebindings", &rbac::kRoleBindings},
    {"rbac.authorization.k8s.io", "", "roles", &rbac::kRoles},
    {"resource.k8s.io", "", "deviceclasses", &resource::kDeviceClasses},
    {"resource.k8s.io", "", "resourceclaims", &resource::kResourceClaims},
    {"resource.k8s.io", "", "resourceclaimtemplates", &resource::kResourceClaimTemplates},
    {"resource.k8s.io", "v1alpha3", "resourceslices", &resource::kResourceSlicesV1alpha3},
    {"resource.k8s.io", "", "resourceslices", &resource::kResourceSlices},
    {"scheduling.k8s.io", "", "priorityclasses", &scheduling::kPriorityClasses},
    {"storage.k8s.io", "", "csidrivers", &storage::kCsiDrivers},
    {"storage.k8s.io", "", "csinodes", &storage::kCsiNodes},
    {"storage.k8s.io", "", "csistoragecapacities", &storage::kCsiStorageCapacities},
    {"storage.k8s.io", "", "storageclasses", &storage::kStorageClasses},
    {"storage.k8s.io", "", "volumeattachments", &storage::kVolumeAttachments},
    {"storage.k8s.io", "", "volumeattributesclasses", &storage::kVolumeAttributesClasses},
    {"storagemigration.k8s.io", "", "storageversionmigrations", &storagemigration::kStorageVersionMigrations},
};

constexpr StrategyTable kPlain{};

}  // namespace

const StrategyTable& StrategyTableOf(std::string_view group, std::string_view version, std::string_view plural) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& r) {
    return r.plural == plural && r.group == group && (r.version.empty() || r.version == version);
  });
  return row == std::end(kRows) ? kPlain : *row->strategy;
}

std::shared_ptr<registry::TableStrategy> MakeStrategy(const StrategyTable& table) {
  StrategyTable with_defaults = table;
  with_defaults.set_defaults = SetDefaults;
  return std::make_shared<registry::TableStrategy>(with_defaults);
}

}  // namespace resources
