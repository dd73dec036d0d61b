#include "resources/core/volume/claim_rules.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "api/quantity.h"
#include "base/text.h"
#include "resources/rules/field_checks.h"

namespace resources::core {
namespace {

constexpr std::string_view kModes[] = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};

api::Quantity Amount(const Value& text) {
  return text.is_string() ? api::Quantity::Parse(text.AsString()).value_or(api::Quantity()) : api::Quantity();
}

// dataSource, and dataSourceRef, which may name a namespace, too.
void CheckDataSource(Scope& spec, std::string_view field, ClaimOptions options) {
  const Value* source = spec.object.Find(field);
  if (source == nullptr) return;
  const FieldPath path = spec.At(field);
  const std::string_view kind = source->GetString("kind"), group = source->GetString("apiGroup"),
                         space = source->GetString("namespace");
  if (source->GetString("name").empty()) spec.errors.Required(path.Child("name"));
  if (kind.empty()) spec.errors.Required(path.Child("kind"));
  if (group.empty() && kind != "PersistentVolumeClaim") {
    spec.errors.Invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty() && !options.allow_invalid_data_source_groups) {
    kDnsSubdomain(spec.errors, path.Child("apiGroup"), group);
  }
  if (!space.empty()) kDnsLabel(spec.errors, path.Child("namespace"), space);
}

// Both ways of naming the source say the same.
void CheckDataSourcesAgree(Scope& spec) {
  const Value source = spec.Get("dataSource"), ref = spec.Get("dataSourceRef");
  if (!source.is_object() || !ref.is_object()) return;
  // The real server shows the path itself, with an address that no other error has: an update, which is looked at
  // twice, says it twice.
  const auto refuse = [&](std::string_view why) {
    char digits[16];
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), 0xc000000000 + 64 * spec.errors.size(), 16).ptr;
    const std::string_view address(std::begin(digits), static_cast<size_t>(end - digits));
    spec.errors.InvalidAs(
        spec.path, base::Cat(R"(field.Path{name:"dataSource", index:"", parent:(*field.Path)(0x)", address, ")}"), why);
  };
  if (!ref.GetString("namespace").empty()) {
    return refuse("may not be specified when dataSourceRef.namespace is specified");
  }
  const bool same_group = value::Equal(source.Get("apiGroup"), ref.Get("apiGroup"));
  const bool same = same_group && source.GetString("kind") == ref.GetString("kind") &&
                    source.GetString("name") == ref.GetString("name");
  if (!same) refuse("must match dataSourceRef");
}

void CheckRequest(Scope& spec) {
  const FieldPath resources = spec.At("resources");
  const FieldPath path = resources.Key("storage");
  const Value requests = spec.Get("resources").Get("requests");
  const Value* storage = requests.Find("storage");
  if (storage == nullptr) return spec.errors.Required(path);
  CheckAmountPositive(spec.errors, path, *storage);
}

void CheckTemplateSpec(Scope& spec) {
  CheckClaimSpec(spec, {.attributes_classes = spec.context.Has(Feature::kVolumeAttributesClass)});
}

constexpr Rule kTemplateSpec[] = {Call(CheckTemplateSpec)};

}  // namespace

void CheckAccessModes(Errors& errors, const FieldPath& path, const Value& modes) {
  bool once_pod = false, other = false;
  for (const Value& mode : modes.items()) {
    const bool known = std::ranges::find(kModes, mode.AsString()) != std::end(kModes);
    if (!known) errors.NotSupported(path, mode.AsString(), kModes);
    const bool is_once_pod = mode.AsString() == "ReadWriteOncePod";
    once_pod |= is_once_pod;
    other |= known && !is_once_pod;
  }
  if (once_pod && other) errors.Forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

void CheckAmountNotNegative(Errors& errors, const FieldPath& path, const Value& amount) {
  if (Amount(amount).Sign() < 0) errors.Invalid(path, amount.AsString(), "must be greater than or equal to 0");
}

void CheckAmountPositive(Errors& errors, const FieldPath& path, const Value& amount) {
  if (Amount(amount).Sign() <= 0) errors.Invalid(path, amount.AsString(), "must be greater than zero");
}

void CheckAmountUsable(Errors& errors, const FieldPath& path, const Value& amount) {
  const int64_t whole = Amount(amount).Value();
  if (whole < 0) errors.Invalid(path, whole, "must be a valid resource quantity");
}

void CheckClaimSpec(Scope& spec, ClaimOptions options) {
  Errors& errors = spec.errors;
  const Value modes = spec.Get("accessModes"), selector = spec.Get("selector");
  if (modes.empty()) errors.Required(spec.At("accessModes"), "at least 1 access mode is required");
  if (selector.is_object()) {
    CheckLabelSelector(errors, spec.At("selector"), selector,
                       {.allow_invalid_values = options.allow_invalid_selector_values});
  }
  CheckAccessModes(errors, spec.At("accessModes"), modes);
  CheckRequest(spec);
  const std::string_view name = spec.String("storageClassName"), mode = spec.String("volumeMode");
  if (!name.empty()) kDnsSubdomain(errors, spec.At("storageClassName"), name);
  if (spec.Has("volumeMode") && std::ranges::find(kVolumeModes, mode) == std::end(kVolumeModes)) {
    errors.NotSupported(spec.At("volumeMode"), mode, kVolumeModes);
  }
  CheckDataSource(spec, "dataSource", options);
  CheckDataSource(spec, "dataSourceRef", options);
  CheckDataSourcesAgree(spec);
  const std::string_view attributes = spec.String("volumeAttributesClassName");
  if (options.attributes_classes && !attributes.empty()) {
    kDnsSubdomain(errors, spec.At("volumeAttributesClassName"), attributes);
  }
}

void CheckClaimTemplate(Scope& claim) {
  CheckTemplateMetadata(claim.errors, claim.At("metadata"), claim.Get("metadata"));
  const Value* spec = claim.object.Find("spec");
  Check(claim, kTemplateSpec, claim.At("spec"), spec != nullptr ? *spec : Value(), nullptr);
}

}  // namespace resources::core
