#include "admission/plugins.h"

#include <type_traits>

#include "admission/certificate_subject.h"
#include "admission/claim_resize.h"
#include "admission/default_ingress_class.h"
#include "admission/default_storage_class.h"
#include "admission/default_toleration_seconds.h"
#include "admission/event_rate_limit.h"
#include "admission/limit_ranger.h"
#include "admission/namespace_auto_provision.h"
#include "admission/namespace_lifecycle.h"
#include "admission/node_taint.h"
#include "admission/optional_plugins.h"
#include "admission/owner_references.h"
#include "admission/pod_node_selector.h"
#include "admission/pod_security.h"
#include "admission/pod_toleration_restriction.h"
#include "admission/policies/mutating_policies.h"
#include "admission/policies/validating_policies.h"
#include "admission/priority.h"
#include "admission/resource_quota.h"
#include "admission/runtime_class.h"
#include "admission/service_account.h"
#include "admission/signer_rights.h"
#include "admission/storage_object_in_use.h"
#include "admission/webhooks/admission_webhooks.h"
#include "registry/json_scan.h"

namespace admission {
namespace {

using value::Value;

bool IsPod(const AdmissionRequest& request) { return request.IsFor("", "pods"); }
bool Creates(const AdmissionRequest& request) { return request.operation == Operation::kCreate; }
bool Updates(const AdmissionRequest& request) { return request.operation == Operation::kUpdate; }
bool WritesObject(const AdmissionRequest& request) { return Creates(request) || Updates(request); }
// A pod itself that is created or replaced, not through a subresource.
bool WritesPod(const AdmissionRequest& request) {
  return IsPod(request) && WritesObject(request) && request.subresource.empty();
}

class AlwaysAdmit final : public Plugin {
 public:
  AlwaysAdmit(std::string_view name, const PluginParts&) : Plugin(name) {}
};

class AlwaysDeny final : public Plugin {
 public:
  AlwaysDeny(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Mutate(AdmissionRequest& request) const override { return Deny(request); }
  api::Result<> Validate(AdmissionRequest& request) const override { return Deny(request); }

 private:
  static api::Result<> Deny(const AdmissionRequest& request) {
    const std::string_view name = request.key.name.empty() ? request.ShownName() : request.key.name;
    return api::Fail(
        api::Forbidden("admission control is denying all modifications", request.resource.group_resource(), name));
  }
};

class LimitPodHardAntiAffinityTopology final : public Plugin {
 public:
  LimitPodHardAntiAffinityTopology(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Validate(AdmissionRequest& request) const override {
    return WritesPod(request) ? CheckAntiAffinity(request.object) : api::Result<>();
  }
};

class AlwaysPullImages final : public Plugin {
 public:
  AlwaysPullImages(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (WritesPod(request)) PullAlways(request.object, request.old, request.arena);
    return {};
  }
  api::Result<> Validate(AdmissionRequest& request) const override {
    return WritesPod(request) ? CheckPullPolicies(request.object, request.old) : api::Result<>();
  }
};

class ExtendedResourceToleration final : public Plugin {
 public:
  ExtendedResourceToleration(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (WritesPod(request)) TolerateExtendedResources(request.object, request.arena);
    return {};
  }
};

class DenyServiceExternalIPs final : public Plugin {
 public:
  DenyServiceExternalIPs(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Validate(AdmissionRequest& request) const override {
    const bool asked = request.IsFor("", "services") && WritesObject(request) && request.subresource.empty();
    return asked ? CheckExternalAddresses(request.object, request.old) : api::Result<>();
  }
};

class DefaultIngressClass final : public Plugin {
 public:
  DefaultIngressClass(std::string_view name, const PluginParts& parts)
      : Plugin(name), stored_(parts.store, parts.resources) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    const bool asked =
        request.IsFor("networking.k8s.io", "ingresses") && Creates(request) && request.subresource.empty();
    if (!asked || AsksForIngressClass(request.object)) return {};
    Value best;
    stored_.ForEach(
        "networking.k8s.io", "v1", "ingressclasses", "", request.arena, [](std::string_view) { return true; },
        [&](const Value& found) {
          if (IsDefaultIngressClass(found) && (!best.is_object() || IsNewer(found, best))) best = found;
        });
    SetIngressClass(request.object, best.Get("metadata").GetString("name"), request.arena);
    return {};
  }

 private:
  const StoredObjects stored_;
};

class TaintNodesByCondition final : public Plugin {
 public:
  TaintNodesByCondition(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (request.IsFor("", "nodes") && Creates(request)) TaintNewNode(request.object, request.arena);
    return {};
  }
};

class Priority final : public Plugin {
 public:
  Priority(std::string_view name, const PluginParts& parts) : Plugin(name), stored_(parts.store, parts.resources) {}

  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (!IsPod(request) || !request.subresource.empty()) return {};
    if (Updates(request)) KeepPriority(request.object, *request.old, request.arena);
    if (!Creates(request)) return {};
    return ResolvePriority(request.object, request.arena,
                           [&](std::string_view name) { return FindClass(name, request.arena); });
  }

