// Admission plugins by name: which there are, which run where nobody says anything, which of them Fairlead has. Read
// by the options alone; the table is constant data (data/flags/admission-plugins.txt).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace server {

struct AdmissionPlugin {
  std::string_view name;
  bool on_by_default;
  bool built;
};

// Of kube-apiserver 1.32, in the order in which it runs them.
std::span<const AdmissionPlugin> AllAdmissionPlugins();
const AdmissionPlugin* FindAdmissionPlugin(std::string_view name);

// Those that run, also such as are not built: the default ones without `disabled`, and `enabled`, which stands above
// it. In the order in which they run.
std::vector<std::string> RunningPlugins(std::span<const std::string> enabled, std::span<const std::string> disabled);

}  // namespace server
