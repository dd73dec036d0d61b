#include "schema/structural_decode.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "schema/members.h"
#include "value/go_syntax.h"
#include "value/json_writer.h"

namespace schema {
namespace {

using value::Arena;
using value::Kind;
using value::Member;
using value::Value;

constexpr std::string_view kUnknownField = "unknown field \"";

const Type& ObjectMetaType() {
  static const Type* const type = FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  return *type;
}

// The way down to a value, as text that grows and shrinks.
class Path {
 public:
  explicit Path(std::string& text) : text_(text), size_(text.size()) {}
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() { text_.resize(size_); }
  void Child(std::string_view name) {
    if (!text_.empty()) text_ += '.';
    text_ += name;
  }
  void Key(std::string_view key) { base::Append(text_, "[", key, "]"); }
  void Index(uint32_t index) { base::Append(text_, "[", index, "]"); }

 private:
  std::string& text_;
  const size_t size_;
};

// The document with sorted keys and numbers as they are kept.
class Copier {
 public:
  Copier(Arena& arena, Findings* findings) : arena_(arena), findings_(findings) {}

  const std::string& error() const { return error_; }

  Value Copy(const Value& v) {
    switch (v.kind()) {
      case Kind::kDouble:
        if (std::isfinite(v.AsDouble())) return Value::Double(arena_, v.AsDouble());
        if (error_.empty()) {
          error_ = base::Cat("json: cannot unmarshal number ", v.literal(), " into Go value of type float64");
        }
        return v;
      case Kind::kArray: {
        const Value out = Value::Array(arena_, v.size());
        for (uint32_t i = 0; i < v.size(); ++i) {
          Path path(path_);
          if (findings_ != nullptr) path.Index(i);
          out.Append(arena_, Copy(v[i]));
        }
        return out;
      }
      case Kind::kObject:
        return Object(v);
      default:
        return v;
    }
  }

 private:
  Value Object(const Value& v) {
    const std::vector<size_t> repeated = findings_ != nullptr ? Repeated(v) : std::vector<size_t>();
    auto next = repeated.begin();
    const Value out = Value::Object(arena_, v.size());
    for (const Member& member : v.members()) {
      Path path(path_);
      if (findings_ != nullptr) path.Child(member.key);
      if (next != repeated.end() && &v.members()[*next] == &member) {
        ++next;
        TellRepeated();
      }
      out.Add(arena_, member.key, Copy(member.value));
    }
    out.Truncate(static_cast<uint32_t>(SortKeepingLast(out.members())));
    return out;
  }

  // The members, in order, whose keys stand there the second time.
  static std::vector<size_t> Repeated(const Value& v) {
    if (std::ranges::is_sorted(v.members(), std::less_equal<>(), &Member::key)) return {};
    std::vector<std::pair<std::string_view, size_t>> keys;
    keys.reserve(v.size());
    for (const Member& member : v.members()) keys.emplace_back(member.key, keys.size());
    std::ranges::sort(keys);
    std::vector<size_t> repeated;
    for (size_t i = 1; i < keys.size(); ++i) {
      const bool is_second = keys[i].first == keys[i - 1].first && (i < 2 || keys[i - 2].first != keys[i].first);
      if (is_second) repeated.push_back(keys[i].second);
    }
    std::ranges::sort(repeated);
    return repeated;
  }

  // Of the member at the path.
  void TellRepeated() {
    if (findings_->in_order.size() >= kMaxFindings) return;
    std::string text = base::Cat("duplicate field ", api::Quote(path_));
    findings_->duplicate.push_back(text);
    findings_->in_order.push_back(std::move(text));
  }

  Arena& arena_;
  Findings* findings_;
  std::string path_;
  std::string error_;
};

// Takes out what the schema does not know.
class Pruner {
 public:
  // `unknown`: where paths of it go, or null.
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  bool removed() const { return removed_; }

  void Resource(Value& v, const Structural& schema) {
    Structural root = schema;
    root.embedded = true;
    Prune(v, &root);
  }

  void Prune(Value& v, const Structural* schema) {
    if (schema != nullptr && schema->preserve_unknown) return Skip(v, *schema);
    if (v.is_array()) {
      for (uint32_t i = 0; i < v.size(); ++i) {
        Path path(path_);
        if (unknown_ != nullptr) path.Index(i);
        Prune(v[i], schema == nullptr ? nullptr : schema->items);
      }
      return;
    }
    uint32_t kept = 0;
    for (Member& member : v.members()) {
      if (!Keep(member, schema)) continue;
      v.members()[kept++] = member;
    }
    if (v.is_object() && kept < v.size()) {
      v.Truncate(kept);
      removed_ = true;
    }
  }

