#include "admission/pod_toleration_restriction.h"

#include <algorithm>
#include <iterator>

#include "admission/plugin_configuration.h"
#include "api/quota_usage.h"
#include "base/text.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;
using List = std::vector<Value>;

constexpr std::string_view kDefaults = "scheduler.alpha.kubernetes.io/defaultTolerations";
constexpr std::string_view kAllowed = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

bool WritesPod(const AdmissionRequest& request) {
  const bool writes = request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  return request.IsFor("", "pods") && writes && request.subresource.empty();
}

List ItemsOf(const Value& list) {
  List items;
  std::ranges::copy_if(list.items(), std::back_inserter(items), [](const Value& item) { return item.is_object(); });
  return items;
}

List TolerationsOf(const Value& pod) { return ItemsOf(pod.Get({"spec", "tolerations"})); }

bool Same(const Value& one, const Value& other) {
  return std::ranges::all_of(std::initializer_list<std::string_view>{"key", "operator", "value", "effect"},
                             [&](std::string_view field) { return one.GetString(field) == other.GetString(field); }) &&
         value::Equal(one.Get("tolerationSeconds"), other.Get("tolerationSeconds"));
}

bool IsBestEffort(const AdmissionRequest& request) {
  const Value spec = Value::Object(request.arena, 1), scopes = Value::Array(request.arena, 1);
  scopes.Append(request.arena, Value::String("BestEffort"));
  spec.Add(request.arena, "scopes", scopes);
  return api::InQuotaScopes(spec, "", "pods", request.object, request.resource.features);
}

api::Result<> CheckCount(const AdmissionRequest& request) {
  if (request.object.Get({"spec", "tolerations"}).size() <= PodTolerationRestriction::kMostTolerations) return {};
  return api::Fail(api::Forbidden(
      Cat("a pod may not have more than ", PodTolerationRestriction::kMostTolerations, " tolerations here"),
      request.resource.group_resource(), request.ShownName()));
}

}  // namespace

bool TolerationCovers(const Value& larger, const Value& toleration) {
  if (Same(larger, toleration)) return true;
  const std::string_view op = larger.GetString("operator"), key = larger.GetString("key");
  if (toleration.GetString("key") != key && (!key.empty() || op != "Exists")) return false;
  const std::string_view effect = larger.GetString("effect");
  if (toleration.GetString("effect") != effect && !effect.empty()) return false;
  const Value most = larger.Get("tolerationSeconds"), seconds = toleration.Get("tolerationSeconds");
  if (effect == "NoExecute" && most.is_int() && (!seconds.is_int() || seconds.AsInt() > most.AsInt())) return false;
  if (op == "Exists") return true;
  if (!op.empty() && op != "Equal") return false;
  return toleration.GetString("operator") == "Equal" && toleration.GetString("value") == larger.GetString("value");
}

List MergeTolerations(List first, const List& second) {
  List all = std::move(first), merged;
  all.insert(all.end(), second.begin(), second.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const bool before = std::ranges::any_of(merged, [&](const Value& kept) { return TolerationCovers(kept, all[i]); });
    const bool after = std::any_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), [&](const Value& later) {
      return !Same(later, all[i]) && TolerationCovers(later, all[i]);
    });
    if (!before && !after) merged.push_back(all[i]);
  }
  return merged;
}

base::Result<TolerationOptions> TolerationOptions::Read(const Value& document) {
  TolerationOptions options;
  if (document.is_null()) return options;
  auto read =
      CheckConfigurationKind(document, "podtolerationrestriction.admission.k8s.io", {"v1alpha1"}, "Configuration");
  if (read) read = CheckConfigurationFields(document, {"apiVersion", "kind", "default", "whitelist"});
  for (const auto& [field, into] : {std::pair{"default", &options.defaults}, {"whitelist", &options.allowed}}) {
    const Value list = document.Get(field);
    if (read && !list.is_null() && !list.is_array()) read = base::Fail(base::Code::kInvalid, Cat(field, " is no list"));
    for (const Value& item : list.items()) {
      const std::string at = Cat(field, "[", into->size(), "]");
      if (read && !item.is_object()) read = base::Fail(base::Code::kInvalid, Cat(at, " is no object"));
      if (read) read = CheckConfigurationFields(item, {"key", "operator", "value", "effect", "tolerationSeconds"}, at);
      into->push_back(value::DeepCopy(*options.arena, item));
    }
  }
  if (!read) return std::unexpected(std::move(read.error()));
  return options;
}

api::Result<PodTolerationRestriction::Tolerations> PodTolerationRestriction::Annotated(
    const AdmissionRequest& request, std::string_view annotation) const {
  const std::string_view name = request.key.namespace_name;
  const Value space = stored_.Find("", "v1", "namespaces", "", name, request.arena);
  if (!space.is_object()) return api::Fail(api::NotFound({"", "namespaces"}, name));
  const Value* text = space.Get({"metadata", "annotations"}).Find(annotation);
  if (text == nullptr || !text->is_string()) return Tolerations();
  if (text->AsString().empty()) return Tolerations(List());
  const auto list = value::ReadJson(text->AsString(), request.arena);
  if (!list) return api::Fail(api::Generic(500, list.error().message));
  if (list->is_null()) return Tolerations(List());
  if (!list->is_array()) {
    return api::Fail(api::Generic(500, "json: cannot unmarshal object into Go value of type []v1.Toleration"));
  }
  return Tolerations(ItemsOf(*list));
}

api::Result<> PodTolerationRestriction::Mutate(AdmissionRequest& request) const {
  if (!WritesPod(request) || !request.object.Get("spec").is_object()) return {};
  if (auto few = CheckCount(request); !few) return few;
  List more;
  if (request.operation == Operation::kCreate) {
    const auto annotated = Annotated(request, kDefaults);
    if (!annotated) return std::unexpected(annotated.error());
    more = *annotated ? **annotated : options_.defaults;
  }
  if (!IsBestEffort(request)) {
    const Value pressure = Value::Object(request.arena, 3);
    pressure.Add(request.arena, "key", Value::String("node.kubernetes.io/memory-pressure"));
    pressure.Add(request.arena, "operator", Value::String("Exists"));
    pressure.Add(request.arena, "effect", Value::String("NoSchedule"));
    more.push_back(pressure);
  }
  if (!more.empty()) {
    const Value merged = Value::Array(request.arena);
    for (const Value& toleration : MergeTolerations(TolerationsOf(request.object), more)) {
      merged.Append(request.arena, value::DeepCopy(request.arena, toleration));
    }
    request.object.Get("spec").Set(request.arena, "tolerations", merged);
  }
  return Validate(request);
}

api::Result<> PodTolerationRestriction::Validate(AdmissionRequest& request) const {
  if (!WritesPod(request)) return {};
  const List tolerations = TolerationsOf(request.object);
  if (tolerations.empty()) return {};
  const auto annotated = Annotated(request, kAllowed);
  if (!annotated) return std::unexpected(annotated.error());
  const List& allowed = *annotated ? **annotated : options_.allowed;
  const bool fits =
      allowed.empty() || std::ranges::all_of(tolerations, [&](const Value& toleration) {
        return std::ranges::any_of(allowed, [&](const Value& one) { return TolerationCovers(one, toleration); });
      });
  if (fits) return {};
  return api::Fail(
      api::Generic(500, Cat("pod tolerations (possibly merged with namespace default tolerations) conflict with its ",
                            *annotated ? "namespace" : "cluster", " whitelist")));
}

}  // namespace admission
