#include "handlers/stored_object.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "registry/stored_form.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/wire.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

// The forms of a cell that are kept with it, beside the stored one.
enum Form : uint32_t { kConvertedJson = 1, kMessage = 2, kMetadata = 3, kSeen = 4 };
// With one of them, where the stored form is marked: for which encoding, and for whom.
constexpr uint32_t kForCbor = 8, kForProtobuf = 16, kForSubresource = 32;

// Annotations that are fields in the real server's own form of a kind: what it shows of metadata alone lacks them.
struct HiddenAnnotation {
  std::string_view group, kind, name;
};
constexpr HiddenAnnotation kHidden[] = {
    {"apps", "DaemonSet", "deprecated.daemonset.template.generation"},
    {"apps", "Deployment", "deprecated.deployment.rollback.to"},
};

std::string Prefix(std::string_view kind, std::string_view group, std::string_view version) {
  return base::Cat("{\"kind\":\"", kind, "\",\"apiVersion\":\"", group, group.empty() ? "" : "/", version, "\"");
}

// The end of the JSON string that begins at `at` (one past its closing quote).
size_t SkipString(std::string_view json, size_t at) {
  for (++at; at < json.size(); ++at) {
    if (json[at] == '\\') {
      ++at;
    } else if (json[at] == '"') {
      return at + 1;
    }
  }
  return json.size();
}

// The end of the JSON value that begins at `at`.
size_t SkipValue(std::string_view json, size_t at) {
  size_t depth = 0;
  while (at < json.size()) {
    switch (json[at]) {
      case '"':
        at = SkipString(json, at);
        if (depth == 0) return at;
        continue;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth <= 1) return depth == 0 ? at : at + 1;
        --depth;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
    ++at;
  }
  return at;
}

// The member at a dotted path; "" none.
void RemoveAt(value::Value object, std::string_view path) {
  size_t dot = path.find('.');
  for (; dot != std::string_view::npos; dot = path.find('.')) {
    object = object.Get(path.substr(0, dot));
    path.remove_prefix(dot + 1);
  }
  object.Remove(path);
}

}  // namespace

std::string_view FindJsonMember(std::string_view json, std::string_view key) {
  size_t at = 1;
  while (at < json.size() && json[at] == '"') {
    size_t end = SkipString(json, at);
    std::string_view name = json.substr(at + 1, end - at - 2);
    size_t value = end + 1;
    size_t next = SkipValue(json, value);
    if (name == key) return json.substr(value, next - value);
    at = next + 1;
  }
  return {};
}

StoredObject::StoredObject(const registry::Resource& resource, Encoding encoding, bool of_subresource,
                           ServedFormsRef forms)
    : resource_(resource),
      encoding_(encoding),
      of_subresource_(of_subresource),
      forms_(std::move(forms)),
      served_prefix_(Prefix(resource.kind, resource.group, resource.version)) {
  version_hash_ = 2166136261u;
  for (char c : resource.group_version()) version_hash_ = (version_hash_ ^ static_cast<uint8_t>(c)) * 16777619u;
  for (const HiddenAnnotation& hidden : kHidden) {
    if (hidden.group == resource.group && hidden.kind == resource.kind) hidden_annotation_ = hidden.name;
  }
  if (resource.storage == nullptr) return;
  const registry::Storage& storage = *resource.storage;
  same_prefix_ =
      storage.group == resource.group && storage.version == resource.version && storage.kind == resource.kind;
  stored_prefix_size_ =
      same_prefix_ ? served_prefix_.size() : Prefix(storage.kind, storage.group, storage.version).size();
}

store::EncodingId StoredObject::Id(uint32_t form, const store::Cell& cell) const {
  if (cell.needs_reencoding()) {
    if (encoding_ == Encoding::kCbor) form |= kForCbor;
    if (encoding_ == Encoding::kProtobuf) form |= kForProtobuf;
    if (of_subresource_) form |= kForSubresource;
  }
  return store::EncodingId{(version_hash_ & ~0xFFu) | form};
}