 private:
  // Whether the member stays; what is below it is pruned.
  bool Keep(Member& member, const Structural* schema) {
    if (schema != nullptr) {
      if (schema->embedded && IsMetaField(member.key)) return true;
      const Structural* found = schema->Find(member.key);
      if (found != nullptr || schema->additional_kind != Additional::kUnsaid) {
        Path path(path_);
        if (unknown_ != nullptr) path.Child(member.key);
        Prune(member.value, found != nullptr ? found : schema->additional);
        return true;
      }
      if (path_.empty() && IsMetaField(member.key)) return false;
    }
    if (unknown_ != nullptr && unknown_->size() < kMostUnknownFields) {
      Path path(path_);
      path.Child(member.key);
      unknown_->push_back(path_);
    }
    return false;
  }

  // Everything stays here; what the schema says of parts of it holds for these.
  void Skip(Value& v, const Structural& schema) {
    for (uint32_t i = 0; v.is_array() && i < v.size(); ++i) {
      Path path(path_);
      if (unknown_ != nullptr) path.Index(i);
      if (schema.items != nullptr) Skip(v[i], *schema.items);
    }
    for (Member& member : v.members()) {
      if (schema.embedded && IsMetaField(member.key)) continue;
      const Structural* found = schema.Find(member.key);
      if (found == nullptr && schema.additional_kind == Additional::kUnsaid) continue;
      Path path(path_);
      if (unknown_ != nullptr) path.Child(member.key);
      Prune(member.value, found != nullptr ? found : schema.additional);
    }
  }

  std::vector<std::string>* unknown_;
  std::string path_;
  bool removed_ = false;
};

// Takes out null where the schema has neither `nullable` nor a default.
void PruneNulls(Value& v, const Structural* schema) {
  if (v.is_array()) {
    for (Value& item : v.items()) PruneNulls(item, schema == nullptr ? nullptr : schema->items);
    return;
  }
  uint32_t kept = 0;
  for (Member& member : v.members()) {
    const Structural* found = schema == nullptr ? nullptr : schema->Of(member.key);
    if (member.value.is_null() && found != nullptr && !found->nullable && found->default_value == nullptr) continue;
    PruneNulls(member.value, found);
    v.members()[kept++] = member;
  }
  if (v.is_object()) v.Truncate(kept);
}

// Metadata as its Go type holds it.
class Coercer {
 public:
  Coercer(Arena& arena, Findings* findings, bool drop_malformed)
      : arena_(arena), findings_(findings), drop_malformed_(drop_malformed) {}

  // `metadata` of the resource, or of one embedded at `path`.
  api::Result<Value> Metadata(const Value& metadata, std::string_view path, std::vector<std::string>& unknown) {
    Findings found;
    api::Result<Value> typed = Decode(ObjectMetaType(), metadata, arena_, findings_ != nullptr ? &found : nullptr);
    if (!typed && drop_malformed_ && metadata.is_object()) typed = WellFormed(metadata);
    if (!typed) return typed;
    for (const std::string& text : found.unknown) {
      std::string inner = text.substr(kUnknownField.size(), text.size() - kUnknownField.size() - 1);
      unknown.push_back(base::Cat(path, path.empty() ? "" : ".", "metadata.", inner));
    }
    return AsWritten(*typed);
  }

  // The metadata and type of what is embedded in `v`. The first error.
  std::optional<api::FieldError> Embedded(Value& v, const Structural& schema, std::vector<std::string>& unknown) {
    if (!schema.has_embedded) return std::nullopt;
    std::optional<api::FieldError> error;
    for (uint32_t i = 0; v.is_array() && schema.items != nullptr && i < v.size() && !error; ++i) {
      Path path(path_);
      path.Index(i);
      error = Embedded(v[i], *schema.items, unknown);
    }
    if (!v.is_object()) return error;
    if (schema.embedded && !error) error = Own(v, unknown);
    for (Member& member : v.members()) {
      const Structural* found = schema.Find(member.key);
      Path path(path_);
      if (found != nullptr) {
        path.Child(member.key);
      } else {
        path.Key(member.key);
        found = schema.additional;
      }
      if (found != nullptr && !error) error = Embedded(member.value, *found, unknown);
    }
    return error;
  }

