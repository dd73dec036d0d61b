#include "admission/runtime_class.h"

#include <algorithm>
#include <vector>

#include "admission/refusal.h"
#include "api/names.h"
#include "api/quantity.h"
#include "api/quote.h"
#include "base/text.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// Amounts are compared as numbers: "1" is "1000m".
bool SameAmounts(const Value& a, const Value& b) {
  const auto quantity = [](const Value& v) {
    return v.is_string() ? api::Quantity::Parse(v.AsString()).value_or(api::Quantity()) : api::Quantity();
  };
  return a.size() == b.size() && std::ranges::all_of(a.members(), [&](const value::Member& amount) {
           const Value* other = b.Find(amount.key);
           return other != nullptr && quantity(amount.value) == quantity(*other);
         });
}

// The class that the pod names; null Value where it names none.
api::Result<Value> ClassOf(const Value& pod, FindRuntimeClass find) {
  const Value* name = pod.Get("spec").Find("runtimeClassName");
  if (name == nullptr || !name->is_string()) return Value();
  if (name->AsString().empty()) return api::Fail(api::Generic(500, "resource name may not be empty"));
  const Value found = find(name->AsString());
  if (found.is_object()) return found;
  // There, a class that is not found is asked for by request, which no such name can be the path of.
  if (const api::Complaints complaints = api::CheckPathSegment(name->AsString()); !complaints.empty()) {
    return api::Fail(api::Generic(500, base::Cat("invalid resource name ", api::Quote(name->AsString()), ": [",
                                                 base::Join(complaints, " "), "]")));
  }
  return RefusePod(pod, base::Cat("pod rejected: RuntimeClass ", api::Quote(name->AsString()), " not found"));
}

// Whether what tolerates `narrow` is all tolerated by `wide`.
bool Covers(const Value& wide, const Value& narrow) {
  if (value::Equal(wide, narrow)) return true;
  const std::string_view wide_operator = wide.GetString("operator");
  const std::string_view key = wide.GetString("key"), effect = wide.GetString("effect");
  if (narrow.GetString("key") != key && (!key.empty() || wide_operator != "Exists")) return false;
  if (narrow.GetString("effect") != effect && !effect.empty()) return false;
  const Value most = wide.Get("tolerationSeconds"), seconds = narrow.Get("tolerationSeconds");
  if (effect == "NoExecute" && most.is_int() && (!seconds.is_int() || seconds.AsInt() > most.AsInt())) return false;
  if (wide_operator == "Exists") return true;
  return (wide_operator.empty() || wide_operator == "Equal") && narrow.GetString("operator") == "Equal" &&
         narrow.GetString("value") == wide.GetString("value");
}

// Both lists without what others in them cover; of equal ones the first stays.
Value Merged(const Value& first, const Value& second, value::Arena& arena) {
  std::vector<Value> all(first.items().begin(), first.items().end());
  all.insert(all.end(), second.items().begin(), second.items().end());
  Value merged = Value::Array(arena, static_cast<uint32_t>(all.size()));
  for (size_t i = 0; i < all.size(); ++i) {
    const auto covers = [&](const Value& wide) { return Covers(wide, all[i]); };
    const auto covers_and_differs = [&](const Value& wide) { return !value::Equal(wide, all[i]) && covers(wide); };
    if (std::ranges::any_of(merged.items(), covers)) continue;
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), covers_and_differs)) continue;
    merged.Append(arena, all[i]);
  }
  return merged;
}

api::Result<> SetScheduling(const Value& pod, const Value& scheduling, value::Arena& arena) {
  const Value spec = pod.Get("spec"), wanted = scheduling.Get("nodeSelector");
  Value selector = spec.Get("nodeSelector");
  if (!selector.is_object() && !wanted.empty()) {
    selector = Value::Object(arena, wanted.size());
    spec.Set(arena, "nodeSelector", selector);
  }
  for (const value::Member& label : wanted.members()) {
    const Value* given = selector.Find(label.key);
    if (given != nullptr && given->AsString() != label.value.AsString()) {
      return RefusePod(
          pod, base::Cat("conflict: runtimeClass.scheduling.nodeSelector[", label.key, "] = ", label.value.AsString(),
                         "; pod.spec.nodeSelector[", label.key, "] = ", given->AsString()));
    }
    if (given == nullptr) selector.Add(arena, label.key, label.value);
  }
  const Value tolerations = Merged(spec.Get("tolerations"), scheduling.Get("tolerations"), arena);
  if (!tolerations.empty()) spec.Set(arena, "tolerations", tolerations);
  return {};
}

}  // namespace

api::Result<> ApplyRuntimeClass(const Value& pod, value::Arena& arena, FindRuntimeClass find) {
  const auto found = ClassOf(pod, find);
  if (!found) return std::unexpected(found.error());
  if (const Value* overhead = found->Find("overhead")) {
    const Value spec = pod.Get("spec"), amounts = overhead->Get("podFixed"), given = spec.Get("overhead");
    if (!given.empty() && !SameAmounts(given, amounts)) return RefusePod(pod, kOtherOverhead);
    if (!amounts.empty()) spec.Set(arena, "overhead", amounts);
  }
  if (const Value* scheduling = found->Find("scheduling")) return SetScheduling(pod, *scheduling, arena);
  return {};
}

api::Result<> CheckOverhead(const Value& pod, FindRuntimeClass find) {
  const auto found = ClassOf(pod, find);
  if (!found) return std::unexpected(found.error());
  const Value given = pod.Get("spec").Get("overhead");
  if (const Value* overhead = found->Find("overhead")) {
    if (SameAmounts(given, overhead->Get("podFixed"))) return {};
    return RefusePod(pod, kOtherOverhead);
  }
  if (given.is_null()) return {};
  return RefusePod(pod, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

}  // namespace admission
