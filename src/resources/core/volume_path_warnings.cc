#include <optional>
#include <utility>

#include "api/quote.h"
#include "base/text.h"
#include "resources/core/pod_warnings.h"

namespace resources::core {
namespace {

using api::Quote;

// A file of a volume, and where it comes from.
struct File {
  std::string_view path;
  std::string source;
  bool operator==(const File&) const = default;
  std::string text() const { return source.empty() ? Quote(path) : base::Cat(Quote(path), " (", source, ")"); }
};
using Files = std::vector<File>;

Files FilesOf(const Value& items, const std::string& source) {
  Files files;
  for (const Value& item : items.items()) files.push_back({item.GetString("path"), source});
  return files;
}

bool IsWithin(std::string_view inner, std::string_view outer) {
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

// Adds `files` to `before`, and says of each with which of those before it overlaps.
std::vector<std::string> Overlaps(Files& before, const Files& files) {
  std::vector<std::string> overlaps;
  for (File file : files) {
    while (file.path.ends_with('/')) file.path.remove_suffix(1);
    for (const File& other : before) {
      if (file.path.empty() || other.path.empty()) continue;
      if (!IsWithin(other.path, file.path) && !IsWithin(file.path, other.path)) continue;
      overlaps.push_back(base::Cat(file.text(), " with ", other.text()));
    }
    before.push_back(std::move(file));
  }
  return overlaps;
}

void Warn(const Value& volume, std::string_view kind, const std::vector<std::string>& overlaps,
          std::vector<std::string>& warnings) {
  for (const std::string& overlap : overlaps) {
    warnings.push_back(
        base::Cat("volume ", Quote(volume.GetString("name")), " (", kind, "): overlapping paths: ", overlap));
  }
}

std::string Named(std::string_view kind, std::string_view name) { return base::Cat(kind, " ", Quote(name)); }

// The files of a source of a projected volume. Nothing where it has none of its own: then those of the source before it
// count once more.
std::optional<Files> FilesOfSource(const Value& source) {
  const auto items = [&](std::string_view field, const std::string& name) -> std::optional<Files> {
    return FilesOf(source.Get({field, "items"}), name);
  };
  const auto has_items = [&](std::string_view field) { return source.Get({field, "items"}).is_array(); };
  if (has_items("configMap")) return items("configMap", Named("ConfigMap", source.Get("configMap").GetString("name")));
  if (has_items("secret")) return items("secret", Named("Secret", source.Get("secret").GetString("name")));
  if (has_items("downwardAPI")) return items("downwardAPI", "DownwardAPI");
  if (const Value* token = source.Find("serviceAccountToken")) {
    return Files{{token->GetString("path"), "ServiceAccountToken"}};
  }
  if (const Value* bundle = source.Find("clusterTrustBundle")) {
    const std::string_view name = bundle->GetString(bundle->Find("name") != nullptr ? "name" : "signerName");
    return Files{{bundle->GetString("path"), Named("ClusterTrustBundle", name)}};
  }
  return std::nullopt;
}

void WarnOfProjected(const Value& volume, std::vector<std::string>& warnings) {
  Files before, files;
  for (const Value& source : volume.Get({"projected", "sources"}).items()) {
    if (source.empty()) {
      warnings.push_back(base::Cat("volume ", Quote(volume.GetString("name")), " (Projected) has no sources provided"));
      continue;
    }
    if (auto own = FilesOfSource(source)) files = std::move(*own);
    Warn(volume, "Projected", Overlaps(before, files), warnings);
  }
}

void WarnOfItems(const Value& volume, std::string_view field, const std::string& kind,
                 std::vector<std::string>& warnings) {
  Files before;
  Warn(volume, kind, Overlaps(before, FilesOf(volume.Get({field, "items"}), "")), warnings);
}

}  // namespace

void WarnOfOverlappingPaths(const Value& volumes, std::vector<std::string>& warnings) {
  for (const Value& volume : volumes.items()) {
    const auto named = [&](std::string_view kind, std::string_view field, std::string_view name) {
      return Named(kind, volume.Get(field).GetString(name));
    };
    WarnOfItems(volume, "configMap", named("ConfigMap", "configMap", "name"), warnings);
    WarnOfItems(volume, "secret", named("Secret", "secret", "secretName"), warnings);
    WarnOfItems(volume, "downwardAPI", "DownwardAPI", warnings);
    WarnOfProjected(volume, warnings);
  }
}

}  // namespace resources::core
