#include "admission/pod_security_policy.h"

#include <algorithm>
#include <charconv>

#include "api/field_path.h"
#include "api/quote.h"
#include "base/text.h"

namespace admission {
namespace {

using value::Value;

constexpr std::string_view kLevelNames[] = {"privileged", "baseline", "restricted"};

void Complain(api::FieldErrors& errors, std::string_view label, std::string_view value, std::string_view demand) {
  const api::FieldPath metadata("metadata");
  errors.push_back({api::FieldError::Type::kInvalid, metadata.Child("labels").Key(label).text(), api::Quote(value),
                    std::string(demand)});
}

}  // namespace

const std::array<PodSecurityMode, 3> kPodSecurityModes = {{
    {"enforce", "pod-security.kubernetes.io/enforce", "pod-security.kubernetes.io/enforce-version",
     &PodSecurityPolicy::enforce},
    {"audit", "pod-security.kubernetes.io/audit", "pod-security.kubernetes.io/audit-version",
     &PodSecurityPolicy::audit},
    {"warn", "pod-security.kubernetes.io/warn", "pod-security.kubernetes.io/warn-version", &PodSecurityPolicy::warn},
}};

std::string PodSecurityRule::text() const {
  const std::string_view name = kLevelNames[static_cast<size_t>(level)];
  if (version.minor == PodSecurityVersion::kLatest) return base::Cat(name, ":latest");
  return base::Cat(name, ":v1.", version.minor);
}

std::optional<PodSecurityLevel> ParsePodSecurityLevel(std::string_view text) {
  const auto at = std::ranges::find(kLevelNames, text);
  if (at == std::end(kLevelNames)) return std::nullopt;
  return static_cast<PodSecurityLevel>(at - std::begin(kLevelNames));
}

std::optional<PodSecurityVersion> ParsePodSecurityVersion(std::string_view text) {
  constexpr std::string_view kMajor = "v1.";
  if (text == "latest") return PodSecurityVersion();
  if (!text.starts_with(kMajor)) return std::nullopt;
  const std::string_view digits = text.substr(kMajor.size());
  if (digits.empty() || !std::ranges::all_of(digits, base::IsDigit) || (digits.size() > 1 && digits[0] == '0')) {
    return std::nullopt;
  }
  PodSecurityVersion version;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), version.minor);
  if (read.ec != std::errc() || version.minor == PodSecurityVersion::kLatest) return std::nullopt;
  return version;
}

bool PodSecurityPolicy::Equivalent(const PodSecurityPolicy& other) const {
  return std::ranges::all_of(kPodSecurityModes, [&](const PodSecurityMode& mode) {
    const PodSecurityRule &mine = this->*mode.rule, &theirs = other.*mode.rule;
    return (mine.privileged() && theirs.privileged()) || mine == theirs;
  });
}

LabelledPolicy ReadPodSecurityLabels(const Value& labels, const PodSecurityPolicy& defaults) {
  LabelledPolicy read{.policy = defaults, .errors = {}};
  bool enforces = false, warns = false, warns_version = false;
  for (const PodSecurityMode& mode : kPodSecurityModes) {
    PodSecurityRule& rule = read.policy.*mode.rule;
    const bool enforce = mode.name == "enforce", warn = mode.name == "warn";
    if (const Value* label = labels.Find(mode.level_label); label != nullptr && label->is_string()) {
      const auto level = ParsePodSecurityLevel(label->AsString());
      if (!level) Complain(read.errors, mode.level_label, label->AsString(), kPodSecurityLevels);
      rule.level = level.value_or(enforce ? PodSecurityLevel::kRestricted : PodSecurityLevel::kPrivileged);
      enforces = enforces || (enforce && level);
      warns = warns || warn;
    }
    if (const Value* label = labels.Find(mode.version_label); label != nullptr && label->is_string()) {
      const auto version = ParsePodSecurityVersion(label->AsString());
      if (!version) Complain(read.errors, mode.version_label, label->AsString(), kPodSecurityVersions);
      rule.version = version.value_or(PodSecurityVersion());
      warns_version = warns_version || warn;
    }
  }
  // What is enforced is warned of, too, on the objects that make pods.
  PodSecurityPolicy& policy = read.policy;
  if (!warns && enforces && policy.enforce.level > policy.warn.level) {
    policy.warn.level = policy.enforce.level;
    if (!warns_version) policy.warn.version = policy.enforce.version;
  }
  return read;
}

}  // namespace admission