  api::Result<> Validate(AdmissionRequest& request) const override {
    if (!request.IsFor("scheduling.k8s.io", "priorityclasses")) return {};
    // Among all classes that are deleted at once the system's own may go: they come back.
    if (request.call.request.info.verb == "delete") return CheckSystemClass(request.key.name);
    if (!WritesObject(request)) return {};
    return CheckDefaultClass(request.object, Creates(request),
                             [&](std::string_view name) { return FindClass(name, request.arena); });
  }

 private:
  Value FindClass(std::string_view name, value::Arena& arena) const {
    constexpr std::string_view kGroup = "scheduling.k8s.io", kPlural = "priorityclasses";
    if (!name.empty()) return stored_.Find(kGroup, "v1", kPlural, "", name, arena);
    Value best;  // of several defaults the smallest value counts
    const auto is_default = [](std::string_view bytes) { return registry::FindJson(bytes, "globalDefault") == "true"; };
    stored_.ForEach(kGroup, "v1", kPlural, "", arena, is_default, [&](const Value& found) {
      if (!best.is_object() || found.Get("value").AsInt() < best.Get("value").AsInt()) best = found;
    });
    return best;
  }

  const StoredObjects stored_;
};

class DefaultTolerations final : public Plugin {
 public:
  DefaultTolerations(std::string_view name, const PluginParts& parts)
      : Plugin(name), seconds_(parts.toleration_seconds) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (WritesPod(request)) {
      DefaultTolerationSeconds(request.object, request.arena, seconds_);
    }
    return {};
  }

 private:
  const TolerationSeconds seconds_;
};

class RuntimeClass final : public Plugin {
 public:
  RuntimeClass(std::string_view name, const PluginParts& parts) : Plugin(name), stored_(parts.store, parts.resources) {}

  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (!Applies(request)) return {};
    return ApplyRuntimeClass(request.object, request.arena,
                             [&](std::string_view name) { return FindClass(name, request.arena); });
  }
  api::Result<> Validate(AdmissionRequest& request) const override {
    if (!Applies(request)) return {};
    return CheckOverhead(request.object, [&](std::string_view name) { return FindClass(name, request.arena); });
  }

 private:
  static bool Applies(const AdmissionRequest& request) {
    return IsPod(request) && Creates(request) && request.subresource.empty();
  }
  Value FindClass(std::string_view name, value::Arena& arena) const {
    return stored_.Find("node.k8s.io", "v1", "runtimeclasses", "", name, arena);
  }

  const StoredObjects stored_;
};

class DefaultStorageClass final : public Plugin {
 public:
  DefaultStorageClass(std::string_view name, const PluginParts& parts)
      : Plugin(name), stored_(parts.store, parts.resources) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    if (!request.IsFor("", "persistentvolumeclaims") || !Creates(request) || AsksForClass(request.object)) return {};
    Value best;
    stored_.ForEach(
        "storage.k8s.io", "v1", "storageclasses", "", request.arena, [](std::string_view) { return true; },
        [&](const Value& found) {
          if (IsBetterDefault(found, best)) best = found;
        });
    SetClass(request.object, best.Get("metadata").GetString("name"), request.arena);
    return {};
  }

 private:
  const StoredObjects stored_;
};

class StorageObjectInUseProtection final : public Plugin {
 public:
  StorageObjectInUseProtection(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Mutate(AdmissionRequest& request) const override {
    const bool claim = request.IsFor("", "persistentvolumeclaims");
    if (!Creates(request) || (!claim && !request.IsFor("", "persistentvolumes"))) return {};
    ProtectWhileInUse(request.object, claim, request.arena);
    return {};
  }
};

class PersistentVolumeClaimResize final : public Plugin {
 public:
  PersistentVolumeClaimResize(std::string_view name, const PluginParts& parts)
      : Plugin(name), stored_(parts.store, parts.resources) {}
  api::Result<> Validate(AdmissionRequest& request) const override {
    const bool asked = Updates(request) && request.subresource.empty() && request.old != nullptr;
    if (!asked || !request.IsFor("", "persistentvolumeclaims")) return {};
    return AdmitResize(request.object, *request.old, [&](std::string_view name) {
      return stored_.Find("storage.k8s.io", "v1", "storageclasses", "", name, request.arena);
    });
  }

 private:
  const StoredObjects stored_;
};

class CertificateSubjectRestriction final : public Plugin {
 public:
  CertificateSubjectRestriction(std::string_view name, const PluginParts&) : Plugin(name) {}
  api::Result<> Validate(AdmissionRequest& request) const override {
    const bool asked = Creates(request) && request.subresource.empty();
    if (!asked || !request.IsFor("certificates.k8s.io", "certificatesigningrequests")) return {};
    return CheckCertificateSubject(request.object);
  }
};

template <api::Result<> (*kCheck)(const SignerRight&, const AdmissionRequest&)>
class SignerPlugin final : public Plugin {
 public:
  SignerPlugin(std::string_view name, const PluginParts& parts) : Plugin(name), right_(parts.signer_right) {}
  api::Result<> Validate(AdmissionRequest& request) const override { return kCheck(right_, request); }

