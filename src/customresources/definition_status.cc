#include "customresources/definition_status.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "api/url.h"
#include "base/text.h"

namespace customresources {

using base::Cat;
using value::Arena;
using value::Value;

namespace {

constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";
constexpr std::string_view kNamesAccepted = "NamesAccepted", kEstablished = "Established";
constexpr std::string_view kApproval = "KubernetesAPIApprovalPolicyConformant";
constexpr std::string_view kNonStructural = "NonStructuralSchema", kTerminating = "Terminating";
constexpr std::string_view kTrue = "True", kFalse = "False";
constexpr std::string_view kSeeApproval = "see https://github.com/kubernetes/enhancements/pull/1111";

Value* FindCondition(const Value& status, std::string_view type) {
  for (Value& condition : status.Get("conditions").items()) {
    if (condition.GetString("type") == type) return &condition;
  }
  return nullptr;
}

// Why `wanted` cannot be given; "" it can.
std::string WhyTaken(std::string_view wanted, std::string_view given, const std::set<std::string, std::less<>>& used) {
  if (wanted == given || !used.contains(wanted)) return {};
  return Cat(api::Quote(wanted), " is already in use");
}

bool SameTexts(const Value& a, const Value& b) {
  return std::ranges::equal(a.items(), b.items(),
                            [](const Value& one, const Value& other) { return one.AsString() == other.AsString(); });
}

// As Go joins several errors.
std::string Joined(const std::vector<std::string>& errors) {
  std::vector<std::string> different;
  for (const std::string& error : errors) {
    if (std::ranges::find(different, error) == different.end()) different.push_back(error);
  }
  if (different.empty()) return {};
  return different.size() == 1 ? different[0] : Cat("[", base::Join(different, ", "), "]");
}

class NameGiver {
 public:
  NameGiver(Arena& arena, const Value& wanted, const Value& given, const UsedNames& used)
      : arena_(arena), wanted_(wanted), given_(given), used_(used) {}

  NamesOutcome Run() {
    // In the order of the type's fields.
    Name("plural", "PluralConflict", used_.resources);
    Name("singular", "SingularConflict", used_.resources);
    ShortNames();
    Name("kind", "KindConflict", used_.kinds);
    Name("listKind", "ListKindConflict", used_.kinds);
    const Value names = Value::Object(arena_, 6);
    for (std::string_view name : {"plural", "singular", "shortNames", "kind", "listKind", "categories"}) {
      const Value& from = name == "categories" || Takes(name) ? wanted_ : given_;
      if (const Value* found = from.Find(name)) names.Add(arena_, name, *found);
    }
    if (condition_.status.empty()) {
      condition_ = {kNamesAccepted, kTrue, "NoConflicts", "no conflicts found"};
    }
    return {.accepted = names, .names_accepted = std::move(condition_), .established = {}};
  }

 private:
  bool Takes(std::string_view name) const { return std::ranges::find(kept_, name) == kept_.end(); }

  void Refuse(std::string_view name, std::string_view reason, std::string message) {
    kept_.push_back(name);
    condition_ = {kNamesAccepted, kFalse, reason, std::move(message)};
  }

  void Name(std::string_view name, std::string_view reason, const std::set<std::string, std::less<>>& used) {
    std::string taken = WhyTaken(wanted_.GetString(name), given_.GetString(name), used);
    if (!taken.empty()) Refuse(name, reason, std::move(taken));
  }

  void ShortNames() {
    const Value wanted = wanted_.Get("shortNames"), given = given_.Get("shortNames");
    if (SameTexts(wanted, given)) return;
    std::vector<std::string> errors;
    for (const Value& name : wanted.items()) {
      const auto same = [&](const Value& own) { return own.AsString() == name.AsString(); };
      if (std::ranges::any_of(given.items(), same)) continue;
      std::string taken = WhyTaken(name.AsString(), "", used_.resources);
      if (!taken.empty()) errors.push_back(std::move(taken));
    }
    if (!errors.empty()) Refuse("shortNames", "ShortNamesConflict", Joined(errors));
  }

