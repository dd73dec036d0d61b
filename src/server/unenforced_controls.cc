#include "server/unenforced_controls.h"

#include <algorithm>

#include "base/text.h"
#include "server/admission_plugins.h"

namespace server {
namespace {

using base::Cat;

bool AsksForSomething(const FlagValues& flags, const Flag& flag) {
  if (flag.type == "bool") return flags.Bool(flag.name);
  return std::ranges::any_of(flags.List(flag.name), [&](const std::string& value) { return !value.empty(); }) &&
         flags.Text(flag.name) != flag.default_value;
}

}  // namespace

std::vector<UnenforcedControl> UnenforcedControls(const FlagValues& flags) {
  std::vector<UnenforcedControl> controls;
  for (std::string_view name : flags.names()) {
    const Flag& flag = flags.Known(name);
    if (flag.effect == Flag::Effect::kRefused && AsksForSomething(flags, flag)) {
      controls.push_back({Cat("--", name), std::string(flag.note)});
    }
    if (name == "enable-admission-plugins" || name == "admission-control") {
      for (const std::string& plugin : flags.List(name)) {
        const AdmissionPlugin* known = FindAdmissionPlugin(plugin);
        if (known != nullptr && !known->built) {
          controls.push_back({Cat("--", name, "=", plugin), "that plugin is not built"});
        }
      }
    }
    if (name == "authorization-mode") {
      for (const std::string& mode : flags.List(name)) {
        if (mode == "Webhook")
          controls.push_back({Cat("--", name, "=", mode), "webhooks are not asked about rights yet"});
      }
    }
  }
  return controls;
}

base::Result<> RefuseUnenforced(const FlagValues& flags, std::vector<std::string>& warnings) {
  const std::vector<UnenforcedControl> controls = UnenforcedControls(flags);
  if (controls.empty()) return {};
  if (flags.Bool("allow-unenforced-flags")) {
    for (const UnenforcedControl& control : controls) {
      warnings.push_back(Cat(control.setting, " is NOT ENFORCED: ", control.missing));
    }
    return {};
  }
  std::vector<std::string> texts;
  for (const UnenforcedControl& control : controls) texts.push_back(Cat(control.setting, ": ", control.missing));
  return base::Fail(base::Code::kInvalid,
                    Cat("these flags protect something and are not honoured yet: ", base::Join(texts, "; "),
                        ". --allow-unenforced-flags starts the server without what they ask for"));
}

std::string MissingDefaults(const std::vector<std::string>& running_plugins) {
  std::vector<std::string> missing;
  for (const std::string& name : running_plugins) {
    const AdmissionPlugin* plugin = FindAdmissionPlugin(name);
    if (plugin != nullptr && plugin->on_by_default && !plugin->built) missing.push_back(name);
  }
  if (missing.empty()) return "";
  return Cat("Not enforced yet, though kube-apiserver does it by default: ", base::Join(missing, ", "));
}

}  // namespace server
