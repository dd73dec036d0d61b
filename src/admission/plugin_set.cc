#include "admission/plugin_set.h"

#include <algorithm>

namespace admission {
namespace {

constexpr PluginEntry kPlugins[] = {
    {"AlwaysAdmit", false},
    {"NamespaceAutoProvision", false},
    {"NamespaceLifecycle", true},
    {"NamespaceExists", false},
    {"LimitPodHardAntiAffinityTopology", false},
    {"LimitRanger", true},
    {"ServiceAccount", true},
    {"NodeRestriction", false},
    {"TaintNodesByCondition", true},
    {"AlwaysPullImages", false},
    {"ImagePolicyWebhook", false},
    {"PodSecurity", true},
    {"PodNodeSelector", false},
    {"Priority", true},
    {"DefaultTolerationSeconds", true},
    {"PodTolerationRestriction", false},
    {"EventRateLimit", false},
    {"ExtendedResourceToleration", false},
    {"DefaultStorageClass", true},
    {"StorageObjectInUseProtection", true},
    {"OwnerReferencesPermissionEnforcement", false},
    {"PersistentVolumeClaimResize", true},
    {"RuntimeClass", true},
    {"CertificateApproval", true},
    {"CertificateSigning", true},
    {"ClusterTrustBundleAttest", true},
    {"CertificateSubjectRestriction", true},
    {"DefaultIngressClass", true},
    {"DenyServiceExternalIPs", false},
    {"MutatingAdmissionPolicy", true},
    {"MutatingAdmissionWebhook", true},
    {"ValidatingAdmissionPolicy", true},
    {"ValidatingAdmissionWebhook", true},
    {"ResourceQuota", true},
    {"AlwaysDeny", false},
};

}  // namespace

std::span<const PluginEntry> AllPlugins() { return kPlugins; }

int PluginPlace(std::string_view name) {
  const auto found = std::ranges::find(kPlugins, name, &PluginEntry::name);
  return found == std::end(kPlugins) ? -1 : static_cast<int>(found - std::begin(kPlugins));
}

std::vector<std::string_view> EnabledPlugins(std::span<const std::string> enabled,
                                             std::span<const std::string> disabled) {
  std::vector<std::string_view> on;
  for (const PluginEntry& plugin : kPlugins) {
    const bool named = std::ranges::find(enabled, plugin.name) != enabled.end();
    const bool off = std::ranges::find(disabled, plugin.name) != disabled.end();
    if (named || (plugin.on_by_default && !off)) on.push_back(plugin.name);
  }
  return on;
}

}  // namespace admission