 private:
  const SignerRight right_;
};

using Made = base::Result<std::unique_ptr<const Plugin>>;

template <class Built>
Made Make(std::string_view name, const PluginParts& parts, const Value&) {
  if constexpr (std::is_constructible_v<Built, std::string_view, const PluginParts&>) {
    return std::make_unique<Built>(name, parts);
  } else {
    return std::make_unique<Built>(parts.store, parts.resources);
  }
}

// Of a plugin that is configured.
template <class Built, class Options>
Made MakeConfigured(std::string_view name, const PluginParts& parts, const Value& document) {
  base::Result<Options> options = Options::Read(document);
  if (!options) return std::unexpected(std::move(options.error()));
  return std::make_unique<Built>(name, parts, *std::move(options));
}

Made MakePodSecurity(std::string_view name, const PluginParts& parts, const Value& document) {
  base::Result<PodSecurityOptions> options = PodSecurityOptions::Read(document);
  if (!options) return std::unexpected(std::move(options.error()));
  options->relax_user_namespaces = parts.relax_pod_security;
  return std::make_unique<PodSecurity>(name, parts, *std::move(options));
}

struct Maker {
  std::string_view name;
  Made (*make)(std::string_view name, const PluginParts& parts, const Value& document);
};
constexpr Maker kMakers[] = {
    {"AlwaysAdmit", Make<AlwaysAdmit>},
    {"NamespaceAutoProvision", Make<NamespaceAutoProvision>},
    {"NamespaceLifecycle", Make<NamespaceLifecycle>},
    {"NamespaceExists", Make<NamespaceExists>},
    {"LimitPodHardAntiAffinityTopology", Make<LimitPodHardAntiAffinityTopology>},
    {"LimitRanger", Make<LimitRanger>},
    {"NodeRestriction",
     [](std::string_view, const PluginParts& parts, const Value&) -> Made {
       return std::make_unique<NodeRestriction>(parts.store, parts.resources, parts.node_restriction);
     }},
    {"ServiceAccount", Make<ServiceAccount>},
    {"TaintNodesByCondition", Make<TaintNodesByCondition>},
    {"AlwaysPullImages", Make<AlwaysPullImages>},
    {"PodSecurity", MakePodSecurity},
    {"PodNodeSelector", MakeConfigured<PodNodeSelector, NodeSelectorOptions>},
    {"Priority", Make<Priority>},
    {"DefaultTolerationSeconds", Make<DefaultTolerations>},
    {"PodTolerationRestriction", MakeConfigured<PodTolerationRestriction, TolerationOptions>},
    {"EventRateLimit", MakeConfigured<EventRateLimit, EventLimitOptions>},
    {"ExtendedResourceToleration", Make<ExtendedResourceToleration>},
    {"DefaultStorageClass", Make<DefaultStorageClass>},
    {"StorageObjectInUseProtection", Make<StorageObjectInUseProtection>},
    {"OwnerReferencesPermissionEnforcement", Make<OwnerReferences>},
    {"PersistentVolumeClaimResize", Make<PersistentVolumeClaimResize>},
    {"RuntimeClass", Make<RuntimeClass>},
    {"CertificateApproval", Make<SignerPlugin<CheckApproval>>},
    {"CertificateSigning", Make<SignerPlugin<CheckSigning>>},
    {"ClusterTrustBundleAttest", Make<SignerPlugin<CheckAttest>>},
    {"CertificateSubjectRestriction", Make<CertificateSubjectRestriction>},
    {"DefaultIngressClass", Make<DefaultIngressClass>},
    {"DenyServiceExternalIPs", Make<DenyServiceExternalIPs>},
    {"MutatingAdmissionWebhook", MakeMutatingWebhooks},
    {"MutatingAdmissionPolicy",
     [](std::string_view name, const PluginParts& parts, const Value&) -> Made {
       if (!parts.mutating_policies) return nullptr;
       return std::make_unique<MutatingPolicies>(name, parts);
     }},
    {"ValidatingAdmissionPolicy", Make<ValidatingPolicies>},
    {"ValidatingAdmissionWebhook", MakeValidatingWebhooks},
    {"ResourceQuota", MakeConfigured<ResourceQuota, QuotaOptions>},
    {"AlwaysDeny", Make<AlwaysDeny>},
};

}  // namespace

base::Result<std::unique_ptr<const Plugin>> MakePlugin(std::string_view name, const PluginParts& parts) {
  for (const Maker& maker : kMakers) {
    if (maker.name != name) continue;
    return maker.make(maker.name, parts, parts.configuration ? parts.configuration(name) : Value());
  }
  return nullptr;
}

}  // namespace admission
