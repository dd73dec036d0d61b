#include "admission/pod_security.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "admission/plugin_configuration.h"
#include "admission/pod_security_checks.h"
#include "admission/refusal.h"
#include "api/names.h"
#include "base/text.h"
#include "registry/json_scan.h"
#include "value/quote.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::chrono::seconds kLongestLook{1};

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return !text.empty() && std::ranges::find(list, text) != list.end();
}

// Where the objects that make pods have a template of them.
struct Workload {
  std::string_view group, plural;
  std::array<std::string_view, 3> above;  // the members above `template`, ended by ""
};
constexpr Workload kWorkloads[] = {
    {"", "replicationcontrollers", {"spec"}},
    {"", "podtemplates", {}},
    {"apps", "replicasets", {"spec"}},
    {"apps", "deployments", {"spec"}},
    {"apps", "statefulsets", {"spec"}},
    {"apps", "daemonsets", {"spec"}},
    {"batch", "jobs", {"spec"}},
    {"batch", "cronjobs", {"spec", "jobTemplate", "spec"}},
};

Value TemplateOf(const Workload& workload, const Value& object) {
  Value at = object;
  for (std::string_view member : workload.above) {
    if (!member.empty()) at = at.Get(member);
  }
  return at.Get("template");
}

// What is done to a pod through these changes nothing that is checked.
constexpr std::string_view kIgnoredSubresources[] = {"exec", "attach",      "binding", "eviction",
                                                     "log",  "portforward", "proxy",   "status"};

bool SameImages(const Value& some, const Value& others) {
  return std::ranges::equal(some.items(), others.items(), [](const Value& one, const Value& other) {
    return one.GetString("image") == other.GetString("image");
  });
}

// Whether an update changes what is checked: containers and their images.
bool IsSignificant(const Value& pod, const Value& old) {
  const Value spec = pod.Get("spec"), before = old.Get("spec");
  for (std::string_view list : {"containers", "initContainers"}) {
    if (!SameImages(spec.Get(list), before.Get(list))) return true;
  }
  std::map<std::string_view, std::string_view> images;
  for (const Value& container : before.Get("ephemeralContainers").items()) {
    images.emplace(container.GetString("name"), container.GetString("image"));
  }
  return std::ranges::any_of(spec.Get("ephemeralContainers").items(), [&](const Value& container) {
    const auto found = images.find(container.GetString("name"));
    return found == images.end() || found->second != container.GetString("image");
  });
}

void Warn(AdmissionRequest& request, std::string text) {
  std::vector<std::string>& warnings = request.call.warnings;
  if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
}

std::string Violates(std::string_view verb, const PodSecurityRule& rule, const PodSecurityViolations& violations) {
  return Cat(verb, " PodSecurity ", value::Quote(rule.text()), ": ", violations.Details());
}

bool SameErrors(const api::FieldErrors& a, const api::FieldErrors& b) {
  return std::ranges::equal(a, b, [](const api::FieldError& one, const api::FieldError& other) {
    return one.field == other.field && one.value == other.value;
  });
}

// "enforce=baseline:v1.30, warn=restricted:latest": what labels ask for beyond nothing.
std::string SetModes(const Value& labels, const PodSecurityPolicy& policy) {
  std::string text;
  for (const PodSecurityMode& mode : kPodSecurityModes) {
    const PodSecurityRule& rule = policy.*mode.rule;
    const bool set = labels.Find(mode.level_label) != nullptr || labels.Find(mode.version_label) != nullptr;
    if (set && !rule.privileged()) base::Append(text, text.empty() ? "" : ", ", mode.name, "=", rule.text());
  }
  return text;
}

// The uid of the controller that a pod has; "" none.
std::string_view ControllerOf(const Value& pod) {
  for (const Value& owner : pod.Get({"metadata", "ownerReferences"}).items()) {
    const Value controller = owner.Get("controller");
    if (controller.is_bool() && controller.AsBool()) return owner.GetString("uid");
  }
  return {};
}

base::Result<> Fail(std::string message) { return base::Fail(base::Code::kInvalid, std::move(message)); }

base::Result<> ReadDefaults(const Value& defaults, PodSecurityPolicy& policy) {
  for (const PodSecurityMode& mode : kPodSecurityModes) {
    PodSecurityRule& rule = policy.*mode.rule;
    const std::string version_key = Cat(mode.name, "-version");
    const auto level_text = ReadConfigurationText(defaults, mode.name);
    if (!level_text) return std::unexpected(level_text.error());
    const auto version_text = ReadConfigurationText(defaults, version_key);
    if (!version_text) return std::unexpected(version_text.error());
    if (!level_text->empty()) {
      const auto level = ParsePodSecurityLevel(*level_text);
      if (!level)
        return Fail(
            Cat("defaults.", mode.name, ": Invalid value: ", value::Quote(*level_text), ": ", kPodSecurityLevels));
      rule.level = *level;
    }
    if (!version_text->empty()) {
      const auto version = ParsePodSecurityVersion(*version_text);
      if (!version)
        return Fail(Cat("defaults.", version_key, ": Invalid value: ", value::Quote(*version_text), ": ",
                        kPodSecurityVersions));
      rule.version = *version;
    }
  }
  return {};
}

