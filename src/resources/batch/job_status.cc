// What the status of a job must keep, and how it may change. Most is asked only of what an update changes: others than
// the built-in controller may write it, and what they inherit is not their fault.
#include <set>
#include <string>

#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/batch/index_ranges.h"
#include "resources/batch/job_rules.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"

namespace resources::batch {
namespace {

bool Holds(const Value& status, std::string_view condition) {
  for (const Value& item : status.Get("conditions").items()) {
    if (item.GetString("type") == condition && item.GetString("status") == "True") return true;
  }
  return false;
}
bool IsFinished(const Value& status) { return Holds(status, "Complete") || Holds(status, "Failed"); }

int64_t Number(const Value& object, std::string_view field) {
  const Value v = object.Get(field);
  return v.is_int() ? v.AsInt() : 0;
}

// A time of the status, "" for none. The zero time is stored as null, and is one all the same.
std::string_view TimeOf(const Value& status, std::string_view field) {
  const Value* time = status.Find(field);
  if (time == nullptr) return {};
  return time->is_null() ? "0001-01-01T00:00:00Z" : time->AsString();
}

// The status before and after, and which parts of it differ.
struct Change {
  Scope& job;
  const FieldPath path{"status"};
  const Value spec = job.Get("spec"), now = job.Get("status"), was = job.old->Get("status");
  Errors& errors = job.errors;

