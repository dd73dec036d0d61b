#include <limits>
#include <set>
#include <string>

#include "base/text.h"
#include "resources/core/pod/container_rules.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/field_checks.h"
#include "value/json_writer.h"

namespace resources::core {
namespace {

constexpr std::string_view kRestartPolicies[] = {"Always", "OnFailure", "Never"};
constexpr std::string_view kDnsPolicies[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"};
constexpr std::string_view kPreemptionPolicies[] = {"PreemptLowerPriority", "Never"};
constexpr int64_t kMaxSeconds = std::numeric_limits<int32_t>::max();

// Claims to devices, which containers name: each stands for one there is, or for one made of a template.
void CheckResourceClaim(Scope& claim, std::set<std::string_view>& names) {
  const std::string_view name = claim.String("name");
  if (name.empty()) {
    claim.errors.Required(claim.At("name"));
  } else if (!names.insert(name).second) {
    claim.errors.Duplicate(claim.At("name"), name);
  } else {
    kDnsLabel(claim.errors, claim.At("name"), name);
  }
  const bool named = claim.Has("resourceClaimName"), made = claim.Has("resourceClaimTemplateName");
  if (named == made) {
    claim.errors.InvalidAs(claim.path, base::Cat("core.PodResourceClaim", value::ToJson(claim.object)),
                           named ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
                                 : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  }
  for (std::string_view field : {"resourceClaimName", "resourceClaimTemplateName"}) {
    if (claim.Has(field)) kDnsSubdomain(claim.errors, claim.At(field), claim.String(field));
  }
}

void CheckResourceClaims(Scope& spec) {
  const FieldPath list = spec.At("resourceClaims");
  std::set<std::string_view> names;
  int64_t index = 0;
  for (const Value& claim : spec.Get("resourceClaims").items()) {
    const FieldPath path = list.Index(index++);
    Scope scope{spec.context, path, claim, nullptr, spec.errors, &spec};
    CheckResourceClaim(scope, names);
  }
}

// Mounts of containers are held against the volumes.
void CheckContent(Scope& spec) {
  SoundVolumes sound;
  CheckPodVolumes(spec, sound);
  CheckResourceClaims(spec);
  CheckPodContainers(spec, sound);
  CheckPodResources(spec);
}

// An empty name is wrong too.
void CheckRuntimeClassName(Scope& spec) {
  if (spec.Has("runtimeClassName")) {
    kDnsSubdomain(spec.errors, spec.At("runtimeClassName"), spec.String("runtimeClassName"));
  }
}

// May be absent, but not empty.
void CheckPreemptionPolicy(Scope& spec) {
  if (!spec.Has("preemptionPolicy")) return;
  static constexpr Rule kPolicy[] = {RequiredEnum("preemptionPolicy", kPreemptionPolicies)};
  Check(spec, kPolicy, spec.path, spec.object, nullptr);
}

void CheckOwnOverhead(Scope& spec) {
  if (!spec.Has("overhead")) return;
  CheckOverhead(spec.errors, spec.At("overhead"), spec.Get("overhead"), RequirementsOf(spec));
}

constexpr Rule kSpecRules[] = {
    Required("terminationGracePeriodSeconds"),
    Call(CheckContent),
    Call(CheckHostNetworkPorts),
    RequiredEnum("restartPolicy", kRestartPolicies),
    RequiredEnum("dnsPolicy", kDnsPolicies),
    Call(CheckNodeSelector),
    Call(CheckPodSecurity),
    Call(CheckAffinity),
    Call(CheckDnsConfig),
    Call(CheckReadinessGates),
    Call(CheckSchedulingGates),
    Call(CheckTopologySpread),
    Call(CheckHostProcesses),
    Format("serviceAccountName", kDnsSubdomain),
    Format("nodeName", kDnsSubdomain),
    Range("activeDeadlineSeconds", 1, kMaxSeconds, "must be between 1 and 2147483647, inclusive"),
    Format("hostname", kDnsLabel),
    Format("subdomain", kDnsLabel),
    Call(CheckTolerations),
    Call(CheckHostAliases),
    Format("priorityClassName", kDnsSubdomain),
    Call(CheckRuntimeClassName),
    Call(CheckPreemptionPolicy),
    Call(CheckOwnOverhead),
    Call(CheckPodOs),
};

constexpr Rule kOnlySpec[] = {Call(CheckPodSpec)};

void GoIntoSpec(Scope& owner) {
  const Value* spec = owner.object.Find("spec");
  const Value* old = owner.old != nullptr ? owner.old->Find("spec") : nullptr;
  Check(owner, kOnlySpec, owner.At("spec"), spec != nullptr ? *spec : Value(), old);
}

// A token is made for a service account, which a pod must name.
void CheckTokensHaveAccount(Scope& spec) {
  if (!spec.String("serviceAccountName").empty()) return;
  const FieldPath volumes = spec.At("volumes");
  int64_t index = 0;
  for (const Value& volume : spec.Get("volumes").items()) {
    const FieldPath path = volumes.Index(index++);
    const FieldPath projected = path.Child("projected");
    const FieldPath sources = projected.Child("sources");
    int64_t source_index = 0;
    for (const Value& source : volume.Get({"projected", "sources"}).items()) {
      const FieldPath at = sources.Index(source_index++);
      if (source.Find("serviceAccountToken") == nullptr) continue;
      spec.errors.Forbidden(at.Child("serviceAccountToken"),
                            "must not be specified when serviceAccountName is not set");
    }
  }
}

constexpr Rule kImageSpace[] = {Call(CheckImageSpace)};
constexpr Rule kOnlyOfPods[] = {
    Call(CheckTokensHaveAccount),
    Each("containers", kImageSpace),
    Each("initContainers", kImageSpace),
};

// A creator adds no ephemeral containers, and names a node only when no gate holds the pod back.
void CheckNewSpec(Scope& spec) {
  if (!spec.Get("ephemeralContainers").empty()) {
    spec.errors.Forbidden(spec.At("ephemeralContainers"), "cannot be set on create");
  }
  if (!spec.String("nodeName").empty() && !spec.Get("schedulingGates").empty()) {
    spec.errors.Forbidden(spec.At("nodeName"), "cannot be set until all schedulingGates have been cleared");
  }
}

constexpr Rule kNewSpec[] = {Call(CheckNewSpec)};
constexpr Rule kPod[] = {Call(GoIntoSpec), Into("spec", kOnlyOfPods)};
constexpr Rule kNewPod[] = {Call(CheckPod), Into("spec", kNewSpec), Call(CheckAnnotationsMatchFields)};

}  // namespace

const Value* SoundVolumes::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

bool IsSpecOfPod(const Scope& spec) {
  const registry::Resource& resource = spec.context.resource;
  return resource.plural == "pods" && resource.group.empty();
}

Value MetadataOfPod(const Scope& spec) {
  if (!IsSpecOfPod(spec)) return {};
  const Scope* outermost = &spec;
  while (outermost->parent != nullptr) outermost = outermost->parent;
  return outermost->Get("metadata");
}

void CheckPodSpec(Scope& spec) { Check(spec, kSpecRules, spec.path, spec.object, spec.old); }

void CheckPod(Scope& pod) {
  const FieldPath metadata = pod.At("metadata");
  CheckPodAnnotations(pod, metadata.Child("annotations"));
  Check(pod, kPod, pod.path, pod.object, pod.old);
}

void CheckNewPod(Scope& pod) { Check(pod, kNewPod, pod.path, pod.object, pod.old); }

void CheckPodTemplateSpec(Scope& pod_template) {
  const Value metadata = pod_template.Get("metadata");
  const FieldPath annotations = pod_template.At("annotations");
  CheckLabels(pod_template.errors, pod_template.At("labels"), metadata.Get("labels"));
  CheckAnnotations(pod_template.errors, annotations, metadata.Get("annotations"));
  CheckPodAnnotations(pod_template, annotations);
  GoIntoSpec(pod_template);
  CheckAnnotationsMatchFields(pod_template);
  const FieldPath spec = pod_template.At("spec");
  if (!pod_template.Get({"spec", "ephemeralContainers"}).empty()) {
    pod_template.errors.Forbidden(spec.Child("ephemeralContainers"),
                                  "ephemeral containers not allowed in pod template");
  }
}

}  // namespace resources::core
