#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/text.h"
#include "resources/core/pod/pod_annotations.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/pod/tolerations.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kTolerations = "scheduler.alpha.kubernetes.io/tolerations";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kSeccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";

bool IsDeletionCost(std::string_view text) {
  const bool starts = text == "0" || text.starts_with('-') || (!text.empty() && text[0] >= '1' && text[0] <= '9');
  int32_t cost = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return starts && error == std::errc() && end == text.data() + text.size();
}

// Absent is fine.
bool HasGoodDeletionCost(const Value& annotations) {
  return annotations.Find(kDeletionCost) == nullptr || IsDeletionCost(annotations.GetString(kDeletionCost));
}

void CheckTolerationsText(Scope& pod, const FieldPath& path, std::string_view text) {
  const auto tolerations = ReadTolerations(text, pod.context.arena);
  if (!tolerations) return pod.errors.Invalid(path, kTolerations, tolerations.error());
  CheckTolerations(pod.errors, path.Child(kTolerations), *tolerations);
}

void CheckSeccompName(Errors& errors, const FieldPath& path, std::string_view name) {
  if (name == "runtime/default" || name == "docker/default" || name == "unconfined") return;
  if (!name.starts_with(kLocalhost)) return errors.Invalid(path, name, "must be a valid seccomp profile");
  CheckDescendingPath(errors, path, name.substr(kLocalhost.size()));
}

void CheckSeccompNames(Errors& errors, const FieldPath& path, const Value& annotations) {
  if (const Value* name = annotations.Find(kSeccompOfPod)) {
    CheckSeccompName(errors, path.Child(kSeccompOfPod), name->AsString());
  }
  for (const value::Member& annotation : annotations.members()) {
    if (!annotation.key.starts_with(kSeccompOfContainer)) continue;
    CheckSeccompName(errors, path.Child(annotation.key), annotation.value.AsString());
  }
}

bool HasContainer(const Value& spec, std::string_view name) {
  constexpr std::string_view kLists[] = {"initContainers", "containers", "ephemeralContainers"};
  return std::ranges::any_of(kLists, [&](std::string_view list) {
    const Value containers = spec.Get(list);
    return std::ranges::any_of(containers.items(),
                               [&](const Value& container) { return container.GetString("name") == name; });
  });
}

void CheckAppArmorNames(Errors& errors, const FieldPath& path, const Value& annotations, const Value& spec) {
  for (const value::Member& annotation : annotations.members()) {
    if (!annotation.key.starts_with(kAppArmorPrefix)) continue;
    const FieldPath item = path.Key(annotation.key);
    const std::string_view container = annotation.key.substr(kAppArmorPrefix.size());
    const std::string_view profile = annotation.value.AsString();
    if (!HasContainer(spec, container)) errors.Invalid(item, container, "container not found");
    if (profile.empty() || profile == "runtime/default" || profile == "unconfined" || profile.starts_with(kLocalhost)) {
      continue;
    }
    errors.Invalid(item, profile, base::Cat("invalid AppArmor profile name: ", PrintBadValue(Value::String(profile))));
  }
}

// What an annotation and the field of the same say.
struct ProfileWords {
  std::string_view subject;          // of the error
  std::string_view other_default{};  // what an annotation may say for RuntimeDefault beside runtime/default
};
constexpr ProfileWords kSeccomp = {"seccomp", "docker/default"}, kAppArmor = {"apparmor"};

// Holds the annotation against the profile at `path`.
void CheckMatch(Errors& errors, const FieldPath& path, const Value& profile, std::string_view said,
                ProfileWords words) {
  const std::string_view type = profile.GetString("type");
  const auto type_differs = [&] {
    errors.Forbidden(path.Child("type"), base::Cat(words.subject, " type in annotation and field must match"));
  };
  if (type == "Unconfined" && said != "unconfined") return type_differs();
  const bool runtime_default =
      said == "runtime/default" || (!words.other_default.empty() && said == words.other_default);
  if (type == "RuntimeDefault" && !runtime_default) return type_differs();
  if (type != "Localhost") return;
  if (!said.starts_with(kLocalhost)) return type_differs();
  const Value* name = profile.Find("localhostProfile");
  if (name != nullptr && name->AsString() == said.substr(kLocalhost.size())) return;
  errors.Forbidden(path.Child("localhostProfile"),
                   base::Cat(words.subject, " profile in annotation and field must match"));
}

