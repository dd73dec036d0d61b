#include "handlers/endpoints/served_metrics.h"

#include "absl/container/flat_hash_set.h"

namespace handlers {

void AddServedMetrics(const store::Store& store, const registry::ResourceTables& tables, const VersionInfo& version,
                      base::Metrics& metrics) {
  metrics
      .Gauges(
          "kubernetes_build_info",
          "[ALPHA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree "
          "state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is "
          "running.",
          {"build_date", "compiler", "git_commit", "git_tree_state", "git_version", "go_version", "major", "minor",
           "platform"})
      .With({version.build_date, version.compiler, version.git_commit, version.git_tree_state, version.git_version,
             version.go_version, version.major, version.minor, version.platform})
      .Set(1);
  base::GaugeFamily& objects = metrics.Gauges(
      "apiserver_storage_objects",
      "[STABLE] Number of stored objects at the time of last check split by kind. In case of a fetching error, the "
      "value will be -1.",
      {"resource"});
  metrics.OnCollect([&store, &tables, &objects] {
    const registry::ResourceTableRef resources = tables.Snapshot();
    absl::flat_hash_set<const registry::Storage*> seen;  // versions of a resource share their objects
    for (const registry::Resource* resource : resources->All()) {
      if (resource->storage == nullptr || !seen.insert(resource->storage.get()).second) continue;
      const auto count = store.Latest(resource->storage->id).Count();
      objects.With({resource->group_resource().text()}).Set(static_cast<double>(count));
    }
  });
}

}  // namespace handlers
