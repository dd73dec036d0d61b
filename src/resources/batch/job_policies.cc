// A job's policies about which failures of pods count, and when it has succeeded.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "resources/batch/index_ranges.h"
#include "resources/batch/job_rules.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"

namespace resources::batch {
namespace {

constexpr int64_t kMostRules = 20;
constexpr int64_t kMostExitCodes = 255;
constexpr int64_t kMostPatterns = 20;
constexpr int64_t kMostIndexBytes = 64 * 1024;

constexpr std::string_view kActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
constexpr std::string_view kOperators[] = {"In", "NotIn"};
constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};

// One of `words`; where it is absent, they are told.
void CheckWord(Errors& errors, const FieldPath& path, std::string_view word, std::span<const std::string_view> words) {
  if (std::ranges::find(words, word) != words.end()) return;
  if (!word.empty()) return errors.NotSupported(path, word, words);
  std::string valid = "valid values: [";
  for (std::string_view other : words) base::Append(valid, other == words.front() ? "\"" : " \"", other, "\"");
  errors.Required(path, valid + "]");
}

void CheckTooMany(Scope& scope, std::string_view list, int64_t most) {
  const int64_t size = scope.Get(list).size();
  if (size > most) scope.errors.TooMany(scope.At(list), size, most);
}

// How error texts show exit codes.
std::string PrintExitCodes(const Value& codes) {
  if (!codes.is_array()) return "[]int32(nil)";
  std::vector<std::string> texts;
  for (const Value& code : codes.items()) texts.push_back(base::Cat(code.AsInt()));
  return base::Cat("[]int32{", base::Join(texts, ", "), "}");
}

// Exit codes are there, each once, and grow.
void CheckExitCodes(Scope& codes) {
  const Value values = codes.Get("values");
  const FieldPath path = codes.At("values");
  if (values.empty()) codes.errors.InvalidAs(path, PrintExitCodes(values), "at least one value is required");
  CheckTooMany(codes, "values", kMostExitCodes);
  std::set<int64_t> seen;
  for (uint32_t i = 0; i < values.size(); ++i) {
    const int64_t code = values[i].AsInt();
    if (code == 0 && codes.String("operator") == "In") {
      codes.errors.Invalid(path.Index(i), code, "must not be 0 for the In operator");
    }
    if (!seen.insert(code).second) codes.errors.Duplicate(path.Index(i), values[i]);
  }
  const auto in_order = [](const Value& a, const Value& b) { return a.AsInt() < b.AsInt(); };
  if (!std::ranges::is_sorted(values.items(), in_order)) {
    codes.errors.InvalidAs(path, PrintExitCodes(values), "must be ordered");
  }
}

// Over a podFailurePolicy's onExitCodes; the job's spec stands three scopes above.
void CheckOnExitCodes(Scope& codes) {
  CheckWord(codes.errors, codes.At("operator"), codes.String("operator"), kOperators);
  if (const Value* name = codes.object.Find("containerName")) {
    const Value pod = codes.parent->parent->parent->object.Get({"template", "spec"});
    const auto has = [&](std::string_view list) {
      return std::ranges::any_of(pod.Get(list).items(), [&](const Value& container) {
        return container.GetString("name") == name->AsString();
      });
    };
    if (!has("containers") && !has("initContainers")) {
      codes.errors.Invalid(codes.At("containerName"), name->AsString(),
                           "must be one of the container or initContainer names in the pod template");
    }
  }
  CheckExitCodes(codes);
}

void CheckPattern(Scope& pattern) {
  PutComplaints(pattern.errors, pattern.At("type"), pattern.String("type"),
                api::CheckQualifiedName(pattern.String("type")));
  CheckWord(pattern.errors, pattern.At("status"), pattern.String("status"), kStatuses);
}

constexpr Rule kOnExitCodes[] = {Call(CheckOnExitCodes)};
constexpr Rule kPattern[] = {Call(CheckPattern)};

void CheckAction(Scope& rule) {
  const std::string_view action = rule.String("action");
  if (action != "FailIndex") return CheckWord(rule.errors, rule.At("action"), action, kActions);
  const Scope& spec = *rule.parent->parent;
  if (spec.Has("backoffLimitPerIndex")) return;
  rule.errors.Invalid(rule.At("action"), action, "requires the backoffLimitPerIndex to be set");
}

void CheckOneCondition(Scope& rule) {
  const bool exit_codes = rule.Has("onExitCodes"), conditions = !rule.Get("onPodConditions").empty();
  if (exit_codes != conditions) return;
  rule.errors.InvalidWhole(rule.path, exit_codes ? "specifying both OnExitCodes and OnPodConditions is not supported"
                                                 : "specifying one of OnExitCodes and OnPodConditions is required");
}

constexpr Rule kFailureRule[] = {
    Call(CheckAction),
    Into("onExitCodes", kOnExitCodes),
    Call([](Scope& rule) { CheckTooMany(rule, "onPodConditions", kMostPatterns); }),
    Each("onPodConditions", kPattern),
    Call(CheckOneCondition),
};
constexpr Rule kFailurePolicy[] = {
    Call([](Scope& policy) { CheckTooMany(policy, "rules", kMostRules); }),
    Each("rules", kFailureRule),
};
constexpr Rule kFailurePolicyOfSpec[] = {Into("podFailurePolicy", kFailurePolicy)};

// Over a rule of the successPolicy; the job's spec stands two scopes above.
void CheckSuccessRule(Scope& rule) {
  const Value* indexes = rule.object.Find("succeededIndexes");
  const Value* count = rule.object.Find("succeededCount");
  if (indexes == nullptr && count == nullptr) {
    rule.errors.Required(rule.path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  const int64_t completions = rule.parent->parent->Int("completions");
  IndexRanges ranges;
  if (indexes != nullptr) {
    const FieldPath path = rule.At("succeededIndexes");
    const std::string_view text = indexes->AsString();
    if (static_cast<int64_t>(text.size()) > kMostIndexBytes) rule.errors.TooLong(path, kMostIndexBytes);
    ranges = ReadIndexRanges(text, completions);
    if (!ranges.error.empty()) {
      rule.errors.Invalid(path, text, base::Cat("error parsing succeededIndexes: ", ranges.error));
    }
  }
  if (count == nullptr) return;
  const FieldPath path = rule.At("succeededCount");
  CheckNonNegative(rule.errors, path, count->AsInt());
  if (count->AsInt() > completions) {
    rule.errors.Invalid(
        path, count->AsInt(),
        base::Cat("must be less than or equal to ", completions, " (the number of specified completions)"));
  }
  if (indexes != nullptr && count->AsInt() > ranges.total) {
    rule.errors.Invalid(path, count->AsInt(),
                        base::Cat("must be less than or equal to ", ranges.total,
                                  " (the number of indexes in the specified succeededIndexes field)"));
  }
}

constexpr Rule kSuccessRule[] = {Call(CheckSuccessRule)};
constexpr Rule kSuccessPolicy[] = {
    Required("rules", "at least one rules must be specified when the successPolicy is specified"),
    Call([](Scope& policy) { CheckTooMany(policy, "rules", kMostRules); }),
    Each("rules", kSuccessRule),
};

}  // namespace

void CheckPodFailurePolicy(Scope& spec) { Check(spec, kFailurePolicyOfSpec, spec.path, spec.object, spec.old); }

void CheckSuccessPolicy(Scope& spec) {
  const Value* policy = spec.object.Find("successPolicy");
  if (policy == nullptr) return;
  const FieldPath path = spec.At("successPolicy");
  if (spec.String("completionMode") == "Indexed") return Check(spec, kSuccessPolicy, path, *policy, nullptr);
  spec.errors.InvalidAs(path, core::PrintStruct("batch.SuccessPolicy", *policy), "requires indexed completion mode");
}

}  // namespace resources::batch
