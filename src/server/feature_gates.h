// FeatureGates: which features are on, from --feature-gates. Made once by main, then immutable and copied freely.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/features.h"
#include "base/result.h"

namespace server {

struct FeatureGate {
  enum class Stage { kAlpha, kBeta, kGa, kDeprecated };
  std::string_view name;
  Stage stage = Stage::kAlpha;
  bool on_by_default = false;
  bool locked = false;  // cannot be set to anything but its default
};

// Sorted by name.
std::span<const FeatureGate> AllFeatureGates();

class FeatureGates {
 public:
  // `values`: each "A=true,kube:B=false". The error's message is the one of kube-apiserver; so are the warnings.
  static base::Result<FeatureGates> Parse(std::span<const std::string> values, std::vector<std::string>& warnings);
  FeatureGates() = default;

  // False for a name that is no gate.
  bool Enabled(std::string_view name) const;
  // Those that change what built-in types may hold.
  api::Features Features() const;

 private:
  base::Result<> Set(std::string_view name, std::string_view value, std::vector<std::string>& warnings);

  std::map<std::string, bool, std::less<>> set_;
};

}  // namespace server
