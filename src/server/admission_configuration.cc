#include "server/admission_configuration.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "admission/plugin_configuration.h"
#include "base/text.h"
#include "server/admission_plugins.h"
#include "value/quote.h"
#include "value/yaml_reader.h"

namespace server {
namespace {

using base::Cat;
using value::Value;

base::Result<> Fail(std::string message) { return base::Fail(base::Code::kInvalid, std::move(message)); }

// The first document of a YAML or JSON file; null of an empty one.
base::Result<Value> ReadDocument(const std::string& path, value::Arena& arena) {
  std::ifstream file(path, std::ios::binary);
  std::string text(AdmissionConfiguration::kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (!file.is_open() || file.bad() || !file.eof()) {
    return base::Fail(base::Code::kIo, Cat("unable to read admission control configuration from ", value::Quote(path)));
  }
  std::string duplicates;
  auto document = value::ReadYaml(arena.CopyString(text), arena, &duplicates);
  if (!document) return base::Fail(base::Code::kInvalid, Cat(path, ": ", document.error().message));
  if (!duplicates.empty()) return base::Fail(base::Code::kInvalid, Cat(path, ": ", duplicates));
  return document;
}

}  // namespace

base::Result<std::unique_ptr<const AdmissionConfiguration>> AdmissionConfiguration::Read(const std::string& path) {
  auto configuration = std::make_unique<AdmissionConfiguration>();
  if (path.empty()) return configuration;
  const base::Result<Value> document = ReadDocument(path, configuration->arena_);
  if (!document) return std::unexpected(document.error());
  // Older files hold the configuration of these two alone, without kind.
  for (const auto& [member, plugin] :
       {std::pair{"imagePolicy", "ImagePolicyWebhook"}, std::pair{"podNodeSelectorPluginConfig", "PodNodeSelector"}}) {
    if (document->Find("kind") == nullptr && document->Find(member) != nullptr) {
      configuration->entries_.push_back({plugin, *document});
    }
  }
  if (!configuration->entries_.empty()) return configuration;

  base::Result<> read =
      document->GetString("apiVersion") == "apiserver.k8s.io/v1alpha1"
          ? admission::CheckConfigurationKind(*document, "apiserver.k8s.io", {"v1alpha1"}, "AdmissionConfiguration")
          : admission::CheckConfigurationKind(*document, "apiserver.config.k8s.io", {"v1"}, "AdmissionConfiguration");
  if (read) read = admission::CheckConfigurationFields(*document, {"apiVersion", "kind", "plugins"});
  const Value plugins = document->Get("plugins");
  if (read && !plugins.is_null() && !plugins.is_array()) read = Fail("plugins is no list");
  for (const Value& plugin : plugins.items()) {
    if (read) read = configuration->ReadPlugin(plugin, path);
  }
  if (!read) return base::Fail(read.error().code, Cat(path, ": ", read.error().message));
  return configuration;
}

base::Result<> AdmissionConfiguration::ReadPlugin(const Value& plugin, std::string_view path) {
  const std::string at = Cat("plugins[", entries_.size(), "]");
  if (!plugin.is_object()) return Fail(Cat(at, " is no object"));
  base::Result<> read = admission::CheckConfigurationFields(plugin, {"name", "path", "configuration"}, at);
  if (!read) return read;
  const auto name = admission::ReadConfigurationText(plugin, "name");
  if (!name) return std::unexpected(name.error());
  const auto file = admission::ReadConfigurationText(plugin, "path");
  if (!file) return std::unexpected(file.error());
  if (FindAdmissionPlugin(*name) == nullptr) return Fail(Cat(at, ": plugin ", value::Quote(*name), " is unknown"));
  Value document = plugin.Get("configuration");
  if (document.is_null() && !file->empty()) {
    const std::filesystem::path own = std::filesystem::path(path).parent_path() / *file;
    base::Result<Value> found = ReadDocument(own.string(), arena_);
    if (!found) return std::unexpected(std::move(found.error()));
    document = *found;
  }
  if (!document.is_null() && !document.is_object()) return Fail(Cat(at, ": the configuration is no object"));
  entries_.push_back({*name, document});
  return {};
}

Value AdmissionConfiguration::Of(std::string_view plugin) const {
  const auto at = std::ranges::find(entries_, plugin, &Entry::plugin);
  return at == entries_.end() ? Value() : at->document;
}

}  // namespace server
