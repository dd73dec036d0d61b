#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "resources/resource/device_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/node_selector.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::resource {
namespace {

constexpr int64_t kMostDevices = 128;
constexpr int64_t kMostAttributesAndCapacities = 32;
constexpr int64_t kMostValueBytes = 64;
constexpr size_t kMostKeyBytes = 63 + 1 + 32;  // domain/identifier

bool IsDigits(std::string_view text) { return std::ranges::all_of(text, absl::ascii_isdigit); }

// A number without zeros before it.
bool IsVersionNumber(std::string_view text) {
  return !text.empty() && IsDigits(text) && (text.size() == 1 || text.front() != '0');
}

// Each part between dots is made of letters, digits and dashes; where `numbers`, one of digits only is a number.
bool AreVersionIdentifiers(std::string_view text, bool numbers) {
  while (true) {
    const size_t dot = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, dot);
    const bool plain = std::ranges::all_of(
        part, [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-'; });
    if (part.empty() || !plain || (numbers && IsDigits(part) && !IsVersionNumber(part))) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

// As semver.org says: 1.2.3-rc.1+build.5.
bool IsSemanticVersion(std::string_view text) {
  if (const size_t plus = text.find('+'); plus != std::string_view::npos) {
    if (!AreVersionIdentifiers(text.substr(plus + 1), false)) return false;
    text = text.substr(0, plus);
  }
  if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!AreVersionIdentifiers(text.substr(dash + 1), true)) return false;
    text = text.substr(0, dash);
  }
  for (int part = 0; part < 3; ++part) {
    const size_t dot = part < 2 ? text.find('.') : text.size();
    if (dot == std::string_view::npos || !IsVersionNumber(text.substr(0, dot))) return false;
    text = part < 2 ? text.substr(dot + 1) : std::string_view();
  }
  return true;
}

// A key that is too long for a path is told by its beginning and its end.
std::string Shortened(std::string_view key) {
  if (key.size() <= kMostKeyBytes) return std::string(key);
  constexpr size_t kKept = kMostKeyBytes - 3;
  return std::string(key.substr(0, (kKept + 1) / 2)) + "..." + std::string(key.substr(key.size() - kKept / 2));
}

void CheckAttribute(Errors& errors, const FieldPath& path, const Value& attribute) {
  int values = 0;
  for (std::string_view kind : {"bool", "int", "string", "version"}) {
    const Value* value = attribute.Find(kind);
    if (value == nullptr) continue;
    ++values;
    if (!value->is_string()) continue;
    if (kind == "version" && !IsSemanticVersion(value->AsString())) {
      errors.Invalid(path.Child(kind), value->AsString(), "must be a string compatible with semver.org spec 2.0.0");
    }
    if (static_cast<int64_t>(value->AsString().size()) > kMostValueBytes) {
      errors.TooLong(path.Child(kind), kMostValueBytes);
    }
  }
  if (values == 0) errors.Required(path, "exactly one value must be specified");
  if (values > 1)
    errors.InvalidAs(path, PrintStruct("DeviceAttribute", attribute), "exactly one value must be specified");
}

void CheckBasicDevice(Errors& errors, const FieldPath& path, const Value& device) {
  const Value attributes = device.Get("attributes"), capacity = device.Get("capacity");
  const FieldPath attributes_path = path.Child("attributes"), capacity_path = path.Child("capacity");
  for (const value::Member& attribute : attributes.members()) {
    const std::string key = Shortened(attribute.key);
    CheckAttributeName(errors, attributes_path.Key(key), attribute.key, false);
    CheckAttribute(errors, attributes_path.Key(key), attribute.value);
  }
  for (const value::Member& amount : capacity.members()) {
    const std::string key = Shortened(amount.key);
    CheckAttributeName(errors, capacity_path.Key(key), amount.key, false);
  }
  const int64_t sum = int64_t{attributes.size()} + capacity.size();
  if (sum > kMostAttributesAndCapacities) {
    errors.Invalid(path, sum,
                   "the total number of attributes and capacities must not exceed " +
                       std::to_string(kMostAttributesAndCapacities));
  }
}

void CheckDevice(Errors& errors, const FieldPath& path, const Value& device) {
  kDnsLabel(errors, path.Child("name"), device.GetString("name"));
  if (const Value* basic = device.Find("basic")) {
    CheckBasicDevice(errors, path.Child("basic"), *basic);
  } else {
    errors.Required(path.Child("basic"));
  }
}

int64_t IntAt(const Value& object, std::string_view field) {
  const Value found = object.Get(field);
  return found.is_int() ? found.AsInt() : 0;
}

void CheckDriver(Scope& spec) { CheckDriverName(spec.errors, spec.At("driver"), spec.String("driver")); }

void CheckPool(Scope& spec) {
  const FieldPath path = spec.At("pool");
  const Value pool = spec.Get("pool");
  CheckPoolName(spec.errors, path.Child("name"), pool.GetString("name"));
  if (const int64_t slices = IntAt(pool, "resourceSliceCount"); slices <= 0) {
    spec.errors.Invalid(path.Child("resourceSliceCount"), slices, "must be greater than zero");
  }
  if (const int64_t generation = IntAt(pool, "generation"); generation < 0) {
    spec.errors.Invalid(path.Child("generation"), generation, "must be greater than or equal to zero");
  }
}

// A slice stays with its pool, its driver and its node.
void CheckKept(Scope& spec) {
  if (spec.old == nullptr) return;
  const FieldPath pool = spec.At("pool");
  const auto keep = [&](const FieldPath& path, std::string_view now, std::string_view before) {
    if (now != before) spec.errors.Invalid(path, now, "field is immutable");
  };
  keep(pool.Child("name"), spec.Get("pool").GetString("name"), spec.old->Get("pool").GetString("name"));
  for (std::string_view field : {"driver", "nodeName"}) {
    keep(spec.At(field), spec.String(field), spec.old->GetString(field));
  }
}

// The devices are of one node, of those that a selector takes, or of all.
void CheckWhere(Scope& spec) {
  constexpr std::string_view kOne = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required";
  int ways = 0;
  if (const std::string_view node = spec.String("nodeName"); !node.empty()) {
    ++ways;
    kDnsSubdomain(spec.errors, spec.At("nodeName"), node);
  }
  if (const Value* selector = spec.object.Find("nodeSelector")) {
    ++ways;
    const FieldPath path = spec.At("nodeSelector");
    CheckNodeSelector(spec.errors, path, *selector, {});
    const Value terms = selector->Get("nodeSelectorTerms");
    if (terms.size() != 1) {
      spec.errors.InvalidAs(path.Child("nodeSelectorTerms"),
                            terms.empty() ? PrintListOf("core.NodeSelectorTerm", terms) : value::ToJson(terms),
                            "must have exactly one node selector term");
    }
  }
  const Value all = spec.Get("allNodes");
  if (all.is_bool() && all.AsBool()) ++ways;
  if (ways == 0) spec.errors.Required(spec.path, kOne);
  if (ways > 1) spec.errors.Invalid(spec.path, "null", kOne);
}

void CheckDevices(Scope& spec) {
  CheckSet(spec.errors, spec.At("devices"), spec.Get("devices"), kMostDevices, "name",
           [&](const FieldPath& at, const Value& device) { CheckDevice(spec.errors, at, device); });
}

constexpr Rule kSpecRules[] = {
    Call(CheckDriver), Call(CheckPool), Call(CheckKept), Call(CheckWhere), Call(CheckDevices),
};

void CheckSpec(Scope& slice) {
  const Value former = slice.old != nullptr ? slice.old->Get("spec") : Value();
  Check(slice, kSpecRules, slice.At("spec"), slice.Get("spec"), slice.old != nullptr ? &former : nullptr);
}

constexpr Rule kRules[] = {Call(CheckSpec)};

std::string Unsupported(std::string_view version, std::string_view label) {
  return "field label not supported for resource.k8s.io/" + std::string(version) +
         ", Kind=ResourceSlice: " + std::string(label);
}
std::string UnsupportedInV1alpha3(std::string_view label) { return Unsupported("v1alpha3", label); }
std::string UnsupportedInV1beta1(std::string_view label) { return Unsupported("v1beta1", label); }

constexpr registry::StrategyTable kSlices = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .has_generation = true,
            .generation_of = kSpec,
            .returns_deleted_object = true,
        },
};

constexpr registry::StrategyTable WithText(std::string (*unsupported_field)(std::string_view label)) {
  registry::StrategyTable strategy = kSlices;
  strategy.unsupported_field = unsupported_field;
  return strategy;
}

}  // namespace

constinit const registry::StrategyTable kResourceSlices = WithText(UnsupportedInV1beta1);
constinit const registry::StrategyTable kResourceSlicesV1alpha3 = WithText(UnsupportedInV1alpha3);

}  // namespace resources::resource
