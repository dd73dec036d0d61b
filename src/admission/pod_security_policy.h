// What the labels of a namespace ask of its pods: a level of the pod security standards and a version of them for each
// of three modes (https://kubernetes.io/docs/concepts/security/pod-security-admission/). Pure values and functions, any
// thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/error.h"
#include "value/value.h"

namespace admission {

enum class PodSecurityLevel : uint8_t { kPrivileged, kBaseline, kRestricted };

// A version of the standards: v1.<minor>, or the latest there is.
struct PodSecurityVersion {
  static constexpr int64_t kLatest = INT64_MAX;
  int64_t minor = kLatest;
  bool operator==(const PodSecurityVersion&) const = default;
};

struct PodSecurityRule {
  PodSecurityLevel level = PodSecurityLevel::kPrivileged;
  PodSecurityVersion version;

  bool operator==(const PodSecurityRule&) const = default;
  bool privileged() const { return level == PodSecurityLevel::kPrivileged; }
  std::string text() const;  // "baseline:v1.24", "restricted:latest"
};

std::optional<PodSecurityLevel> ParsePodSecurityLevel(std::string_view text);
std::optional<PodSecurityVersion> ParsePodSecurityVersion(std::string_view text);
// What is said of a text that is none.
inline constexpr std::string_view kPodSecurityLevels = "must be one of privileged, baseline, restricted";
inline constexpr std::string_view kPodSecurityVersions = "must be \"latest\" or \"v1.x\"";

struct PodSecurityPolicy {
  PodSecurityRule enforce, audit, warn;

  // Whether no pod can break it.
  bool fully_privileged() const { return enforce.privileged() && audit.privileged() && warn.privileged(); }
  // Whether both ask for the same: of nothing, versions do not matter.
  bool Equivalent(const PodSecurityPolicy& other) const;
};

// What a mode and its version are called in labels.
struct PodSecurityMode {
  std::string_view name, level_label, version_label;
  PodSecurityRule PodSecurityPolicy::* rule;
};
extern const std::array<PodSecurityMode, 3> kPodSecurityModes;  // enforce, audit, warn

struct LabelledPolicy {
  PodSecurityPolicy policy;
  api::FieldErrors errors;  // labels that are no level or no version
};
// `defaults` holds where `labels` (metadata.labels) say nothing. A wrong level to enforce counts as restricted, a wrong
// one to warn of or to record as privileged, a wrong version as the latest.
LabelledPolicy ReadPodSecurityLabels(const value::Value& labels, const PodSecurityPolicy& defaults);

}  // namespace admission
