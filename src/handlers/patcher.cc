#include "handlers/patcher.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/group_version.h"
#include "api/quote.h"
#include "apply/apply.h"
#include "apply/go_convert.h"
#include "apply/go_print.h"
#include "apply/json_patch.h"
#include "apply/merge_patch.h"
#include "apply/strategic_merge.h"
#include "base/text.h"
#include "handlers/documents.h"
#include "handlers/views.h"
#include "registry/field_manager.h"
#include "registry/pending_conversions.h"
#include "registry/stored_form.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/member_index.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;

constexpr size_t kMaxOperations = 10'000;
constexpr int kDuplicateDepth = 100;  // keys below are not looked at for duplicates

std::unexpected<api::Error> Bad(std::string message) { return api::Fail(api::BadRequest(std::move(message))); }

// What strict decoding minds in a patch, each text once: no more of them than the real server lists, nor more text.
class Findings {
 public:
  explicit Findings(std::vector<std::string>& list) : list_(list) {}
  bool full() const { return list_.size() >= schema::kMaxFindings || bytes_ >= schema::kMaxFindingBytes; }
  void Add(std::string text) {
    bytes_ += text.size();
    if (!full() && std::ranges::find(list_, text) == list_.end()) list_.push_back(std::move(text));
  }

 private:
  std::vector<std::string>& list_;
  size_t bytes_ = 0;
};

// Where a value stands in a patch: a member of an object, or an item of a list.
struct Step {
  const Step* parent;
  std::string_view key;
  int64_t index;  // -1 of a member

  std::string text() const {
    std::string path = parent != nullptr ? parent->text() : std::string();
    if (index >= 0) return base::Cat(path, "[", index, "]");
    return base::Cat(path, path.empty() ? "" : ".", key);
  }
};

// `PREFIXduplicate field "a.b[0].c"` for every member that an earlier one of its object has the name of.
void FindDuplicates(const Value& v, const Step* at, int depth, std::string_view prefix, Findings& findings) {
  if (depth == 0 || findings.full()) return;
  for (uint32_t i = 0; i < v.items().size(); ++i) {
    const Step step{at, {}, i};
    FindDuplicates(v[i], &step, depth - 1, prefix, findings);
  }
  const value::MemberIndex first(v);
  for (const value::Member& member : v.members()) {
    const Step step{at, member.key, -1};
    if (first.Find(member.key) != &member.value && !findings.full())
      findings.Add(base::Cat(prefix, "duplicate field ", api::Quote(step.text())));
    FindDuplicates(member.value, &step, depth - 1, prefix, findings);
  }
}

// Each key once, the last value of a repeated one: as a map of Go's reads the patch. As deep as FindDuplicates looks.
Value WithoutDuplicates(Arena& arena, const Value& v, int depth) {
  if (depth == 0) return v;
  if (v.is_array()) {
    Value list = Value::Array(arena, v.size());
    for (const Value& item : v.items()) list.Append(arena, WithoutDuplicates(arena, item, depth - 1));
    return list;
  }
  if (!v.is_object()) return v;
  Value object = Value::Object(arena, v.size());
  for (const value::Member& member : v.members())
    object.Add(arena, member.key, WithoutDuplicates(arena, member.value, depth - 1));
  value::KeepLastOfDuplicates(object);
  return object;
}

// Where Go's converter comes upon a value that reads its own text, that sees nothing of the field around it.
std::string OfValueAlone(std::string text) {
  if (text.starts_with("illegal base64")) return base::Cat("error decoding from json: ", text);
  constexpr std::string_view kField = " into Go struct field ", kType = " of type ";
  const size_t field = text.find(kField), type = text.rfind(kType);
  if (field == std::string::npos || type == std::string::npos || type < field) return text;
  return base::Cat(text.substr(0, field), " into Go value", text.substr(type));
}

