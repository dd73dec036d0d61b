#include "admission/resource_quota.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "admission/plugin_configuration.h"
#include "api/quota_usage.h"
#include "base/clock.h"
#include "base/text.h"
#include "registry/quota_count.h"
#include "registry/stored_form.h"
#include "store/store.h"
#include "value/json_reader.h"
#include "value/member_index.h"

namespace admission {
namespace {

using api::Quantity;
using api::ResourceList;
using base::Cat;
using value::Value;

// What is not stored, and what was never counted.
constexpr std::array<api::GroupResource, 10> kIgnored = {{
    {"", "bindings"},
    {"", "componentstatuses"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
    {"", "events"},
    {"events.k8s.io", "events"},
}};

// Which requests can use more: of most resources the creation of an object.
bool MayUse(const AdmissionRequest& request) {
  const bool creates = request.operation == Operation::kCreate, updates = request.operation == Operation::kUpdate;
  if (!request.resource.namespaced || request.key.namespace_name.empty()) return false;
  if (std::ranges::any_of(kIgnored, [&](const auto& one) { return request.IsFor(one.group, one.resource); })) {
    return false;
  }
  if (request.IsFor("", "pods") && request.subresource == "resize") return updates;
  if (!request.subresource.empty()) return false;
  return creates ||
         (updates && !api::CountsAsOne(request.resource.group, request.resource.plural) && !request.IsFor("", "pods"));
}

// "a=1,b=2".
std::string Shown(const ResourceList& list, const std::vector<std::string_view>& names) {
  std::string text;
  for (std::string_view name : names) {
    const auto found = list.find(name);
    if (found != list.end()) base::Append(text, text.empty() ? "" : ",", name, "=", found->second.text());
  }
  return text;
}

void RemoveZeros(ResourceList& list) {
  std::erase_if(list, [](const auto& one) { return one.second.IsZero(); });
}

// What `now` uses more than `before`.
ResourceList Increase(ResourceList now, const ResourceList& before) {
  for (auto& [name, amount] : now) {
    const auto was = before.find(name);
    if (was != before.end()) amount.Sub(was->second);
    if (amount.Sign() < 0) amount = Quantity();
  }
  RemoveZeros(now);
  return now;
}

// The names in `used` that would be more than `hard` with `requested`, in order; empty: it fits.
std::vector<std::string_view> Exceeded(const ResourceList& hard, const ResourceList& used,
                                       const ResourceList& requested) {
  std::vector<std::string_view> names;
  for (const auto& [name, amount] : requested) {
    const auto limit = hard.find(name);
    if (limit == hard.end()) continue;
    Quantity sum = amount;
    if (const auto before = used.find(name); before != used.end()) {
      sum = before->second;
      sum.Add(amount);
    }
    if (sum.Compare(limit->second) > 0) names.push_back(name);
  }
  return names;
}

// A quota as it is in force for one resource.
struct QuotaInForce {
  Value object;
  std::string_view name;
  ResourceList hard, used;          // of what objects of that resource can count for
  std::set<std::string> uncounted;  // of these, what the status did not say
};

// One object held against the quotas of its namespace.
class Charge {
 public:
  Charge(AdmissionRequest& request, store::Store& store, const QuotaOptions& options)
      : request_(request),
        resource_(request.resource),
        store_(store),
        options_(options),
        now_(base::SystemClock().Now()) {}

  void Add(const Value& quota) {
    if (!failure_.empty()) return;
    const Value spec = quota.Get("spec");
    NoteScopes(spec);
    QuotaInForce in_force{
        .object = quota, .name = quota.Get("metadata").GetString("name"), .hard = {}, .used = {}, .uncounted = {}};
    for (auto& [name, amount] : api::ReadResourceList(spec.Get("hard"))) {
      if (api::CountsFor(resource_.group, resource_.plural, name)) in_force.hard.emplace(name, amount);
    }
    if (in_force.hard.empty() ||
        !api::InQuotaScopes(spec, resource_.group, resource_.plural, request_.object, resource_.features)) {
      return;
    }
    if (std::string missing = Missing(in_force.hard); !missing.empty()) {
      failure_ = Cat("failed quota: ", in_force.name, ": must specify ", missing);
      return;
    }
    for (const auto& [name, amount] : in_force.hard) covered_.insert(name);
    quotas_.push_back(std::move(in_force));
  }

  api::Result<> Decide() {
    if (!failure_.empty()) return Refuse(failure_);
    const ResourceList usage = Usage(request_.object);
    std::string negative;
    for (const auto& [name, amount] : usage) {
      if (amount.Sign() < 0) base::Append(negative, negative.empty() ? "" : ",", name);
    }
    if (!negative.empty()) return Refuse(Cat("quota usage is negative for resource(s): ", negative));
    const bool updates = request_.operation == Operation::kUpdate;
    const ResourceList requested =
        Increase(usage, updates && request_.old != nullptr ? Usage(*request_.old) : ResourceList());
    if (requested.empty()) return {};
    if (auto covered = CheckCovered(usage); !covered) return covered;
    for (QuotaInForce& quota : quotas_) {
      ResourceList asked;
      for (const auto& [name, amount] : requested) {
        if (quota.hard.contains(name)) asked.emplace(name, amount);
      }
      if (asked.empty()) continue;
      ReadUsed(quota);
      const auto exceeded = Exceeded(quota.hard, quota.used, asked);
      if (!exceeded.empty()) {
        return Refuse(Cat("exceeded quota: ", quota.name, ", requested: ", Shown(asked, exceeded),
                          ", used: ", Shown(quota.used, exceeded), ", limited: ", Shown(quota.hard, exceeded)));
      }
      if (!request_.dry_run && request_.stored_with != nullptr) StoreUsage(quota, std::move(asked));
    }
    return {};
  }

 private:
  ResourceList Usage(const Value& object) const {
    return api::QuotaUsage(resource_.group, resource_.plural, object, now_, resource_.features);
  }
  bool is_pod() const { return request_.IsFor("", "pods"); }

  api::Result<> Refuse(std::string why) const {
    return api::Fail(api::Forbidden(std::move(why), resource_.group_resource(), request_.ShownName()));
  }

  // The status says what is used of what the spec limits; where it does not yet, it is counted.
  void ReadUsed(QuotaInForce& quota) const {
    const ResourceList said = api::ReadResourceList(quota.object.Get({"status", "used"}));
    std::vector<std::string_view> unsaid;
    for (const auto& [name, amount] : quota.hard) {
      if (const auto used = said.find(name); used != said.end()) {
        quota.used.emplace(name, used->second);
      } else {
        unsaid.push_back(name);
        quota.uncounted.insert(name);
      }
    }
    if (unsaid.empty()) return;
    registry::CountQuotaUsage(store_, resource_, quota.object, unsaid, now_, quota.used);
  }

  // What a container must ask for, or limit, where a quota limits it: "requests.cpu for: a,b; limits.cpu for: b".
  std::string Missing(const ResourceList& hard) const {
    struct Demand {
      std::string_view name, which, resource;
    };
    constexpr Demand kDemands[] = {
        {"cpu", "requests", "cpu"},
        {"limits.cpu", "limits", "cpu"},
        {"limits.memory", "limits", "memory"},
        {"memory", "requests", "memory"},
        {"requests.cpu", "requests", "cpu"},
        {"requests.memory", "requests", "memory"},
    };
    const Value spec = request_.object.Get("spec");
    if (!is_pod() || (resource_.features.Has(api::Feature::kPodLevelResources) && api::HasPodLevelResources(spec))) {
      return "";
    }
    std::string text;
    for (const Demand& demand : kDemands) {
      if (!hard.contains(demand.name)) continue;
      std::set<std::string_view> containers;
      for (std::string_view list : {"containers", "initContainers"}) {
        for (const Value& container : spec.Get(list).items()) {
          const Value amounts = container.Get({"resources", demand.which});
          if (amounts.Find(demand.resource) == nullptr) containers.insert(container.GetString("name"));
        }
      }
      if (containers.empty()) continue;
      base::Append(text, text.empty() ? "" : "; ", demand.name, " for: ");
      bool first = true;
      for (std::string_view container : containers)
        base::Append(text, std::exchange(first, false) ? "" : ",", container);
    }
    return text;
  }

  // Whether the pod is in a scope of a scopeSelector's form.
  bool InScope(const Value& term) const {
    Value spec = Value::Object(request_.arena, 1), selector = Value::Object(request_.arena, 1);
    Value terms = Value::Array(request_.arena, 1);
    terms.Append(request_.arena, term);
    selector.Add(request_.arena, "matchExpressions", terms);
    spec.Add(request_.arena, "scopeSelector", selector);
    return api::InQuotaScopes(spec, resource_.group, resource_.plural, request_.object, resource_.features);
  }

  // Which scopes of any quota the pod is in: these cover what is limited by scope.
  void NoteScopes(const Value& spec) {
    const bool limits = std::ranges::any_of(options_.limited, [](const auto& one) { return !one.scopes.empty(); });
    if (!limits || !is_pod()) return;
    for (const Value& scope : spec.Get("scopes").items()) {
      Value term = Value::Object(request_.arena, 2);
      term.Add(request_.arena, "scopeName", scope);
      term.Add(request_.arena, "operator", Value::String("Exists"));
      if (InScope(term)) covered_scopes_.insert(std::string(scope.AsString()));
    }
    for (const Value& term : spec.Get({"scopeSelector", "matchExpressions"}).items()) {
      if (InScope(term)) covered_scopes_.insert(std::string(term.GetString("scopeName")));
    }
  }

  api::Result<> CheckCovered(const ResourceList& usage) const {
    std::set<std::string_view> uncovered;
    for (const LimitedResource& limited : options_.limited) {
      if (!request_.IsFor(limited.group, limited.resource)) continue;
      for (const auto& [name, amount] : usage) {
        const bool named = std::ranges::any_of(limited.contains, [&](const auto& part) { return name.contains(part); });
        if (named && amount.Sign() > 0 && !covered_.contains(name)) uncovered.insert(name);
      }
    }
    if (!uncovered.empty()) {
      return Refuse(Cat("insufficient quota to consume: ",
                        base::Join(std::vector<std::string>(uncovered.begin(), uncovered.end()), ",")));
    }
    std::string scopes;
    for (const LimitedResource& limited : options_.limited) {
      for (const LimitedResource::Scope& scope : limited.scopes) {
        if (!is_pod() || covered_scopes_.contains(scope.name)) continue;
        Value term = Value::Object(request_.arena, 3), values = Value::Array(request_.arena);
        for (const std::string& one : scope.values) values.Append(request_.arena, Value::String(one));
        term.Add(request_.arena, "scopeName", Value::String(scope.name));
        term.Add(request_.arena, "operator", Value::String(scope.op));
        term.Add(request_.arena, "values", values);
        if (!InScope(term)) continue;
        base::Append(scopes, scopes.empty() ? "" : " ", "{", scope.name, " ", scope.op, " [",
                     base::Join(scope.values, " "), "]}");
      }
    }
    if (scopes.empty()) return {};
    return api::Fail(api::Generic(500, Cat("insufficient quota to match these scopes: [", scopes, "]")));
  }

  // Adds what is asked for to the quota's status, in the transaction that stores the object.
  void StoreUsage(const QuotaInForce& quota, ResourceList asked) {
    const registry::Resource* quotas = request_.call.resources.Find("", "v1", "resourcequotas");
    if (quotas == nullptr) return;
    struct Sum {
      registry::ResourceRef resource;
      std::string uid;
      ResourceList hard, asked, counted;
    };
    auto sum = std::make_shared<Sum>();
    sum->resource = request_.call.resources.FindEntry("", "v1", "resourcequotas");
    sum->uid = quota.object.Get("metadata").GetString("uid");
    sum->hard = quota.hard;
    for (const std::string& name : quota.uncounted) sum->counted.insert(*quota.used.find(name));
    sum->asked = std::move(asked);
    store::Write write;
    write.collection = quotas->storage->id;
    write.key = Cat(request_.key.namespace_name, "/", quota.name);
    write.compute = [sum](const store::Newest* newest) -> base::Result<std::optional<store::Body>> {
      return AddUsage(*sum->resource, sum->uid, sum->hard, sum->counted, sum->asked, newest);
    };
    request_.stored_with->push_back(std::move(write));
  }

  // `counted`: what was counted of names that the status did not have.
  static base::Result<std::optional<store::Body>> AddUsage(const registry::Resource& resource, std::string_view uid,
                                                           const ResourceList& hard, const ResourceList& counted,
                                                           const ResourceList& asked, const store::Newest* newest) {
    if (newest == nullptr) return std::nullopt;  // the quota went
    value::Arena arena;
    const base::Result<Value> quota = value::ReadJson(newest->bytes, arena);
    if (!quota || newest->needs_reencoding) {
      return base::Fail(base::Code::kInternal, "a quota cannot be read");
    }
    if (quota->Get("metadata").GetString("uid") != uid) return base::Fail(base::Code::kConflict, "another quota");
    const ResourceList limits = api::ReadResourceList(quota->Get({"spec", "hard"}));
    ResourceList used = api::ReadResourceList(quota->Get({"status", "used"}));
    for (const auto& [name, amount] : counted) used.try_emplace(name, amount);
    if (!Exceeded(limits, used, asked).empty()) return base::Fail(base::Code::kConflict, "the quota is used up");
    for (const auto& [name, amount] : asked) {
      if (limits.contains(name)) used[name].Add(amount);
    }
    Value status = quota->Get("status");
    if (!status.is_object()) {
      status = Value::Object(arena, 2);
      quota->Set(arena, "status", status);
    }
    ResourceList told = api::ReadResourceList(status.Get("hard"));
    for (const auto& [name, amount] : hard) {
      if (counted.contains(name)) told.try_emplace(name, amount);
    }
    status.Set(arena, "hard", registry::QuotaListValue(told, arena));
    status.Set(arena, "used", registry::QuotaListValue(used, arena));
    auto body = registry::EncodeForStore(resource, *quota, arena);
    if (!body) return base::Fail(base::Code::kInternal, body.error().message);
    return *std::move(body);
  }

  AdmissionRequest& request_;
  const registry::Resource& resource_;
  store::Store& store_;
  const QuotaOptions& options_;
  const std::chrono::system_clock::time_point now_;
  std::string failure_;  // of the first quota that the object cannot be held against
  std::vector<QuotaInForce> quotas_;
  std::set<std::string, std::less<>> covered_, covered_scopes_;  // names that quotas limit; scopes of theirs
};

base::Result<> Fail(std::string message) { return base::Fail(base::Code::kInvalid, std::move(message)); }

base::Result<std::vector<std::string>> Texts(const Value& list, std::string_view path) {
  return ReadConfigurationList(list, path);
}

base::Result<LimitedResource::Scope> ReadScope(const Value& scope, std::string_view at) {
  auto read = CheckConfigurationFields(scope, {"scopeName", "operator", "values"}, at);
  if (!read) return std::unexpected(std::move(read.error()));
  auto values = Texts(scope.Get("values"), Cat(at, ".values"));
  if (!values) return std::unexpected(std::move(values.error()));
  LimitedResource::Scope one{.name = std::string(scope.GetString("scopeName")),
                             .op = std::string(scope.GetString("operator")),
                             .values = *std::move(values)};
  constexpr std::string_view kScopes[] = {"Terminating",   "NotTerminating", "BestEffort",
                                          "NotBestEffort", "PriorityClass",  "CrossNamespacePodAffinity"};
  constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
  if (std::ranges::find(kScopes, one.name) == std::end(kScopes)) {
    return base::Fail(base::Code::kInvalid, Cat(at, ".scopeName: there is no scope ", one.name));
  }
  if (std::ranges::find(kOperators, one.op) == std::end(kOperators)) {
    return base::Fail(base::Code::kInvalid, Cat(at, ".operator: there is no operator ", one.op));
  }
  return one;
}

base::Result<LimitedResource> ReadLimited(const Value& item, std::string_view at) {
  LimitedResource limited;
  auto read = item.is_object()
                  ? CheckConfigurationFields(item, {"apiGroup", "resource", "matchContains", "matchScopes"}, at)
                  : Fail(Cat(at, " is no object"));
  if (!read) return std::unexpected(std::move(read.error()));
  auto group = ReadConfigurationText(item, "apiGroup");
  if (!group) return std::unexpected(std::move(group.error()));
  auto resource = ReadConfigurationText(item, "resource");
  if (!resource) return std::unexpected(std::move(resource.error()));
  if (resource->empty()) return base::Fail(base::Code::kInvalid, Cat(at, ".resource: Required value"));
  auto contains = Texts(item.Get("matchContains"), Cat(at, ".matchContains"));
  if (!contains) return std::unexpected(std::move(contains.error()));
  limited = {.group = *group, .resource = *resource, .contains = *std::move(contains), .scopes = {}};
  const Value scopes = item.Get("matchScopes");
  if (!scopes.is_null() && !scopes.is_array())
    return base::Fail(base::Code::kInvalid, Cat(at, ".matchScopes is no list"));
  for (const Value& scope : scopes.items()) {
    auto one = ReadScope(scope, Cat(at, ".matchScopes[", limited.scopes.size(), "]"));
    if (!one) return std::unexpected(std::move(one.error()));
    limited.scopes.push_back(*std::move(one));
  }
  return limited;
}

}  // namespace

base::Result<QuotaOptions> QuotaOptions::Read(const Value& document) {
  QuotaOptions options;
  if (document.is_null()) return options;
  // Before it was of the API server, the kind had another name in a group of its own.
  const bool old = document.GetString("kind") == "Configuration";
  auto read =
      old ? CheckConfigurationKind(document, "resourcequota.admission.k8s.io", {"v1alpha1", "v1beta1"}, "Configuration")
          : CheckConfigurationKind(document, "apiserver.config.k8s.io", {"v1"}, "ResourceQuotaConfiguration");
  if (read) read = CheckConfigurationFields(document, {"apiVersion", "kind", "limitedResources"});
  const Value limited = document.Get("limitedResources");
  if (read && !limited.is_null() && !limited.is_array()) read = Fail("limitedResources is no list");
  if (!read) return std::unexpected(std::move(read.error()));
  for (const Value& item : limited.items()) {
    auto one = ReadLimited(item, Cat("limitedResources[", options.limited.size(), "]"));
    if (!one) return std::unexpected(std::move(one.error()));
    options.limited.push_back(*std::move(one));
  }
  return options;
}

api::Result<> ResourceQuota::Validate(AdmissionRequest& request) const {
  if (!MayUse(request)) return {};
  std::optional<Charge> charge;
  if (!options_.limited.empty()) charge.emplace(request, store_, options_);
  stored_.ForEach(
      "", "v1", "resourcequotas", request.key.namespace_name, request.arena, [](std::string_view) { return true; },
      [&](const Value& quota) {
        if (!charge) charge.emplace(request, store_, options_);
        charge->Add(quota);
      });
  return charge ? charge->Decide() : api::Result<>();
}

}  // namespace admission