// `check` gives the complaints about one name.
base::Result<> ReadExempt(const Value& exemptions, std::string_view field, std::vector<std::string>& into,
                          std::vector<std::string> (*check)(std::string_view name)) {
  const std::string path = Cat("exemptions.", field);
  auto names = ReadConfigurationList(exemptions.Get(field), path);
  if (!names) return std::unexpected(std::move(names.error()));
  for (size_t i = 0; i < names->size(); ++i) {
    const std::vector<std::string> complaints = check((*names)[i]);
    if (complaints.empty()) continue;
    return Fail(Cat(path, "[", i, "]: Invalid value: ", value::Quote((*names)[i]), ": ", base::Join(complaints, ", ")));
  }
  into = *std::move(names);
  return {};
}

std::vector<std::string> CheckUser(std::string_view name) {
  if (!name.empty()) return {};
  return {"username must not be empty"};
}

}  // namespace

base::Result<PodSecurityOptions> PodSecurityOptions::Read(const Value& document) {
  PodSecurityOptions options;
  if (document.is_null()) return options;
  const Value defaults = document.Get("defaults"), exemptions = document.Get("exemptions");
  auto read = CheckConfigurationKind(document, "pod-security.admission.config.k8s.io", {"v1", "v1beta1", "v1alpha1"},
                                     "PodSecurityConfiguration");
  if (read) read = CheckConfigurationFields(document, {"apiVersion", "kind", "defaults", "exemptions"});
  if (read) {
    read = CheckConfigurationFields(
        defaults, {"enforce", "enforce-version", "audit", "audit-version", "warn", "warn-version"}, "defaults");
  }
  if (read) read = CheckConfigurationFields(exemptions, {"usernames", "namespaces", "runtimeClasses"}, "exemptions");
  if (read) read = ReadDefaults(defaults, options.defaults);
  if (read)
    read = ReadExempt(exemptions, "namespaces", options.exempt_namespaces,
                      [](std::string_view name) { return api::CheckNameIsDnsLabel(name, false); });
  if (read)
    read = ReadExempt(exemptions, "runtimeClasses", options.exempt_runtime_classes,
                      [](std::string_view name) { return api::CheckNameIsDnsSubdomain(name, false); });
  if (read) read = ReadExempt(exemptions, "usernames", options.exempt_users, CheckUser);
  if (!read) return std::unexpected(std::move(read.error()));
  return options;
}

PodSecurity::PodSecurity(std::string_view name, const PluginParts& parts, PodSecurityOptions options)
    : Plugin(name), stored_(parts.store, parts.resources), options_(std::move(options)) {}

api::Result<> PodSecurity::Validate(AdmissionRequest& request) const {
  if (request.operation != Operation::kCreate && request.operation != Operation::kUpdate) return {};
  if (request.IsFor("", "pods")) return ValidatePod(request);
  if (!request.subresource.empty()) return {};
  if (request.IsFor("", "namespaces")) return ValidateNamespace(request);
  for (const Workload& workload : kWorkloads) {
    if (request.IsFor(workload.group, workload.plural)) WarnOfTemplate(request, TemplateOf(workload, request.object));
  }
  return {};
}

api::Result<> PodSecurity::ValidateNamespace(AdmissionRequest& request) const {
  const Value metadata = request.object.Get("metadata"), labels = metadata.Get("labels");
  const std::string_view name = metadata.GetString("name");
  const auto [policy, errors] = ReadPodSecurityLabels(labels, options_.defaults);
  std::optional<LabelledPolicy> before;
  if (request.old != nullptr)
    before = ReadPodSecurityLabels(request.old->Get({"metadata", "labels"}), options_.defaults);
  if (!errors.empty() && (!before || !SameErrors(errors, before->errors))) {
    return api::Fail(api::Invalid({"", "Namespace"}, name, errors));
  }
  const PodSecurityRule& enforce = policy.enforce;
  if (before) {
    const PodSecurityRule& enforced = before->policy.enforce;
    if (enforce == enforced || enforce.privileged()) return {};
    if (enforce.version == enforced.version && enforce.level <= enforced.level) return {};
  }
  if (Contains(options_.exempt_namespaces, name)) {
    if (!policy.fully_privileged() && !policy.Equivalent(options_.defaults)) {
      Warn(request, Cat("namespace ", value::Quote(name), " is exempt from Pod Security, and the policy (",
                        SetModes(labels, policy), ") will be ignored"));
    }
    return {};
  }
  if (before) WarnOfExistingPods(request, name, enforce);
  return {};
}

