#include "registry/stored_form.h"

#include "api/group_version.h"
#include "base/text.h"
#include "registry/errors.h"
#include "registry/json_scan.h"
#include "registry/object_meta.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/wire.h"
#include "value/json_reader.h"

namespace registry {
namespace {

// What etcd takes: a request of 1.5 MiB, and what its client sends at all. A request carries the key twice and some
// framing.
constexpr size_t kMaxRequest = 1536 * 1024;
constexpr size_t kMaxMessage = 2 * 1024 * 1024;
constexpr size_t kFraming = 128;

constexpr size_t kUsualSize = 2048;  // of a stored object

constexpr std::string_view kTypeOrder[] = {"kind", "apiVersion", "metadata"};

void SetType(const Value& object, std::string_view kind, std::string_view api_version, Arena& arena) {
  SetInOrder(object, arena, kTypeOrder, "kind", Value::String(kind));
  SetInOrder(object, arena, kTypeOrder, "apiVersion", Value::String(api_version));
}

Value ToStored(const Resource& resource, const Value& object, Arena& arena) {
  const Storage& storage = *resource.storage;
  const Value stored = resource.converter != nullptr && resource.converter->is_immediate()
                           ? resource.converter->Now(Converter::To::kStored, arena, object)
                           : object;
  SetType(stored, storage.kind, arena.CopyString(api::GroupVersion{storage.group, storage.version}.text()), arena);
  return stored;
}

// Whether the stored bytes are what clients of this version are shown.
bool IsServedAsStored(const Resource& resource) {
  const Storage& storage = *resource.storage;
  return resource.converter == nullptr && resource.type == storage.type && resource.kind == storage.kind &&
         resource.version == storage.version && resource.group == storage.group;
}

// The string at a dotted path; "" where there is none.
std::string_view TextAt(Value value, std::string_view path) {
  for (size_t dot = 0; dot != std::string_view::npos;) {
    dot = path.find('.');
    value = value.Get(path.substr(0, dot));
    if (dot != std::string_view::npos) path.remove_prefix(dot + 1);
  }
  return value.is_string() ? value.AsString() : std::string_view();
}

// Objects that may be too large are measured as the real server stores them.
api::Result<> CheckSize(const Storage& storage, const Value& stored, const std::string& json) {
  if (json.size() + kFraming <= kMaxRequest) return {};
  size_t size = json.size();
  if (storage.type->has_wire) {
    std::string wire;
    schema::EncodeEnvelope(*storage.type, api::GroupVersion{storage.group, storage.version}.text(), storage.kind,
                           stored, wire);
    size = wire.size();
  }
  size += kFraming;
  if (size > kMaxMessage) return api::Fail(MessageTooLarge(size));
  if (size > kMaxRequest) return api::Fail(RequestTooLarge());
  return {};
}

// Adds the values in `v` to `parts`; stops at `most`.
void CountParts(const Value& v, size_t most, size_t& parts) {
  if (++parts >= most) return;
  for (const Value& item : v.items()) {
    if (parts < most) CountParts(item, most, parts);
  }
  for (const value::Member& member : v.members()) {
    if (parts < most) CountParts(member.value, most, parts);
  }
}

// Whether `stored` has a member that clients are not shown.
bool Hides(const Resource& resource, const Value& stored) { return !resource.strategy->HiddenMember(stored).empty(); }

// Whether bytes to store are what reading and writing them again makes of them.
bool ReadsBack(const Resource& resource, std::string_view bytes) {
  const schema::Type& type = *resource.storage->type;
  Arena arena(bytes.size() * 4);
  const auto document = value::ReadJson(bytes, arena, {.escaped_bytes = true});
  if (!document) return false;
  const auto stored = schema::Decode(type, *document, arena, nullptr);
  if (!stored) return false;
  CompleteStored(resource, *stored, arena);
  std::string again;
  schema::Marks marks;
  bool escaped = false;
  schema::EncodeStored(type, *stored, again, &marks, &escaped);
  return again == bytes;
}

}  // namespace

bool IsTooLarge(const Resource& resource, const Value& object, Arena& arena) {
  constexpr size_t kUsual = 20'000;
  size_t parts = 0;
  if (CountParts(object, kUsual, parts), parts < kUsual) return false;
  const Value bare = Value::ObjectOf(arena, object.members());
  const Value metadata = Value::ObjectOf(arena, object.Get("metadata").members());
  metadata.Remove("managedFields");
  bare.Set(arena, "metadata", metadata);
  std::string bytes;
  if (resource.type->has_wire) {
    schema::EncodeWire(*resource.type, bare, bytes);
  } else {
    schema::EncodeJson(*resource.type, bare, bytes);
  }
  return bytes.size() > kMaxRequest;
}

void CompleteStored(const Resource& resource, const Value& stored, Arena& arena) {
  resource.strategy->SetDefaults(*resource.storage->type, stored, arena, resource.features);
}

api::Result<Value> DecodeStored(const Resource& resource, const store::Cell& cell, Arena& arena, Value* shown) {
  auto document =
      value::ReadJson(cell.bytes(), arena, {.escaped_bytes = true, .only_spaced = !cell.needs_reencoding()});
  if (!document)
    return api::Fail(api::Internal(base::Cat("stored object ", cell.key(), ": ", document.error().message)));
  auto stored = schema::Decode(*resource.storage->type, *document, arena, nullptr);
  if (!stored) return stored;
  if (cell.needs_reencoding()) CompleteStored(resource, *stored, arena);
  const bool is_shown = !cell.needs_reencoding() && document->source().empty() && IsServedAsStored(resource);
  if (shown != nullptr && is_shown) *shown = *document;
  const Value object =
      resource.converter != nullptr ? resource.converter->Now(Converter::To::kServed, arena, *stored) : *stored;
  SetType(object, resource.kind, arena.CopyString(resource.group_version()), arena);
  return object;
}

api::Result<Value> DecodeUnconverted(const Resource& resource, const store::Cell& cell, Arena& arena) {
  auto document = value::ReadJson(cell.bytes(), arena, {.escaped_bytes = true});
  if (!document)
    return api::Fail(api::Internal(base::Cat("stored object ", cell.key(), ": ", document.error().message)));
  return schema::Decode(*resource.storage->type, *document, arena, nullptr);
}

bool IsReadable(std::string_view bytes) {
  Arena arena(bytes.size() * 2 + 1024);
  const auto document = value::ReadJson(bytes, arena);
  return document && document->is_object();
}

api::Result<store::Body> EncodeForStore(const Resource& resource, const Value& object, Arena& arena, bool converted) {
  ObjectMeta meta(object, arena);
  const std::string_view version = meta.resource_version(), link = object.Get("metadata").GetString("selfLink");
  meta.SetString("resourceVersion", "");
  meta.SetString("selfLink", "");  // nothing sets it any more, and nobody can; a dry run shows it again
  const Value stored = ToStored(resource, object, arena);
  store::Body body;
  body.bytes.reserve(kUsualSize);
  schema::Marks marks;
  schema::EncodeStored(*resource.storage->type, stored, body.bytes, &marks, &body.needs_reencoding);
  body.needs_reencoding =
      body.needs_reencoding || Hides(resource, stored) || (converted && !ReadsBack(resource, body.bytes));
  meta.SetString("resourceVersion", version);
  meta.SetString("selfLink", link);
  body.revision_offset = marks.revision;
  body.labels_offset = marks.labels;
  if (auto fits = CheckSize(*resource.storage, stored, body.bytes); !fits)
    return std::unexpected(std::move(fits.error()));
  if (const std::string_view path = resource.strategy->facts().index_selector; !path.empty()) {
    body.index = TextAt(stored, path);
  }
  return body;
}

WriteResult AsStored(const store::CellRef& cell) {
  return {.cell = cell, .bytes = cell->Share(), .needs_reencoding = cell->needs_reencoding()};
}

WriteResult NotStored(const Resource& resource, const Value& object, Arena& arena) {
  WriteResult written;
  std::string json;
  if (Waits(resource)) {
    schema::EncodeJson(*resource.type, object, json);
    written.served = true;
    written.bytes = base::Slice::Own(std::move(json));
    return written;
  }
  const Value stored = ToStored(resource, object, arena);
  schema::EncodeStored(*resource.storage->type, stored, json, nullptr, &written.needs_reencoding);
  written.needs_reencoding = written.needs_reencoding || Hides(resource, stored);
  written.bytes = base::Slice::Own(std::move(json));
  return written;
}

bool IsDeleting(const store::Cell& cell) { return !FindJson(cell.bytes(), "metadata.deletionTimestamp").empty(); }

bool SameContent(const Resource& resource, const store::Body& body, const store::Cell& cell) {
  const std::string_view bytes = body.bytes, stored = cell.bytes();
  size_t digits = 0;
  for (int64_t rest = cell.modified().value(); rest > 0; rest /= 10) ++digits;
  return stored.size() == bytes.size() + digits && stored.starts_with(bytes.substr(0, body.revision_offset)) &&
         stored.ends_with(bytes.substr(body.revision_offset)) && (!body.needs_reencoding || ReadsBack(resource, bytes));
}

}  // namespace registry
