#include <algorithm>
#include <string>
#include <vector>

#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/apps/replica_rules.h"
#include "resources/batch/job_rules.h"
#include "resources/core/pod/pod_warnings.h"
#include "resources/core/pod/selected_template.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/keep_items.h"

namespace resources::batch {
namespace {

using registry::Arena;
using registry::ObjectMeta;
using registry::WriteContext;

// Labels that a job's pods get, each under its name of old as well.
constexpr std::string_view kOldNameLabel = "job-name", kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldUidLabel = "controller-uid", kUidLabel = "batch.kubernetes.io/controller-uid";

std::string UnsupportedField(std::string_view label) {
  return base::Cat("field label ", api::Quote(label), " not supported for Job");
}

bool SelectsManually(const Value& job) {
  const Value manual = job.Get({"spec", "manualSelector"});
  return manual.is_bool() && manual.AsBool();
}

// The object in `field`, made where it is absent.
Value Into(const Value& object, std::string_view field, Arena& arena) {
  if (const Value* found = object.Find(field); found != nullptr && found->is_object()) return *found;
  const Value made = Value::Object(arena, 4);
  object.Set(arena, field, made);
  return made;
}

void AddAbsent(const Value& labels, std::string_view key, std::string_view text, Arena& arena) {
  if (labels.Find(key) == nullptr) labels.Add(arena, key, Value::String(text));
}

void SortByKey(const Value& map) { std::ranges::sort(map.members(), {}, &value::Member::key); }

// The pods of a job are its own: they carry its name and uid, and are found by the uid. Labels that the creator gave
// under these names stay, for validation to refuse.
void GenerateSelector(Value job, Arena& arena) {
  const ObjectMeta meta(job, arena);
  const Value spec = Into(job, "spec", arena);
  const Value labels = Into(Into(Into(spec, "template", arena), "metadata", arena), "labels", arena);
  for (std::string_view label : {kOldNameLabel, kNameLabel}) AddAbsent(labels, label, meta.name(), arena);
  for (std::string_view label : {kOldUidLabel, kUidLabel}) AddAbsent(labels, label, meta.uid(), arena);
  SortByKey(labels);
  const Value selected = Into(Into(spec, "selector", arena), "matchLabels", arena);
  AddAbsent(selected, kUidLabel, meta.uid(), arena);
  SortByKey(selected);
}

// Where a job says no labels of its own, it shows those of its pods.
void Canonicalise(WriteContext& context, Value job) {
  const Value labels = job.Get({"spec", "template", "metadata", "labels"});
  ObjectMeta meta(job, context.arena);
  if (meta.Get("labels").empty()) meta.Set("labels", value::DeepCopy(context.arena, labels));
}

// Fields that belong to feature gates, where those are off.
void DropGatedFields(WriteContext& context, const Value& job, const Value& old) {
  const Value spec = job.Get("spec"), before = old.Get("spec");
  const auto drop = [&](Feature feature, std::string_view field) {
    if (!context.Has(feature) && before.Find(field) == nullptr) spec.Remove(field);
  };
  drop(Feature::kJobSuccessPolicy, "successPolicy");
  drop(Feature::kJobBackoffLimitPerIndex, "backoffLimitPerIndex");
  drop(Feature::kJobBackoffLimitPerIndex, "maxFailedIndexes");
  drop(Feature::kJobPodReplacementPolicy, "podReplacementPolicy");
}

void DropRulesOfIndexes(const Value& job) {
  const Value rules = job.Get({"spec", "podFailurePolicy", "rules"});
  value::KeepItems(rules, [](const Value& rule) { return rule.GetString("action") != "FailIndex"; });
}

// Labels of a job that had none of its own, nor had its template: the generated ones came after both.
bool HasOnlyGeneratedLabels(const Value& job) {
  constexpr std::string_view kGenerated[] = {kOldNameLabel, kNameLabel, kOldUidLabel, kUidLabel};
  return std::ranges::all_of(job.Get({"metadata", "labels"}).members(), [&](const value::Member& label) {
    return std::ranges::find(kGenerated, label.key) != std::end(kGenerated);
  });
}

void PrepareForCreate(WriteContext& context, Value job) {
  DropGatedFields(context, job, Value());
  if (!context.Has(Feature::kJobManagedBy)) job.Get("spec").Remove("managedBy");
  if (!context.Has(Feature::kJobBackoffLimitPerIndex)) DropRulesOfIndexes(job);
  if (!SelectsManually(job)) GenerateSelector(job, context.arena);
  core::PrepareTemplate(context, job);
}

void PrepareForUpdate(WriteContext& context, Value job, const Value& old) {
  if (context.subresource.empty()) DropGatedFields(context, job, old);
  core::PrepareTemplateUpdate(context, job, old);
}

// Whether pods that were made for the job are told apart by the newer labels too: jobs of old have them not.
bool HadNewLabels(const Value& old) {
  const Value labels = old.Get({"spec", "template", "metadata", "labels"});
  return labels.Find(kNameLabel) != nullptr && labels.Find(kUidLabel) != nullptr;
}

struct Expected {
  std::string_view label, text;
};

void CheckHasLabel(Scope& job, const Expected& expected) {
  const Value labels = job.object.Get({"spec", "template", "metadata", "labels"});
  const FieldPath spec("spec"), pod_template = spec.Child("template"), metadata = pod_template.Child("metadata");
  const FieldPath at_labels = metadata.Child("labels"), path = at_labels.Key(expected.label);
  const std::string detail = base::Cat("must be '", expected.text, "'");
  const Value* found = labels.Find(expected.label);
  if (found == nullptr) {
    job.errors.Required(path, detail);
  } else if (found->AsString() != expected.text) {
    job.errors.InvalidAs(path, core::PrintLabels(labels), detail);
  }
}

// A selector that was generated finds the labels that were generated, and nothing else.
void CheckGeneratedSelector(Scope& job) {
  const Value selector = job.object.Get({"spec", "selector"});
  if (SelectsManually(job.object) || !selector.is_object()) return;
  const ObjectMeta meta(job.object);
  if (meta.uid().empty()) job.errors.Required(FieldPath("metadata").Child("uid"));
  std::vector<Expected> expected = {{kOldUidLabel, meta.uid()}, {kOldNameLabel, meta.name()}};
  if (job.old == nullptr || HadNewLabels(*job.old)) {
    expected.push_back({kUidLabel, meta.uid()});
    expected.push_back({kNameLabel, meta.name()});
  }
  const Value labels = Value::Object(job.context.arena, 4);
  for (const Expected& one : expected) {
    CheckHasLabel(job, one);
    labels.Add(job.context.arena, one.label, Value::String(one.text));
  }
  if (!core::IsUsableSelector(selector) || SelectorMatches(selector, labels)) return;
  const FieldPath spec("spec");
  job.errors.InvalidAs(spec.Child("selector"), core::PrintSelector(selector), "`selector` not auto-generated");
}

void CheckSelector(Scope& spec) {
  const Value* selector = spec.object.Find("selector");
  if (selector == nullptr) {
    spec.errors.Required(spec.At("selector"));
  } else {
    const bool had_invalid = spec.old != nullptr && core::HasInvalidLabelValue(spec.old->Get("selector"));
    CheckLabelSelector(spec.errors, spec.At("selector"), *selector, {.allow_invalid_values = had_invalid});
  }
  if (core::IsUsableSelector(spec.Get("selector"))) core::CheckTemplateIsSelected(spec);
}

// Pods of an Indexed job have their index in their host name.
void CheckHostNames(Scope& job) {
  const Value spec = job.Get("spec"), completions = spec.Get("completions");
  if (spec.GetString("completionMode") != "Indexed" || !completions.is_int() || completions.AsInt() <= 0) return;
  const std::string_view name = job.Get("metadata").GetString("name");
  const std::string longest = base::Cat(name, "-", completions.AsInt() - 1);
  if (api::CheckDns1123Label(longest).empty()) return;
  const FieldPath metadata("metadata");
  job.errors.Invalid(metadata.Child("name"), name,
                     base::Cat("will not able to create pod with invalid DNS label: ", longest));
}

constexpr Rule kSpecRules[] = {
    Call(CheckJobSpec),
    Call(CheckSelector),
};
constexpr Rule kRules[] = {
    Call(CheckGeneratedSelector),
    IntoStruct("spec", kSpecRules),
    Call(CheckHostNames),
};

// Completions of an Indexed job change together with its parallelism.
void CheckCompletionsStay(Scope& spec) {
  const Value now = spec.Get("completions");
  if (value::Equal(now, spec.old->Get("completions"))) return;
  if (spec.String("completionMode") != "Indexed") {
    spec.errors.InvalidAs(spec.At("completions"), core::PrintOptional(now), "field is immutable");
  } else if (now.is_int() && now.AsInt() != spec.Int("parallelism")) {
    spec.errors.Invalid(spec.At("completions"), now.AsInt(), "can only be modified in tandem with spec.parallelism");
  }
}

// The old template with what the update may say about where pods run, as long as none has.
Value Rescheduled(Scope& job, const Value& was, const Value& now) {
  Arena& arena = job.context.arena;
  const Value result = value::DeepCopy(arena, was.is_object() ? was : Value::Object(arena));
  const auto take = [&](const Value& to, const Value& from, std::string_view field) {
    const Value* found = from.Find(field);
    found != nullptr ? to.Set(arena, field, *found) : void(to.Remove(field));
  };
  const Value pod = Into(result, "spec", arena), new_pod = now.Get("spec");
  for (std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) take(pod, new_pod, field);
  const Value metadata = Into(result, "metadata", arena);
  for (std::string_view field : {"annotations", "labels"}) take(metadata, now.Get("metadata"), field);
  const Value* new_affinity = new_pod.Find("affinity");
  if (new_affinity == nullptr && pod.Find("affinity") == nullptr) return result;
  const Value affinity = Into(pod, "affinity", arena);
  take(affinity, new_affinity != nullptr ? *new_affinity : Value(), "nodeAffinity");
  if (new_affinity == nullptr && affinity.empty()) pod.Remove("affinity");
  return result;
}

void CheckTemplateStays(Scope& job) {
  const Value now = job.object.Get({"spec", "template"}), suspend = job.old->Get({"spec", "suspend"});
  Value was = job.old->Get({"spec", "template"});
  const bool not_started = job.old->Get({"status", "startTime"}).is_null();
  if (suspend.is_bool() && suspend.AsBool() && not_started) was = Rescheduled(job, was, now);
  if (registry::Same(*schema::FindType("io.k8s.api.core.v1.PodTemplateSpec"), now, was)) return;
  const FieldPath spec("spec");
  job.errors.InvalidAs(
      spec.Child("template"),
      core::PrintStruct("core.PodTemplateSpec", now.is_object() ? now : Value::Object(job.context.arena)),
      "field is immutable");
}

void CheckFieldsStay(Scope& job) {
  struct {
    std::string_view field, path, type;  // type "": none that is printed
  } constexpr kFixed[] = {
      {"completionMode", "spec.completionMode", ""},
      {"podFailurePolicy", "spec.podFailurePolicy", "batch.PodFailurePolicy"},
      {"backoffLimitPerIndex", "spec.backoffLimitPerIndex", ""},
      {"managedBy", "spec.managedBy", ""},
      {"successPolicy", "spec.successPolicy", "batch.SuccessPolicy"},
  };
  const FieldPath spec("spec");
  for (const auto& [field, path, type] : kFixed) {
    if (core::StaysAt(job, path)) continue;
    const Value now = job.Get("spec").Get(field);
    job.errors.InvalidAs(spec.Child(field), type.empty() ? core::PrintOptional(now) : core::PrintStruct(type, now),
                         "field is immutable");
  }
}

constexpr Rule kSpecUpdateRules[] = {
    Call(CheckJobSpec),
    Call(CheckSelector),
    Call(CheckCompletionsStay),
};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta),          Call(CheckGeneratedSelector), IntoStruct("spec", kSpecRules),
    Call(CheckHostNames),           Call(CheckObjectMetaUpdate),  IntoStruct("spec", kSpecUpdateRules),
    Call(core::CheckSelectorStays), Call(CheckTemplateStays),     Call(CheckFieldsStay),
};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate),
    Call(CheckJobStatus),
};

void WarnOnWrite(WriteContext& context, const Value& job, const Value* old) {
  if (!context.subresource.empty()) return;
  if (old == nullptr) apps::WarnOfName(context, job);
  if (old != nullptr && ObjectMeta(job).generation() == ObjectMeta(*old).generation()) return;
  WarnOfJobSpec(context, "spec", job.Get("spec"));
  core::WarnOfTemplateAt(context, job, old, {"spec", "template"});
}

}  // namespace

constinit const registry::StrategyTable kJobs = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .canonicalise = Canonicalise,
    .warnings_on_write = WarnOnWrite,
    .unsupported_field = UnsupportedField,
    .first_update_writes = HasOnlyGeneratedLabels,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .has_generation = true,
            .generation_of = kSpec,
            .deletion_default = registry::DeletionDefault::kOrphan,
            .deletion_warning = "child pods are preserved by default when jobs are deleted; set "
                                "propagationPolicy=Background to remove them or "
                                "set propagationPolicy=Orphan to suppress this warning",
        },
};

}  // namespace resources::batch