void PodSecurity::WarnOfExistingPods(AdmissionRequest& request, std::string_view namespace_name,
                                     const PodSecurityRule& enforce) const {
  // One pod of each controller first: the others are likely like it.
  const registry::Resource* resource = stored_.Resource("", "v1", "pods");
  if (resource == nullptr) return;
  const store::Snapshot pods = stored_.Latest(*resource);
  std::vector<const store::Cell*> first, others;
  std::set<std::string, std::less<>> controllers;
  const std::string prefix = Cat(namespace_name, "/");
  store::Scan scan = pods.Scan(prefix);
  while (const store::Cell* cell = scan.Next()) {
    if (!cell->readable()) continue;
    value::Arena arena;
    const Value pod = StoredObjects::Decode(*resource, *cell, arena);
    if (HasExemptRuntimeClass(pod)) continue;
    const std::string_view controller = ControllerOf(pod);
    const bool again = !controller.empty() && !controllers.emplace(controller).second;
    (again ? others : first).push_back(cell);
  }
  first.insert(first.end(), others.begin(), others.end());

  struct Alike {
    std::string name;  // of the first pod
    size_t count = 0;
  };
  std::map<std::string, Alike> violations;  // by their reasons
  const auto end = std::chrono::steady_clock::now() + kLongestLook;
  size_t checked = 0;
  for (const store::Cell* cell : first) {
    if (checked == kMostPods || std::chrono::steady_clock::now() > end) break;
    ++checked;
    value::Arena arena;
    const Value pod = StoredObjects::Decode(*resource, *cell, arena);
    const PodSecurityViolations found = CheckPodSecurity(enforce, pod, options_.relax_user_namespaces);
    if (found.empty()) continue;
    Alike& alike = violations[found.Reasons()];
    const std::string_view name = pod.Get("metadata").GetString("name");
    if (alike.count++ == 0 || name < alike.name) alike.name = name;
  }
  if (checked < first.size()) {
    Warn(request, Cat("new PodSecurity enforce level only checked against the first ", checked, " of ", first.size(),
                      " existing pods"));
  }
  if (violations.empty()) return;
  Warn(request, Cat("existing pods in namespace ", value::Quote(namespace_name),
                    " violate the new PodSecurity enforce level ", value::Quote(enforce.text())));
  std::set<std::string> texts;
  for (const auto& [reasons, alike] : violations) {
    std::string more;
    if (alike.count == 2) more = " (and 1 other pod)";
    if (alike.count > 2) more = Cat(" (and ", alike.count - 1, " other pods)");
    texts.insert(Cat(alike.name, more, ": ", reasons));
  }
  for (const std::string& text : texts) Warn(request, text);
}

api::Result<> PodSecurity::ValidatePod(AdmissionRequest& request) const {
  if (std::ranges::find(kIgnoredSubresources, request.subresource) != std::end(kIgnoredSubresources)) return {};
  if (IsExempt(request)) return {};
  const auto asked = PolicyOf(request.key.namespace_name, request.arena);
  if (!asked) {
    return api::Fail(api::Internal(Cat("failed to lookup namespace ", value::Quote(request.key.namespace_name))));
  }
  const PodSecurityPolicy& policy = *asked;
  if (policy.fully_privileged()) return {};
  if (request.old != nullptr && !IsSignificant(request.object, *request.old)) return {};
  if (HasExemptRuntimeClass(request.object)) return {};
  const auto check = [&](const PodSecurityRule& rule) {
    return CheckPodSecurity(rule, request.object, options_.relax_user_namespaces);
  };
  PodSecurityViolations found = check(policy.enforce);
  if (!found.empty()) return RefusePod(request.object, Violates("violates", policy.enforce, found));
  if (policy.warn != policy.enforce) found = check(policy.warn);
  if (!found.empty()) Warn(request, Violates("would violate", policy.warn, found));
  return {};
}

void PodSecurity::WarnOfTemplate(AdmissionRequest& request, const Value& pod_template) const {
  if (!pod_template.is_object() || IsExempt(request)) return;
  const auto policy = PolicyOf(request.key.namespace_name, request.arena);
  if (!policy || policy->warn.privileged() || HasExemptRuntimeClass(pod_template)) return;
  const PodSecurityViolations found = CheckPodSecurity(policy->warn, pod_template, options_.relax_user_namespaces);
  if (!found.empty()) Warn(request, Violates("would violate", policy->warn, found));
}

std::optional<PodSecurityPolicy> PodSecurity::PolicyOf(std::string_view namespace_name, value::Arena& arena) const {
  const auto labels = stored_.NamespaceLabels(namespace_name, "pod-security.kubernetes.io/", arena);
  if (!labels) return std::nullopt;
  return ReadPodSecurityLabels(*labels, options_.defaults).policy;
}

bool PodSecurity::IsExempt(const AdmissionRequest& request) const {
  return Contains(options_.exempt_namespaces, request.key.namespace_name) ||
         Contains(options_.exempt_users, request.call.request.user.name);
}

bool PodSecurity::HasExemptRuntimeClass(const Value& pod) const {
  return Contains(options_.exempt_runtime_classes, pod.Get("spec").GetString("runtimeClassName"));
}

}  // namespace admission
