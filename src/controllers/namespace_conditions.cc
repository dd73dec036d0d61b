#include "controllers/namespace_conditions.h"

#include <algorithm>

#include "base/text.h"

namespace controllers {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

struct Condition {
  std::string_view type, reason;
  std::string message;
  bool status = false;
};

// "; "-free lists of texts, sorted as texts.
std::string Sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return base::Join(texts, ", ");
}

Condition ContentFailure(const ContentReport& report) {
  constexpr std::string_view kType = "NamespaceDeletionContentFailure";
  if (report.errors.empty()) {
    return {kType, "ContentDeleted", "All content successfully deleted, may be waiting on finalization"};
  }
  return {kType, "ContentDeletionFailed",
          Cat("Failed to delete all resource types, ", report.errors.size(), " remaining: ", Sorted(report.errors)),
          true};
}

Condition ContentRemaining(const ContentReport& report) {
  constexpr std::string_view kType = "NamespaceContentRemaining";
  if (report.remaining.empty()) return {kType, "ContentRemoved", "All content successfully removed"};
  std::vector<std::string> texts;
  for (const auto& [resource, count] : report.remaining) {
    texts.push_back(Cat(resource.first, ".", resource.second, " has ", count, " resource instances"));
  }
  return {kType, "SomeResourcesRemain", Cat("Some resources are remaining: ", Sorted(std::move(texts))), true};
}

Condition FinalizersRemaining(const ContentReport& report) {
  constexpr std::string_view kType = "NamespaceFinalizersRemaining";
  if (report.finalizers.empty()) {
    return {kType, "ContentHasNoFinalizers", "All content-preserving finalizers finished"};
  }
  std::vector<std::string> texts;
  for (const auto& [finalizer, count] : report.finalizers) {
    texts.push_back(Cat(finalizer, " in ", count, " resource instances"));
  }
  return {kType, "SomeFinalizersRemain",
          Cat("Some content in the namespace has finalizers remaining: ", Sorted(std::move(texts))), true};
}

void Put(const Value& list, const Condition& condition, std::string_view now, Arena& arena) {
  const std::string_view status = condition.status ? "True" : "False";
  const auto same_type = [&](const Value& item) { return item.GetString("type") == condition.type; };
  const auto found = std::ranges::find_if(list.items(), same_type);
  std::string_view since = now;
  Value item;
  if (found == list.items().end()) {
    item = Value::Object(arena, 5);
    list.Append(arena, item);
  } else {
    item = *found;
    if (item.GetString("status") == status) since = item.GetString("lastTransitionTime");
    item.Truncate(0);
  }
  item.Add(arena, "type", Value::String(condition.type));
  item.Add(arena, "status", Value::String(status));
  item.Add(arena, "lastTransitionTime", Value::String(since));
  item.Add(arena, "reason", Value::String(condition.reason));
  item.Add(arena, "message", Value::Copy(arena, condition.message));
}

}  // namespace

void SetConditions(const Value& object, const ContentReport& report, std::string_view now, Arena& arena) {
  Value status = object.Get("status");
  if (!status.is_object()) {
    status = Value::Object(arena, 2);
    object.Add(arena, "status", status);
  }
  Value list = status.Get("conditions");
  if (!list.is_array()) {
    list = Value::Array(arena, 5);
    status.Set(arena, "conditions", list);
  }
  const Condition conditions[] = {
      // What can be deleted is known here without asking anybody: these two never fail.
      {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      ContentFailure(report),
      ContentRemaining(report),
      FinalizersRemaining(report),
  };
  for (const Condition& condition : conditions) Put(list, condition, now, arena);
}

}  // namespace controllers
