// What the registry's writing verbs share: one write of one object, through admission, strategy and commit. Made by a
// verb on its coroutine's frame, used on the request's thread.
#pragma once

#include <string>
#include <string_view>

#include "registry/object_meta.h"
#include "registry/pending_conversions.h"
#include "registry/registry.h"

namespace registry {

class Writer {
 public:
  struct Parts {
    store::Store& store;
    const base::Clock& clock;
    base::Random& random;
    const WriteHooks& hooks;
    const RegistryOptions& options;
  };
  Writer(const Parts& parts, Call& call, const Resource& resource, Key key)
      : parts_(parts), call_(call), resource_(resource), key_(key) {}

  base::Task<api::Result<WriteResult>> Create(Registry::Create& create);
  base::Task<api::Result<WriteResult>> Update(Registry::Update& update);
  base::Task<api::Result<WriteResult>> Delete(DeleteOptions options);

 private:
  // What one attempt did: nothing (kRetry) where another write came between.
  enum class Step { kDone, kRetry };
  struct Attempt {
    Step step = Step::kDone;
    WriteResult written;
  };
  using AttemptResult = api::Result<Attempt>;

  // The resource in whose form objects pass the strategy and are stored. Versions that share a Strategy share that of
  // the stored version, so that what others cannot say in its order is not lost where it does not change; other
  // strategies work on what they serve.
  const Resource& StrategyForm() const;
  // `object`, which is in that form, as the request's version has it.
  Value AsServed(const Resource& form, const Value& object, Arena& arena) const;
  WriteContext Context(Arena& arena, std::string_view subresource, const Resource& form);
  WriteContext Context(Arena& arena, std::string_view subresource) { return Context(arena, subresource, resource_); }
  // Records who owns what `object` sets; `live` is null on create.
  void Track(const std::optional<std::string>& manager, std::string_view subresource, const Value* live,
             const Value& object, Arena& arena);
  // Tracks again with what the first time had to be waited for; what cannot be had is nobody's version.
  base::Task<> TrackWaiting(const std::optional<std::string>& manager, std::string_view subresource, const Value* live,
                            Value object, Value managed_before, Arena& arena);
  PendingConversions& conversions() { return call_.conversions != nullptr ? *call_.conversions : own_conversions_; }
  Converter::Request conversion_request() { return {call_.request, call_.executor}; }
  // Between the stored and the served form, where that has to be waited for.
  base::Task<api::Result<Value>> ReadConverted(const store::Cell& cell, Arena& arena);
  base::Task<api::Result<Value>> ToStoredForm(Value served, Arena& arena);
  AdmissionRequest Admitted(Operation operation, std::string_view subresource, Value object, const Value* old,
                            bool dry_run, Arena& arena);
  base::Task<api::Result<>> Mutate(AdmissionRequest request);
  api::Result<Reservation> Allocate(WriteContext& context, const Value& object, const Value* old, bool dry_run);
  base::Task<api::Result<>> Validate(AdmissionRequest request);
  // What the server itself adds to the object, whose fields are its own.
  api::Result<Reservation> Complete(const Resource& form, std::string_view subresource, Value object, const Value* old,
                                    bool dry_run, Arena& arena);

  // `object` with metadata.uid and creationTimestamp, through strategy and into the store; a taken name is kRetry.
  base::Task<AttemptResult> StoreNew(Value object, Arena& arena, bool dry_run);
  void FillSystemFields(const Value& object, Arena& arena);
  api::Error AlreadyThere(const Value& object);

  base::Task<AttemptResult> TryUpdate(Registry::Update& update, Arena& arena);
  base::Task<AttemptResult> CreateByUpdate(Registry::Update& update, Value object, Arena& arena);
  base::Task<AttemptResult> Replace(Registry::Update& update, Value object, const Value& old, const store::Cell& cell,
                                    Arena& arena);
  base::Task<api::Result<>> ValidateUpdate(const Registry::Update& update, Value served, const Value& old,
                                           Arena& arena);
  api::Result<> CheckVersion(ObjectMeta& meta, const store::Cell& cell, Arena& arena);
  api::Result<> CheckPreconditions(const Preconditions& wanted, const store::Cell* cell, const Value* old,
                                   bool dry_run);

  base::Task<AttemptResult> TryDelete(DeleteOptions& options, Arena& arena);
  base::Task<AttemptResult> BeginTermination(const DeleteOptions& options, Value object, const store::Cell& cell,
                                             Arena& arena);
  base::Task<AttemptResult> MarkDeleting(const DeleteOptions& options, Value object, const store::Cell& cell,
                                         Arena& arena);
  AttemptResult ShowNothing(Arena& arena) const;
  base::Task<AttemptResult> RemoveUnreadable(const store::Cell* cell);
  base::Task<AttemptResult> Remove(const store::Cell& cell, bool dry_run);
  base::Task<> DeleteCompanion();
  api::Result<> CheckDeletePreconditions(const Preconditions& wanted, const ObjectMeta& meta);

  bool IsPending(const DeleteOptions& options, const Value& object) const;
  DeleteOptions Effective(DeleteOptions options, const Value& object) const;
  base::Task<api::Result<>> AdmitDelete(const DeleteOptions& options, const Value& object, Arena& arena);
  bool GiveGrace(const DeleteOptions& options, const Value& object, ObjectMeta& meta, Arena& arena);

  base::Task<base::Result<store::Committed>> Commit(std::optional<store::Body> body, store::Revision expected);
  base::Task<AttemptResult> CommitBody(store::Body body, store::Revision expected, std::string_view operation);
  // `object` is in the form of `form`.
  WriteResult AsIfStored(const Resource& form, const Value& object, Arena& arena) const;
  base::Task<AttemptResult> StoreChange(const Resource& form, Value object, const store::Cell& cell, bool dry_run,
                                        Arena& arena, std::string_view operation);
  base::Task<AttemptResult> StoreChange(Value object, const store::Cell& cell, bool dry_run, Arena& arena,
                                        std::string_view operation) {
    return StoreChange(resource_, object, cell, dry_run, arena, operation);
  }
  AttemptResult RetryOrFail(const base::Error& error, std::string_view operation) const;

  Parts parts_;
  Call& call_;
  const Resource& resource_;
  Key key_;
  std::string store_key_;
  std::string now_;
  PendingConversions own_conversions_;
  std::vector<store::Write> stored_with_;  // what admission adds to the transaction
};

}  // namespace registry
