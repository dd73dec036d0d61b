// Writer: deletion. At once, or marked on the object (deletionTimestamp) for those who hold finalizers, for a pod's
// grace period, or for the content of a namespace.
#include <algorithm>

#include "base/text.h"
#include "registry/errors.h"
#include "registry/keys.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "registry/write.h"

namespace registry {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

// The garbage collector's finalizer that the object must have while it is deleted; "" none.
std::string_view CollectorFinalizer(DeletionDefault by_default, const DeleteOptions& options, const ObjectMeta& meta) {
  if (by_default == DeletionDefault::kUnsupported) return {};
  if (options.orphan_dependents) return *options.orphan_dependents ? kOrphan : std::string_view();
  if (options.propagation_policy == "Orphan") return kOrphan;
  if (options.propagation_policy == "Foreground") return kForeground;
  if (options.propagation_policy == "Background") return {};
  for (const Value& finalizer : meta.finalizers().items()) {
    if (finalizer.AsString() == kOrphan) return kOrphan;
    if (finalizer.AsString() == kForeground) return kForeground;
  }
  return by_default == DeletionDefault::kOrphan ? kOrphan : std::string_view();
}

// Whether that changed the finalizers.
bool SetCollectorFinalizer(ObjectMeta& meta, std::string_view wanted, Arena& arena) {
  const bool orphan = meta.HasFinalizer(kOrphan), foreground = meta.HasFinalizer(kForeground);
  if (orphan == (wanted == kOrphan) && foreground == (wanted == kForeground)) return false;
  const Value list = Value::Array(arena, meta.finalizers().size() + 1);
  for (const Value& finalizer : meta.finalizers().items()) {
    if (finalizer.AsString() != kOrphan && finalizer.AsString() != kForeground) list.Append(arena, finalizer);
  }
  if (!wanted.empty()) list.Append(arena, Value::String(wanted));
  meta.Set("finalizers", list);
  return true;
}

void RaiseGeneration(ObjectMeta& meta) {
  if (meta.generation() > 0) meta.SetGeneration(meta.generation() + 1);
}

}  // namespace

base::Task<api::Result<WriteResult>> Writer::Delete(DeleteOptions options) {
  if (auto checked = CheckName(key_.name); !checked) co_return std::unexpected(std::move(checked.error()));
  store_key_ = StoreKey(resource_, key_);
  if (options.grace_period_seconds && *options.grace_period_seconds < 0) options.grace_period_seconds = 1;
  while (true) {
    Arena arena;
    auto attempt = co_await TryDelete(options, arena);
    if (!attempt) co_return std::unexpected(std::move(attempt.error()));
    if (attempt->step == Step::kDone) co_return std::move(attempt->written);
    if (call_.request.deadline <= parts_.clock.Monotonic()) {
      co_return api::Fail(FromStore({base::Code::kTimeout, ""}, resource_.group_resource(), key_.name, "delete"));
    }
  }
}

api::Result<> Writer::CheckDeletePreconditions(const Preconditions& wanted, const ObjectMeta& meta) {
  const auto fail = [&](std::string_view field, std::string_view want, std::string_view found, std::string_view maybe) {
    if (resource_.strategy->facts().deletes_in_two_steps) {
      return api::Fail(api::Conflict(resource_.group_resource(), meta.name(),
                                     base::Cat("Precondition failed: ", field, " in precondition: ", want, ", ", field,
                                               " in object meta: ", found)));
    }
    return api::Fail(
        OtherThanMeant({resource_.storage->group, resource_.storage->kind}, meta.name(), field, want, found, maybe));
  };
  if (wanted.uid && *wanted.uid != meta.uid()) {
    return fail("UID", *wanted.uid, meta.uid(), "deleted and then recreated");
  }
  if (wanted.resource_version && *wanted.resource_version != meta.resource_version()) {
    return fail("ResourceVersion", *wanted.resource_version, meta.resource_version(), "modified");
  }
  return {};
}

