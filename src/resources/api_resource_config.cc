#include "resources/api_resource_config.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "resources/builtin_rows.h"

namespace resources {

namespace {

enum class Level { kGa, kBeta, kAlpha, kOther };

// v1, v1beta1, v1alpha1.
Level LevelOf(std::string_view version) {
  auto digits = [&version] {
    size_t n = 0;
    while (n < version.size() && base::IsDigit(version[n])) ++n;
    version.remove_prefix(n);
    return n > 0;
  };
  if (!version.starts_with('v')) return Level::kOther;
  version.remove_prefix(1);
  if (!digits()) return Level::kOther;
  if (version.empty()) return Level::kGa;
  Level level = version.starts_with("beta")    ? Level::kBeta
                : version.starts_with("alpha") ? Level::kAlpha
                                               : Level::kOther;
  if (level == Level::kOther) return level;
  version.remove_prefix(level == Level::kBeta ? 4 : 5);
  return digits() && version.empty() ? level : Level::kOther;
}

struct LevelKey {
  std::string_view key;
  bool (*matches)(std::string_view version);
};
constexpr std::array<LevelKey, 4> kLevels = {{
    {"api/all", [](std::string_view) { return true; }},
    {"api/ga", [](std::string_view version) { return LevelOf(version) == Level::kGa; }},
    {"api/beta", [](std::string_view version) { return LevelOf(version) == Level::kBeta; }},
    {"api/alpha", [](std::string_view version) { return LevelOf(version) == Level::kAlpha; }},
}};

bool IsLevelKey(std::string_view key) { return std::ranges::find(kLevels, key, &LevelKey::key) != kLevels.end(); }

// Known to the real server, but with nothing to serve in 1.32: naming them is no mistake.
constexpr std::string_view kEmptyVersions[] = {
    "abac.authorization.kubernetes.io/v1beta1",
    "admission.k8s.io/v1",
    "admission.k8s.io/v1beta1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1alpha1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "batch/v1beta1",
    "certificates.k8s.io/v1beta1",
    "coordination.k8s.io/v1beta1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "imagepolicy.k8s.io/v1alpha1",
    "networking.k8s.io/v1alpha1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "rbac.authorization.k8s.io/v1beta1",
    "scheduling.k8s.io/v1alpha1",
    "scheduling.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiregistration.k8s.io/v1beta1",
};

std::string_view GroupOf(std::string_view key) { return key.substr(0, key.find('/')); }

bool IsKnownGroup(std::string_view group) {
  return std::ranges::find(rows::Groups(), group, &rows::GroupRow::name) != rows::Groups().end() ||
         std::ranges::any_of(kEmptyVersions, [&](std::string_view known) { return GroupOf(known) == group; });
}

std::optional<bool> ParseBool(std::string_view text) {
  for (std::string_view yes : {"", "1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::unexpected<base::Error> Invalid(std::string message) {
  return base::Fail(base::Code::kInvalid, std::move(message));
}

// The keys one by one, before any is applied.
base::Result<> Check(std::span<const ApiResourceConfig::Setting> settings) {
  if (settings.size() == 1 && settings[0].first == "api/all" && settings[0].second == "false") {
    return Invalid("invalid key with only api/all=false");
  }
  std::string unknown;
  for (const auto& [key, value] : settings) {
    if (IsLevelKey(key)) continue;
    auto slashes = std::ranges::count(key, '/');
    if (slashes < 1 || slashes > 2) return Invalid("runtime-config invalid key " + key);
    if (!IsKnownGroup(GroupOf(key))) base::Append(unknown, unknown.empty() ? "" : ",", GroupOf(key));
  }
  if (!unknown.empty()) return Invalid("unknown api groups " + unknown);
  return {};
}

}  // namespace

ApiResourceConfig::ApiResourceConfig() {
  for (const rows::GroupRow& group : rows::Groups()) {
    for (const rows::VersionRow& version : group.versions) {
      versions_[base::Cat(group.name, "/", version.version)] = version.enabled_by_default;
    }
  }
  for (std::string_view version : kEmptyVersions) versions_[std::string(version)] = false;
}

base::Result<ApiResourceConfig> ApiResourceConfig::Make(std::span<const Setting> runtime_config) {
  ApiResourceConfig set;
  base::Result<> done = Check(runtime_config);
  if (done) done = set.SetLevels(runtime_config);
  if (done) done = set.SetKeys(runtime_config, 2);
  if (done) done = set.SetKeys(runtime_config, 3);
  if (!done) return std::unexpected(done.error());
  return set;
}

base::Result<> ApiResourceConfig::SetLevels(std::span<const Setting> runtime_config) {
  for (const LevelKey& level : kLevels) {
    for (const auto& [key, value] : runtime_config) {
      if (key != level.key) continue;
      if (value != "true" && value != "false") return Invalid(base::Cat("invalid value ", key, "=", value));
      for (auto& [group_version, on] : versions_) {
        if (level.matches(group_version.substr(group_version.find('/') + 1))) on = value == "true";
      }
    }
  }
  return {};
}

base::Result<> ApiResourceConfig::SetKeys(std::span<const Setting> runtime_config, size_t parts) {
  for (const auto& [key, value] : runtime_config) {
    if (IsLevelKey(key) || std::ranges::count(key, '/') + 1 != static_cast<ptrdiff_t>(parts)) continue;
    std::string group_version = parts == 2 ? key : key.substr(0, key.rfind('/'));
    if (!versions_.contains(group_version)) {
      return Invalid(base::Cat("group version ", group_version, " that has not been registered"));
    }
    std::optional<bool> on = ParseBool(value);
    if (!on) {
      return Invalid(base::Cat("invalid value of ", key, ": ", value, ", err: strconv.ParseBool: parsing ",
                               api::Quote(value), ": invalid syntax"));
    }
    std::string plural = parts == 3 ? key.substr(key.rfind('/') + 1) : "";
    if (base::ToLower(plural) != plural) {
      return Invalid(base::Cat("invalid key ", key,
                               ": group/version/resource and resource is always lowercase plural, not ",
                               api::Quote(plural)));
    }
    (parts == 2 ? versions_ : resources_)[key] = *on;
  }
  return {};
}

bool ApiResourceConfig::HasGate(std::string_view gate) const {
  if (gate.empty()) return true;
  const std::optional<api::Feature> feature = api::FindFeature(gate);
  return feature && features_.Has(*feature);
}

bool ApiResourceConfig::Has(std::string_view group, std::string_view version, std::string_view plural,
                     std::string_view gate) const {
  if (!HasGate(gate)) return false;
  std::string group_version = base::Cat(group, "/", version);
  if (auto chosen = resources_.find(base::Cat(group_version, "/", plural)); chosen != resources_.end()) {
    return chosen->second;
  }
  auto found = versions_.find(group_version);
  return found != versions_.end() && found->second;
}

}  // namespace resources
