#include "server/admission_plugins.h"

#include <algorithm>

namespace server {
namespace {

bool Contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

const AdmissionPlugin* FindAdmissionPlugin(std::string_view name) {
  const std::span<const AdmissionPlugin> all = AllAdmissionPlugins();
  const auto at = std::ranges::find(all, name, &AdmissionPlugin::name);
  return at == all.end() ? nullptr : &*at;
}

std::vector<std::string> RunningPlugins(std::span<const std::string> enabled, std::span<const std::string> disabled) {
  std::vector<std::string> running;
  for (const AdmissionPlugin& plugin : AllAdmissionPlugins()) {
    if (Contains(enabled, plugin.name) || (plugin.on_by_default && !Contains(disabled, plugin.name))) {
      running.emplace_back(plugin.name);
    }
  }
  return running;
}

}  // namespace server