// Calls `visit` with each container and where its securityContext stands.
template <class Visit>
void EachContext(const Value& spec, const FieldPath& path, Visit visit) {
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    const FieldPath containers = path.Child(list);
    int64_t index = 0;
    for (const Value& container : spec.Get(list).items()) {
      const FieldPath item = containers.Index(index++);
      visit(container, item.Child("securityContext"));
    }
  }
}

void CheckSeccompMatches(const Scope& pod, const Value& annotations, const Value& spec) {
  const FieldPath path = pod.At("spec"), context = path.Child("securityContext");
  const Value* said = annotations.Find(kSeccompOfPod);
  if (const Value* profile = spec.Get("securityContext").Find("seccompProfile");
      profile != nullptr && said != nullptr) {
    CheckMatch(pod.errors, context.Child("seccompProfile"), *profile, said->AsString(), kSeccomp);
  }
  EachContext(spec, path, [&](const Value& container, const FieldPath& at) {
    const Value* profile = container.Get("securityContext").Find("seccompProfile");
    const Value* name = annotations.Find(base::Cat(kSeccompOfContainer, container.GetString("name")));
    if (profile == nullptr || name == nullptr) return;
    CheckMatch(pod.errors, at.Child("seccompProfile"), *profile, name->AsString(), kSeccomp);
  });
}

void CheckAppArmorMatches(const Scope& pod, const Value& annotations, const Value& spec) {
  if (spec.Get("os").GetString("name") == "windows") return;
  const FieldPath path = pod.At("spec");
  const Value* of_pod = spec.Get("securityContext").Find("appArmorProfile");
  EachContext(spec, path, [&](const Value& container, const FieldPath& at) {
    const Value* own = container.Get("securityContext").Find("appArmorProfile");
    const Value* profile = own != nullptr ? own : of_pod;
    const Value* name = annotations.Find(base::Cat(kAppArmorPrefix, container.GetString("name")));
    if (profile == nullptr || name == nullptr) return;
    CheckMatch(pod.errors, at.Child("appArmorProfile"), *profile, name->AsString(), kAppArmor);
  });
}

}  // namespace

void CheckPodAnnotations(Scope& pod, const FieldPath& path) {
  const Value annotations = pod.object.Get({"metadata", "annotations"}), spec = pod.Get("spec");
  if (annotations.Find(kMirrorPod) != nullptr && spec.GetString("nodeName").empty()) {
    pod.errors.Invalid(path.Key(kMirrorPod), annotations.GetString(kMirrorPod),
                       "must set spec.nodeName if mirror pod annotation is set");
  }
  const std::string_view tolerations = annotations.GetString(kTolerations);
  if (!tolerations.empty()) CheckTolerationsText(pod, path, tolerations);
  // What was wrong before may stay so.
  const bool any_cost = !pod.context.Has(Feature::kPodDeletionCost) ||
                        (pod.old != nullptr && !HasGoodDeletionCost(pod.old->Get({"metadata", "annotations"})));
  if (!any_cost && !HasGoodDeletionCost(annotations)) {
    pod.errors.Invalid(path.Key(kDeletionCost), annotations.GetString(kDeletionCost), "must be a 32bit integer");
  }
  CheckSeccompNames(pod.errors, path, annotations);
  CheckAppArmorNames(pod.errors, path, annotations, spec);
}

void CheckAnnotationsMatchFields(Scope& pod) {
  const Value annotations = pod.object.Get({"metadata", "annotations"}), spec = pod.Get("spec");
  CheckSeccompMatches(pod, annotations, spec);
  CheckAppArmorMatches(pod, annotations, spec);
}

}  // namespace resources::core