  FieldPath At(std::string_view field) const { return path.Child(field); }
  bool Changed(std::string_view field) const { return !value::Equal(now.Get(field), was.Get(field)); }
  // Go's == looks at the zone as well: a stored zero time has another one than what is read.
  bool TimeChanged(std::string_view field) const {
    const Value* before = was.Find(field);
    return TimeOf(now, field) != TimeOf(was, field) || (before != nullptr && before->is_null());
  }
  bool Changed(bool (*holds)(const Value&)) const { return holds(now) != holds(was); }
  bool ConditionChanged(std::string_view condition) const { return Holds(now, condition) != Holds(was, condition); }
  bool Now(std::string_view condition) const { return Holds(now, condition); }
  void RefuseConditions(std::string_view detail) const { errors.InvalidWhole(At("conditions"), detail); }
  bool indexed() const { return spec.GetString("completionMode") == "Indexed"; }
};

constexpr Rule kCounters[] = {
    NonNegative("active"), NonNegative("succeeded"),   NonNegative("failed"),
    NonNegative("ready"),  NonNegative("terminating"),
};

void CheckUncountedPods(const Change& change) {
  const FieldPath path = change.At("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  for (std::string_view list : {"succeeded", "failed"}) {
    const FieldPath at_list = path.Child(list);
    const Value uids = change.now.Get({"uncountedTerminatedPods", list});
    for (uint32_t i = 0; i < uids.size(); ++i) {
      const std::string_view uid = uids[i].AsString();
      if (uid.empty()) {
        change.errors.Invalid(at_list.Index(i), uid, "must not be empty");
      } else if (!seen.insert(uid).second) {
        change.errors.Duplicate(at_list.Index(i), uid);
      }
    }
  }
}

void CheckEndsOfComplete(const Change& change) {
  const bool complete_changed = change.ConditionChanged("Complete"), complete = change.Now("Complete");
  if (complete && change.Now("Failed") && (complete_changed || change.ConditionChanged("Failed"))) {
    change.RefuseConditions("cannot set Complete=True and Failed=true conditions");
  }
  if (complete && change.Now("FailureTarget") && (complete_changed || change.ConditionChanged("FailureTarget"))) {
    change.RefuseConditions("cannot set Complete=True and FailureTarget=true conditions");
  }
  const FieldPath path = change.At("completionTime");
  const std::string_view start = TimeOf(change.now, "startTime"), end = TimeOf(change.now, "completionTime");
  if (complete_changed || change.TimeChanged("completionTime")) {
    if (!end.empty() && !complete) {
      change.errors.InvalidAs(path, PrintTime(end),
                              "cannot set completionTime when there is no Complete=True condition");
    }
    if (end.empty() && complete) change.errors.Required(path, "completionTime is required for Complete jobs");
  }
  if (!change.TimeChanged("startTime") && !change.TimeChanged("completionTime")) return;
  // Times in UTC compare as texts.
  if (!start.empty() && !end.empty() && end < start) {
    change.errors.InvalidAs(path, PrintTime(end), "completionTime cannot be set before startTime");
  }
}

void CheckTargets(const Change& change) {
  if (change.Now("Failed") && !change.Now("FailureTarget") &&
      (change.ConditionChanged("Failed") || change.Changed("failedIndexes"))) {
    change.RefuseConditions("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (change.Now("Complete") && !change.Now("SuccessCriteriaMet") &&
      (change.ConditionChanged("Complete") || change.ConditionChanged("SuccessCriteriaMet"))) {
    change.RefuseConditions("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

void CheckFinished(const Change& change) {
  if (!IsFinished(change.now)) return;
  const bool newly = change.Changed(IsFinished);
  if (const int64_t active = Number(change.now, "active"); active > 0 && (newly || change.Changed("active"))) {
    change.errors.Invalid(change.At("active"), active, "active>0 is invalid for finished job");
  }
  if (TimeOf(change.now, "startTime").empty() && (newly || change.TimeChanged("startTime"))) {
    change.errors.Required(change.At("startTime"), "startTime is required for finished job");
  }
  const Value uncounted = change.now.Get("uncountedTerminatedPods");
  if (uncounted.Get("succeeded").empty() && uncounted.Get("failed").empty()) return;
  if (!newly && registry::SameAt(*change.job.context.resource.type, "status.uncountedTerminatedPods", change.job.object,
                                 *change.job.old)) {
    return;
  }
  change.errors.InvalidAs(change.At("uncountedTerminatedPods"),
                          core::PrintStruct("batch.UncountedTerminatedPods", uncounted),
                          "uncountedTerminatedPods needs to be empty for finished job");
}

// The ranges of indexes can be read, and fit the job.
void CheckIndexTexts(const Change& change) {
  const FieldPath at_completed = change.At("completedIndexes"), at_failed = change.At("failedIndexes");
  const std::string_view completed = change.now.GetString("completedIndexes");
  const std::string_view failed = change.now.GetString("failedIndexes");
  const bool completed_changed = change.Changed("completedIndexes"), failed_changed = change.Changed("failedIndexes");
  const bool has_failed = change.now.Find("failedIndexes") != nullptr;
  const bool has_limit = change.spec.Find("backoffLimitPerIndex") != nullptr;
  const Value* completions = change.spec.Find("completions");
  if (completed_changed && completions != nullptr) {
    const IndexRanges ranges = ReadIndexRanges(completed, completions->AsInt());
    if (!ranges.error.empty()) {
      change.errors.Invalid(at_completed, completed, base::Cat("error parsing completedIndexes: ", ranges.error));
    }
  }
  if (failed_changed && completions != nullptr && has_limit && has_failed) {
    const IndexRanges ranges = ReadIndexRanges(failed, completions->AsInt());
    if (!ranges.error.empty()) {
      change.errors.Invalid(at_failed, failed, base::Cat("error parsing failedIndexes: ", ranges.error));
    }
  }
  if (completed_changed && !completed.empty() && !change.indexed()) {
    change.errors.Invalid(at_completed, completed,
                          "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failed_changed && has_failed && !has_limit) {
    change.errors.Invalid(at_failed, failed, "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((!failed_changed && !completed_changed) || completions == nullptr || !has_failed) return;
  const std::string overlap = FindOverlap(completed, failed, completions->AsInt());
  if (!overlap.empty()) change.errors.Invalid(at_failed, failed, overlap);
}

void CheckPodCounts(const Change& change) {
  const int64_t terminating = Number(change.now, "terminating"), ready = Number(change.now, "ready");
  if (terminating > 0 && IsFinished(change.now) && (change.Changed(IsFinished) || change.Changed("terminating"))) {
    change.errors.Invalid(change.At("terminating"), terminating, "terminating>0 is invalid for finished job");
  }
  const bool has_ready = change.now.Find("ready") != nullptr;
  if (has_ready && ready > Number(change.now, "active") && (change.Changed("ready") || change.Changed("active"))) {
    change.errors.Invalid(change.At("ready"), ready, "cannot set more ready pods than active");
  }
}

void CheckSuccess(const Change& change) {
  const bool met = change.Now("SuccessCriteriaMet");
  if (met && change.Now("Failed")) {
    change.RefuseConditions("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (met && change.Now("FailureTarget")) {
    change.RefuseConditions("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (!met && change.Now("Complete") && change.spec.Find("successPolicy") != nullptr) {
    change.RefuseConditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

// Without policies of success and of replacement no job has met them.
void CheckSuccessScope(const Change& change) {
  if (change.job.context.Has(Feature::kJobPodReplacementPolicy)) return;
  if (!change.Now("SuccessCriteriaMet") || Holds(change.was, "SuccessCriteriaMet")) return;
  if (!change.indexed()) change.RefuseConditions("cannot set SuccessCriteriaMet to NonIndexed Job");
  if (change.spec.Find("successPolicy") != nullptr) return;
  change.RefuseConditions("cannot set SuccessCriteriaMet=True for Job without SuccessPolicy");
}

// What is true once and for all, and counters that only grow.
void CheckNothingIsTakenBack(const Change& change) {
  for (std::string_view condition : {"Failed", "Complete", "FailureTarget"}) {
    if (!Holds(change.was, condition) || change.Now(condition)) continue;
    change.RefuseConditions(base::Cat("cannot disable the terminal ", condition, "=True condition"));
  }
  // An Indexed job whose parallelism is its completions can be scaled down.
  const bool elastic = change.indexed() && value::Equal(change.spec.Get("completions"), change.spec.Get("parallelism"));
  for (std::string_view counter : {"failed", "succeeded"}) {
    if (counter == "succeeded" && elastic) continue;
    const int64_t number = Number(change.now, counter);
    if (number >= Number(change.was, counter)) continue;
    change.errors.Invalid(change.At(counter), number, base::Cat("cannot decrease the ", counter, " counter"));
  }
}

void CheckTimesStay(const Change& change) {
  const std::string_view end = TimeOf(change.now, "completionTime");
  if (!end.empty() && !TimeOf(change.was, "completionTime").empty() && change.TimeChanged("completionTime")) {
    change.errors.InvalidAs(change.At("completionTime"), PrintTime(end), "completionTime cannot be mutated");
  }
  const Value suspend = change.spec.Get("suspend");
  const bool suspended = suspend.is_bool() && suspend.AsBool();
  if (!TimeOf(change.was, "startTime").empty() && change.TimeChanged("startTime") && !suspended) {
    change.errors.Required(change.At("startTime"), "startTime cannot be removed for unsuspended job");
  }
}

void CheckSuccessStays(const Change& change) {
  const bool was_met = Holds(change.was, "SuccessCriteriaMet"), met = change.Now("SuccessCriteriaMet");
  if (was_met && !met) change.RefuseConditions("cannot disable the SuccessCriteriaMet=True condition");
  if (Holds(change.was, "Complete") && !was_met && met) {
    change.RefuseConditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

}  // namespace

void CheckJobStatus(Scope& job) {
  const Change change{job};
  Check(job, kCounters, change.path, change.now, &change.was);
  // Where no other controller than the built-in one may write it, that is trusted further.
  constexpr void (*kOfBuiltIn[])(const Change&) = {CheckUncountedPods, CheckSuccessScope, CheckSuccess,
                                                   CheckSuccessStays};
  constexpr void (*kOfAny[])(const Change&) = {
      CheckUncountedPods, CheckEndsOfComplete,     CheckTargets,   CheckFinished,    CheckIndexTexts, CheckPodCounts,
      CheckSuccess,       CheckNothingIsTakenBack, CheckTimesStay, CheckSuccessStays};
  const bool any = job.context.Has(Feature::kJobManagedBy);
  for (auto check : any ? std::span<void (*const)(const Change&)>(kOfAny) : kOfBuiltIn) check(change);
}

}  // namespace resources::batch
