#include "resources/core/resource_rules.h"

#include <algorithm>
#include <set>

#include "api/pod_resources.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"
#include "value/member_index.h"

namespace resources::core {
namespace {

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kRequests = "requests.";

constexpr std::string_view kContainerResources[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view kIntegerResources[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
// What a quota may count beside those.
constexpr std::string_view kQuotaResources[] = {"cpu",
                                                "memory",
                                                "ephemeral-storage",
                                                "requests.cpu",
                                                "requests.memory",
                                                "requests.storage",
                                                "requests.ephemeral-storage",
                                                "limits.cpu",
                                                "limits.memory",
                                                "limits.ephemeral-storage"};

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool HasDomain(std::string_view name) { return name.contains('/'); }

// Resource names stand in error texts without quotes.
void Complain(Errors& errors, const FieldPath& path, std::string_view name, std::string_view detail) {
  errors.InvalidAs(path, std::string(name), detail);
}

// Resources whose requests need limits, or the other way round, tell each other's presence.
struct Seen {
  bool compute = false, huge_pages = false;
  void Add(std::string_view name) {
    compute |= name == "cpu" || name == "memory";
    huge_pages |= IsHugePageResource(name);
  }
};

void CheckAmount(Errors& errors, const FieldPath& path, std::string_view name, const Value& amount,
                 const RequirementOptions& options) {
  options.check_name(errors, path, name);
  CheckResourceAmount(errors, path, name, amount);
}

void CheckHugePages(Errors& errors, const FieldPath& path, std::string_view name, const Value& amount,
                    const RequirementOptions& options) {
  if (options.allow_indivisible_huge_pages || !IsIndivisibleHugePages(name, amount)) return;
  const std::string_view text = amount.AsString();
  errors.Invalid(path, text, base::Cat(text, " is not positive integer multiple of ", name));
}

// Each limit by itself; gives what there are.
Seen CheckLimits(Errors& errors, const FieldPath& path, const Value& limits, const RequirementOptions& options) {
  Seen seen;
  for (const value::Member& limit : limits.members()) {
    const FieldPath at = path.Key(limit.key);
    CheckAmount(errors, at, limit.key, limit.value, options);
    CheckHugePages(errors, at, limit.key, limit.value, options);
    seen.Add(limit.key);
  }
  return seen;
}

// A request against its limit.
void CheckLimit(Errors& errors, const FieldPath& limits_path, const FieldPath& requests_path, std::string_view name,
                const Value& amount, const Value* limit) {
  const bool overcommit = IsOvercommitAllowed(name);
  if (limit == nullptr) {
    if (!overcommit) errors.Required(limits_path, "Limit must be set for non overcommitable resources");
    return;
  }
  const int order = QuantityOf(amount).Compare(QuantityOf(*limit));
  const std::string_view text = amount.AsString();
  if (order != 0 && !overcommit) {
    errors.Invalid(requests_path, text, base::Cat("must be equal to ", name, " limit of ", limit->AsString()));
  } else if (order > 0) {
    errors.Invalid(requests_path, text,
                   base::Cat("must be less than or equal to ", name, " limit of ", limit->AsString()));
  }
}

void CheckClaimIsThePods(Errors& errors, const FieldPath& path, std::string_view name,
                         const std::vector<std::string_view>& claims) {
  if (errors.full() || std::ranges::binary_search(claims, name)) return;
  std::string detail = "must be one of the names in pod.spec.resourceClaims";
  if (claims.empty()) detail += " which is empty";
  for (size_t i = 0; i < claims.size(); ++i) base::Append(detail, i == 0 ? ": " : ", ", claims[i]);
  errors.Add({api::FieldError::Type::kNotFound, path.text(), PrintBadValue(Value::String(name)), std::move(detail)});
}

// Claims are named whole ("a") or by request ("a/r"), each once, and not both ways.
void CheckClaims(Errors& errors, const FieldPath& path, const Value& list,
                 const std::vector<std::string_view>& pod_claims) {
  std::set<std::string> seen;
  int64_t index = 0;
  for (const Value& claim : list.items()) {
    const FieldPath at = path.Index(index++);
    const std::string name(claim.GetString("name"));
    const std::string_view request = claim.GetString("request");
    if (name.empty()) {
      errors.Required(at);
      continue;
    }
    if (seen.contains(name)) {
      errors.Duplicate(at, name);
    } else {
      if (!request.empty()) kDnsLabel(errors, at.Child("request"), request);
      const std::string key = request.empty() ? name : base::Cat(name, "/", request);
      if (seen.contains(key)) {
        errors.Duplicate(at, key);
      } else if (request.empty()) {
        const std::string prefix = name + "/";
        for (const std::string& other : seen) {
          if (other.starts_with(prefix)) errors.Duplicate(at, name);
        }
      }
      seen.insert(key);
    }
    CheckClaimIsThePods(errors, at, name, pod_claims);
  }
}

}  // namespace

bool IsHugePageResource(std::string_view name) { return name.starts_with(kHugePages); }

bool IsQuotaHugePageResource(std::string_view name) {
  if (name.starts_with(kRequests)) name.remove_prefix(kRequests.size());
  return IsHugePageResource(name);
}

bool IsNativeResource(std::string_view name) { return !HasDomain(name) || name.contains("kubernetes.io/"); }

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with(kRequests)) return false;
  return api::CheckQualifiedName(base::Cat(kRequests, name)).empty();
}

bool IsIntegerResource(std::string_view name) { return Has(kIntegerResources, name) || IsExtendedResource(name); }

bool IsOvercommitAllowed(std::string_view name) { return IsNativeResource(name) && !IsHugePageResource(name); }

bool IsStandardResource(std::string_view name) { return name == "storage" || IsStandardQuotaResource(name); }

bool IsStandardQuotaResource(std::string_view name) {
  return Has(kQuotaResources, name) || Has(kIntegerResources, name) || IsQuotaHugePageResource(name);
}

bool IsStandardContainerResource(std::string_view name) {
  return Has(kContainerResources, name) || IsHugePageResource(name);
}

void CheckResourceName(Errors& errors, const FieldPath& path, std::string_view name) {
  const api::Complaints complaints = api::CheckQualifiedName(name);
  for (const std::string& complaint : complaints) Complain(errors, path, name, complaint);
  if (complaints.empty() && !HasDomain(name) && !IsStandardResource(name)) {
    Complain(errors, path, name, "must be a standard resource type or fully qualified");
  }
}

void CheckContainerResourceName(Errors& errors, const FieldPath& path, std::string_view name) {
  CheckResourceName(errors, path, name);
  if (!HasDomain(name)) {
    if (!IsStandardContainerResource(name)) {
      Complain(errors, path, name, "must be a standard resource for containers");
    }
  } else if (!IsNativeResource(name) && !IsExtendedResource(name)) {
    Complain(errors, path, name, "doesn't follow extended resource name standard");
  }
}

void CheckPodResourceName(Errors& errors, const FieldPath& path, std::string_view name) {
  const size_t before = errors.size();
  CheckResourceName(errors, path, name);
  if (errors.size() > before || api::IsPodLevelResource(name)) return;
  constexpr std::string_view kSupported[] = {"cpu", "memory"};
  errors.NotSupportedAs(path, std::string(name), kSupported);
}

void CheckQuotaResourceName(Errors& errors, const FieldPath& path, std::string_view name) {
  CheckResourceName(errors, path, name);
  if (!HasDomain(name) && !IsStandardQuotaResource(name)) {
    Complain(errors, path, name, "must be a standard resource for quota");
  }
}

api::Quantity QuantityOf(const Value& amount) {
  if (!amount.is_string()) return {};
  return api::Quantity::Parse(amount.AsString()).value_or(api::Quantity());
}

std::string PrintQuantity(const Value& amount) { return QuantityOf(amount).GoText(); }

void CheckNonNegativeAmount(Errors& errors, const FieldPath& path, const Value& amount) {
  if (QuantityOf(amount).Sign() < 0) {
    errors.Invalid(path, amount.AsString(), "must be greater than or equal to 0");
  }
}

void CheckResourceAmount(Errors& errors, const FieldPath& path, std::string_view name, const Value& amount) {
  CheckNonNegativeAmount(errors, path, amount);
  if (IsIntegerResource(name) && QuantityOf(amount).MilliValue() % 1000 != 0) {
    errors.InvalidAs(path, PrintQuantity(amount), "must be an integer");
  }
}

void CheckResourceRequirements(Errors& errors, const FieldPath& path, const Value& requirements,
                               const RequirementOptions& options) {
  const FieldPath limits_path = path.Child("limits"), requests_path = path.Child("requests");
  const Value limits = requirements.Get("limits");
  Seen seen = CheckLimits(errors, limits_path, limits, options);
  const value::MemberIndex limit_of(limits);
  for (const value::Member& request : requirements.Get("requests").members()) {
    const FieldPath at = requests_path.Key(request.key);
    CheckAmount(errors, at, request.key, request.value, options);
    CheckLimit(errors, limits_path, requests_path, request.key, request.value, limit_of.Find(request.key));
    CheckHugePages(errors, at, request.key, request.value, options);
    seen.Add(request.key);
  }
  if (seen.huge_pages && !seen.compute) errors.Forbidden(path, "HugePages require cpu or memory");
  CheckClaims(errors, path.Child("claims"), requirements.Get("claims"), options.claims);
}

void CheckOverhead(Errors& errors, const FieldPath& path, const Value& overhead, const RequirementOptions& options) {
  const Seen seen = CheckLimits(errors, path.Child("limits"), overhead, options);
  if (seen.huge_pages && !seen.compute) errors.Forbidden(path, "HugePages require cpu or memory");
}

bool IsIndivisibleHugePages(std::string_view name, const Value& amount) {
  if (!IsHugePageResource(name)) return false;
  const auto page = api::Quantity::Parse(name.substr(kHugePages.size()));
  if (!page || page->Sign() <= 0 || page->MilliValue() % 1000 != 0) return true;
  const int64_t size = page->Value();
  return size == 0 || QuantityOf(amount).Value() % size != 0;
}

}  // namespace resources::core