// Whether the operation, and where somebody looks its members, have the types of an operation; else Go's words.
api::Result<> CheckOperation(const Value& operation, bool looks) {
  if (operation.is_null()) return {};
  if (!operation.is_object()) {
    return Bad(base::Cat("json: cannot unmarshal ", GoWord(operation), " into Go value of type ",
                         looks ? "handlers.jsonPatchOp" : "jsonpatch.Operation"));
  }
  if (!looks) return {};  // its members are read when it is applied
  for (const value::Member& member : operation.members()) {
    bool is_text = member.key == "op" || member.key == "path" || member.key == "from";
    if (!is_text || member.value.is_null() || member.value.is_string()) continue;
    return Bad(base::Cat("json: cannot unmarshal ", GoWord(member.value), " into Go struct field jsonPatchOp.",
                         member.key, " of type string"));
  }
  return {};
}

// Members of the operations that stand twice or have no meaning, in the order of the document; nobody looks into the
// latter.
void FindInOperations(const Value& operations, Findings& findings) {
  constexpr std::string_view kPrefix = "json patch ";
  constexpr std::array<std::string_view, 4> kMembers = {"op", "path", "from", "value"};
  for (uint32_t i = 0; i < operations.size(); ++i) {
    std::array<bool, kMembers.size()> met{};
    for (const value::Member& member : operations[i].members()) {
      if (findings.full()) return;
      const Step operation{nullptr, {}, i}, step{&operation, member.key, -1};
      const auto* known = std::ranges::find(kMembers, member.key);
      if (known == kMembers.end()) {
        findings.Add(base::Cat(kPrefix, "unknown field ", api::Quote(step.text())));
      } else if (std::exchange(met[static_cast<size_t>(known - kMembers.begin())], true)) {
        findings.Add(base::Cat(kPrefix, "duplicate field ", api::Quote(step.text())));
      }
      if (member.key == "value") FindDuplicates(member.value, &step, kDuplicateDepth - 2, kPrefix, findings);
    }
  }
}

// The kind and version of a configuration, as refusals name them.
std::string TypeText(std::string_view api_version, std::string_view kind) {
  const auto version = api::GroupVersion::Parse(api_version);
  if (!version) return "/, Kind=";  // what is no version names nothing
  return base::Cat(version->group, "/", version->version, ", Kind=", kind);
}

bool NamesNoVersion(const Value& document) {
  const Value version = document.Get("apiVersion"), kind = document.Get("kind");
  const bool is_readable = kind.is_null() || kind.is_string();
  return document.is_object() && is_readable &&
         (version.is_null() || (version.is_string() && version.AsString().empty()));
}

// `v` as Go writes it where only what was touched was read: the rest stays as it was sent, without white space.
void AppendLeftAlone(const Value& v, std::string& out) {
  if (!v.source().empty()) return schema::AppendCompactJson(v.source(), out);
  if (!v.is_array() && !v.is_object()) return schema::AppendRawJson(v, out);
  const bool is_array = v.is_array();
  char before = is_array ? '[' : '{';
  for (const Value& item : v.items()) {
    out += std::exchange(before, ',');
    AppendLeftAlone(item, out);
  }
  for (const value::Member& member : v.members()) {
    out += std::exchange(before, ',');
    value::AppendJsonString(out, member.key);
    out += ':';
    AppendLeftAlone(member.value, out);
  }
  if (v.empty()) out += before;
  out += is_array ? ']' : '}';
}

std::string ApiVersionOf(const BodyKind& kind) { return api::GroupVersion{kind.group, kind.version}.text(); }

}  // namespace

std::optional<PatchKind> PatchKindOf(std::string_view content_type) {
  std::string_view type = base::TrimSpace(content_type.substr(0, content_type.find(';')));
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json") return PatchKind::kStrategic;
  if (type == "application/apply-patch+yaml" || type == "application/apply-patch+cbor") return PatchKind::kApply;
  return std::nullopt;
}

