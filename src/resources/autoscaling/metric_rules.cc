#include "resources/autoscaling/metric_rules.h"

#include <algorithm>
#include <utility>

#include "api/quote.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/field_checks.h"

namespace resources::autoscaling {
namespace {

constexpr std::string_view kTypes[] = {"ContainerResource", "External", "Object", "Pods", "Resource"};

// A name that stands in a path.
void CheckSegment(Scope& scope, std::string_view field, std::string_view if_absent) {
  const std::string_view name = scope.String(field);
  if (name.empty()) return scope.errors.Required(scope.At(field), if_absent);
  PutComplaints(scope.errors, scope.At(field), name, api::CheckPathSegment(name));
}

void CheckIdentifier(Scope& metric) { CheckSegment(metric, "name", "must specify a metric name"); }

void CheckAmount(Scope& target, std::string_view field) {
  const Value* amount = target.object.Find(field);
  if (amount == nullptr || core::QuantityOf(*amount).Sign() > 0) return;
  target.errors.InvalidAs(target.At(field), core::PrintQuantity(*amount), "must be positive");
}

void CheckTarget(Scope& target) {
  const std::string_view type = target.String("type");
  const FieldPath path = target.At("type");
  if (type.empty()) target.errors.Required(path, "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    target.errors.Invalid(path, type, "must be either Utilization, Value, or AverageValue");
  }
  CheckAmount(target, "value");
  CheckAmount(target, "averageValue");
  const Value* utilization = target.object.Find("averageUtilization");
  if (utilization == nullptr || utilization->AsInt() >= 1) return;
  target.errors.Invalid(target.At("averageUtilization"), utilization->AsInt(), "must be greater than 0");
}

// Whether the source's target says this.
bool Aims(const Scope& source, std::string_view field) { return source.object.Get("target").Find(field) != nullptr; }

void RequireTarget(Scope& source, std::string_view field, std::string_view detail) {
  const FieldPath target = source.At("target");
  source.errors.Required(target.Child(field), detail);
}

void ForbidTarget(Scope& source, std::string_view field, std::string_view detail) {
  const FieldPath target = source.At("target");
  source.errors.Forbidden(target.Child(field), detail);
}

void CheckObjectTarget(Scope& source) {
  if (Aims(source, "value") || Aims(source, "averageValue")) return;
  RequireTarget(source, "averageValue", "must set either a target value or averageValue");
}

void CheckExternalTarget(Scope& source) {
  const bool value = Aims(source, "value"), average = Aims(source, "averageValue");
  if (!value && !average) {
    RequireTarget(source, "averageValue", "must set either a target value for metric or a per-pod target");
  } else if (value && average) {
    ForbidTarget(source, "value", "may not set both a target value for metric and a per-pod target");
  }
}

void CheckPodsTarget(Scope& source) {
  if (Aims(source, "averageValue")) return;
  RequireTarget(source, "averageValue", "must specify a positive target averageValue");
}

void CheckResourceTarget(Scope& source) {
  const bool utilization = Aims(source, "averageUtilization"), average = Aims(source, "averageValue");
  if (!utilization && !average) {
    RequireTarget(source, "averageUtilization", "must set either a target raw value or a target utilization");
  } else if (utilization && average) {
    ForbidTarget(source, "averageValue", "may not set both a target raw value and a target utilization");
  }
}

// As containers name resources; a name that is none at all is shown in quotes here.
void CheckResourceOfContainer(Scope& source, std::string_view name) {
  Errors found;
  core::CheckContainerResourceName(found, source.At("name"), name);
  size_t malformed = api::CheckQualifiedName(name).size();
  for (api::FieldError& error : std::move(found).Take().Take()) {
    if (malformed > 0) {
      error.value = api::Quote(name);
      --malformed;
    }
    source.errors.Add(std::move(error));
  }
}

void CheckContainerResource(Scope& source) {
  const std::string_view name = source.String("name"), container = source.String("container");
  if (name.empty()) {
    source.errors.Required(source.At("name"), "must specify a resource name");
  } else {
    CheckResourceOfContainer(source, name);
  }
  if (container.empty()) {
    source.errors.Required(source.At("container"), "must specify a container");
  } else {
    kDnsLabel(source.errors, source.At("container"), container);
  }
}

constexpr Rule kIdentifier[] = {Call(CheckIdentifier)};
constexpr Rule kTarget[] = {Call(CheckTarget)};

constexpr Rule kObjectSource[] = {
    IntoStruct("describedObject", kObjectReferenceRules),
    IntoStruct("metric", kIdentifier),
    IntoStruct("target", kTarget),
    Call(CheckObjectTarget),
};
constexpr Rule kExternalSource[] = {
    IntoStruct("metric", kIdentifier),
    IntoStruct("target", kTarget),
    Call(CheckExternalTarget),
};
constexpr Rule kPodsSource[] = {
    IntoStruct("metric", kIdentifier),
    IntoStruct("target", kTarget),
    Call(CheckPodsTarget),
};
constexpr Rule kResourceSource[] = {
    Required("name", "must specify a resource name"),
    IntoStruct("target", kTarget),
    Call(CheckResourceTarget),
};
constexpr Rule kContainerResourceSource[] = {
    Call(CheckContainerResource),
    IntoStruct("target", kTarget),
    Call(CheckResourceTarget),
};

// In the order in which they are looked at.
constexpr struct Source {
  std::string_view type, field;
  Rules rules;
} kSources[] = {
    {"Object", "object", kObjectSource},
    {"External", "external", kExternalSource},
    {"Pods", "pods", kPodsSource},
    {"Resource", "resource", kResourceSource},
    {"ContainerResource", "containerResource", kContainerResourceSource},
};

}  // namespace

void CheckObjectReference(Scope& reference) {
  CheckSegment(reference, "kind", "");
  CheckSegment(reference, "name", "");
}

void CheckMetric(Scope& metric) {
  const std::string_view type = metric.String("type");
  const FieldPath at_type = metric.At("type");
  const Source* expected = std::ranges::find(kSources, type, &Source::type);
  if (expected == std::end(kSources)) expected = nullptr;
  if (type.empty()) metric.errors.Required(at_type, "must specify a metric source type");
  if (expected == nullptr) metric.errors.NotSupported(at_type, type, kTypes);
  int present = 0;
  for (const Source& source : kSources) {
    const Value* found = metric.object.Find(source.field);
    if (found != nullptr && ++present == 1) Check(metric, source.rules, metric.At(source.field), *found, nullptr);
  }
  if (expected == nullptr) {
    metric.errors.NotSupported(at_type, type, kTypes);
  } else if (!metric.Has(expected->field)) {
    metric.errors.Required(metric.At(expected->field), "must populate information for the given metric source");
  }
  if (present == 1) return;
  for (const Source& source : kSources) {
    if (&source == expected || !metric.Has(source.field)) continue;
    metric.errors.Forbidden(metric.At(source.field), "must populate the given metric source only");
  }
}

}  // namespace resources::autoscaling