 private:
  std::optional<api::FieldError> Own(Value& v, std::vector<std::string>& unknown) {
    for (std::string_view name : {"apiVersion", "kind"}) {
      const Value* text = v.Find(name);
      if (text == nullptr || text->is_string()) continue;
      if (drop_malformed_) {
        v.Remove(name);
        continue;
      }
      Path path(path_);
      path.Child(name);
      return Invalid(*text, "must be a string");
    }
    Value* metadata = v.Find("metadata");
    if (metadata == nullptr) return std::nullopt;
    api::Result<Value> coerced = Metadata(*metadata, path_, unknown);
    if (coerced) {
      *metadata = *coerced;
    } else if (!drop_malformed_) {
      Path path(path_);
      path.Child("metadata");
      return Invalid(*metadata, std::move(coerced.error().message));
    }
    return std::nullopt;
  }

  // What stands at the path.
  api::FieldError Invalid(const Value& v, std::string detail) const {
    return {api::FieldError::Type::kInvalid, path_, Printed(v), std::move(detail)};
  }

  static std::string Printed(const Value& v) {
    return v.is_null() ? "\"null\"" : value::GoSyntax(v, value::kGoJsonMap);
  }

  // Those members that fit, each by itself.
  Value WellFormed(const Value& metadata) {
    const Value kept = Value::Object(arena_, metadata.size());
    for (const Member& member : metadata.members()) {
      const api::Result<Value> one = Decode(ObjectMetaType(), Value::ObjectOf(arena_, {&member, 1}), arena_, nullptr);
      if (!one) continue;
      for (const Member& decoded : one->members()) kept.Add(arena_, decoded.key, decoded.value);
    }
    return kept;
  }

  // Without what Go leaves out, keys sorted.
  Value AsWritten(const Value& typed) {
    const Value out = Value::Object(arena_, typed.size());
    for (const Member& member : typed.members()) {
      const bool is_container = member.value.is_object() || member.value.is_array();
      if (member.value.is_null() || (is_container && member.value.empty())) continue;
      out.Add(arena_, member.key, member.key == "ownerReferences" ? Owners(member.value) : Sorted(member.value));
    }
    std::ranges::sort(out.members(), {}, &Member::key);
    return out;
  }

  // Go writes these always.
  Value Owners(const Value& owners) {
    for (const Value& owner : owners.items()) {
      for (std::string_view name : {"apiVersion", "kind", "name", "uid"}) {
        if (owner.Find(name) == nullptr) owner.Add(arena_, name, Value::String(""));
      }
    }
    return Sorted(owners);
  }

  Value Sorted(const Value& v) {
    for (const Value& item : v.items()) Sorted(item);
    std::ranges::sort(v.members(), {}, &Member::key);
    return v;
  }

