#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/text.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::core {
namespace {

constexpr std::string_view kTypes[] = {"Pod", "Container", "PersistentVolumeClaim"};
// Above this an amount has no thousandths.
constexpr int64_t kMostMilli = std::numeric_limits<int64_t>::max() / 1000;

void CheckType(Scope& limit) {
  const std::string_view type = limit.String("type");
  const FieldPath path = limit.At("type");
  const api::Complaints complaints = api::CheckQualifiedName(type);
  PutComplaints(limit.errors, path, type, complaints);
  if (complaints.empty() && !type.contains('/') && std::ranges::find(kTypes, type) == std::end(kTypes)) {
    limit.errors.Invalid(path, type, "must be a standard limit type or fully qualified");
  }
}

void CheckNames(Scope& limit, std::string_view field) {
  const std::string_view type = limit.String("type");
  const bool contained = type == "Pod" || type == "Container";
  const FieldPath path = limit.At(field);
  for (const value::Member& amount : limit.Get(field).members()) {
    (contained ? CheckContainerResourceName : CheckResourceName)(limit.errors, path.Key(amount.key), amount.key);
  }
}

// The amounts that a limit gives of one resource.
struct Amounts {
  const Value *min = nullptr, *max = nullptr, *by_default = nullptr, *by_request = nullptr, *ratio = nullptr;
};

bool IsMore(const Value* a, const Value* b) {
  return a != nullptr && b != nullptr && QuantityOf(*a).Compare(QuantityOf(*b)) > 0;
}

std::string TextOf(const Value* amount) { return QuantityOf(*amount).text(); }

void CheckOrder(Errors& errors, const FieldPath& limit, std::string_view name, const Amounts& of) {
  const auto put = [&](std::string_view field, const Value* bad, std::string_view a, const Value* more,
                       std::string_view b, const Value* less) {
    if (!IsMore(more, less)) return;
    const FieldPath list = limit.Child(field);
    errors.InvalidAs(list.Key(name), PrintQuantity(*bad),
                     base::Cat(a, " ", TextOf(more), " is greater than ", b, " ", TextOf(less)));
  };
  put("min", of.min, "min value", of.min, "max value", of.max);
  put("defaultRequest", of.by_request, "min value", of.min, "default request value", of.by_request);
  put("defaultRequest", of.by_request, "default request value", of.by_request, "max value", of.max);
  put("defaultRequest", of.by_request, "default request value", of.by_request, "default limit value", of.by_default);
  put("default", of.min, "min value", of.min, "default value", of.by_default);
  put("default", of.max, "default value", of.by_default, "max value", of.max);
}

// How many times its request a limit may be: at least once, and not more than the bounds allow anyway.
void CheckRatio(Errors& errors, const FieldPath& limit, std::string_view name, const Amounts& of) {
  if (of.ratio == nullptr) return;
  const FieldPath list = limit.Child("maxLimitRequestRatio");
  const api::Quantity ratio = QuantityOf(*of.ratio);
  if (ratio.Compare(1) < 0) {
    errors.InvalidAs(list.Key(name), PrintQuantity(*of.ratio), base::Cat("ratio ", ratio.text(), " is less than 1"));
  }
  if (of.min == nullptr || of.max == nullptr) return;
  const api::Quantity min = QuantityOf(*of.min), max = QuantityOf(*of.max);
  double times = static_cast<double>(ratio.Value());
  auto low = static_cast<double>(min.Value()), high = static_cast<double>(max.Value());
  if (ratio.Value() < kMostMilli && min.Value() < kMostMilli && max.Value() < kMostMilli) {
    times = static_cast<double>(ratio.MilliValue()) / 1000;
    low = static_cast<double>(min.MilliValue());
    high = static_cast<double>(max.MilliValue());
  }
  const double bound = high / low;
  if (!(times > bound)) return;
  std::array<char, 340> text{};
  std::snprintf(text.data(), text.size(), "%f", bound);
  errors.InvalidAs(list.Key(name), PrintQuantity(*of.ratio),
                   base::Cat("ratio ", ratio.text(), " is greater than max/min = ", std::string_view(text.data())));
}

void CheckAmounts(Scope& limit, std::string_view name, const Amounts& of) {
  CheckOrder(limit.errors, limit.path, name, of);
  CheckRatio(limit.errors, limit.path, name, of);
  if (IsOvercommitAllowed(name) || of.by_default == nullptr || of.by_request == nullptr) return;
  if (QuantityOf(*of.by_default) == QuantityOf(*of.by_request)) return;
  const FieldPath list = limit.At("defaultRequest");
  limit.errors.InvalidAs(list.Key(name), PrintQuantity(*of.by_request),
                         base::Cat("default value ", TextOf(of.by_default), " must equal to defaultRequest value ",
                                   TextOf(of.by_request), " in ", name));
}

void CheckLimit(Scope& limit) {
  const std::string_view type = limit.String("type");
  CheckNames(limit, "max");
  CheckNames(limit, "min");
  for (std::string_view field : {"default", "defaultRequest"}) {
    if (type != "Pod") {
      CheckNames(limit, field);
    } else if (!limit.Get(field).empty()) {
      limit.errors.Forbidden(limit.At(field), "may not be specified when `type` is 'Pod'");
    }
  }
  if (type == "PersistentVolumeClaim" && limit.Get({"min", "storage"}).is_null() &&
      limit.Get({"max", "storage"}).is_null()) {
    limit.errors.Required(limit.At("limits"),
                          "either minimum or maximum storage value is required, but neither was provided");
  }
  CheckNames(limit, "maxLimitRequestRatio");
  std::map<std::string_view, Amounts> amounts;
  const auto gather = [&](std::string_view field, const Value* Amounts::* place) {
    if (type == "Pod" && field.starts_with("default")) return;
    for (const value::Member& amount : limit.Get(field).members()) amounts[amount.key].*place = &amount.value;
  };
  gather("min", &Amounts::min);
  gather("max", &Amounts::max);
  gather("default", &Amounts::by_default);
  gather("defaultRequest", &Amounts::by_request);
  gather("maxLimitRequestRatio", &Amounts::ratio);
  for (const auto& [name, of] : amounts) CheckAmounts(limit, name, of);
}

constexpr Rule kType[] = {Call(CheckType)};
constexpr Rule kLimit[] = {Call(CheckLimit)};

void CheckLimits(Scope& spec) {
  const FieldPath limits = spec.At("limits");
  std::set<std::string_view> types;
  int64_t index = 0;
  for (const Value& limit : spec.Get("limits").items()) {
    const FieldPath path = limits.Index(index++);
    const std::string_view type = limit.GetString("type");
    Check(spec, kType, path, limit, nullptr);
    if (!types.insert(type).second) spec.errors.Duplicate(path.Child("type"), type);
    Check(spec, kLimit, path, limit, nullptr);
  }
}

constexpr Rule kSpecRules[] = {Call(CheckLimits)};
constexpr Rule kRules[] = {Into("spec", kSpecRules)};

}  // namespace

constinit const registry::StrategyTable kLimitRanges = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kFull,
            .named_by_uuid = true,
            .allow_create_on_update = true,
        },
};

}  // namespace resources::core