base::Task<Writer::AttemptResult> Writer::TryDelete(DeleteOptions& options, Arena& arena) {
  const store::Snapshot snapshot = parts_.store.Latest(resource_.storage->id);
  const store::CellRef cell(snapshot.Get(store_key_));
  if (options.unreadable) co_return co_await RemoveUnreadable(cell.get());
  if (!cell) co_return api::Fail(api::NotFound(resource_.group_resource(), key_.name));
  if (!cell->readable()) {
    co_return api::Fail(parts_.options.unsafe_deletion ? CorruptObject(ErrorKey(resource_, key_), *cell)
                                                       : UndecodableObject(*cell));
  }
  auto object = Waits(resource_) ? co_await ReadConverted(*cell, arena) : DecodeStored(resource_, *cell, arena);
  if (!object) co_return std::unexpected(std::move(object.error()));
  const Value before = *object;
  auto ready = CheckDeletePreconditions(options.preconditions, ObjectMeta(before));
  if (!ready) co_return std::unexpected(std::move(ready.error()));
  if (IsPending(options, before)) co_return Attempt{Step::kDone, AsStored(cell)};
  const DeleteOptions effective = Effective(options, before);
  ready = co_await AdmitDelete(effective, before, arena);
  if (!ready) co_return std::unexpected(std::move(ready.error()));
  if (resource_.strategy->facts().deletes_in_two_steps && !ObjectMeta(before).deleting()) {
    co_return co_await BeginTermination(effective, before, *cell, arena);
  }
  co_return co_await MarkDeleting(effective, before, *cell, arena);
}

// Whether it is being deleted already, and this deletion has nothing to add: nobody is asked then.
bool Writer::IsPending(const DeleteOptions& options, const Value& object) const {
  const ObjectMeta meta(object);
  const Strategy& strategy = *resource_.strategy;
  if (!meta.deleting()) return false;
  if (strategy.facts().deletes_in_two_steps) return strategy.TerminationPending(object);
  const int64_t given = meta.deletion_grace_seconds().value_or(0);
  if (given == 0 || !strategy.GraceSeconds(object, options.grace_period_seconds)) return false;
  return options.grace_period_seconds.value_or(given) >= given;
}

// The options with what the resource decides: they are admitted in this form.
DeleteOptions Writer::Effective(DeleteOptions options, const Value& object) const {
  const ObjectMeta meta(object);
  const Strategy& strategy = *resource_.strategy;
  if (strategy.facts().deletes_in_two_steps && !options.preconditions.uid) options.preconditions.uid = meta.uid();
  if (meta.deleting()) return options;
  if (const auto seconds = strategy.GraceSeconds(object, options.grace_period_seconds)) {
    options.grace_period_seconds = seconds;
  }
  return options;
}

base::Task<api::Result<>> Writer::AdmitDelete(const DeleteOptions& options, const Value& object, Arena& arena) {
  if (options.bypass_admission) co_return api::Result<>();
  AdmissionRequest request = Admitted(Operation::kDelete, "", Value(), &object, options.dry_run, arena);
  request.deletion = &options;
  auto admitted = co_await Mutate(request);
  if (admitted) admitted = co_await Validate(request);
  co_return admitted;
}

// The first of a namespace's two deletions: the object stays until its content is gone.
base::Task<Writer::AttemptResult> Writer::BeginTermination(const DeleteOptions& options, Value object,
                                                           const store::Cell& cell, Arena& arena) {
  ObjectMeta meta(object, arena);
  WriteContext context = Context(arena, "");
  meta.SetString("deletionTimestamp", context.now);
  resource_.strategy->BeginTermination(context, object);
  if (parts_.options.garbage_collection) {
    SetCollectorFinalizer(meta, CollectorFinalizer(resource_.strategy->facts().deletion_default, options, meta), arena);
  }
  co_return co_await StoreChange(object, cell, options.dry_run, arena, "delete");
}

// Grace for objects that have it; false for the others, and where there is none left. Not for deletions that are
// pending.
bool Writer::GiveGrace(const DeleteOptions& options, const Value& object, ObjectMeta& meta, Arena& arena) {
  const Strategy& strategy = *resource_.strategy;
  const std::optional<int64_t> granted = strategy.GraceSeconds(object, options.grace_period_seconds);
  if (!granted) return false;
  const std::string_view now = Context(arena, "").now;
  if (!meta.deleting()) {
    const int64_t seconds = *granted;
    meta.SetString("deletionTimestamp", arena.CopyString(AddSeconds(now, seconds)));
    meta.SetDeletionGraceSeconds(seconds);
    RaiseGeneration(meta);
    return true;
  }
  const int64_t given = meta.deletion_grace_seconds().value_or(0);
  if (given == 0) return false;
  const int64_t asked = options.grace_period_seconds.value_or(given);  // a shorter one
  meta.SetString("deletionTimestamp",
                 arena.CopyString(AddSeconds(AddSeconds(meta.deletion_timestamp(), -given), asked)));
  meta.SetDeletionGraceSeconds(asked);
  return true;
}

