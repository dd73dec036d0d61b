// NodeGraph: which objects the pods of a node need, so that the node's kubelet may read them. An index over the stored
// pods, persistent volumes, volume attachments and resource slices, kept up object by object from their events before
// each decision: what was written is known to the next question.
//
// Threads: any; one lock, held for one decision, never over a wait. Memory: about that of the references stored. Cost
// of a decision: the events since the last one, of which pods' status updates cost a look at three fields; where
// history was lost, a scan.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/string_map.h"
#include "registry/resource_table.h"
#include "store/store.h"
#include "value/value.h"

namespace auth {

// The node that a user is; `is_node` with an empty name is one that cannot be told.
struct NodeIdentity {
  bool is_node = false;
  std::string_view name;  // points into the user
};
NodeIdentity NodeIdentityOf(const api::User& user);

class NodeGraph {
 public:
  enum class Kind : char {
    kConfigMap = 'm',
    kPersistentVolume = 'v',
    kPersistentVolumeClaim = 'c',
    kPod = 'p',
    kResourceClaim = 'r',
    kResourceSlice = 's',
    kSecret = 'e',
    kServiceAccount = 'a',
    kVolumeAttachment = 't',
  };
  // Both outlive this. Resources that the table does not have are nobody's.
  NodeGraph(store::Store& store, const registry::ResourceTable& resources);

  // Whether the object is one that a pod of `node` needs, or the node's own. `namespace_name` is "" for what is in no
  // namespace.
  bool HasPath(std::string_view node, Kind kind, std::string_view namespace_name, std::string_view name) const;

 private:
  enum class Source { kPods, kVolumes, kAttachments, kSlices };
  struct Followed {
    Source source;
    store::CollectionId collection;
    std::unique_ptr<store::Watcher> events;  // null before the first use
  };
  // Nodes by how many objects connect something to them.
  using Nodes = absl::flat_hash_map<uint32_t, uint32_t>;
  struct Links {
    uint32_t node = 0;
    std::vector<std::string> targets;  // keys of reached_
  };
  struct Volume {
    std::string claim;                 // key in reached_
    std::vector<std::string> secrets;  // "namespace/name"
  };

  void Follow() const;
  void Rebuild(Followed& followed) const;
  void Forget(Source source, std::string_view key) const;
  void Take(Source source, const store::Cell& cell) const;
  void TakePod(std::string_view key, const value::Value& pod) const;
  void TakeVolume(std::string_view name, const value::Value& volume) const;
  void Link(std::string key, std::string_view node, std::vector<std::string> targets) const;
  uint32_t NumberOf(std::string_view node) const;
  bool Reaches(std::string_view key, uint32_t node) const;

  store::Store& store_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<Followed> followed_;
  mutable base::StringMap<uint32_t> nodes_;  // numbers of names; as many as there ever were nodes with pods
  mutable base::StringMap<Nodes> reached_;   // by kind and "namespace/name"
  mutable base::StringMap<Links> links_;     // of each pod, attachment and slice, by its source and key
  mutable base::StringMap<Volume> volumes_;  // by name
  mutable base::StringMap<std::vector<std::string>> volumes_by_secret_;  // names by "namespace/name"
};

}  // namespace auth
