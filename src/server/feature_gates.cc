#include "server/feature_gates.h"

#include <algorithm>

#include "base/text.h"
#include "server/go_bool.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

const FeatureGate* Find(std::string_view name) {
  std::span<const FeatureGate> all = AllFeatureGates();
  auto at = std::ranges::lower_bound(all, name, {}, &FeatureGate::name);
  return at != all.end() && at->name == name ? &*at : nullptr;
}

// The gate that sets all of a stage, unless they are set by name.
std::string_view WholeStage(FeatureGate::Stage stage) {
  switch (stage) {
    case FeatureGate::Stage::kAlpha:
      return "AllAlpha";
    case FeatureGate::Stage::kBeta:
      return "AllBeta";
    default:
      return "";
  }
}

}  // namespace

base::Result<FeatureGates> FeatureGates::Parse(std::span<const std::string> values,
                                               std::vector<std::string>& warnings) {
  FeatureGates gates;
  for (std::string_view value : values) {
    while (!value.empty()) {
      size_t comma = value.find(',');
      std::string_view pair = base::TrimSpace(value.substr(0, comma));
      value = comma == std::string_view::npos ? "" : value.substr(comma + 1);
      if (pair.empty()) continue;
      if (size_t colon = pair.find(':'); colon != std::string_view::npos) {
        if (pair.substr(0, colon) != "kube") {
          return base::Fail(Code::kInvalid, Cat("component not registered: ", pair.substr(0, colon)));
        }
        pair.remove_prefix(colon + 1);
      }
      size_t equals = pair.find('=');
      if (equals == std::string_view::npos) return base::Fail(Code::kInvalid, Cat("missing bool value for ", pair));
      base::Result<> set =
          gates.Set(base::TrimSpace(pair.substr(0, equals)), base::TrimSpace(pair.substr(equals + 1)), warnings);
      if (!set) return std::unexpected(set.error());
    }
  }
  return gates;
}

base::Result<> FeatureGates::Set(std::string_view name, std::string_view value, std::vector<std::string>& warnings) {
  std::optional<bool> on = ParseGoBool(value);
  if (!on)
    return base::Fail(Code::kInvalid, Cat("invalid value of ", name, "=", value, ", err: ", GoBoolComplaint(value)));
  const FeatureGate* gate = Find(name);
  if (gate == nullptr) return base::Fail(Code::kInvalid, Cat("unrecognized feature gate: ", name));
  std::string_view wanted = *on ? "true" : "false";
  if (gate->locked && *on != gate->on_by_default) {
    return base::Fail(Code::kInvalid, Cat("cannot set feature gate ", name, " to ", wanted, ", feature is locked to ",
                                          gate->on_by_default ? "true" : "false"));
  }
  if (gate->stage == FeatureGate::Stage::kGa) {
    warnings.push_back(Cat("Setting GA feature gate ", name, "=", wanted, ". It will be removed in a future release."));
  } else if (gate->stage == FeatureGate::Stage::kDeprecated) {
    warnings.push_back(
        Cat("Setting deprecated feature gate ", name, "=", wanted, ". It will be removed in a future release."));
  }
  set_.insert_or_assign(std::string(name), *on);
  return {};
}

bool FeatureGates::Enabled(std::string_view name) const {
  if (auto set = set_.find(name); set != set_.end()) return set->second;
  const FeatureGate* gate = Find(name);
  if (gate == nullptr) return false;
  if (auto stage = set_.find(WholeStage(gate->stage)); stage != set_.end() && !gate->locked) return stage->second;
  return gate->on_by_default;
}

api::Features FeatureGates::Features() const {
  api::Features features;
  for (const api::FeatureRow& row : api::AllFeatures()) features.Set(*api::FindFeature(row.gate), Enabled(row.gate));
  return features;
}

}  // namespace server
