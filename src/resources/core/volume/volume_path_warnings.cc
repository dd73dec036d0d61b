#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/quote.h"
#include "base/text.h"
#include "resources/core/pod/pod_warnings.h"

namespace resources::core {
namespace {

using api::Quote;

// A file of a volume, and where it comes from.
struct File {
  std::string_view path;
  std::shared_ptr<const std::string> source;  // of many files; it may be long
  std::string text() const { return source->empty() ? Quote(path) : base::Cat(Quote(path), " (", *source, ")"); }
};
using Files = std::vector<File>;

Files FilesOf(const Value& items, std::string source) {
  Files files;
  const auto shared = std::make_shared<const std::string>(std::move(source));
  for (const Value& item : items.items()) files.push_back({item.GetString("path"), shared});
  return files;
}

// The files of a volume, and the warnings of those that overlap.
class Overlaps {
 public:
  Overlaps(const Value& volume, std::string kind, std::vector<std::string>& warnings)
      : volume_(volume), kind_(std::move(kind)), warnings_(warnings) {}

  // Says of each of `files` with which of those before it overlaps.
  void Add(const Files& files) {
    for (File file : files) {
      if (before_.size() == kMostFiles || warnings_.size() >= kMostWarnings) return;
      while (file.path.ends_with('/')) file.path.remove_suffix(1);
      if (!file.path.empty()) {
        for (const size_t other : Overlapping(file.path)) Warn(file, before_[other]);
        by_path_.emplace(file.path, before_.size());
      }
      before_.push_back(std::move(file));
    }
  }

 private:
  static constexpr size_t kMostFiles = 100'000;  // sources without files of their own repeat those before them
  static constexpr size_t kMostLevels = 256;     // of directories around a file
  static constexpr size_t kMostBytes = 20'000;   // of a warning: of one that is so long the front is told

  // The places of the files before that are where `path` is, in it, or around it.
  std::vector<size_t> Overlapping(std::string_view path) const {
    std::vector<size_t> found;
    const auto take = [&](auto at, std::string_view begin, bool whole) {
      for (; at != by_path_.end() && found.size() < kMostWarnings; ++at) {
        if (whole ? at->first != begin : !at->first.starts_with(begin)) break;
        found.push_back(at->second);
      }
    };
    take(by_path_.lower_bound(path), path, true);
    const std::string inside = base::Cat(path, "/");
    take(by_path_.lower_bound(inside), inside, false);
    size_t levels = 0;
    for (size_t at = path.find('/', 1); at != path.npos && levels++ < kMostLevels; at = path.find('/', at + 1)) {
      take(by_path_.lower_bound(path.substr(0, at)), path.substr(0, at), true);
    }
    std::ranges::sort(found);
    return found;
  }

  void Warn(const File& file, const File& other) const {
    if (warnings_.size() >= kMostWarnings) return;
    std::string text = base::Cat("volume ", Quote(volume_.GetString("name")), " (", kind_,
                                 "): overlapping paths: ", file.text(), " with ", other.text());
    if (text.size() > kMostBytes) text.resize(kMostBytes);
    warnings_.push_back(std::move(text));
  }

  const Value& volume_;
  const std::string kind_;
  std::vector<std::string>& warnings_;
  Files before_;
  std::multimap<std::string_view, size_t> by_path_;
};

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
    return Files{{token->GetString("path"), std::make_shared<const std::string>("ServiceAccountToken")}};
  }
  if (const Value* bundle = source.Find("clusterTrustBundle")) {
    const std::string_view name = bundle->GetString(bundle->Find("name") != nullptr ? "name" : "signerName");
    return Files{{bundle->GetString("path"), std::make_shared<const std::string>(Named("ClusterTrustBundle", name))}};
  }
  return std::nullopt;
}

void WarnOfProjected(const Value& volume, std::vector<std::string>& warnings) {
  Overlaps overlaps(volume, "Projected", warnings);
  Files files;
  for (const Value& source : volume.Get({"projected", "sources"}).items()) {
    if (source.empty()) {
      if (warnings.size() >= kMostWarnings) return;
      warnings.push_back(base::Cat("volume ", Quote(volume.GetString("name")), " (Projected) has no sources provided"));
      continue;
    }
    if (auto own = FilesOfSource(source)) files = std::move(*own);
    overlaps.Add(files);
  }
}

void WarnOfItems(const Value& volume, std::string_view field, const std::string& kind,
                 std::vector<std::string>& warnings) {
  Overlaps(volume, kind, warnings).Add(FilesOf(volume.Get({field, "items"}), ""));
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