api::Result<> Patcher::ReadJsonPatch() {
  // Who does not look for repeated and unknown members decodes once, and says no more than the decoder.
  const std::string_view prefix = looks() ? "error decoding patch: " : "";
  if (!patch_.is_array() && !patch_.is_null()) {
    return Bad(base::Cat(prefix, "json: cannot unmarshal ", GoWord(patch_), " into Go value of type ",
                         looks() ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch"));
  }
  for (const Value& operation : patch_.items()) {
    if (auto good = CheckOperation(operation, looks()); !good) return Bad(base::Cat(prefix, good.error().message));
  }
  if (patch_.size() > kMaxOperations) {
    return api::Fail(api::RequestEntityTooLarge(
        base::Cat("The allowed maximum operations in a JSON patch is ", kMaxOperations, ", got ", patch_.size())));
  }
  Findings findings(findings_);
  FindInOperations(patch_, findings);
  return {};
}

api::Result<> Patcher::ReadConfiguration() {
  bool is_cbor = scope_.request().headers.Get("content-type").starts_with("application/apply-patch+cbor");
  std::string duplicates;
  auto document = ReadDocument(is_cbor ? Encoding::kCbor : Encoding::kYaml, scope_.request().body, arena_, &duplicates);
  if (!document) {
    return Bad(
        base::Cat("error decoding YAML: ", is_cbor ? "" : "error converting YAML to JSON: ", document.error().message));
  }
  patch_ = *document;
  if (!patch_.is_object() && !patch_.is_null()) {
    return Bad(
        base::Cat("error decoding YAML: ", is_cbor ? "cbor: " : "error unmarshaling JSON: while decoding JSON: json: ",
                  "cannot unmarshal ", GoWord(patch_), " into Go value of type map[string]interface {}"));
  }
  if (patch_.is_null()) patch_ = Value::Object(arena_);
  if (!duplicates.empty()) findings_.push_back(base::Cat("error converting YAML to JSON: ", duplicates));
  std::string_view api_version = patch_.GetString("apiVersion"), kind = patch_.GetString("kind");
  if (kind != wanted_.kind || api_version != ApiVersionOf(wanted_)) {
    return Bad(base::Cat("invalid object type: ", TypeText(api_version, kind)));
  }
  return {};
}

api::Result<> Patcher::ReadPatch() {
  if (std::exchange(read_, true)) return {};
  if (kind_ == PatchKind::kApply) return ReadConfiguration();
  std::string_view prefix = kind_ == PatchKind::kStrategic || !looks() ? "" : "error decoding patch: ";
  const bool is_bare_merge = kind_ == PatchKind::kMerge && !looks();  // nothing reads it before the merge
  // What a patch makes is written anew: nothing of it keeps the text that it came from, but what a JSON patch adds
  // whole.
  auto document = value::ReadJson(scope_.request().body, arena_, {.keep_source = false});
  if (!document) return Bad(is_bare_merge ? "Invalid JSON Patch" : base::Cat(prefix, document.error().message));
  patch_ = *document;
  if (kind_ == PatchKind::kJson) {
    std::string compact;
    schema::AppendCompactJson(scope_.request().body, compact);
    if (auto again = value::ReadJson(arena_.CopyString(compact), arena_)) patch_ = *again;
    return ReadJsonPatch();
  }
  if (is_bare_merge && patch_.is_array()) return {};
  if (is_bare_merge && !patch_.is_object()) return Bad("Invalid JSON Patch");
  if (!patch_.is_object() && !patch_.is_null()) {
    return Bad(
        base::Cat(prefix, "json: cannot unmarshal ", GoWord(patch_), " into Go value of type map[string]interface {}"));
  }
  if (patch_.is_null()) {
    if (kind_ == PatchKind::kMerge) return Bad("Invalid JSON Patch");
    patch_ = Value::Object(arena_);
  }
  if (Findings findings(findings_); looks()) FindDuplicates(patch_, nullptr, kDuplicateDepth, {}, findings);
  if (kind_ == PatchKind::kStrategic) patch_ = WithoutDuplicates(arena_, patch_, kDuplicateDepth);
  return {};
}

std::unexpected<api::Error> Patcher::Undecodable(const Value& patched, std::string_view why) const {
  std::string shown;
  if (kind_ == PatchKind::kStrategic) {
    shown = apply::GoValue(applied_patch_);
  } else {
    AppendLeftAlone(patched, shown);
  }
  api::FieldError error{api::FieldError::Type::kInvalid, "patch", api::Quote(shown), std::string(why)};
  return api::Fail(api::Invalid({"", ""}, "", api::FieldErrors{std::move(error)}));
}

std::unexpected<api::Error> Patcher::Inconvertible(const Value& patched, std::string_view why) const {
  if (kind_ == PatchKind::kStrategic) return Undecodable(patched, why);
  const std::string type = TypeText(ApiVersionOf(wanted_), wanted_.kind);
  return api::Fail(api::Generic(500, base::Cat("failed to convert new object (", Described(), ") to proper version: ",
                                               "unable to convert unstructured object to ", type, ": ", why)));
}

std::string Patcher::Described() const {
  const Value metadata = patch_.Get("metadata");
  return base::Cat(metadata.GetString("namespace"), "/", metadata.GetString("name"), "; ",
                   TypeText(ApiVersionOf(wanted_), wanted_.kind));
}

api::Result<Value> Patcher::Decode(const Value& patched, Arena& arena) {
  schema::Findings findings;
  const bool is_custom = wanted_.type != nullptr && wanted_.type->structural != nullptr;
  if (!is_custom && kind_ != PatchKind::kStrategic && NamesNoVersion(patched)) {
    return DecodeUnversioned(patched, arena);
  }
  bool is_strategic = kind_ == PatchKind::kStrategic;
  if (const registry::Resource* other = OtherVersion(patched)) return DecodeOtherVersion(*other, patched, arena);
  Value document = patched;
  if (converts() && wanted_.type != nullptr) {
    if (auto fits = apply::GoConvert(arena, *wanted_.type, document); !fits)
      return Inconvertible(patched, fits.error().message);
  }
  if (is_strategic) {  // becomes an object of the route's type, whatever it says it is
    document.Set(arena, "kind", Value::String(wanted_.kind));
    document.Set(arena, "apiVersion", Value::Copy(arena, ApiVersionOf(wanted_)));
  }
  auto object = DecodeObject(wanted_, document, arena, looks() ? &findings : nullptr);
  if (!object && converts()) return Inconvertible(patched, OfValueAlone(object.error().message));
  if (!object) return Undecodable(patched, object.error().message);
  if (is_strategic) std::ranges::sort(findings.in_order);
  if (auto judged = Judge(patched, findings.in_order); !judged) return std::unexpected(std::move(judged.error()));
  return object;
}

const registry::Resource* Patcher::OtherVersion(const Value& patched) const {
  const registry::Resource& own = scope_.resource;
  const auto named = api::GroupVersion::Parse(patched.GetString("apiVersion"));
  const bool names_group = named && !named->group.empty() && named->group == own.group;
  // A strategic patch becomes what the route serves, a configuration must say so.
  if (kind_ == PatchKind::kStrategic || kind_ == PatchKind::kApply || !names_group || wanted_.type != own.type)
    return nullptr;
  const registry::Resource* other = scope_.resources.Find(own.group, named->version, own.plural);
  const bool converts = other != nullptr && other != &own && other->type != nullptr && other->storage == own.storage &&
                        patched.GetString("kind") == own.kind;
  return converts ? other : nullptr;
}

// Read, defaulted and then converted: what the route's version alone says is unknown there, and lost.
api::Result<Value> Patcher::DecodeOtherVersion(const registry::Resource& other, const Value& patched, Arena& arena) {
  schema::Findings findings;
  auto object = DecodeObject(KindOf(other), patched, arena, looks() ? &findings : nullptr);
  if (!object) return Undecodable(patched, object.error().message);
  if (auto judged = Judge(patched, findings.in_order); !judged) return std::unexpected(std::move(judged.error()));
  other.SetDefaults(*object, arena);
  if (registry::Waits(other) || registry::Waits(scope_.resource)) {
    // What is not there yet is waited for, and the patch is made again then.
    const auto other_form = scope_.conversions->Find(other, scope_.resource, *object, arena);
    return other_form ? *other_form : *object;
  }
  Value converted =
      other.converter != nullptr ? other.converter->Now(registry::Converter::To::kStored, arena, *object) : *object;
  if (scope_.resource.converter != nullptr) {
    converted = scope_.resource.converter->Now(registry::Converter::To::kServed, arena, converted);
  }
  converted.Set(arena, "apiVersion", Value::Copy(arena, ApiVersionOf(wanted_)));
  return converted;
}

api::Result<> Patcher::Judge(const Value& patched, const std::vector<std::string>& found) {
  std::vector<std::string> all = kind_ == PatchKind::kApply ? std::vector<std::string>() : findings_;
  all.insert(all.end(), found.begin(), found.end());
  if (all.empty() || !looks()) return {};
  if (is_strict()) return Undecodable(patched, base::Cat("strict decoding error: ", base::Join(all, ", ")));
  if (!std::exchange(warned_, true)) {
    for (const std::string& finding : all) AddWarnings(finding, scope_.context().warnings);
  }
  return {};
}

// Nobody looks for repeated keys of a configuration before it has been applied.
api::Result<> Patcher::JudgeConfiguration() {
  if (findings_.empty() || !looks()) return {};
  if (is_strict()) return Bad(base::Cat("error strict decoding YAML: ", findings_[0]));
  if (!std::exchange(warned_, true)) AddWarnings(findings_[0], scope_.context().warnings);
  return {};
}

// Without its version the document is read as the server's own form of the kind, which has no member by these names.
api::Result<Value> Patcher::DecodeUnversioned(const Value& patched, Arena& arena) {
  if (auto fits = CheckUnversioned(patched.GetString("kind"), wanted_); !fits) {
    return Undecodable(patched, fits.error().message);
  }
  std::vector<std::string> unknown;
  for (const value::Member& member : patched.members()) {
    if (member.key == "kind" || member.key == "apiVersion") continue;
    if (unknown.size() == schema::kMaxFindings) break;
    unknown.push_back(base::Cat("unknown field ", api::Quote(member.key)));
  }
  if (auto judged = Judge(patched, unknown); !judged) return std::unexpected(std::move(judged.error()));
  return Value::Object(arena);
}

// The object as clients see it, with what its JSON says beside what is set: that is what a patch is laid over.
api::Result<Value> Patcher::Shown(const Value& current, Arena& arena) const {
  std::string text;
  bool escaped = false;
  if (wanted_.type != nullptr) {
    schema::EncodeJson(*wanted_.type, current, text, nullptr, &escaped);
  } else {
    value::WriteJson(current, text, value::KeyOrder::kDocument, &escaped);
  }
  // A strategic patch alone is laid over values, the others over JSON, which cannot say bytes that are no UTF-8, and
  // keeps the text of what they leave alone.
  const bool of_values = kind_ == PatchKind::kStrategic;
  auto document =
      value::ReadJson(arena.CopyString(text), arena, {.escaped_bytes = of_values, .keep_source = !of_values});
  if (!document) return api::Fail(api::Internal(std::move(document.error().message)));
  return *document;
}

api::Result<Value> Patcher::ApplyToDocument(const Value& document, Arena& arena) {
  switch (kind_) {
    case PatchKind::kJson: {
      auto patched = apply::ApplyJsonPatch(arena, document, patch_);
      if (patched) return *patched;
      api::Error error;
      error.code = 422;
      error.reason = "Invalid";
      error.message = "the server rejected our request due to an error in our request";
      error.has_details = true;
      return api::Fail(std::move(error));
    }
    case PatchKind::kStrategic: {
      if (wanted_.type == nullptr) return api::Fail(api::Internal("strategic merge needs a built-in type"));
      applied_patch_ = value::DeepCopy(arena_, patch_);
      auto patched = apply::ApplyStrategicMerge(arena, *wanted_.type, document, applied_patch_);
      if (patched) return *patched;
      if (patched.error().code == base::Code::kInvalid) return Bad(std::move(patched.error().message));
      if (patched.error().code == base::Code::kExhausted)
        return api::Fail(api::RequestEntityTooLarge(std::move(patched.error().message)));
      return api::Fail(api::Generic(500, std::move(patched.error().message)));
    }
    default:
      return apply::ApplyMergePatch(arena, document, patch_);
  }
}

api::Result<Value> Patcher::ApplyConfiguration(const Value* current, Arena& arena) {
  Value live = current != nullptr ? *current : Value::Object(arena, 4);
  const std::string api_version = ApiVersionOf(wanted_), now = NowText(scope_.services.clock);
  std::string_view subresource =
      scope_.subresource == nullptr ? std::string_view() : std::string_view(scope_.subresource->name);
  const std::string kind = TypeText(api_version, wanted_.kind);
  registry::FieldManager ownership(scope_.resources, scope_.resource, subresource, arena, scope_.conversions);
  apply::Writer writer = ownership.WriterFor(parameters_.field_manager, arena.CopyString(now));
  // What a subresource of another kind is, is nobody else's version.
  bool is_own_kind = wanted_.kind == scope_.resource.kind;
  if (!is_own_kind) {
    writer.api_version = arena.CopyString(api_version);
    writer.reset_fields = nullptr;
  }
  auto in_version = [&](const Value& object, std::string_view from,
                        std::string_view version) -> std::optional<apply::VersionedObject> {
    if (is_own_kind) return ownership.InVersion(object, from, version);
    if (version != api_version) return std::nullopt;
    return apply::VersionedObject{wanted_.type, object};
  };
  auto applied = apply::Apply(arena, *wanted_.type, live, patch_, writer,
                              {.force = parameters_.force.value_or(false), .kind = kind}, in_version);
  if (!applied) return std::unexpected(std::move(applied.error()));
  const bool is_same = !applied->changed && current != nullptr;
  // The live object stays as it is stored, to the text of what it holds unread; what is new is without the text that
  // its parts came from.
  // What is applied to a custom resource is no body: nulls stay that a body loses.
  const bool is_custom = wanted_.type->structural != nullptr;
  auto object = is_same     ? CopyContainers(arena, applied->object)
                : is_custom ? value::DeepCopy(arena, applied->object)
                            : Decode(value::DeepCopy(arena, applied->object), arena);
  if (!object) return object;
  if (auto judged = JudgeConfiguration(); !judged) return std::unexpected(std::move(judged.error()));
  const std::string_view uid = object->Get("metadata").GetString("uid");
  if (current == nullptr && !uid.empty()) {
    return api::Fail(api::Conflict(
        scope_.resource.group_resource(), scope_.name,
        base::Cat("uid mismatch: the provided object specified uid ", uid, ", and no existing object was found")));
  }
  return object;
}

api::Result<Value> Patcher::PatchObject(const Value& current, const Value& shown, Arena& arena) {
  api::Result<Value> document = shown.is_null() ? Shown(current, arena) : shown;
  if (!document) return document;
  auto patched = ApplyToDocument(*document, arena);
  return patched ? Decode(*patched, arena) : patched;
}

api::Result<Value> Patcher::Apply(const Value* current, const Value& shown, Arena& arena) {
  if (current == nullptr && kind_ != PatchKind::kApply) {
    return api::Fail(api::NotFound(scope_.resource.group_resource(), scope_.name));
  }
  if (auto read = ReadPatch(); !read) return std::unexpected(std::move(read.error()));
  auto object = kind_ == PatchKind::kApply ? ApplyConfiguration(current, arena) : PatchObject(*current, shown, arena);
  if (!object) return object;
  if (auto matches = MatchNamespace(scope_, *object, arena); !matches)
    return std::unexpected(std::move(matches.error()));
  if (auto named = MatchName(scope_, *object); !named) return std::unexpected(std::move(named.error()));
  return object;
}

}  // namespace handlers
