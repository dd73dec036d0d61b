// Registry: create, get, list, watch, update, delete over any Resource. Between the handlers, which know HTTP, and the
// store, which knows bytes. Everything that makes an object an API object is here: metadata, generated names, uids,
// preconditions, finalizers, dry run, strategy order, optimistic concurrency, and the map from store errors to API
// errors (registry/errors.cc).
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
#include "absl/functional/function_ref.h"
#include "api/error.h"
#include "api/request.h"
#include "api/selector.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/random.h"
#include "base/task.h"
#include "registry/admission.h"
#include "registry/resource_table.h"
#include "store/store.h"
#include "value/value.h"

namespace registry {

class PendingConversions;

// Who asks and where the Task goes on.
struct Call {
  api::RequestContext& request;
  base::Executor& executor;
  std::vector<std::string>& warnings;
  const ResourceTable& resources;  // what was served when the request began
  // What the request waits for beside its object; null: the write has its own.
  PendingConversions* conversions = nullptr;
};

struct ResourceVersionMatch {         // parsed resourceVersion and resourceVersionMatch
  std::string_view resource_version;  // as given; "" unset
  std::string_view match;             // "", "Exact", "NotOlderThan"
};

struct ListOptions {
  ResourceVersionMatch version;
  api::LabelSelector labels;
  api::FieldSelector fields;
  int64_t limit = 0;
  std::string_view continue_token;
};

// What a list reads: the objects of one snapshot that pass the selectors, one page of them. Nothing is copied or
// decoded. Holds its snapshot, so its cells live as long as the view (or a CellRef of them). One owner, one thread; not
// copied.
class ListView {
 public:
  ListView(ListView&&) = default;
  ListView& operator=(ListView&&) = default;

  // The next object, or null after the last.
  const store::Cell* Next();
  // From the first one again.
  void Rewind();

  // ListMeta.
  store::Revision revision() const { return revision_; }
  const std::string& continue_token() const { return continue_token_; }
  std::optional<int64_t> remaining_item_count() const { return remaining_item_count_; }

 private:
  friend class Lister;
  ListView() = default;

  const Resource* resource_ = nullptr;
  store::Snapshot snapshot_;
  std::string prefix_, start_;
  std::string end_;      // keys from here on are not of this page; "" no bound
  bool single_ = false;  // only the object whose key is prefix_
  api::LabelSelector labels_;
  api::FieldSelector fields_;
  std::optional<store::Candidates> candidates_;  // where to look; none: everywhere
  std::optional<store::Scan> scan_;              // null before the first Next() and after Rewind()
  bool single_given_ = false;
  store::Revision revision_{0};
  std::string continue_token_;
  std::optional<int64_t> remaining_item_count_;
};

struct Preconditions {
  std::optional<std::string> uid, resource_version;
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  Preconditions preconditions;
  bool has_preconditions = false;  // were sent, if maybe empty
  std::optional<bool> orphan_dependents;
  std::string propagation_policy;  // "", Orphan, Background, Foreground
  bool dry_run = false;
  // Only an object that cannot be read, whatever holds it (ignoreStoreReadErrorWithClusterBreakingPotential).
  bool unreadable = false;
  bool bypass_admission = false;  // the server's own, as in Update: not admitted
};

// An object as a write left it.
struct WriteResult {
  store::CellRef cell;            // what is stored now (of a deletion the last state); null after dry run
  base::Slice bytes;              // storage-version JSON of the result, always set
  bool needs_reencoding = false;  // store::Body::needs_reencoding of `bytes`
  bool created = false;           // 201
  bool deleted = false;  // gone (else: waits for finalizers or grace). DELETE answers a Status then, or the object if
                         // the strategy says so; a PUT that took the last finalizer answers the object as it was sent
  bool served = false;   // `bytes` are of the served version, as text: of what a converter that waits did not store
  bool blank = false;    // `bytes` are an object without content: what a dry run of a deletion may have to show
};

// What a write has taken from pools that objects share (a service's address) and not stored yet; given back when the
// last copy goes. Null: nothing.
using Reservation = std::shared_ptr<const void>;

// The floors above supply these; each may be empty. Called inside the update transaction.
struct WriteHooks {
  const Admission* admission = nullptr;  // outlives the registry
  // Before the strategy: takes from shared pools what `object` needs, and fills it in. `old` is null on create. The
  // reservation is kept until the write has ended. Not for writes of subresources.
  using Allocate = absl::AnyInvocable<api::Result<Reservation>(WriteContext& context, const Value& object,
                                                               const Value* old, bool dry_run) const>;
  Allocate allocate;
  // After admission, of the object as it will be stored: the status that the server itself gives it (conditions of a
  // definition), in the context's arena; null: it stays. Not of dry runs. `old` and the reservation as above.
  struct Completion {
    Value status;
    Reservation reservation;
  };
  using Complete =
      absl::AnyInvocable<api::Result<Completion>(WriteContext& context, const Value& object, const Value* old) const>;
  Complete complete;
  // A write of `resource` was committed, and is not answered yet; `key` as in the store. On the writer's thread: short.
  absl::AnyInvocable<void(const Resource& resource, std::string_view key) const> committed;
};

struct RegistryOptions {
  // Somebody collects garbage: deletions may leave objects to it (by its finalizers).
  bool garbage_collection = true;
  // Clients may delete what cannot be read, and are told of it in words that say so.
  bool unsafe_deletion = false;
};

class Registry {
 public:
  Registry(store::Store& store, ResourceTables& tables, const base::Clock& clock, base::Random& random,
           WriteHooks hooks, RegistryOptions options = {});
  ~Registry();

