#include "pipeline/flowcontrol/flow_schemas.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace pipeline {
namespace {

// What validation lets through is less; these bound what somebody else stored.
constexpr int64_t kMostQueues = 10'000'000, kLargestHand = 15;

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

// `*` counts only as the sole item.
bool Lists(const std::vector<std::string>& list, std::string_view word) {
  if (list.size() == 1 && list[0] == "*") return true;
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool ListsResource(const std::vector<std::string>& list, const api::RequestInfo& info) {
  if (info.subresource.empty()) return Lists(list, info.resource);
  if (list.size() == 1 && list[0] == "*") return true;
  return std::any_of(list.begin(), list.end(), [&](std::string_view item) {
    return item.size() == info.resource.size() + 1 + info.subresource.size() && item.starts_with(info.resource) &&
           item[info.resource.size()] == '/' && item.ends_with(info.subresource);
  });
}

bool MatchesAccount(std::string_view user, std::string_view namespace_name, std::string_view name) {
  if (!user.starts_with(kAccountPrefix)) return false;
  user.remove_prefix(kAccountPrefix.size());
  if (!user.starts_with(namespace_name)) return false;
  user.remove_prefix(namespace_name.size());
  return user.starts_with(':') && (name == "*" || user.substr(1) == name);
}

std::vector<std::string> Strings(const value::Value& list) {
  std::vector<std::string> strings;
  for (const value::Value& item : list.items()) {
    if (item.is_string()) strings.emplace_back(item.AsString());
  }
  return strings;
}

}  // namespace

bool FlowSchemas::Subject::Matches(const api::User& user) const {
  if (kind == "User") return name == "*" || name == user.name;
  if (kind == "Group") return name == "*" || user.InGroup(name);
  return kind == "ServiceAccount" && MatchesAccount(user.name, namespace_name, name);
}

bool FlowSchemas::ResourceRule::Matches(const api::RequestInfo& info) const {
  if (!Lists(verbs, info.verb) || !ListsResource(resources, info) || !Lists(groups, info.group)) return false;
  return info.namespace_name.empty() ? cluster_scope : Lists(namespaces, info.namespace_name);
}

bool FlowSchemas::UrlRule::Matches(const api::RequestInfo& info) const {
  if (!Lists(verbs, info.verb)) return false;
  return std::any_of(urls.begin(), urls.end(), [&](std::string_view url) {
    if (url == "*" || url == info.path) return true;
    if (url.ends_with('*')) url.remove_suffix(1);
    if (url.ends_with('/')) url.remove_suffix(1);
    return info.path.size() > url.size() && info.path.starts_with(url) && info.path[url.size()] == '/';
  });
}

bool FlowSchemas::Rule::Matches(const api::User& user, const api::RequestInfo& info) const {
  const auto matches_user = [&](const Subject& subject) { return subject.Matches(user); };
  if (std::none_of(subjects.begin(), subjects.end(), matches_user)) return false;
  const auto matches_info = [&](const auto& rule) { return rule.Matches(info); };
  return info.is_resource_request ? std::any_of(resource_rules.begin(), resource_rules.end(), matches_info)
                                  : std::any_of(url_rules.begin(), url_rules.end(), matches_info);
}

FlowSchemas::Flow FlowSchemas::Classify(const api::User& user, const api::RequestInfo& info) const {
  for (const Schema& schema : schemas_) {
    for (const Rule& rule : schema.rules) {
      if (!rule.Matches(user, info)) continue;
      Flow flow{.schema = schema.name, .schema_uid = schema.uid, .level = schema.level};
      if (schema.flows == Schema::Flows::kByUser) flow.distinguisher = user.name;
      if (schema.flows == Schema::Flows::kByNamespace) flow.distinguisher = info.namespace_name;
      return flow;
    }
  }
  return {};
}

FlowSchemas::Rule FlowSchemas::ParseRule(const value::Value& rule) {
  Rule parsed;
  for (const value::Value& subject : rule.Get("subjects").items()) {
    const std::string_view kind = subject.GetString("kind");
    const value::Value who = subject.Get(kind == "User" ? "user" : kind == "Group" ? "group" : "serviceAccount");
    parsed.subjects.push_back(
        {std::string(kind), std::string(who.GetString("name")), std::string(who.GetString("namespace"))});
  }
  for (const value::Value& resources : rule.Get("resourceRules").items()) {
    const value::Value cluster_scope = resources.Get("clusterScope");
    parsed.resource_rules.push_back({Strings(resources.Get("verbs")), Strings(resources.Get("apiGroups")),
                                     Strings(resources.Get("resources")), Strings(resources.Get("namespaces")),
                                     cluster_scope.is_bool() && cluster_scope.AsBool()});
  }
  for (const value::Value& urls : rule.Get("nonResourceRules").items()) {
    parsed.url_rules.push_back({Strings(urls.Get("verbs")), Strings(urls.Get("nonResourceURLs"))});
  }
  return parsed;
}

void FlowSchemas::Builder::AddFlowSchema(const value::Value& schema) {
  const value::Value metadata = schema.Get("metadata"), spec = schema.Get("spec");
  const value::Value precedence = spec.Get("matchingPrecedence");
  Schema parsed{.name = std::string(metadata.GetString("name")),
                .uid = std::string(metadata.GetString("uid")),
                .level_name = std::string(spec.Get("priorityLevelConfiguration").GetString("name")),
                .precedence = precedence.is_int() ? precedence.AsInt() : 0};
  const std::string_view method = spec.Get("distinguisherMethod").GetString("type");
  if (method == "ByUser") parsed.flows = Schema::Flows::kByUser;
  if (method == "ByNamespace") parsed.flows = Schema::Flows::kByNamespace;
  for (const value::Value& rule : spec.Get("rules").items()) parsed.rules.push_back(ParseRule(rule));
  built_->schemas_.push_back(std::move(parsed));
}

void FlowSchemas::Builder::AddPriorityLevel(const value::Value& level) {
  const value::Value metadata = level.Get("metadata"), spec = level.Get("spec");
  const bool exempt = spec.GetString("type") == "Exempt";
  const value::Value limits = spec.Get(exempt ? "exempt" : "limited"), response = limits.Get("limitResponse");
  const value::Value queuing = response.Get("queuing");
  const auto number = [](const value::Value& object, std::string_view key, int64_t otherwise) {
    const value::Value found = object.Get(key);
    return found.is_int() ? std::clamp<int64_t>(found.AsInt(), 0, std::numeric_limits<int32_t>::max()) : otherwise;
  };
  auto parsed = std::make_unique<PriorityLevel>(
      PriorityLevel{.name = std::string(metadata.GetString("name")),
                    .uid = std::string(metadata.GetString("uid")),
                    .exempt = exempt,
                    .queues_requests = response.GetString("type") == "Queue",
                    .queues = static_cast<int>(std::min(number(queuing, "queues", 64), kMostQueues)),
                    .hand_size = static_cast<int>(std::clamp<int64_t>(number(queuing, "handSize", 8), 1, kLargestHand)),
                    .queue_length = static_cast<int>(number(queuing, "queueLengthLimit", 50)),
                    .shares = number(limits, "nominalConcurrencyShares", exempt ? 0 : 30),
                    .lendable_percent = std::min<int64_t>(number(limits, "lendablePercent", 0), 100)});
  if (limits.Get("borrowingLimitPercent").is_int()) {
    parsed->borrowing_percent = number(limits, "borrowingLimitPercent", 0);
  }
  const std::string name = parsed->name;
  built_->levels_[name] = std::move(parsed);
}

std::shared_ptr<FlowSchemas> FlowSchemas::Builder::Build() && {
  auto& schemas = built_->schemas_;
  for (Schema& schema : schemas) {
    const auto level = built_->levels_.find(schema.level_name);
    if (level != built_->levels_.end()) schema.level = level->second.get();
  }
  std::erase_if(schemas, [](const Schema& schema) { return schema.level == nullptr; });
  std::sort(schemas.begin(), schemas.end(), [](const Schema& a, const Schema& b) {
    return std::tie(a.precedence, a.name) < std::tie(b.precedence, b.name);
  });
  return std::move(built_);
}

}  // namespace pipeline