  Arena& arena_;
  Findings* findings_;
  const bool drop_malformed_;
  std::string path_;
};

std::string_view GoKindOf(const Value& v) {
  switch (v.kind()) {
    case Kind::kNull:
      return "<nil>";
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
      return "int64";
    case Kind::kDouble:
      return "float64";
    case Kind::kArray:
      return "[]interface {}";
    case Kind::kObject:
      return "map[string]interface {}";
    default:
      return "string";
  }
}

void Tell(Findings* findings, std::vector<std::string>& unknown, size_t from) {
  if (findings == nullptr) return;
  std::ranges::sort(unknown.begin() + static_cast<ptrdiff_t>(from), unknown.end());
  for (size_t i = from; i < unknown.size() && findings->unknown.size() < kMostUnknownFields; ++i) {
    std::string text = base::Cat(kUnknownField, unknown[i], "\"");
    findings->unknown.push_back(text);
    findings->in_order.push_back(std::move(text));
  }
}

}  // namespace

api::Result<Value> DecodeStructural(const Structural& root, const Value& document, Arena& arena, Findings* findings,
                                    const StructuralDecodeOptions& options) {
  if (!document.is_object()) {
    const std::string_view what = document.is_null()     ? "null"
                                  : document.is_array()  ? "array"
                                  : document.is_bool()   ? "bool"
                                  : document.is_number() ? "number"
                                                         : "string";
    return api::Fail(
        api::BadRequest(base::Cat("json: cannot unmarshal ", what, " into Go value of type map[string]interface {}")));
  }
  Copier copier(arena, findings);
  Value object = copier.Copy(document);
  if (!copier.error().empty()) return api::Fail(api::BadRequest(copier.error()));
  for (std::string_view name : {"kind", "apiVersion"}) {
    const Value* text = object.Find(name);
    if (text == nullptr || text->is_string()) continue;
    return api::Fail(api::BadRequest(base::Cat(".", name, " accessor error: ", value::ToJson(*text), " is of the type ",
                                               GoKindOf(*text), ", expected string")));
  }
  Coercer coercer(arena, findings, options.drop_malformed_metadata);
  std::vector<std::string> unknown;
  if (Value* metadata = object.Find("metadata")) {
    api::Result<Value> coerced = coercer.Metadata(*metadata, "", unknown);
    if (!coerced) return api::Fail(std::move(coerced.error()));
    *metadata = *coerced;
    Tell(findings, unknown, 0);
  }
  size_t told = unknown.size();
  Pruner(findings != nullptr ? &unknown : nullptr).Resource(object, root);
  Tell(findings, unknown, told);
  told = unknown.size();
  PruneNulls(object, &root);
  if (const auto error = coercer.Embedded(object, root, unknown)) {
    return api::Fail(api::BadRequest(base::Cat(error->field, ": ", error->Message())));
  }
  Tell(findings, unknown, told);
  return object;
}

std::optional<api::FieldError> CoerceEmbedded(Arena& arena, Value& v, const Structural& schema,
                                              const StructuralDecodeOptions& options) {
  std::vector<std::string> unknown;
  return Coercer(arena, nullptr, options.drop_malformed_metadata).Embedded(v, schema, unknown);
}

bool Prune(Value& v, const Structural& schema, bool is_resource) {
  Pruner pruner(nullptr);
  if (is_resource) {
    pruner.Resource(v, schema);
  } else {
    pruner.Prune(v, &schema);
  }
  return pruner.removed();
}

namespace {

bool IsLeftOut(const Value& v) { return v.is_null() || ((v.is_object() || v.is_array()) && v.empty()); }

void WriteMetadata(const Value& metadata, std::string& out, Marks* marks, bool* escaped) {
  const SortedMap sorted(metadata);
  bool revision_written = false;
  char before = '{';
  const auto key = [&](std::string_view name) {
    out += std::exchange(before, ',');
    value::AppendJsonString(out, name, escaped);
    out += ':';
  };
  const auto write_revision = [&](std::string_view revision) {
    revision_written = true;
    if (revision.empty() && marks == nullptr) return;
    key("resourceVersion");
    out += '"';
    if (marks != nullptr) marks->revision = static_cast<uint32_t>(out.size());
    out += revision;
    out += '"';
  };
  for (const Member& member : sorted.members()) {
    if (!revision_written && member.key >= "resourceVersion") {
      const bool is_it = member.key == "resourceVersion";
      write_revision(is_it && member.value.is_string() ? member.value.AsString() : std::string_view());
      if (is_it) continue;
    }
    if (IsLeftOut(member.value)) continue;
    key(member.key);
    if (marks != nullptr && member.key == "labels") marks->labels = static_cast<uint32_t>(out.size());
    value::WriteJson(member.value, out, value::KeyOrder::kSorted, escaped);
  }
  if (!revision_written) write_revision({});
  out += before == '{' ? "{}" : "}";
}

}  // namespace

void EncodeStructural(const GroupVersionKind& gvk, const Value& object, std::string& out, Marks* marks, bool* escaped) {
  if (marks != nullptr) *marks = {};
  const std::string_view kind = object.GetString("kind"), api_version = object.GetString("apiVersion");
  out += "{\"apiVersion\":";
  if (!api_version.empty()) {
    value::AppendJsonString(out, api_version, escaped);
  } else {
    value::AppendJsonString(out, base::Cat(gvk.group, gvk.group.empty() ? "" : "/", gvk.version), escaped);
  }
  out += ",\"kind\":";
  value::AppendJsonString(out, kind.empty() ? gvk.kind : kind, escaped);
  const SortedMap sorted(object);
  bool metadata_written = false;
  const auto write_metadata = [&](const Value& metadata) {
    metadata_written = true;
    out += ",\"metadata\":";
    WriteMetadata(metadata, out, marks, escaped);
  };
  for (const Member& member : sorted.members()) {
    if (member.key == "apiVersion" || member.key == "kind") continue;
    if (!metadata_written && member.key >= "metadata") {
      const bool is_it = member.key == "metadata";
      if (is_it || marks != nullptr) write_metadata(is_it ? member.value : Value());
      if (is_it) continue;
    }
    out += ',';
    value::AppendJsonString(out, member.key, escaped);
    out += ':';
    value::WriteJson(member.value, out, value::KeyOrder::kSorted, escaped);
  }
  if (!metadata_written && marks != nullptr) write_metadata(Value());
  out += '}';
}

}  // namespace schema
