// Writer: creation, and what all writes share.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "registry/errors.h"
#include "registry/field_manager.h"
#include "registry/keys.h"
#include "registry/object_meta.h"
#include "registry/stored_form.h"
#include "registry/strategy.h"
#include "registry/versions.h"
#include "registry/write.h"

namespace registry {
namespace {

// How often a generated name that is taken is made anew.
constexpr int kNameAttempts = 8;
// Whose the fields are that the server itself fills in.
constexpr std::string_view kServerManager = "kube-apiserver";

}  // namespace

const Resource& Writer::StrategyForm() const {
  if (resource_.converter == nullptr || !resource_.converter->is_immediate()) return resource_;
  const Storage& storage = *resource_.storage;
  const Resource* stored = call_.resources.Find(storage.group, storage.version, resource_.plural);
  return stored != nullptr && stored->strategy == resource_.strategy ? *stored : resource_;
}

Value Writer::AsServed(const Resource& form, const Value& object, Arena& arena) const {
  return &form == &resource_ ? object : resource_.converter->Now(Converter::To::kServed, arena, object);
}

WriteContext Writer::Context(Arena& arena, std::string_view subresource, const Resource& form) {
  if (now_.empty()) now_ = TimeText(parts_.clock.Now());
  return {call_.request, form, arena, subresource, arena.CopyString(now_), call_.warnings};
}

void Writer::Track(const std::optional<std::string>& manager, std::string_view subresource, const Value* live,
                   const Value& object, Arena& arena) {
  // Owners of very many fields take far more than the object; this one is refused with them or without.
  if (!manager || IsTooLarge(resource_, object, arena)) return;
  const FieldManager ownership(call_.resources, resource_, subresource, arena, &conversions());
  ownership.Track(*manager, Context(arena, subresource).now, live, object);
}

base::Task<> Writer::TrackWaiting(const std::optional<std::string>& manager, std::string_view subresource,
                                  const Value* live, Value object, Value managed_before, Arena& arena) {
  while (conversions().asked()) {
    const auto resolved = co_await conversions().Resolve(conversion_request());
    if (!resolved) conversions().GiveUp();
    ObjectMeta(object, arena).Set("managedFields", managed_before);
    Track(manager, subresource, live, object, arena);
  }
}

base::Task<api::Result<Value>> Writer::ReadConverted(const store::Cell& cell, Arena& arena) {
  auto stored = DecodeUnconverted(resource_, cell, arena);
  if (!stored) co_return stored;
  Value object = *stored;
  auto converted =
      co_await resource_.converter->Convert(Converter::To::kServed, conversion_request(), std::span(&object, 1), arena);
  if (!converted) co_return std::unexpected(std::move(converted.error()));
  co_return object;
}

base::Task<api::Result<Value>> Writer::ToStoredForm(Value served, Arena& arena) {
  auto converted =
      co_await resource_.converter->Convert(Converter::To::kStored, conversion_request(), std::span(&served, 1), arena);
  if (!converted) co_return std::unexpected(std::move(converted.error()));
  co_return served;
}

AdmissionRequest Writer::Admitted(Operation operation, std::string_view subresource, Value object, const Value* old,
                                  bool dry_run, Arena& arena) {
  return {.call = call_,
          .resource = resource_,
          .subresource = subresource,
          .operation = operation,
          .key = key_,
          .object = object,
          .old = old,
          .dry_run = dry_run,
          .arena = arena};
}

base::Task<api::Result<>> Writer::Mutate(AdmissionRequest request) {
  if (parts_.hooks.admission == nullptr) co_return api::Result<>();
  co_return co_await parts_.hooks.admission->Mutate(request);
}

base::Task<api::Result<>> Writer::Validate(AdmissionRequest request) {
  if (parts_.hooks.admission == nullptr) co_return api::Result<>();
  stored_with_.clear();
  if (request.operation != Operation::kDelete) request.stored_with = &stored_with_;
  co_return co_await parts_.hooks.admission->Validate(request);
}

api::Result<Reservation> Writer::Allocate(WriteContext& context, const Value& object, const Value* old, bool dry_run) {
  if (!parts_.hooks.allocate || !context.subresource.empty()) return Reservation();
  return parts_.hooks.allocate(context, object, old, dry_run);
}

api::Result<Reservation> Writer::Complete(const Resource& form, std::string_view subresource, Value object,
                                          const Value* old, bool dry_run, Arena& arena) {
  if (!parts_.hooks.complete || dry_run) return Reservation();
  WriteContext context = Context(arena, subresource, form);
  auto completion = parts_.hooks.complete(context, object, old);
  if (!completion) return std::unexpected(std::move(completion.error()));
  if (!completion->status.is_null()) {
    const Value before = Value::Object(arena, object.members().size());
    for (const value::Member& member : object.members()) before.Add(arena, member.key, member.value);
    object.Set(arena, "status", completion->status);
    Track(std::string(kServerManager), "status", &before, object, arena);
  }
  return std::move(completion->reservation);
}

base::Task<base::Result<store::Committed>> Writer::Commit(std::optional<store::Body> body, store::Revision expected) {
  std::vector<store::Write> writes(1);
  const bool removes = !body;
  writes[0] = {resource_.storage->id, store_key_, std::move(body), expected};
  if (!removes) std::ranges::move(std::exchange(stored_with_, {}), std::back_inserter(writes));
  auto committed = co_await base::Await<base::Result<store::Committed>>(
      call_.executor, [&](auto done) { parts_.store.Commit(std::move(writes), std::move(done)); });
  if (committed && parts_.hooks.committed) parts_.hooks.committed(resource_, store_key_);
  co_return committed;
}

Writer::AttemptResult Writer::RetryOrFail(const base::Error& error, std::string_view operation) const {
  if (error.code == base::Code::kConflict || error.code == base::Code::kNotFound) return Attempt{Step::kRetry, {}};
  return api::Fail(FromStore(error, resource_.group_resource(), key_.name, operation));
}

base::Task<Writer::AttemptResult> Writer::CommitBody(store::Body body, store::Revision expected,
                                                     std::string_view operation) {
  auto committed = co_await Commit(std::move(body), expected);
  if (!committed) co_return RetryOrFail(committed.error(), operation);
  co_return Attempt{Step::kDone, AsStored(committed->cells[0])};
}

// What is not stored may be shown all the same, with what reading it from the store would add.
WriteResult Writer::AsIfStored(const Resource& form, const Value& object, Arena& arena) const {
  if (&form != &resource_) form.SetDefaults(object, arena);
  return NotStored(form, object, arena);
}

// In place of `cell`. What is the same already is not written again.
base::Task<Writer::AttemptResult> Writer::StoreChange(const Resource& form, Value object, const store::Cell& cell,
                                                      bool dry_run, Arena& arena, std::string_view operation) {
  const bool converted = &form != &resource_;
  Value stored_form = object;
  if (Waits(resource_)) {
    auto ready_form = co_await ToStoredForm(object, arena);
    if (!ready_form) co_return std::unexpected(std::move(ready_form.error()));
    stored_form = *ready_form;
  }
  auto body = EncodeForStore(form, stored_form, arena, converted);
  if (!body) co_return std::unexpected(std::move(body.error()));
  if (dry_run) co_return Attempt{Step::kDone, AsIfStored(form, object, arena)};
  const bool writes = cell.created() == cell.modified() && form.strategy->FirstUpdateWrites(object);
  if (!writes && SameContent(form, *body, cell)) co_return Attempt{Step::kDone, AsStored(store::CellRef(&cell))};
  co_return co_await CommitBody(*std::move(body), cell.modified(), operation);
}

base::Task<api::Result<WriteResult>> Writer::Create(Registry::Create& create) {
  Arena& arena = *create.arena;
  const Value object = create.object;
  ObjectMeta meta(object, arena);
  WipeSystemFields(meta);
  if (auto matched = MatchNamespace(resource_, key_.namespace_name, meta); !matched) {
    co_return std::unexpected(std::move(matched.error()));
  }
  DropRepeatedOwners(meta, false, call_.warnings);
  resource_.SetDefaults(object, arena);
  const Value managed_before = meta.Get("managedFields");
  Track(create.field_manager, "", nullptr, object, arena);
  if (conversions().asked()) {
    co_await TrackWaiting(create.field_manager, "", nullptr, object, managed_before, arena);
  }
  auto admitted = co_await Mutate(Admitted(Operation::kCreate, "", object, nullptr, create.dry_run, arena));
  if (!admitted) co_return std::unexpected(std::move(admitted.error()));

  const bool generate = meta.name().empty() && !meta.generate_name().empty();
  for (int attempt = 1;; ++attempt) {
    const Value candidate = generate ? value::DeepCopy(arena, object) : object;
    auto stored = co_await StoreNew(candidate, arena, create.dry_run);
    if (!stored) co_return std::unexpected(std::move(stored.error()));
    if (stored->step == Step::kDone) co_return std::move(stored->written);
    if (!generate || attempt == kNameAttempts) co_return api::Fail(AlreadyThere(candidate));
  }
}

void Writer::FillSystemFields(const Value& object, Arena& arena) {
  ObjectMeta meta(object, arena);
  meta.SetString("creationTimestamp", Context(arena, "").now);
  meta.SetString("uid", arena.CopyString(base::NewUuid(parts_.random)));
  if (meta.name().empty() && !meta.generate_name().empty()) {
    const bool whole = resource_.strategy->facts().generate_name_is_name;
    meta.SetString("name",
                   whole ? meta.generate_name() : arena.CopyString(GenerateName(meta.generate_name(), parts_.random)));
  } else if (meta.name().empty() && resource_.strategy->facts().named_by_uuid) {
    meta.SetString("name", arena.CopyString(base::NewUuid(parts_.random)));
  }
}

// A dry run shows objects that are too large to be stored, up to so many bytes.
constexpr size_t kMostShownUnstored = 4 << 20;

base::Task<Writer::AttemptResult> Writer::StoreNew(Value object, Arena& arena, bool dry_run) {
  FillSystemFields(object, arena);
  const Resource& form = StrategyForm();
  if (&form != &resource_) object = resource_.converter->Now(Converter::To::kStored, arena, object);
  WriteContext context = Context(arena, "", form);
  const auto claim = Allocate(context, object, nullptr, dry_run);
  if (!claim) co_return std::unexpected(claim.error());
  auto ready = BeforeCreate(context, object, key_.namespace_name);
  if (ready) {
    const Value served = AsServed(form, object, arena);
    ready = co_await Validate(Admitted(Operation::kCreate, "", served, nullptr, dry_run, arena));
  }
  const ObjectMeta meta(object, arena);
  if (ready) ready = CheckName(meta.name(), true);
  if (!ready) co_return std::unexpected(std::move(ready.error()));

  key_.name = meta.name();
  store_key_ = StoreKey(resource_, key_);
  if (dry_run) {
    if (parts_.store.Latest(resource_.storage->id).Get(store_key_) != nullptr) co_return Attempt{Step::kRetry, {}};
    Attempt attempt{Step::kDone, AsIfStored(form, object, arena)};
    if (attempt.written.bytes.data.size() > kMostShownUnstored) {
      if (auto body = EncodeForStore(form, object, arena); !body) co_return std::unexpected(std::move(body.error()));
    }
    attempt.written.created = true;
    co_return attempt;
  }
  if (auto version = ParseUnsigned(meta.resource_version()); version && *version != 0) {
    co_return api::Fail(api::Generic(500, "resourceVersion should not be set on objects to be created"));
  }
  const bool converted = &form != &resource_;
  Value stored_form = object;
  if (Waits(resource_)) {
    auto ready_form = co_await ToStoredForm(object, arena);
    if (!ready_form) co_return std::unexpected(std::move(ready_form.error()));
    stored_form = *ready_form;
  }
  const auto completed = Complete(form, "", object, nullptr, dry_run, arena);
  if (!completed) co_return std::unexpected(completed.error());
  auto body = EncodeForStore(form, stored_form, arena, converted);
  if (!body && !meta.Get("managedFields").is_null()) {
    // Too large: what says who owns the fields is given up first.
    ObjectMeta(stored_form, arena).Set("managedFields", Value());
    body = EncodeForStore(form, stored_form, arena, converted);
  }
  if (!body) co_return std::unexpected(std::move(body.error()));
  while (true) {
    const bool alone = stored_with_.empty();
    store::Body last = alone ? *std::move(body) : *body;
    auto committed = co_await CommitBody(std::move(last), store::Revision(0), "create");
    if (committed) committed->written.created = true;
    if (alone || !committed || committed->step == Step::kDone) co_return committed;
    if (parts_.store.Latest(resource_.storage->id).Get(store_key_) != nullptr) co_return committed;
    // What was to be stored with the object could not: whether it may be there is asked again.
    const Value served = AsServed(form, object, arena);
    ready = co_await Validate(Admitted(Operation::kCreate, "", served, nullptr, dry_run, arena));
    if (ready && call_.request.deadline <= parts_.clock.Monotonic()) {
      ready = api::Fail(FromStore({base::Code::kTimeout, ""}, resource_.group_resource(), key_.name, "create"));
    }
    if (!ready) co_return std::unexpected(std::move(ready.error()));
  }
}

api::Error Writer::AlreadyThere(const Value& object) {
  const ObjectMeta meta(object);
  api::Error error = meta.generate_name().empty()
                         ? api::AlreadyExists(resource_.group_resource(), meta.name())
                         : api::GenerateNameConflict(resource_.group_resource(), meta.name(), 1);
  const store::Snapshot snapshot = parts_.store.Latest(resource_.storage->id);
  const store::Cell* cell = snapshot.Get(store_key_);
  if (cell != nullptr && IsDeleting(*cell)) error.message = base::Cat("object is being deleted: ", error.message);
  return error;
}

}  // namespace registry