  // The object at `key`, not older than `version`. Waits only for a version that is still to come.
  base::Task<api::Result<store::CellRef>> Get(Call& call, const Resource& resource, Key key,
                                              ResourceVersionMatch version);
  base::Task<api::Result<ListView>> List(Call& call, const Resource& resource, std::string_view namespace_name,
                                         const ListOptions& options);
  // Whether `cell` passes the selectors, read from its bytes without decoding it whole.
  static bool Matches(const Resource& resource, const store::Cell& cell, const api::LabelSelector& labels,
                      const api::FieldSelector& fields);
  // What List answers to a field that cannot be selected by (400) and to a resourceVersion that is no number (500): a
  // watch, which is a matter of the store alone, asks here. "" is version 0.
  static api::Result<> CheckSelector(const Resource& resource, const api::FieldSelector& fields);
  static api::Result<store::Revision> ParseVersion(std::string_view resource_version);

  struct Create {
    Key key;
    Value object;
    Arena* arena;
    bool dry_run = false;
    // Who is recorded as owner of what the write sets ("" is unknown); none: managedFields stay as they are sent.
    std::optional<std::string> field_manager;
  };  // object: decoded, of the served version
  base::Task<api::Result<WriteResult>> CreateObject(Call& call, const Resource& resource, Create create);

  // Reads the object, lets `transform` make the new one of it (it may be called again after a conflict that the caller
  // did not ask to see), applies the strategy and commits. PUT, every patch and status writes are this.
  struct Update {
    Key key;
    std::string_view subresource;
    // `current` is of the served version, null when the object is absent and may be created; `shown` is what clients
    // are shown of it, read and not decoded, or null (DecodeStored says when). Gives the new object.
    absl::AnyInvocable<api::Result<Value>(const Value* current, const Value& shown, Arena& arena)> transform;
    Preconditions preconditions;  // of a PUT: the uid in the body; checked before anything else
    bool dry_run = false;
    // The server's own change of a part that has no endpoint (a binding): neither admitted nor validated, and what the
    // strategy keeps from updaters may change.
    bool bypass_admission = false;
    bool is_patch = false;                     // what it warns of is told in other words
    bool may_create = false;                   // also where the strategy does not allow it (an apply)
    std::optional<std::string> field_manager;  // as in Create; an apply has tracked its fields itself
    // A subresource with a body of its own kind (a scale): `transform` gives the body, which is what admission sees and
    // may change; strategy and store see the object, whose `subresource` above stays "".
    struct Body {
      std::string_view subresource;
      // As which `object` is shown; with the owners of its fields, or without.
      absl::AnyInvocable<Value(const Value& object, bool with_owners, Arena& arena) const> of;
      // `current` with what `body` asks for.
      absl::AnyInvocable<api::Result<Value>(const Value& current, const Value& body, Arena& arena) const> into;
    };
    std::optional<Body> body;
  };
  base::Task<api::Result<WriteResult>> UpdateObject(Call& call, const Resource& resource, Update update);

  base::Task<api::Result<WriteResult>> DeleteObject(Call& call, const Resource& resource, Key key,
                                                    DeleteOptions options);
  // The objects as they were before, in order; stops at the first error. Objects that vanish meanwhile count as
  // deleted.
  base::Task<api::Result<ListView>> DeleteCollection(Call& call, const Resource& resource,
                                                     std::string_view namespace_name, const ListOptions& list,
                                                     DeleteOptions options);

  store::Store& store() { return store_; }
  ResourceTables& tables() { return tables_; }
  // The newest table.
  ResourceTableRef resources() const { return tables_.Snapshot(); }
  // What every write passes; null where nothing is admitted.
  const Admission* admission() const { return hooks_.admission; }

 private:
  friend class Lister;
  base::Task<api::Result<>> WaitUntil(Call& call, uint64_t version, bool cached);
  base::Task<api::Result<>> CatchUp(Call& call, const Resource& resource, std::string_view operation);
  struct FirstFailure;
  api::Error ReadErrorOf(const Resource& resource, Key key, const store::Cell& cell) const;
  base::Task<bool> DeleteOne(Call& call, const Resource& resource, Key key, const DeleteOptions& options, size_t place,
                             FirstFailure& failed);
  base::Task<api::Result<>> DeleteAll(Call& call, const Resource& resource, ListView& view,
                                      const DeleteOptions& options);

  store::Store& store_;
  ResourceTables& tables_;
  const base::Clock& clock_;
  base::Random& random_;
  const WriteHooks hooks_;
  const RegistryOptions options_;
};

}  // namespace registry