base::Task<Writer::AttemptResult> Writer::MarkDeleting(const DeleteOptions& options, Value object,
                                                       const store::Cell& cell, Arena& arena) {
  ObjectMeta meta(object, arena);
  const bool has_grace = GiveGrace(options, object, meta, arena);
  const bool refinalized =
      parts_.options.garbage_collection &&
      SetCollectorFinalizer(meta, CollectorFinalizer(resource_.strategy->facts().deletion_default, options, meta),
                            arena);
  const bool waits_for_finalizers = !meta.finalizers().empty();
  if (!has_grace) {
    if (!waits_for_finalizers && refinalized && options.dry_run) co_return ShowNothing(arena);
    if (!waits_for_finalizers) co_return co_await Remove(cell, options.dry_run);
    const std::string_view now = Context(arena, "").now;
    if (!meta.deleting()) RaiseGeneration(meta);
    if (!meta.deleting() || meta.deletion_timestamp() > now) meta.SetString("deletionTimestamp", now);
    meta.SetDeletionGraceSeconds(0);
    co_return co_await StoreChange(object, cell, options.dry_run, arena, "delete");
  }
  auto marked = co_await StoreChange(object, cell, options.dry_run, arena, "delete");
  const bool gone = !waits_for_finalizers && meta.deletion_grace_seconds() == 0;
  if (!marked || marked->step == Step::kRetry || !gone) co_return marked;
  if (options.dry_run) {
    marked->written.deleted = true;
    co_return marked;
  }
  // Watchers have seen the mark; now the object goes, and is admitted as it is marked.
  const store::CellRef stored = marked->written.cell;
  if (const auto object_marked = DecodeStored(resource_, *stored, arena)) {
    auto admitted = co_await AdmitDelete(options, *object_marked, arena);
    if (!admitted) co_return std::unexpected(std::move(admitted.error()));
  }
  co_return co_await Remove(*stored, false);
}

// A dry run in which the object loses its last finalizer and then goes has nothing to show: the change was not made,
// and what it would have left is gone.
Writer::AttemptResult Writer::ShowNothing(Arena& arena) const {
  const Value nothing = Value::Object(arena);
  if (resource_.FindSubresource("scale") != nullptr) {  // what scales has a number of replicas, said or not
    const Value spec = Value::Object(arena);
    spec.Add(arena, "replicas", Value::Int(0));
    nothing.Add(arena, "spec", spec);
  }
  Attempt attempt{Step::kDone, NotStored(resource_, nothing, arena)};
  attempt.written.deleted = attempt.written.blank = true;
  return attempt;
}

// Nobody can be asked about what nobody can read: neither finalizers nor admission hold it.
base::Task<Writer::AttemptResult> Writer::RemoveUnreadable(const store::Cell* cell) {
  if (cell == nullptr || cell->readable()) co_return api::Fail(NotCorrupt(resource_.group_resource(), key_.name));
  const store::CellRef kept(cell);
  auto committed = co_await Commit(std::nullopt, kept->modified());
  if (!committed) co_return RetryOrFail(committed.error(), "delete");
  co_return Attempt{Step::kDone, {.deleted = true}};
}

base::Task<Writer::AttemptResult> Writer::Remove(const store::Cell& cell, bool dry_run) {
  if (dry_run) {
    Attempt attempt{Step::kDone, {.bytes = cell.Share(), .needs_reencoding = cell.needs_reencoding(), .deleted = true}};
    if (Waits(resource_)) attempt.written.cell = store::CellRef(&cell);  // it has to be converted yet
    co_return attempt;
  }
  auto committed = co_await Commit(std::nullopt, cell.modified());
  if (!committed) co_return RetryOrFail(committed.error(), "delete");
  if (!resource_.strategy->facts().companion.empty()) co_await DeleteCompanion();
  Attempt attempt{Step::kDone, AsStored(committed->cells[0])};
  attempt.written.deleted = true;
  co_return attempt;
}

// Whatever comes of it, the object itself has gone.
base::Task<> Writer::DeleteCompanion() {
  const Resource* companion =
      call_.resources.Find(resource_.group, resource_.version, resource_.strategy->facts().companion);
  if (companion == nullptr) co_return;
  const WriteHooks no_hooks;
  Parts parts{parts_.store, parts_.clock, parts_.random, no_hooks, parts_.options};
  Writer writer(parts, call_, *companion, key_);
  co_await writer.Delete({});
}

}  // namespace registry
