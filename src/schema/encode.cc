#include "schema/encode.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schema/members.h"
#include "schema/structural_decode.h"
#include "schema/text_forms.h"
#include "value/json_writer.h"
#include "value/utf8.h"

namespace schema {

using value::Kind;
using value::Member;
using value::Value;

namespace {

constexpr size_t kPlaces = 160;  // members of a few nested types

enum class Place : uint8_t { kRoot, kRootMetadata, kInside };

class Encoder {
 public:
  // `for_store`: EncodeStored.
  Encoder(std::string& out, Marks* marks, bool* escaped, bool empty_is_null, bool for_store)
      : out_(out), marks_(marks), escaped_(escaped), empty_is_null_(empty_is_null), for_store_(for_store) {
    places_.reserve(kPlaces);
  }

  void Root(const Type& type, const Value& object) {
    if (type.gvk.kind.empty() || type.members.size() < 2 || type.members[0]->name != "kind") {
      return Struct(type, object, Place::kInside);
    }
    out_ += "{\"kind\":";
    std::string_view kind = object.GetString("kind"), api_version = object.GetString("apiVersion");
    value::AppendJsonString(out_, kind.empty() ? type.gvk.kind : kind);
    out_ += ",\"apiVersion\":\"";
    if (!api_version.empty()) {
      out_ += api_version;
    } else {
      out_ += type.gvk.group;
      if (!type.gvk.group.empty()) out_ += '/';
      out_ += type.gvk.version;
    }
    out_ += '"';
    Members(type, object, Place::kRoot);
    out_ += '}';
  }

 private:
  void Struct(const Type& type, const Value& object, Place place) {
    out_ += '{';
    Members(type, object, place);
    out_ += '}';
  }

  void Members(const Type& type, const Value& object, Place place) {
    const size_t first = place == Place::kRoot ? 2 : 0;  // kind and apiVersion are written
    const size_t base = places_.size();
    places_.resize(base + type.members.size());
    PlaceMembers(type, object, places_.data() + base);
    comma_ = place == Place::kRoot;
    for (size_t i = first; i < type.members.size(); ++i) FieldOf(*type.members[i], places_[base + i], place);
    places_.resize(base);
  }

  void Key(std::string_view name) {
    const size_t at = out_.size(), end = at + comma_ + name.size() + 3;
    out_.resize_and_overwrite(end, [&](char* text, size_t) {  // libstdc++ 12 may give a greater size
      char* to = text + at;
      if (comma_) *to++ = ',';
      *to++ = '"';
      std::memcpy(to, name.data(), name.size());
      std::memcpy(to + name.size(), "\":", 2);
      return end;
    });
    comma_ = true;
  }

  void FieldOf(const Field& field, const Value* v, Place place) {
    if (marks_ && place == Place::kRootMetadata && field.name == "resourceVersion") {
      Key(field.name);
      out_ += '"';
      marks_->revision = static_cast<uint32_t>(out_.size());
      if (v && v->is_string()) out_ += v->AsString();
      out_ += '"';
      return;
    }
    if (!v || (v->is_null() && !NullCounts(field))) return Absent(field);
    if (field.shape != Shape::kSingle) return Collection(field, *v, place);
    if (!field.pointer && field.omitempty && IsEmpty(field, *v)) {
      if (!for_store_ || field.kind != FieldKind::kBytes) return;
      *escaped_ = true;
    }
    Key(field.name);
    bool metadata = place == Place::kRoot && field.name == "metadata";
    Single(field, *v, metadata ? Place::kRootMetadata : Place::kInside);
    comma_ = true;
  }

  // A pointer to a value whose own JSON is null: set, though it reads like unset.
  static bool NullCounts(const Field& field) {
    return field.pointer && (field.kind == FieldKind::kTime || field.kind == FieldKind::kMicroTime ||
                             (field.kind == FieldKind::kRef && field.ref->special != Special::kNone));
  }

  static bool IsEmpty(const Field& field, const Value& v) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
        return v.AsString().empty();
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        return v.is_int() && v.AsInt() == 0;
      case FieldKind::kBool:
        return !v.AsBool();
      case FieldKind::kDouble:
        return v.AsDouble() == 0;
      case FieldKind::kStringList:
        return v.empty();
      default:
        return false;
    }
  }

