#include "admission/limit_ranger.h"

#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

#include "api/pod_resources.h"
#include "api/quantity.h"
#include "base/text.h"

namespace admission {
namespace {

using api::Quantity;
using api::ResourceList;
using base::Cat;
using value::Value;

// Texts, each once, up to a bound; then in brackets if there are several.
class Complaints {
 public:
  void Add(std::string text) {
    constexpr size_t kMostBytes = 1 << 20;
    if (text.empty() || bytes_ > kMostBytes || !seen_.insert(text).second) return;
    bytes_ += text.size();
    list_.push_back(std::move(text));
  }
  std::string Text() const {
    if (list_.empty()) return "";
    return list_.size() == 1 ? list_[0] : Cat("[", base::Join(list_, ", "), "]");
  }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> list_;
  size_t bytes_ = 0;
};

// What is asked for, what is the most, and what the range says, as numbers that compare: thousandths where all fit.
struct Observed {
  int64_t request, limit, enforced;
};
Observed Compare(const Quantity& request, const Quantity& limit, const Quantity& enforced) {
  constexpr int64_t kMostMilli = INT64_MAX / 1000;
  const Observed whole{request.Value(), limit.Value(), enforced.Value()};
  if (whole.request > kMostMilli || whole.limit > kMostMilli || whole.enforced > kMostMilli) return whole;
  return {request.MilliValue(), limit.MilliValue(), enforced.MilliValue()};
}

// One who asks: a container, a pod or a claim.
struct Asking {
  std::string_view type;  // "Container"
  const ResourceList &requests, &limits;

  const Quantity* Request(std::string_view name) const { return Find(requests, name); }
  const Quantity* Limit(std::string_view name) const { return Find(limits, name); }

