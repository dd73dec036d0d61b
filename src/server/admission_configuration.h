// AdmissionConfiguration: the file of --admission-control-config-file, which has a document for each admission plugin
// that is configured, in it or in a file of its own. Read once at start; then constant, any thread. What a document
// says is its plugin's to read (admission::PluginParts::configuration).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace server {

class AdmissionConfiguration {
 public:
  static constexpr size_t kMostBytes = 16 << 20;  // of one file

  // Of the file at `path`, YAML or JSON; "" is none, and nothing is configured. Fails (kInvalid, kIo) for what cannot
  // be read, is no AdmissionConfiguration, has fields or plugins that nobody knows, or a document that is no object.
  // Files that it names are looked for from its own folder.
  static base::Result<std::unique_ptr<const AdmissionConfiguration>> Read(const std::string& path);

  // The document of that plugin; a null Value where it has none. Lives as long as this.
  value::Value Of(std::string_view plugin) const;

 private:
  struct Entry {
    std::string plugin;
    value::Value document;
  };
  base::Result<> ReadPlugin(const value::Value& plugin, std::string_view path);

  value::Arena arena_;
  std::vector<Entry> entries_;
};

}  // namespace server
