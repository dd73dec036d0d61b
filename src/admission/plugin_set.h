// The admission plugins of kube-apiserver 1.32 in the order in which it runs them, which of them are on by default, and
// what --enable-admission-plugins and --disable-admission-plugins make of that. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace admission {

struct PluginEntry {
  std::string_view name;
  bool on_by_default;
};

// In order.
std::span<const PluginEntry> AllPlugins();
// The place of a plugin in that order; -1 for an unknown one.
int PluginPlace(std::string_view name);

// The names that are on, in order. A plugin that is enabled and disabled at once is refused by the options before.
std::vector<std::string_view> EnabledPlugins(std::span<const std::string> enabled,
                                             std::span<const std::string> disabled);

}  // namespace admission
