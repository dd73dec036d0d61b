// The pod template of a workload and the label selector that its pods are found by: what all workloads ask of the two.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources::core {

// False where a part of the selector is malformed, so that nothing can be found by it.
bool IsUsableSelector(const Value& selector);
// True where it asks for nothing; an absent one does not ask, and finds nothing.
bool IsEmptySelector(const Value& selector);
// Whether a label value in matchExpressions is malformed: an object that has such a selector may keep it.
bool HasInvalidLabelValue(const Value& selector);

// As error texts show labels.
std::string PrintLabels(const Value& labels);
// As they show what may be absent: a null in quotes.
std::string PrintOptional(const Value& v);
// As they show a structure: the name of its type in the real server, and its fields as JSON; a null in quotes where it
// is absent.
std::string PrintStruct(std::string_view type, const Value& v);
std::string PrintSelector(const Value& selector);

// Over a spec with `selector` and `template`.
// A selector is there, well formed, and asks for something; `kind` is in the text.
void CheckRequiredSelector(Scope& spec, std::string_view kind);
// The selector takes the template's labels.
void CheckTemplateIsSelected(Scope& spec);
// Labels and annotations of the template, for a workload that does not look at its pods any further.
void CheckTemplateMetadata(Scope& spec);
// CheckPodTemplateSpec (pod_rules.h) of the template.
void CheckTemplate(Scope& spec);
// Its pods are restarted always, and have no deadline. `kind` is in the text.
void CheckPodsRunForever(Scope& spec, std::string_view kind);
// Over the whole object, on update: spec.selector is the old one's.
void CheckSelectorStays(Scope& object);
// Whether the objects of an update are the same at a dotted path ("spec.template").
bool StaysAt(const Scope& object, std::string_view path);

// StrategyTable::prepare_for_create and prepare_for_update of objects with spec.template: drops what disabled features
// have of its pods (pod_disabled_fields.h).
void PrepareTemplate(registry::WriteContext& context, Value object);
void PrepareTemplateUpdate(registry::WriteContext& context, Value object, const Value& old);

}  // namespace resources::core