  Arena& arena_;
  const Value& wanted_;
  const Value& given_;
  const UsedNames& used_;
  std::vector<std::string_view> kept_;  // names that stay what they were
  Condition condition_;
};

bool IsProtected(std::string_view group) {
  for (std::string_view domain : {"k8s.io", "kubernetes.io"}) {
    if (group == domain || (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.')) return true;
  }
  return false;
}

}  // namespace

void UsedNames::Add(const Value& definition) {
  const Value names = definition.Get({"status", "acceptedNames"});
  for (std::string_view name : {"plural", "singular"}) resources.emplace(names.GetString(name));
  for (const Value& name : names.Get("shortNames").items()) resources.emplace(name.AsString());
  for (std::string_view name : {"kind", "listKind"}) kinds.emplace(names.GetString(name));
}

NamesOutcome DecideNames(Arena& arena, const Value& definition, const UsedNames& used) {
  const Value wanted = definition.Get({"spec", "names"}), given = definition.Get({"status", "acceptedNames"});
  NamesOutcome outcome = NameGiver(arena, wanted, given, used).Run();
  const Value* former = FindCondition(definition.Get("status"), kEstablished);
  if (former != nullptr && former->GetString("status") == kTrue) {
    outcome.established = {kEstablished, kTrue, former->GetString("reason"), std::string(former->GetString("message"))};
  } else if (outcome.names_accepted.status == kTrue) {
    outcome.established = {kEstablished, kFalse, "Installing", "the initial names have been accepted"};
  } else if (former != nullptr) {
    outcome.established = {kEstablished, former->GetString("status"), former->GetString("reason"),
                           std::string(former->GetString("message"))};
  } else {
    outcome.established = {kEstablished, kFalse, "NotAccepted", "not all names are accepted"};
  }
  return outcome;
}

std::optional<Condition> ApprovalCondition(const Value& definition) {
  if (!IsProtected(definition.Get("spec").GetString("group"))) return std::nullopt;
  const std::string_view approval = definition.Get({"metadata", "annotations"}).GetString(kApprovalAnnotation);
  const std::string quoted = api::Quote(kApprovalAnnotation);
  if (approval.empty()) {
    return Condition{kApproval, kFalse, "MissingAnnotation",
                     Cat("protected groups must have approval annotation ", quoted, ", ", kSeeApproval)};
  }
  if (approval.starts_with("unapproved")) {
    return Condition{kApproval, kFalse, "UnapprovedAnnotation", Cat("not approved: ", api::Quote(approval))};
  }
  const auto url = api::ParseRequestUri(approval);
  if (url && !url->host.empty() && !url->scheme.empty()) {
    return Condition{kApproval, kTrue, "ApprovedAnnotation", Cat("approved in ", approval)};
  }
  return Condition{kApproval, kFalse, "InvalidAnnotation",
                   Cat("protected groups must have approval annotation ", quoted,
                       " with either a URL or a reason starting with \"unapproved\", ", kSeeApproval)};
}

bool SetCondition(Arena& arena, Value status, const Condition& condition, std::string_view now) {
  Value* former = FindCondition(status, condition.type);
  const bool moves = former == nullptr || former->GetString("status") != condition.status ||
                     former->GetString("lastTransitionTime").empty();
  if (!moves && former->GetString("reason") == condition.reason && former->GetString("message") == condition.message) {
    return false;
  }
  const std::string_view since = moves ? now : former->GetString("lastTransitionTime");
  const Value made = Value::Object(arena, 5);
  made.Add(arena, "type", Value::String(condition.type));
  made.Add(arena, "status", Value::Copy(arena, condition.status));
  made.Add(arena, "lastTransitionTime", Value::String(since));
  if (!condition.reason.empty()) made.Add(arena, "reason", Value::Copy(arena, condition.reason));
  if (!condition.message.empty()) made.Add(arena, "message", Value::Copy(arena, condition.message));
  if (former != nullptr) {
    *former = made;
    return true;
  }
  Value list = status.Get("conditions");
  if (!list.is_array()) {
    list = Value::Array(arena, 4);
    status.Set(arena, "conditions", list);
  }
  // The list's own header may move as it grows.
  list.Append(arena, made);
  status.Set(arena, "conditions", list);
  return true;
}

bool RemoveCondition(Value status, std::string_view type) {
  const Value list = status.Get("conditions");
  for (uint32_t i = 0; i < list.items().size(); ++i) {
    if (list[i].GetString("type") != type) continue;
    list.Erase(i);
    return true;
  }
  return false;
}

std::string_view ConditionStatus(const Value& definition, std::string_view type) {
  const Value* condition = FindCondition(definition.Get("status"), type);
  return condition == nullptr ? std::string_view() : condition->GetString("status");
}

bool ReconcileStatus(Arena& arena, Value definition, const StatusInput& input) {
  Value status = definition.Get("status");
  if (!status.is_object()) {
    status = Value::Object(arena, 3);
    definition.Set(arena, "status", status);
  }
  bool changed = false;
  if (!value::Equal(definition.Get({"spec", "names"}), status.Get("acceptedNames"))) {
    const NamesOutcome names = DecideNames(arena, definition, *input.used);
    if (!value::Equal(names.accepted, status.Get("acceptedNames"))) {
      status.Set(arena, "acceptedNames", names.accepted);
      changed = true;
    }
    changed |= SetCondition(arena, status, names.names_accepted, input.now);
    changed |= SetCondition(arena, status, names.established, input.now);
  }
  if (ConditionStatus(definition, kNamesAccepted) == kTrue && ConditionStatus(definition, kEstablished) != kTrue) {
    const Condition established =
        input.bad_ca_bundle
            ? Condition{kEstablished, kFalse, "InvalidCABundle", "The conversion webhook CABundle is invalid"}
            : Condition{kEstablished, kTrue, "InitialNamesAccepted", "the initial names have been accepted"};
    changed |= SetCondition(arena, status, established, input.now);
  }
  if (const auto approval = ApprovalCondition(definition)) {
    changed |= SetCondition(arena, status, *approval, input.now);
  }
  if (input.structural_errors.empty()) {
    changed |= RemoveCondition(status, kNonStructural);
  } else {
    changed |= SetCondition(arena, status, {kNonStructural, kTrue, "Violations", std::string(input.structural_errors)},
                            input.now);
  }
  return changed;
}

Condition TerminatingInProgress() {
  return {kTerminating, kTrue, "InstanceDeletionInProgress", "CustomResource deletion is in progress"};
}
Condition TerminatingCompleted() {
  return {kTerminating, kFalse, "InstanceDeletionCompleted", "removed all instances"};
}
Condition TerminatingNeverEstablished() {
  return {kTerminating, kFalse, "NeverEstablished", "resource was never established"};
}
Condition TerminatingOverlapping() {
  return {kTerminating, kFalse, "OverlappingBuiltInResource", "instances overlap with built-in resources in storage"};
}

}  // namespace customresources
