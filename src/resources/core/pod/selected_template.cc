#include "resources/core/pod/selected_template.h"

#include <algorithm>

#include "api/quote.h"
#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/pod/pod_disabled_fields.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/rules/field_checks.h"
#include "schema/members.h"
#include "value/json_writer.h"

namespace resources::core {

bool IsUsableSelector(const Value& selector) {
  Errors errors;
  CheckLabelSelector(errors, FieldPath(), selector);
  return errors.empty();
}

bool IsEmptySelector(const Value& selector) {
  return selector.is_object() && selector.Get("matchLabels").empty() && selector.Get("matchExpressions").empty();
}

bool HasInvalidLabelValue(const Value& selector) {
  return std::ranges::any_of(selector.Get("matchExpressions").items(), [](const Value& requirement) {
    return std::ranges::any_of(requirement.Get("values").items(),
                               [](const Value& value) { return !api::CheckLabelValue(value.AsString()).empty(); });
  });
}

std::string PrintLabels(const Value& labels) {
  if (!labels.is_object()) return "map[string]string(nil)";
  std::string out = "map[string]string{";
  std::string_view comma;
  const schema::SortedMap sorted(labels);
  for (const value::Member& label : sorted.members()) {
    base::Append(out, comma, api::Quote(label.key), ":", api::Quote(label.value.AsString()));
    comma = ", ";
  }
  return out + "}";
}

std::string PrintOptional(const Value& v) { return v.is_null() ? "\"null\"" : PrintBadValue(v); }

std::string PrintStruct(std::string_view type, const Value& v) {
  return v.is_null() ? PrintOptional(v) : base::Cat(type, value::ToJson(v));
}

std::string PrintSelector(const Value& selector) { return PrintStruct("v1.LabelSelector", selector); }

void CheckRequiredSelector(Scope& spec, std::string_view kind) {
  const FieldPath path = spec.At("selector");
  const Value* selector = spec.object.Find("selector");
  if (selector == nullptr) return spec.errors.Required(path);
  CheckLabelSelector(spec.errors, path, *selector);
  if (IsEmptySelector(*selector)) {
    spec.errors.InvalidAs(path, PrintSelector(*selector), base::Cat("empty selector is invalid for ", kind));
  }
}

void CheckTemplateIsSelected(Scope& spec) {
  const Value labels = spec.object.Get({"template", "metadata", "labels"});
  const Value selector = spec.Get("selector");
  if (SelectorMatches(selector, labels)) return;
  const FieldPath pod_template = spec.At("template"), metadata = pod_template.Child("metadata");
  spec.errors.InvalidAs(metadata.Child("labels"), PrintLabels(labels), "`selector` does not match template `labels`");
}

void CheckPodsRunForever(Scope& spec, std::string_view kind) {
  const Value pod = spec.object.Get({"template", "spec"});
  const FieldPath pod_template = spec.At("template"), path = pod_template.Child("spec");
  if (const std::string_view policy = pod.GetString("restartPolicy"); policy != "Always") {
    spec.errors.NotSupported(path.Child("restartPolicy"), policy, {"Always"});
  }
  if (pod.Find("activeDeadlineSeconds") == nullptr) return;
  spec.errors.Forbidden(path.Child("activeDeadlineSeconds"),
                        base::Cat("activeDeadlineSeconds in ", kind, " is not Supported"));
}

void CheckTemplateMetadata(Scope& spec) {
  const FieldPath path = spec.At("template"), annotations = path.Child("annotations");
  const Value now = spec.Get("template"), metadata = now.Get("metadata");
  CheckLabels(spec.errors, path.Child("labels"), metadata.Get("labels"));
  CheckAnnotations(spec.errors, annotations, metadata.Get("annotations"));
  Scope scope{spec.context, path, now, nullptr, spec.errors, &spec};
  CheckPodAnnotations(scope, annotations);
}

void CheckTemplate(Scope& spec) {
  const FieldPath path = spec.At("template");
  const Value now = spec.Get("template"), former = spec.old != nullptr ? spec.old->Get("template") : Value();
  Scope scope{spec.context, path, now, spec.old != nullptr ? &former : nullptr, spec.errors, &spec};
  CheckPodTemplateSpec(scope);
}

void CheckSelectorStays(Scope& object) {
  if (StaysAt(object, "spec.selector")) return;
  const FieldPath spec("spec");
  object.errors.InvalidAs(spec.Child("selector"), PrintSelector(object.object.Get({"spec", "selector"})),
                          "field is immutable");
}

void PrepareTemplate(registry::WriteContext& context, Value object) {
  DropDisabledFields(context, object.Get({"spec", "template", "spec"}), Value());
}

void PrepareTemplateUpdate(registry::WriteContext& context, Value object, const Value& old) {
  if (!context.subresource.empty()) return;
  DropDisabledFields(context, object.Get({"spec", "template", "spec"}), old.Get({"spec", "template", "spec"}));
}

bool StaysAt(const Scope& object, std::string_view path) {
  return registry::SameAt(*object.context.resource.type, path, object.object, *object.old);
}

}  // namespace resources::core