value::Value StoredObject::DecodeAsStored(std::string_view stored, value::Arena& arena) const {
  auto tree = value::ReadJson(stored, arena, {.escaped_bytes = true});
  if (!tree) return {};
  if (resource_.storage == nullptr || resource_.storage->type == nullptr) return *tree;
  auto decoded = schema::Decode(*resource_.storage->type, *tree, arena, nullptr);
  return decoded ? *decoded : value::Value();
}

value::Value StoredObject::DecodeForRow(std::string_view stored, value::Arena& arena) const {
  // What columns of custom resources name is meant of the served version.
  const bool same_group =
      !resource_.custom && resource_.storage != nullptr && resource_.storage->group == resource_.group;
  return same_group ? DecodeAsStored(stored, arena) : Decode(stored, arena);
}

value::Value StoredObject::DecodeServed(std::string_view json, value::Arena& arena) const {
  auto tree = value::ReadJson(json, arena);
  if (!tree) return {};
  auto decoded = schema::Decode(*resource_.type, *tree, arena, nullptr);
  return decoded ? *decoded : value::Value();
}

value::Value StoredObject::Decode(const store::Cell& cell, value::Arena& arena) const {
  return forms_ != nullptr ? DecodeServed(forms_->Get(cell), arena) : Decode(Text(cell), arena);
}

value::Value StoredObject::Decode(const registry::WriteResult& written, value::Arena& arena) const {
  if (written.served) return DecodeServed(written.bytes.data, arena);
  return forms_ != nullptr ? Decode(*written.cell, arena) : Decode(written.bytes.data, arena);
}

value::Value StoredObject::DecodeForRow(const store::Cell& cell, value::Arena& arena) const {
  return forms_ != nullptr ? DecodeServed(forms_->Get(cell), arena) : DecodeForRow(Text(cell), arena);
}

value::Value StoredObject::Decode(std::string_view stored, value::Arena& arena) const {
  value::Value object = DecodeAsStored(stored, arena);
  if (!object.is_object()) return {};
  if (resource_.converter != nullptr) {
    object = resource_.converter->Now(registry::Converter::To::kServed, arena, object);
  }
  object.Set(arena, "kind", value::Value::String(resource_.kind));
  object.Set(arena, "apiVersion", value::Value::Copy(arena, resource_.group_version()));
  return object;
}

std::string StoredObject::Convert(std::string_view stored) const {
  value::Arena arena;
  std::string json;
  bool escaped = false;
  schema::EncodeJson(*resource_.type, Decode(stored, arena), json, nullptr, keeps_bytes() ? &escaped : nullptr);
  return json;
}

// The stored form that is marked, as clients see it in the encoding.
std::string StoredObject::AsSeen(std::string_view marked) const {
  value::Arena arena(marked.size() * 4);
  const value::Value object = DecodeAsStored(marked, arena);
  registry::CompleteStored(resource_, object, arena);
  if (!of_subresource_) {
    if (const std::string_view path = resource_.strategy->HiddenMember(object); !path.empty()) RemoveAt(object, path);
  }
  std::string json;
  bool escaped = false;
  if (encoding_ == Encoding::kProtobuf) {
    schema::EncodeStored(*resource_.storage->type, object, json, nullptr, &escaped);
  } else {
    schema::EncodeJson(*resource_.storage->type, object, json, nullptr, keeps_bytes() ? &escaped : nullptr);
  }
  return json;
}

std::string_view StoredObject::Text(const store::Cell& cell) const {
  if (!cell.needs_reencoding()) return cell.bytes();
  return cell.Encoding(Id(kSeen, cell), [&] { return AsSeen(cell.bytes()); });
}

base::Slice StoredObject::Text(base::Slice stored, bool escaped) const {
  return escaped ? base::Slice::Own(AsSeen(stored.data)) : stored;
}

std::string_view StoredObject::TailOf(std::string_view stored) const { return stored.substr(stored_prefix_size_); }

