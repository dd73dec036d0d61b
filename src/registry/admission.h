// Admission: what may change or refuse a write on its way to the store. Declared where writes call it; the floor
// `admission` implements it (admission/chain.h).
//
// Threads: any, many at a time. Both calls may wait; the request outlives them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "base/task.h"
#include "registry/resource.h"

namespace store {
struct Write;
}

namespace registry {

struct Call;
struct DeleteOptions;

enum class Operation : uint8_t { kCreate, kUpdate, kDelete, kConnect };
// "CREATE", "UPDATE", ...: as webhooks and policies name them.
std::string_view OperationName(Operation operation);

struct Key {
  std::string_view namespace_name;  // "" for cluster-scoped resources, and for all namespaces in collection verbs
  std::string_view name;
};

// What mutating plugins keep while a request passes all of them, and passes them a second time because one that came
// late (a webhook) changed what earlier ones had seen. The chain's; its members are the plugins'.
struct MutationPasses {
  struct State {
    virtual ~State() = default;
  };
  bool is_second = false;
  bool wants_second = false;
  std::unique_ptr<State> webhooks;
};

// One write as admission sees it. Borrows everything.
struct AdmissionRequest {
  Call& call;
  const Resource& resource;
  std::string_view subresource;  // "" for the object itself
  Operation operation;
  Key key;  // the name is "" where it is generated later
  // In the version of the request; Mutate changes it in place. Null on DELETE. Of a subresource with a body of its own
  // (a scale, a binding, an eviction) this is the body, on CONNECT the options of the connection (PodExecOptions).
  Value object;
  const Value* old = nullptr;  // what is stored, of a scale the scale; null on CREATE and CONNECT
  // Of a DELETE: what is asked for, with what the resource makes of it (a pod's grace period); else null.
  const DeleteOptions* deletion = nullptr;
  bool dry_run = false;
  Arena& arena;
  // Validate adds what is to be stored with the object, all or nothing: of other keys, each with Write::compute, whose
  // error kConflict has the request tried again from its start. Null where the object is not stored (a deletion, a
  // connection); of dry runs it is not looked at.
  std::vector<store::Write>* stored_with = nullptr;
  MutationPasses* passes = nullptr;  // while the chain mutates

  bool IsFor(std::string_view group, std::string_view plural) const {
    return resource.group == group && resource.plural == plural;
  }
  // metadata.name, else metadata.generateName, else "Unknown": what refusals name.
  std::string_view ShownName() const;
};

// CreateOptions, UpdateOptions or DeleteOptions of the request as admission is shown them, made in its arena; null of a
// CONNECT. Those of a patch are of what it comes to: a creation or an update.
Value OptionsOf(const AdmissionRequest& request);

class Admission {
 public:
  virtual ~Admission() = default;
  // Before the strategy prepares and validates the object.
  virtual base::Task<api::Result<>> Mutate(AdmissionRequest& request) const = 0;
  // The object as it will be stored. Does not change it.
  virtual base::Task<api::Result<>> Validate(AdmissionRequest& request) const = 0;
};

}  // namespace registry