  // What is written of a field that is not there.
  void Absent(const Field& field) {
    bool nil = field.pointer || field.shape != Shape::kSingle;
    switch (field.kind) {
      case FieldKind::kRef:
      case FieldKind::kQuantity:
      case FieldKind::kIntOrString:
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
      case FieldKind::kRawExtension:
      case FieldKind::kFieldsV1:
      case FieldKind::kJson:
        if (nil && field.omitempty) return;  // a struct is written, omitempty or not
        break;
      default:
        if (field.omitempty) return;
    }
    Key(field.name);
    if (nil) {
      out_ += "null";
    } else {
      Zero(field);
    }
    comma_ = true;
  }

  void Zero(const Field& field) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kDuration:
        out_ += "\"\"";
        return;
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kDouble:
      case FieldKind::kIntOrString:
        out_ += '0';
        return;
      case FieldKind::kBool:
        out_ += "false";
        return;
      case FieldKind::kQuantity:
        out_ += "\"0\"";
        return;
      case FieldKind::kRef:
        if (field.ref->special == Special::kNone) return Struct(*field.ref, Value(), Place::kInside);
        out_ += field.ref->special == Special::kSchemaOrBool ? "false" : "null";
        return;
      default:
        out_ += "null";
    }
  }

  void Collection(const Field& field, const Value& v, Place place) {
    if (v.empty() && field.omitempty) return;
    Key(field.name);
    if (v.empty()) {
      bool list = field.shape == Shape::kList;
      out_ += empty_is_null_ ? "null" : list ? "[]" : "{}";
    } else if (field.shape == Shape::kList) {
      ListOf(field, v.items());
    } else {
      if (marks_ && place == Place::kRootMetadata && field.name == "labels") {
        marks_->labels = static_cast<uint32_t>(out_.size());
      }
      MapOf(field, v);
    }
    comma_ = true;
  }

  void ListOf(const Field& field, std::span<const Value> items) {
    char before = '[';
    for (const Value& item : items) {
      out_ += std::exchange(before, ',');
      Single(field, item, Place::kInside);
    }
    out_ += ']';
  }

  void MapOf(const Field& field, const Value& v) {
    SortedMap sorted(v);
    char before = '{';
    for (const Member& member : sorted.members()) {
      out_ += std::exchange(before, ',');
      value::AppendJsonString(out_, member.key, escaped_);
      out_ += ':';
      Single(field, member.value, Place::kInside);
    }
    out_ += '}';
  }

  void Single(const Field& field, const Value& v, Place place) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kDuration:
        return value::AppendJsonString(out_, v.is_null() ? std::string_view() : v.AsString(), escaped_);
      case FieldKind::kBytes:
        return v.is_null() ? NullBytes() : WriteAsItIs(v);
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        if (v.is_null() && for_store_ && field.pointer) return ZeroTime(field.kind);
        [[fallthrough]];
      case FieldKind::kQuantity:
        // Their texts are made by this floor and hold nothing to escape, unless somebody set another: then it is
        // escaped.
        return WriteAsItIs(v);
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kBool:
      case FieldKind::kDouble:
      case FieldKind::kIntOrString:
        return v.is_null() ? Zero(field) : WriteAsItIs(v);
      case FieldKind::kRef:
        if (field.ref->special == Special::kNone) return Struct(*field.ref, v, place);
        return SchemaOr(*field.ref, v);
      case FieldKind::kRawExtension:
        return RawExtension(v);
      case FieldKind::kFieldsV1:
      case FieldKind::kAny:
        return AppendRawJson(v, out_);
      case FieldKind::kJson:
      case FieldKind::kStringList:
        return WriteAsItIs(v);
    }
  }

  void RawExtension(const Value& v) {
    if (!for_store_) return AppendShownRawExtension(v, out_);
    if (AppendRawExtension(v, out_)) *escaped_ = true;
  }

  // In a map.
  void NullBytes() {
    out_ += for_store_ ? "[]" : "\"\"";
    if (for_store_) *escaped_ = true;
  }

  // Set, though its JSON reads like unset.
  void ZeroTime(FieldKind kind) {
    char text[kMaxTimeText];
    out_ += '"';
    out_ += FormatTime(kZeroTime, kind == FieldKind::kTime ? TimeForm::kSeconds : TimeForm::kMicros, text);
    out_ += '"';
    *escaped_ = true;
  }

  void WriteAsItIs(const Value& v) { value::WriteJson(v, out_, value::KeyOrder::kDocument, escaped_); }

  void SchemaOr(const Type& type, const Value& v) {
    if (type.special == Special::kUnknown) return AppendRawJson(v, out_);
    if (v.is_object()) {
      return Struct(*type.Wire(type.special == Special::kSchemaOrBool ? 2 : 1)->ref, v, Place::kInside);
    }
    if (type.special != Special::kSchemaOrArray || !v.is_array()) return WriteAsItIs(v);
    char before = '[';
    for (const Value& item : v.items()) {
      out_ += std::exchange(before, ',');
      Struct(*type.Wire(2)->ref, item, Place::kInside);
    }
    out_ += v.empty() ? "[]" : "]";
  }

  std::string& out_;
  Marks* marks_;
  bool* escaped_;
  bool empty_is_null_, for_store_;
  bool comma_ = false;                // whether a member of the object being written is written
  std::vector<const Value*> places_;  // a stack: for each object being written the values of its type's members
};

}  // namespace

