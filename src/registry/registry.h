// Registry: create, get, list, watch, update, delete over any Resource. Between the handlers, which know HTTP, and the store,
// which knows bytes. Everything that makes an object an API object is here: metadata, generated names, uids, preconditions, finalizers, dry run,
// strategy order, optimistic concurrency, and the map from store errors to API errors (registry/errors.cc).
//
// Threads: any; no shared mutable state of its own. Writes are Tasks that resume on the executor they are given.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/error.h"
#include "api/request.h"
#include "api/selector.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/random.h"
#include "base/task.h"
#include "registry/resource.h"
#include "store/store.h"
#include "value/value.h"

namespace registry {

// Who asks and where the Task goes on.
struct Call {
  api::RequestContext& request;
  base::Executor& executor;
  std::vector<std::string>& warnings;
};

struct Key {
  std::string_view namespace_name;  // "" for cluster-scoped resources, and for all namespaces in collection verbs
  std::string_view name;
};

struct ReadVersion {                 // parsed resourceVersion and resourceVersionMatch
  std::string_view resource_version; // as given; "" unset
  std::string_view match;            // "", "Exact", "NotOlderThan"
};

struct ListOptions {
  ReadVersion version;
  api::LabelSelector labels;
  api::FieldSelector fields;
  int64_t limit = 0;
  std::string_view continue_token;
};

// What a list reads: a snapshot and where to go through it. Nothing is copied or decoded until the caller walks it.
struct ListView {
  store::Snapshot snapshot;
  std::string prefix, start;      // scan bounds
  int64_t limit = 0;              // 0: all
  store::Revision revision;       // what ListMeta says
  bool remaining_count_known = true;  // no selectors
};

struct Preconditions {
  std::optional<std::string> uid, resource_version;
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  Preconditions preconditions;
  std::optional<bool> orphan_dependents;
  std::string propagation_policy;    // "", Orphan, Background, Foreground
  bool dry_run = false;
};

// An object as a write left it.
struct Written {
  store::CellRef cell;        // what is stored now; null after dry run
  base::Slice bytes;          // storage-version JSON of the result, always set
  bool created = false;       // 201
  bool deleted = false;       // gone (else: waits for finalizers or grace)
};

// Admission supplies these; each may be empty. Called inside the update transaction, may wait.
struct AdmissionHooks {
  using Mutate = absl::AnyInvocable<base::Task<api::Result<>>(Call&, const Resource&, std::string_view operation, Key, Value object, const Value* old, Arena&) const>;
  using Validate = absl::AnyInvocable<base::Task<api::Result<>>(Call&, const Resource&, std::string_view operation, Key, const Value* object, const Value* old, Arena&) const>;
  Mutate mutate;
  Validate validate;
};

class Registry {
 public:
  Registry(store::Store& store, const ResourceTable& resources, const base::Clock& clock, base::Random& random, AdmissionHooks hooks);
  ~Registry();

  // The object at `key`, not older than `version`. Waits only for a version that is still to come.
  base::Task<api::Result<store::CellRef>> Get(Call& call, const Resource& resource, Key key, ReadVersion version);
  base::Task<api::Result<ListView>> List(Call& call, const Resource& resource, std::string_view namespace_name, const ListOptions& options);
  // Whether `cell` passes the selectors, read from its bytes without decoding it whole.
  static bool Matches(const Resource& resource, const store::Cell& cell, const api::LabelSelector& labels, const api::FieldSelector& fields);

  struct Create { Key key; Value object; Arena* arena; bool dry_run = false; };   // object: decoded, of the served version
  base::Task<api::Result<Written>> CreateObject(Call& call, const Resource& resource, Create create);

  // Reads the object, lets `transform` make the new one of it (it may be called again after a conflict that the caller did not ask to see),
  // applies the strategy and commits. PUT, every patch and status writes are this.
  struct Update {
    Key key;
    std::string_view subresource;
    // `current` is of the served version, null when the object is absent and may be created. Gives the new object.
    absl::AnyInvocable<api::Result<Value>(const Value* current, Arena& arena)> transform;
    Preconditions preconditions;
    bool dry_run = false;
    bool may_create = false;         // and the behaviour allows it, or this is an apply
  };
  base::Task<api::Result<Written>> UpdateObject(Call& call, const Resource& resource, Update update);

  base::Task<api::Result<Written>> DeleteObject(Call& call, const Resource& resource, Key key, DeleteOptions options);
  // The objects as they were before, in order; stops at the first error.
  base::Task<api::Result<std::vector<Written>>> DeleteCollection(Call& call, const Resource& resource, std::string_view namespace_name, const ListOptions& list, DeleteOptions options);

  store::Store& store() { return store_; }
  const ResourceTable& resources() const { return resources_; }

 private:
  store::Store& store_;
  const ResourceTable& resources_;
  const base::Clock& clock_;
  base::Random& random_;
  AdmissionHooks hooks_;
};

}  // namespace registry
