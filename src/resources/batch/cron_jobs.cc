#include <algorithm>

#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/apps/replica_rules.h"
#include "resources/batch/cron_schedule.h"
#include "resources/batch/job_rules.h"
#include "resources/batch/time_zones.h"
#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::batch {
namespace {

using registry::WriteContext;

// Names of jobs are made of it and eleven more characters.
constexpr size_t kMostNameCharacters = 52;

constexpr std::string_view kConcurrencyPolicies[] = {"Allow", "Forbid", "Replace"};

// A time zone in the schedule has been refused since there is a field for it; those of old may stay.
void CheckSchedule(Scope& spec) {
  const std::string_view schedule = spec.String("schedule");
  const FieldPath path = spec.At("schedule");
  if (schedule.empty()) return spec.errors.Required(path);
  const std::string error = CheckCronSchedule(schedule);
  if (!error.empty()) spec.errors.Invalid(path, schedule, error);
  if (!schedule.contains("TZ")) return;
  if (spec.old == nullptr || !spec.old->GetString("schedule").contains("TZ")) {
    spec.errors.Invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (spec.Has("timeZone")) {
    spec.errors.Invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

// What the names of the IANA database look like: components of up to 14 characters.
bool LooksLikeTimeZone(std::string_view name) {
  constexpr size_t kMostCharacters = 14;
  const auto fits = [](char c) { return base::IsAlnum(c) || std::string_view("._-+").contains(c); };
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part.size() > kMostCharacters || part == "." || part == ".." || part.starts_with('-') ||
        !std::ranges::all_of(part, fits)) {
      return false;
    }
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

void CheckTimeZone(Scope& spec) {
  const Value* zone = spec.object.Find("timeZone");
  if (zone == nullptr) return;
  const std::string_view name = zone->AsString();
  const Value was = spec.old != nullptr ? spec.old->Get("timeZone") : Value();
  if (was.is_string() && was.AsString() == name) return;
  const FieldPath path = spec.At("timeZone");
  if (name.empty()) return spec.errors.Invalid(path, name, "timeZone must be nil or non-empty string");
  if (!LooksLikeTimeZone(name)) return spec.errors.Invalid(path, name, base::Cat("unknown time zone ", name));
  if (base::EqualsIgnoreCase(name, "Local")) {
    spec.errors.Invalid(path, name,
                        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  }
  const std::string error = FindTimeZone(name);
  if (!error.empty()) spec.errors.Invalid(path, name, error);
}

// The jobs get their selectors when they are made.
void CheckNoSelector(Scope& job_spec) {
  if (const Value* selector = job_spec.object.Find("selector")) {
    job_spec.errors.InvalidAs(job_spec.At("selector"), core::PrintSelector(*selector),
                              "`selector` will be auto-generated");
  }
  const Value manual = job_spec.Get("manualSelector");
  if (!manual.is_bool() || !manual.AsBool()) return;
  static constexpr std::string_view kSupported[] = {"nil", "false"};
  job_spec.errors.NotSupportedAs(job_spec.At("manualSelector"), "true", kSupported);
}

constexpr Rule kJobSpecRules[] = {
    Call(CheckJobSpec),
    Call(CheckNoSelector),
};
constexpr Rule kJobTemplateRules[] = {
    IntoStruct("spec", kJobSpecRules),
};
constexpr Rule kSpecRules[] = {
    Call(CheckSchedule),
    NonNegative("startingDeadlineSeconds"),
    Call(CheckTimeZone),
    RequiredEnum("concurrencyPolicy", kConcurrencyPolicies),
    IntoStruct("jobTemplate", kJobTemplateRules),
    NonNegative("successfulJobsHistoryLimit"),
    NonNegative("failedJobsHistoryLimit"),
};

void CheckName(Scope& cron_job) {
  const std::string_view name = cron_job.Get("metadata").GetString("name");
  if (name.size() <= kMostNameCharacters) return;
  const FieldPath metadata("metadata");
  cron_job.errors.Invalid(metadata.Child("name"), name, "must be no more than 52 characters");
}

constexpr Rule kRules[] = {
    IntoStruct("spec", kSpecRules),
    Call(CheckName),
};
// Longer names of old may stay.
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate),
    IntoStruct("spec", kSpecRules),
};

Value PodOf(const Value& cron_job) { return cron_job.Get({"spec", "jobTemplate", "spec", "template", "spec"}); }

void PrepareForCreate(WriteContext& context, Value cron_job) {
  core::DropDisabledFields(context, PodOf(cron_job), Value());
}

void PrepareForUpdate(WriteContext& context, Value cron_job, const Value& old) {
  if (context.subresource.empty()) core::DropDisabledFields(context, PodOf(cron_job), PodOf(old));
}

void WarnOnWrite(WriteContext& context, const Value& cron_job, const Value* old) {
  if (!context.subresource.empty()) return;
  if (old == nullptr) apps::WarnOfName(context, cron_job);
  using registry::ObjectMeta;
  if (old == nullptr || ObjectMeta(cron_job).generation() != ObjectMeta(*old).generation()) {
    WarnOfJobSpec(context, "spec.jobTemplate.spec", cron_job.Get({"spec", "jobTemplate", "spec"}));
    core::WarnOfTemplateAt(context, cron_job, old, {"spec", "jobTemplate", "spec", "template"});
  }
  if (old == nullptr || !cron_job.Get("spec").GetString("schedule").contains("TZ")) return;
  context.warnings.push_back(
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
      "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details");
}

}  // namespace

constinit const registry::StrategyTable kCronJobs = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = WarnOnWrite,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
        },
};

}  // namespace resources::batch
