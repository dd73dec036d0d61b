// Writer: updates, in a loop that starts over where another write came between.
#include "apply/managed_fields.h"
#include "base/text.h"
#include "registry/errors.h"
#include "registry/field_manager.h"
#include "registry/json_scan.h"
#include "registry/keys.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "registry/versions.h"
#include "registry/write.h"

namespace registry {
namespace {

// Whether an update that leaves `object` ends a deletion that waited for it.
bool EndsDeletion(const Strategy& strategy, const Value& object, const Value& old) {
  const ObjectMeta meta(object), old_meta(old);
  if (!meta.finalizers().empty() || !old_meta.deleting()) return false;
  if (strategy.facts().deletes_in_two_steps && strategy.TerminationPending(object)) return false;
  return old_meta.deletion_grace_seconds().value_or(0) == 0;
}

bool ChangesOwnersAlone(const Value& object, const Value& old, Arena& arena) {
  return value::Equal(apply::WithoutManagedFields(arena, object), apply::WithoutManagedFields(arena, old));
}

// `stored`, which is changed.
Value WithOwnersOf(const Value& object, const Value& stored, Arena& arena) {
  const Value owners = object.Get({"metadata", "managedFields"});
  if (owners.empty()) {
    stored.Get("metadata").Remove("managedFields");
  } else {
    stored.Get("metadata").Set(arena, "managedFields", owners);
  }
  return stored;
}

}  // namespace

base::Task<api::Result<WriteResult>> Writer::Update(Registry::Update& update) {
  if (auto checked = CheckName(key_.name); !checked) co_return std::unexpected(std::move(checked.error()));
  store_key_ = StoreKey(resource_, key_);
  while (true) {
    Arena arena;
    auto attempt = co_await TryUpdate(update, arena);
    if (!attempt) co_return std::unexpected(std::move(attempt.error()));
    if (attempt->step == Step::kDone) co_return std::move(attempt->written);
    if (call_.request.deadline <= parts_.clock.Monotonic()) {
      co_return api::Fail(FromStore({base::Code::kTimeout, ""}, resource_.group_resource(), key_.name, "update"));
    }
  }
}

base::Task<Writer::AttemptResult> Writer::TryUpdate(Registry::Update& update, Arena& arena) {
  const store::Snapshot snapshot = parts_.store.Latest(resource_.storage->id);
  const store::CellRef cell(snapshot.Get(store_key_));
  Value old, shown;
  if (cell && !cell->readable()) {
    co_return api::Fail(parts_.options.unsafe_deletion ? CorruptObjectInUpdate(*cell) : UndecodableObject(*cell));
  }
  if (cell) {
    auto decoded =
        Waits(resource_) ? co_await ReadConverted(*cell, arena) : DecodeStored(resource_, *cell, arena, &shown);
    if (!decoded) co_return std::unexpected(std::move(decoded.error()));
    old = *decoded;
  }
  if (!cell && update.bypass_admission) co_return api::Fail(api::NotFound(resource_.group_resource(), key_.name));
  auto met = CheckPreconditions(update.preconditions, cell.get(), &old, update.dry_run);
  if (!met) co_return std::unexpected(std::move(met.error()));
  if (!cell && !update.may_create && !resource_.strategy->facts().allow_create_on_update) {
    co_return api::Fail(api::NotFound(resource_.group_resource(), key_.name));
  }
  auto object = update.transform(cell ? &old : nullptr, shown, arena);
  while (conversions().asked()) {
    auto resolved = co_await conversions().Resolve(conversion_request());
    if (!resolved) co_return std::unexpected(std::move(resolved.error()));
    object = update.transform(cell ? &old : nullptr, shown, arena);
  }
  if (!object) co_return std::unexpected(std::move(object.error()));
  if (update.body) {
    const Value body = *object, present = update.body->of(old, /*with_owners=*/true, arena);
    auto admitted =
        co_await Mutate(Admitted(Operation::kUpdate, update.body->subresource, body, &present, update.dry_run, arena));
    if (!admitted) co_return std::unexpected(std::move(admitted.error()));
    object = update.body->into(old, body, arena);
    if (!object) co_return std::unexpected(std::move(object.error()));
  }
  ObjectMeta meta(*object, arena);
  DropRepeatedOwners(meta, update.is_patch, call_.warnings);
  resource_.SetDefaults(*object, arena);
  const Value managed_before = meta.Get("managedFields");
  Track(update.field_manager, update.subresource, cell ? &old : nullptr, *object, arena);
  if (conversions().asked()) {
    co_await TrackWaiting(update.field_manager, update.subresource, cell ? &old : nullptr, *object, managed_before,
                          arena);
  }
  if (!update.bypass_admission && !update.body) {
    auto admitted = co_await Mutate(Admitted(cell ? Operation::kUpdate : Operation::kCreate, update.subresource,
                                             *object, cell ? &old : nullptr, update.dry_run, arena));
    if (!admitted) co_return std::unexpected(std::move(admitted.error()));
  }
  if (!cell) co_return co_await CreateByUpdate(update, *object, arena);
  co_return co_await Replace(update, *object, old, *cell, arena);
}

api::Result<> Writer::CheckPreconditions(const Preconditions& wanted, const store::Cell* cell, const Value* old,
                                         bool dry_run) {
  // A dry run asks above the part of the store that puts all keys below its own.
  const std::string_view above = dry_run ? "/" : "/registry/";
  const ObjectMeta meta(*old);
  const auto fail = [&](std::string_view field, const std::string& want, std::string_view found) {
    return api::Fail(FailedPrecondition(resource_.group_resource(), key_.name,
                                        base::Cat(above, ErrorKey(resource_, key_)), field, want, found));
  };
  const std::string_view uid = cell != nullptr ? meta.uid() : "";
  if (wanted.uid && *wanted.uid != uid) return fail("UID", *wanted.uid, uid);
  const std::string_view version = cell != nullptr ? meta.resource_version() : "";
  if (wanted.resource_version && *wanted.resource_version != version) {
    return fail("ResourceVersion", *wanted.resource_version, version);
  }
  return {};
}

base::Task<Writer::AttemptResult> Writer::CreateByUpdate(Registry::Update& update, Value object, Arena& arena) {
  ObjectMeta meta(object, arena);
  if (auto version = ParseUnsigned(meta.resource_version()); !version) {
    co_return api::Fail(api::Generic(500, version.error()));
  }
  // What the body says of a version does not matter here; a dry run, which stores nothing, shows it again.
  if (!update.dry_run) meta.SetString("resourceVersion", "");
  co_return co_await StoreNew(object, arena, update.dry_run);
}

base::Task<api::Result<>> Writer::ValidateUpdate(const Registry::Update& update, Value served, const Value& old,
                                                 Arena& arena) {
  if (!update.body) {
    co_return co_await Validate(Admitted(Operation::kUpdate, update.subresource, served, &old, update.dry_run, arena));
  }
  const Value body = update.body->of(served, /*with_owners=*/false, arena);
  const Value present = update.body->of(old, /*with_owners=*/false, arena);
  co_return co_await Validate(
      Admitted(Operation::kUpdate, update.body->subresource, body, &present, update.dry_run, arena));
}

// The body's version against the stored one; where it names none, the stored one is put in.
api::Result<> Writer::CheckVersion(ObjectMeta& meta, const store::Cell& cell, Arena& arena) {
  auto version = ParseUnsigned(meta.resource_version());
  if (!version) return api::Fail(api::Generic(500, version.error()));
  if (*version != 0) {
    if (ToRevision(*version) == cell.modified()) return {};
    return api::Fail(StaleVersion(resource_.group_resource(), key_.name));
  }
  if (!resource_.strategy->facts().allow_unconditional_update) {
    return api::Fail(api::Invalid({resource_.group, resource_.plural}, key_.name,
                                  api::FieldErrors{{api::FieldError::Type::kInvalid, "metadata.resourceVersion", "0x0",
                                                    "must be specified for an update"}}));
  }
  meta.SetString("resourceVersion", arena.CopyString(base::Cat(cell.modified().value())));
  return {};
}

base::Task<Writer::AttemptResult> Writer::Replace(Registry::Update& update, Value object, const Value& old,
                                                  const store::Cell& cell, Arena& arena) {
  ObjectMeta meta(object, arena);
  auto ready = CheckVersion(meta, cell, arena);
  const Resource& form = StrategyForm();
  Value former = old;
  if (&form != &resource_) {
    auto decoded = DecodeStored(form, cell, arena);
    if (!decoded) co_return std::unexpected(std::move(decoded.error()));
    former = *decoded;
    // An apply that changes nothing leaves what is stored, which might be another on the way to its version and back.
    // It is read once more, since a copy would not have the text of raw data.
    const bool stays = !update.field_manager && ChangesOwnersAlone(object, old, arena);
    object = stays ? WithOwnersOf(object, *DecodeStored(form, cell, arena), arena)
                   : resource_.converter->Now(Converter::To::kStored, arena, object);
  }
  WriteContext context = Context(arena, update.subresource, form);
  Reservation claim;
  if (ready && !update.bypass_admission) {
    auto taken = Allocate(context, object, &former, update.dry_run);
    if (!taken) co_return std::unexpected(std::move(taken.error()));
    claim = *std::move(taken);
  }
  if (ready && !update.bypass_admission) ready = BeforeUpdate(context, object, former, key_.namespace_name);
  if (ready && !update.bypass_admission) {
    const Value served = AsServed(form, object, arena);
    ready = co_await ValidateUpdate(update, served, old, arena);
  }
  if (!ready) co_return std::unexpected(std::move(ready.error()));

  if (EndsDeletion(*resource_.strategy, object, former)) {
    const WriteResult sent = NotStored(form, object, arena);
    auto removed = co_await Remove(cell, update.dry_run);
    if (removed) {
      removed->written.bytes = sent.bytes;
      removed->written.needs_reencoding = sent.needs_reencoding;
      removed->written.served = sent.served;
    }
    co_return removed;
  }
  const auto completed = Complete(form, update.subresource, object, &former, update.dry_run, arena);
  if (!completed) co_return std::unexpected(completed.error());
  // What the strategy took back is no change either.
  FieldManager(call_.resources, form, update.subresource, arena).KeepTimesOfUnchanged(object, former);
  co_return co_await StoreChange(form, object, cell, update.dry_run, arena, "update");
}

}  // namespace registry
