#include "base/text.h"
#include "registry/metadata_rules.h"
#include "registry/semantic_equality.h"
#include "resources/conversions.h"
#include "resources/rules/field_checks.h"
#include "resources/strategies.h"
#include "schema/schema.h"
#include "value/json_writer.h"

namespace resources::core {
namespace {

using registry::ObjectMeta;
using registry::WriteContext;

constexpr int64_t kMostName = 128;
constexpr int64_t kMostNote = 1024;
constexpr std::string_view kOtherNamespace = "does not match event.namespace";

bool ThroughCore(const WriteContext& context) { return context.resource.group.empty(); }

// Errors speak of the fields of v1, whichever group is asked.
Value AsCore(WriteContext& context, const Value& event) {
  return ThroughCore(context) ? event : EventFromEventsGroup(context.arena, event);
}

void CheckMost(const Scope& event, std::string_view field, int64_t most) {
  if (static_cast<int64_t>(event.String(field).size()) <= most) return;
  event.errors.Invalid(event.At(field), "", "can have at most " + std::to_string(most) + " characters");
}

// What events with a time of their own, which are of the newer kind, have to say whichever group they come through.
void CheckTimed(Scope& event) {
  const std::string_view in_namespace = event.object.Get("metadata").GetString("namespace");
  const FieldPath involved("involvedObject");
  const bool for_all = in_namespace == "default" || in_namespace == "kube-system";
  if (event.object.Get("involvedObject").GetString("namespace").empty() && !for_all) {
    event.errors.Invalid(involved.Child("namespace"), "", kOtherNamespace);
  }
  const FieldPath controller(ThroughCore(event.context) ? "reportingComponent" : "reportingController");
  const std::string_view name = event.String("reportingComponent");
  if (name.empty()) event.errors.Required(controller);
  kQualifiedName(event.errors, controller, name);
  for (std::string_view field : {"reportingInstance", "action", "reason"}) {
    if (event.String(field).empty()) event.errors.Required(event.At(field));
    CheckMost(event, field, kMostName);
  }
  CheckMost(event, "message", kMostNote);
}

// An event stands in the namespace of what it is about; what has none may be told of in "default".
void CheckUntimed(Scope& event) {
  const std::string_view in_namespace = event.object.Get("metadata").GetString("namespace");
  const std::string_view of_object = event.object.Get("involvedObject").GetString("namespace");
  const FieldPath involved("involvedObject");
  const bool agree = of_object.empty() ? in_namespace.empty() || in_namespace == "default" : in_namespace == of_object;
  if (!agree) event.errors.Invalid(involved.Child("namespace"), of_object, kOtherNamespace);
}

void CheckOldRules(Scope& event) {
  if (event.String("eventTime").empty()) {
    CheckUntimed(event);
  } else {
    CheckTimed(event);
  }
  kDnsSubdomain(event.errors, FieldPath("namespace"), event.object.Get("metadata").GetString("namespace"));
}

void CheckSeries(Scope& event) {
  const Value* series = event.object.Find("series");
  if (series == nullptr) return;
  const Value count = series->Get("count");
  if (!count.is_int() || count.AsInt() < 2) {
    event.errors.Invalid(FieldPath("series.count"), "", "should be at least 2");
  }
  if (series->GetString("lastObservedTime").empty()) event.errors.Required(FieldPath("series.lastObservedTime"));
}

void CheckType(Scope& event) {
  const std::string_view type = event.String("type");
  if (type == "Normal" || type == "Warning") return;
  event.errors.Invalid(event.At("type"), "", "has invalid value: " + std::string(type));
}

// What older clients say in these fields the newer kind says elsewhere.
void CheckOldFieldsUnset(Scope& event) {
  const Value source = event.object.Get("source");
  const auto refuse = [&](std::string_view field, bool set) {
    if (set) event.errors.Invalid(event.At(field), "", "needs to be unset");
  };
  refuse("firstTimestamp", !event.String("firstTimestamp").empty());
  refuse("lastTimestamp", !event.String("lastTimestamp").empty());
  refuse("count", event.Int("count") != 0);
  refuse("source", !source.GetString("component").empty() || !source.GetString("host").empty());
}

constexpr Rule kCoreRules[] = {Call(CheckOldRules)};
constexpr Rule kNewRules[] = {
    Call(CheckSeries),
    Required("eventTime"),
    Call(CheckType),
    Call(CheckOldFieldsUnset),
};

void CheckChangedSeries(Scope& event) {
  if (!value::Equal(event.Get("series"), event.old->Get("series"))) CheckSeries(event);
}

enum class Form : uint8_t { kText, kNumber, kTime, kSource, kObject, kReference };

std::string Print(const Value& v, Form form) {
  switch (form) {
    case Form::kText:
      return PrintBadValue(v.is_null() ? Value::String("") : v);
    case Form::kNumber:
      return std::to_string(v.is_int() ? v.AsInt() : 0);
    case Form::kTime:
      return PrintTime(v.is_string() ? v.AsString() : "");
    case Form::kSource:
      return base::Cat("core.EventSource", v.is_null() ? "{}" : value::ToJson(v));
    case Form::kObject:
      return base::Cat("core.ObjectReference", v.is_null() ? "{}" : value::ToJson(v));
    case Form::kReference:
      return v.is_null() ? "\"null\"" : Print(v, Form::kObject);
  }
  return {};
}

template <Form form>
void CheckKept(Scope& event, std::string_view field) {
  // This one field has its newer name in the text.
  const std::string_view told_as = field == "reportingComponent" ? "reportingController" : field;
  if (registry::SameAt(*schema::FindKind("", "v1", "Event"), field, event.object, *event.old)) return;
  event.errors.InvalidAs(event.At(told_as), Print(event.Get(field), form), "field is immutable");
}

void CheckUnchanged(Scope& event) {
  CheckKept<Form::kObject>(event, "involvedObject");
  CheckKept<Form::kText>(event, "reason");
  CheckKept<Form::kText>(event, "message");
  CheckKept<Form::kSource>(event, "source");
  CheckKept<Form::kTime>(event, "firstTimestamp");
  CheckKept<Form::kTime>(event, "lastTimestamp");
  CheckKept<Form::kNumber>(event, "count");
  CheckKept<Form::kText>(event, "reason");  // the real server looks twice
  CheckKept<Form::kText>(event, "type");
  CheckKept<Form::kTime>(event, "eventTime");
  CheckKept<Form::kText>(event, "action");
  CheckKept<Form::kReference>(event, "related");
  CheckKept<Form::kText>(event, "reportingComponent");
  CheckKept<Form::kText>(event, "reportingInstance");
}

constexpr Rule kNewUpdateRules[] = {Call(CheckChangedSeries), Call(CheckUnchanged)};

api::FieldErrors ValidateCore(WriteContext& context, const Value& event) {
  Errors errors;
  Check(context, kCoreRules, FieldPath(), event, nullptr, errors);
  return std::move(errors).Take();
}

api::FieldErrors ValidateCoreUpdate(WriteContext& context, const Value& event, const Value&) {
  return ValidateCore(context, event);
}

void Append(Errors& errors, api::FieldErrors more) {
  for (api::FieldError& error : std::move(more).Take()) errors.Add(std::move(error));
}

// Metadata's errors stand between those of the old and those of the new rules.
api::FieldErrors ValidateNew(WriteContext& context, const Value& object) {
  const Value event = AsCore(context, object);
  Errors errors;
  Check(context, kCoreRules, FieldPath(), event, nullptr, errors);
  api::FieldErrors metadata;
  registry::CheckMetadata(ObjectMeta(event), true, api::CheckNameIsDnsSubdomain, metadata);
  registry::CheckStrictFinalizers(ObjectMeta(event), metadata);
  Append(errors, std::move(metadata));
  Check(context, kNewRules, FieldPath(), event, nullptr, errors);
  return std::move(errors).Take();
}

api::FieldErrors ValidateNewUpdate(WriteContext& context, const Value& object, const Value& old) {
  const Value event = AsCore(context, object), former = AsCore(context, old);
  Errors errors;
  Check(context, kCoreRules, FieldPath(), event, nullptr, errors);
  api::FieldErrors metadata;
  registry::CheckMetadataUpdate(ObjectMeta(event), ObjectMeta(former), metadata);
  registry::CheckStrictFinalizers(ObjectMeta(event), metadata);
  Append(errors, std::move(metadata));
  Check(context, kNewUpdateRules, FieldPath(), event, &former, errors);
  return std::move(errors).Take();
}

}  // namespace

constinit const registry::StrategyTable kEvents = {
    .validate = ValidateCore,
    .validate_update = ValidateCoreUpdate,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .strict_finalizers = false,
            .allow_create_on_update = true,
            .deletion_default = registry::DeletionDefault::kUnsupported,
        },
};

// The same objects through events.k8s.io, whose own validation is stricter and looks at metadata in its midst.
constinit const registry::StrategyTable kEventsV1 = {
    .validate = ValidateNew,
    .validate_update = ValidateNewUpdate,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .allow_create_on_update = true,
            .deletion_default = registry::DeletionDefault::kUnsupported,
        },
};

}  // namespace resources::core