std::string_view StoredObject::Tail(const store::Cell& cell) const {
  if (IsServedAsStored()) return TailOf(Text(cell));
  if (forms_ != nullptr) {
    const std::string_view served = forms_->Get(cell);
    return served.substr(std::min(served.size(), served_prefix_.size()));
  }
  std::string_view json = cell.Encoding(Id(kConvertedJson, cell), [&] { return Convert(Text(cell)); });
  return json.substr(served_prefix_.size());
}

void StoredObject::AppendJson(const store::Cell& cell, std::string& out) const {
  base::Append(out, served_prefix_, Tail(cell));
}

std::vector<base::Slice> StoredObject::Json(const store::CellRef& cell) const {
  base::Slice kept = cell->Share();
  if (IsServedAsStored() && same_prefix_) return {{Text(*cell), std::move(kept.owner)}};
  std::vector<base::Slice> slices = {base::Slice::Own(served_prefix_)};
  if (forms_ != nullptr) {
    slices.push_back({Tail(*cell), forms_});
  } else {
    slices.push_back({Tail(*cell), std::move(kept.owner)});
  }
  return slices;
}

std::vector<base::Slice> StoredObject::Json(const base::Slice& stored) const {
  if (!IsServedAsStored()) return {base::Slice::Own(Convert(stored.data))};
  if (same_prefix_) return {stored};
  return {base::Slice::Own(served_prefix_), base::Slice{TailOf(stored.data), stored.owner}};
}

std::string_view StoredObject::StoredMetadata(std::string_view stored) const {
  constexpr std::string_view kFirst = ",\"metadata\":";
  const std::string_view tail = TailOf(stored);
  if (!tail.starts_with(kFirst)) return FindJsonMember(stored, "metadata");
  return tail.substr(kFirst.size(), SkipValue(tail, kFirst.size()) - kFirst.size());
}

std::string StoredObject::WithoutHiddenAnnotation(std::string_view metadata) const {
  value::Arena arena(metadata.size() * 4);
  auto tree = value::ReadJson(metadata, arena, {.escaped_bytes = true});
  if (!tree) return std::string(metadata);
  const value::Value annotations = tree->Get("annotations");
  annotations.Remove(hidden_annotation_);
  if (annotations.empty()) tree->Remove("annotations");
  std::string json;
  bool escaped = false;
  value::WriteJson(*tree, json, value::KeyOrder::kDocument, keeps_bytes() ? &escaped : nullptr);
  return json;
}

std::string_view StoredObject::Metadata(const store::Cell& cell) const {
  if (forms_ != nullptr) return FindJsonMember(forms_->Get(cell), "metadata");
  const std::string_view metadata = StoredMetadata(Text(cell));
  if (hidden_annotation_.empty() || !metadata.contains(hidden_annotation_)) return metadata;
  return cell.Encoding(Id(kMetadata, cell), [&] { return WithoutHiddenAnnotation(metadata); });
}

std::string StoredObject::Metadata(std::string_view stored) const {
  const std::string_view metadata = StoredMetadata(stored);
  if (hidden_annotation_.empty() || !metadata.contains(hidden_annotation_)) return std::string(metadata);
  return WithoutHiddenAnnotation(metadata);
}

std::string_view StoredObject::Message(const store::Cell& cell) const {
  return cell.Encoding(Id(kMessage, cell), [&] {
    std::string message;
    if (IsServedAsStored()) {  // the stored JSON is the served one
      if (schema::JsonToWire(*resource_.type, Text(cell), message)) return message;
    }
    value::Arena arena;
    schema::EncodeWire(*resource_.type, Decode(cell, arena), message);
    return message;
  });
}

std::string StoredObject::Envelope(const store::Cell& cell) const {
  std::string envelope;
  schema::AppendEnvelope(resource_.group_version(), resource_.kind, Message(cell), envelope);
  return envelope;
}

}  // namespace handlers
