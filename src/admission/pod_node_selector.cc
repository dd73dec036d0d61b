#include "admission/pod_node_selector.h"

#include <algorithm>
#include <utility>

#include "admission/plugin_configuration.h"
#include "admission/refusal.h"
#include "api/names.h"
#include "base/text.h"
#include "value/quote.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kAnnotation = "scheduler.alpha.kubernetes.io/node-selector";
constexpr std::string_view kForAll = "clusterDefaultNodeSelector";

bool CreatesPod(const AdmissionRequest& request) {
  return request.IsFor("", "pods") && request.operation == Operation::kCreate && request.subresource.empty();
}

Value SelectorOf(const Value& pod) { return pod.Get({"spec", "nodeSelector"}); }

bool Conflicts(const auto& labels, const Value& selector) {
  return std::ranges::any_of(selector.members(), [&](const value::Member& member) {
    const auto found = labels.find(member.key);
    return found != labels.end() && member.value.is_string() && member.value.AsString() != found->second;
  });
}

// NewForbidden of the real plugin tells the name alone, and none of one that is to be made.
std::unexpected<api::Error> RefuseSelector(const AdmissionRequest& request, std::string_view why) {
  return api::Fail(api::Forbidden(std::string(why), request.resource.group_resource(),
                                  request.object.Get("metadata").GetString("name")));
}

constexpr std::string_view kConflict = "pod node label selector conflicts with its namespace node label selector";

}  // namespace

base::Result<NodeSelectorOptions> NodeSelectorOptions::Read(const Value& document) {
  constexpr std::string_view kMember = "podNodeSelectorPluginConfig";
  NodeSelectorOptions options;
  if (document.is_null()) return options;
  auto read = CheckConfigurationFields(document, {kMember});
  if (!read) return std::unexpected(std::move(read.error()));
  const Value selectors = document.Get(kMember);
  if (!selectors.is_null() && !selectors.is_object()) {
    return base::Fail(base::Code::kInvalid, Cat(kMember, " is no object"));
  }
  for (const value::Member& member : selectors.members()) {
    if (!member.value.is_string() && !member.value.is_null()) {
      return base::Fail(base::Code::kInvalid, Cat(kMember, ".", member.key, " is no text"));
    }
    options.selectors.emplace(member.key, member.value.is_string() ? member.value.AsString() : "");
  }
  return options;
}

api::Result<PodNodeSelector::Labels> PodNodeSelector::Parse(std::string_view selector) {
  const auto fail = [](std::string why) { return api::Fail(api::Generic(500, std::move(why))); };
  Labels labels;
  while (!selector.empty()) {
    const size_t end = selector.find(',');
    const std::string_view part = selector.substr(0, end);
    const size_t equals = part.find('=');
    if (equals == part.npos || part.find('=', equals + 1) != part.npos) {
      std::string shown(part);
      std::ranges::replace(shown, '=', ' ');
      return fail(Cat("invalid selector: [", shown, "]"));
    }
    const std::string_view key = base::TrimSpace(part.substr(0, equals)),
                           text = base::TrimSpace(part.substr(equals + 1));
    if (const api::Complaints bad = api::CheckQualifiedName(key); !bad.empty()) {
      return fail(Cat("<nil>: Invalid value: ", value::Quote(key), ": ", api::JoinComplaints(bad)));
    }
    if (const api::Complaints bad = api::CheckLabelValue(text); !bad.empty()) {
      return fail(Cat("[", key, "]: Invalid value: ", value::Quote(text), ": ", api::JoinComplaints(bad)));
    }
    labels[std::string(key)] = std::string(text);
    if (end == selector.npos) break;
    selector.remove_prefix(end + 1);
    if (selector.empty()) return fail("invalid selector: []");
  }
  return labels;
}

api::Result<PodNodeSelector::Labels> PodNodeSelector::Selector(const AdmissionRequest& request) const {
  const std::string_view name = request.key.namespace_name;
  const Value space = stored_.Find("", "v1", "namespaces", "", name, request.arena);
  if (!space.is_object()) return api::Fail(api::Internal(Cat("namespace ", name, " does not exist")));
  const Value* annotation = space.Get({"metadata", "annotations"}).Find(kAnnotation);
  if (annotation != nullptr && annotation->is_string()) return Parse(annotation->AsString());
  const auto for_all = options_.selectors.find(kForAll);
  return Parse(for_all == options_.selectors.end() ? "" : for_all->second);
}

api::Result<> PodNodeSelector::Mutate(AdmissionRequest& request) const {
  if (!CreatesPod(request)) return {};
  const api::Result<Labels> labels = Selector(request);
  if (!labels) return std::unexpected(labels.error());
  const Value own = SelectorOf(request.object);
  if (Conflicts(*labels, own)) return RefuseSelector(request, kConflict);
  Labels merged = *labels;
  for (const value::Member& member : own.members()) {
    merged[std::string(member.key)] = member.value.is_string() ? member.value.AsString() : "";
  }
  if (!merged.empty() && request.object.Get("spec").is_object()) {
    const Value selector = Value::Object(request.arena, static_cast<uint32_t>(merged.size()));
    for (const auto& [key, text] : merged) {
      selector.Add(request.arena, request.arena.CopyString(key), Value::Copy(request.arena, text));
    }
    request.object.Get("spec").Set(request.arena, "nodeSelector", selector);
  }
  return Validate(request);
}

api::Result<> PodNodeSelector::Validate(AdmissionRequest& request) const {
  if (!CreatesPod(request)) return {};
  const api::Result<Labels> labels = Selector(request);
  if (!labels) return std::unexpected(labels.error());
  const Value own = SelectorOf(request.object);
  if (Conflicts(*labels, own)) return RefuseSelector(request, kConflict);
  const auto listed = options_.selectors.find(request.key.namespace_name);
  const api::Result<Labels> allowed = Parse(listed == options_.selectors.end() ? "" : listed->second);
  if (!allowed) return std::unexpected(allowed.error());
  const bool subset =
      allowed->empty() || std::ranges::all_of(own.members(), [&](const value::Member& member) {
        const auto found = allowed->find(member.key);
        return found != allowed->end() && member.value.is_string() && member.value.AsString() == found->second;
      });
  if (subset) return {};
  return RefuseSelector(request, "pod node label selector labels conflict with its namespace whitelist");
}

}  // namespace admission