void AppendRawJson(const Value& v, std::string& out) {
  switch (v.kind()) {
    case Kind::kDouble:
      out += v.literal();
      return;
    case Kind::kArray:
      out += '[';
      for (uint32_t i = 0; i < v.size(); ++i) {
        if (i) out += ',';
        AppendRawJson(v[i], out);
      }
      out += ']';
      return;
    case Kind::kObject: {
      out += '{';
      bool comma = false;
      for (const Member& member : v.members()) {
        if (std::exchange(comma, true)) out += ',';
        value::AppendJsonString(out, member.key);
        out += ':';
        AppendRawJson(member.value, out);
      }
      out += '}';
      return;
    }
    case Kind::kBytes:  // came in protobuf and was no JSON
      out += "null";
      return;
    default:
      value::WriteJson(v, out);
  }
}

void EncodeJson(const Type& type, const Value& object, std::string& out, Marks* marks, bool* escaped) {
  if (marks) *marks = {};
  if (type.structural != nullptr) return EncodeStructural(type.gvk, object, out, marks, escaped);
  Encoder(out, marks, escaped, type.stored_as_wire, false).Root(type, object);
}

void EncodeStored(const Type& type, const Value& object, std::string& out, Marks* marks, bool* escaped) {
  if (marks) *marks = {};
  if (type.structural != nullptr) return EncodeStructural(type.gvk, object, out, marks, escaped);
  Encoder(out, marks, escaped, type.stored_as_wire, type.stored_as_wire).Root(type, object);
}

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

bool AppendRawExtension(const Value& v, std::string& out) {
  const size_t begin = out.size();
  AppendRawJson(v, out);
  const std::string_view source = v.source();
  if (source.empty() || source == std::string_view(out).substr(begin) || !value::IsValidUtf8(source)) return false;
  out.resize(begin);
  for (char c : source) out += IsSpace(c) ? ' ' : c;
  return true;
}

void AppendShownRawExtension(const Value& v, std::string& out) {
  if (v.source().empty() || !value::IsValidUtf8(v.source())) return AppendRawJson(v, out);
  AppendCompactJson(v.source(), out);
}

void AppendCompactJson(std::string_view json, std::string& out) {
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (!in_string) {
      if (!IsSpace(c)) out += c;
    } else if (c == '\\') {
      out += c;
      out += json[++i];
    } else if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    } else if (json.substr(i).starts_with("\u2028") || json.substr(i).starts_with("\u2029")) {
      out += json[i += 2] == '\xA8' ? "\\u2028" : "\\u2029";
    } else {
      out += c;
    }
  }
}

}  // namespace schema