 private:
  static const Quantity* Find(const ResourceList& list, std::string_view name) {
    const auto found = list.find(name);
    return found == list.end() ? nullptr : &found->second;
  }
};

Observed Observe(const Asking& asking, std::string_view name, const Quantity& enforced) {
  const Quantity *request = asking.Request(name), *limit = asking.Limit(name);
  return Compare(request == nullptr ? Quantity() : *request, limit == nullptr ? Quantity() : *limit, enforced);
}

std::string CheckMin(const Asking& asking, std::string_view name, const Quantity& enforced) {
  const Quantity *request = asking.Request(name), *limit = asking.Limit(name);
  const Observed observed = Observe(asking, name, enforced);
  const std::string rule = Cat("minimum ", name, " usage per ", asking.type, " is ", enforced.text());
  if (request == nullptr) return Cat(rule, ".  No request is specified");
  if (observed.request < observed.enforced) return Cat(rule, ", but request is ", request->text());
  if (limit != nullptr && observed.limit < observed.enforced) return Cat(rule, ", but limit is ", limit->text());
  return "";
}

std::string CheckMax(const Asking& asking, std::string_view name, const Quantity& enforced) {
  const Quantity *request = asking.Request(name), *limit = asking.Limit(name);
  const Observed observed = Observe(asking, name, enforced);
  const std::string rule = Cat("maximum ", name, " usage per ", asking.type, " is ", enforced.text());
  if (limit == nullptr) return Cat(rule, ".  No limit is specified");
  if (observed.limit > observed.enforced) return Cat(rule, ", but limit is ", limit->text());
  if (request != nullptr && observed.request > observed.enforced) {
    return Cat(rule, ", but request is ", request->text());
  }
  return "";
}

// Of those that have no limits.
std::string CheckMaxRequest(const Asking& asking, std::string_view name, const Quantity& enforced) {
  const Quantity* request = asking.Request(name);
  const Observed observed = Observe(asking, name, enforced);
  const std::string rule = Cat("maximum ", name, " usage per ", asking.type, " is ", enforced.text());
  if (request == nullptr) return Cat(rule, ".  No request is specified");
  if (observed.request > observed.enforced) return Cat(rule, ", but request is ", request->text());
  return "";
}

std::string CheckRatio(const Asking& asking, std::string_view name, const Quantity& enforced) {
  constexpr int64_t kMostMilli = INT64_MAX / 1000;
  const Observed observed = Observe(asking, name, enforced);
  const std::string rule = Cat(name, " max limit to request ratio per ", asking.type, " is ", enforced.text());
  if (observed.request == 0) return Cat(rule, ", but no request is specified or request is 0");
  if (observed.limit == 0) return Cat(rule, ", but no limit is specified or limit is 0");
  const double ratio = static_cast<double>(observed.limit) / static_cast<double>(observed.request);
  const bool milli = enforced.Value() <= kMostMilli;
  const double most = static_cast<double>(milli ? enforced.MilliValue() : enforced.Value());
  if ((milli ? ratio * 1000 : ratio) <= most) return "";
  char shown[400];  // the longest double and some digits
  std::snprintf(shown, sizeof(shown), "%f", ratio);
  return Cat(rule, ", but provided ratio is ", std::string_view(shown));
}

// An item of a range's `limits`, read.
struct Limits {
  ResourceList min, max, ratio;
  explicit Limits(const Value& item)
      : min(api::ReadResourceList(item.Get("min"))),
        max(api::ReadResourceList(item.Get("max"))),
        ratio(api::ReadResourceList(item.Get("maxLimitRequestRatio"))) {}
};

void CheckAll(const Limits& limits, const Asking& asking, Complaints& complaints) {
  for (const auto& [name, enforced] : limits.min) complaints.Add(CheckMin(asking, name, enforced));
  for (const auto& [name, enforced] : limits.max) complaints.Add(CheckMax(asking, name, enforced));
  for (const auto& [name, enforced] : limits.ratio) complaints.Add(CheckRatio(asking, name, enforced));
}

// Adds to the requests or limits of a container what it does not name; gives the names of that, in order.
std::string MergeInto(const Value& container, std::string_view which, const ResourceList& defaults,
                      value::Arena& arena) {
  std::string set;
  Value resources = container.Get("resources");
  Value list = resources.Get(which);
  const std::set<std::string_view> named = [&] {
    std::set<std::string_view> names;
    for (const value::Member& member : list.members()) names.insert(member.key);
    return names;
  }();
  for (const auto& [name, quantity] : defaults) {
    if (named.contains(name)) continue;
    if (!resources.is_object()) {
      resources = Value::Object(arena);
      container.Set(arena, "resources", resources);
    }
    if (!list.is_object()) {
      list = Value::Object(arena);
      resources.Set(arena, which, list);
    }
    list.Add(arena, arena.CopyString(name), Value::Copy(arena, quantity.text()));
    base::Append(set, set.empty() ? "" : ", ", name);
  }
  return set;
}

void Collect(const Value& list, ResourceList& into) {
  for (auto& [name, quantity] : api::ReadResourceList(list)) into[name] = quantity;
}

bool IsPod(const AdmissionRequest& request) { return request.IsFor("", "pods"); }

bool Applies(const AdmissionRequest& request) {
  const bool creates = request.operation == Operation::kCreate, updates = request.operation == Operation::kUpdate;
  if (!creates && !updates) return false;
  // An update of a pod changes nothing that is limited, but for one of its resources.
  const bool pod =
      IsPod(request) && (request.subresource == "resize" ? updates : creates && request.subresource.empty());
  const bool claim = request.IsFor("", "persistentvolumeclaims") && request.subresource.empty();
  if (!pod && !claim) return false;
  return request.old == nullptr || request.old->Get("metadata").GetString("deletionTimestamp").empty();
}

}  // namespace

void SetLimitDefaults(const Value& limit_range, const Value& pod, value::Arena& arena) {
  ResourceList requests, limits;
  for (const Value& item : limit_range.Get({"spec", "limits"}).items()) {
    if (item.GetString("type") != "Container") continue;
    Collect(item.Get("defaultRequest"), requests);
    Collect(item.Get("default"), limits);
  }
  if (requests.empty() && limits.empty()) return;
  std::string notes;
  const auto note = [&](const std::string& names, std::string_view what, std::string_view kind,
                        const Value& container) {
    if (names.empty()) return;
    base::Append(notes, notes.empty() ? "" : "; ", names, " ", what, " for ", kind, " ", container.GetString("name"));
  };
  for (const auto& [list, kind] :
       {std::pair{"containers", "container"}, std::pair{"initContainers", "init container"}}) {
    for (const Value& container : pod.Get({"spec", list}).items()) {
      if (!container.is_object()) continue;
      const std::string set = MergeInto(container, "limits", limits, arena);
      note(MergeInto(container, "requests", requests, arena), "request", kind, container);
      note(set, "limit", kind, container);
    }
  }
  if (notes.empty()) return;
  const Value metadata = pod.Get("metadata");
  Value annotations = metadata.Get("annotations");
  if (!annotations.is_object()) {
    annotations = Value::Object(arena);
    metadata.Set(arena, "annotations", annotations);
  }
  annotations.Set(arena, "kubernetes.io/limit-ranger", Value::Copy(arena, Cat("LimitRanger plugin set: ", notes)));
}

std::string CheckPodLimits(const Value& limit_range, const Value& pod, const api::Features& features) {
  const Value spec = pod.Get("spec");
  Complaints complaints;
  for (const Value& item : limit_range.Get({"spec", "limits"}).items()) {
    const std::string_view type = item.GetString("type");
    if (type == "Container") {
      const Limits limits(item);
      for (std::string_view list : {"containers", "initContainers"}) {
        for (const Value& container : spec.Get(list).items()) {
          const ResourceList own_requests = api::ReadResourceList(container.Get({"resources", "requests"}));
          const ResourceList own_limits = api::ReadResourceList(container.Get({"resources", "limits"}));
          CheckAll(limits, {type, own_requests, own_limits}, complaints);
        }
      }
    } else if (type == "Pod") {
      ResourceList requests = api::ContainerResources(spec, "requests");
      ResourceList limits = api::ContainerResources(spec, "limits");
      if (features.Has(api::Feature::kPodLevelResources)) {
        for (auto& [which, sum] : {std::pair<const char*, ResourceList*>{"requests", &requests}, {"limits", &limits}}) {
          for (const auto& [name, amount] : api::ReadResourceList(spec.Get({"resources", which}))) {
            if (api::IsPodLevelResource(name)) (*sum)[name] = amount;
          }
        }
      }
      CheckAll(Limits(item), {type, requests, limits}, complaints);
    }
  }
  return complaints.Text();
}

std::string CheckClaimLimits(const Value& limit_range, const Value& claim) {
  Complaints complaints;
  const ResourceList requests = api::ReadResourceList(claim.Get({"spec", "resources", "requests"})), none;
  for (const Value& item : limit_range.Get({"spec", "limits"}).items()) {
    const std::string_view type = item.GetString("type");
    if (type != "PersistentVolumeClaim") continue;
    const Limits limits(item);
    for (const auto& [name, enforced] : limits.min) complaints.Add(CheckMin({type, requests, none}, name, enforced));
    for (const auto& [name, enforced] : limits.max) {
      complaints.Add(CheckMaxRequest({type, requests, none}, name, enforced));
    }
  }
  return complaints.Text();
}

api::Result<> LimitRanger::Mutate(AdmissionRequest& request) const {
  if (!Applies(request) || !IsPod(request)) return {};
  stored_.ForEach(
      "", "v1", "limitranges", request.key.namespace_name, request.arena, [](std::string_view) { return true; },
      [&](const Value& range) { SetLimitDefaults(range, request.object, request.arena); });
  return {};
}

api::Result<> LimitRanger::Validate(AdmissionRequest& request) const {
  if (!Applies(request)) return {};
  std::string why;
  stored_.ForEach(
      "", "v1", "limitranges", request.key.namespace_name, request.arena, [&](std::string_view) { return why.empty(); },
      [&](const Value& range) {
        why = IsPod(request) ? CheckPodLimits(range, request.object, request.resource.features)
                             : CheckClaimLimits(range, request.object);
      });
  if (why.empty()) return {};
  return api::Fail(api::Forbidden(std::move(why), request.resource.group_resource(), request.ShownName()));
}

}  // namespace admission
