#include "handlers/endpoints/version.h"

#include <memory>
#include <utility>

#include "handlers/endpoints/fixed_document.h"
#include "value/json_writer.h"

namespace handlers {

VersionInfo ServedVersion() {
  return {.major = "1",
          .minor = "32",
          .git_version = "v1.32.5",
          .git_commit = "$Format:%H$",
          .git_tree_state = "",
          .build_date = "1970-01-01T00:00:00Z",
          .go_version = "go1.23.8",
          .compiler = "gc",
          .platform = "linux/amd64"};
}

std::string VersionJson(const VersionInfo& info) {
  const std::pair<std::string_view, const std::string&> members[] = {
      {"major", info.major},
      {"minor", info.minor},
      {"gitVersion", info.git_version},
      {"gitCommit", info.git_commit},
      {"gitTreeState", info.git_tree_state},
      {"buildDate", info.build_date},
      {"goVersion", info.go_version},
      {"compiler", info.compiler},
      {"platform", info.platform},
  };
  std::string json = "{";
  for (const auto& [key, text] : members) {
    json += json.size() == 1 ? "\n  " : ",\n  ";
    value::AppendJsonString(json, key);
    json += ": ";
    value::AppendJsonString(json, text);
  }
  return json + "\n}";
}

void InstallVersion(const VersionInfo& info, Endpoints& endpoints) {
  endpoints.Prefix(
      "/version", std::make_shared<FixedDocument>(
                      FixedDocument::Facts{.path = "/version", .media_type = "application/json", .takes_it_only = true},
                      [json = VersionJson(info)] { return json; }));
}

}  // namespace handlers
