#include "schema/cbor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"
#include "schema/text_forms.h"
#include "value/cbor.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {

using value::Arena;
using value::CborCursor;
using value::CborHead;
using value::CborType;
using value::Value;

namespace {

constexpr uint64_t kBase64Url = 21, kBase16 = 23;  // and 22 between them, standard base64

// An error on the way up. Type errors are told again by each struct they pass: the outermost field wins.
struct Failure {
  std::string message;  // of other errors; empty for type errors
  std::string cbor_type, go_type, detail, field;
  bool unknown = false;

  std::string Text() const {
    if (!message.empty()) return message;
    std::string where = field.empty() ? "Go value" : base::Cat("Go struct field ", field);
    std::string text = base::Cat("cbor: cannot unmarshal ", cbor_type, " into ", where, " of type ", go_type);
    return detail.empty() ? text : base::Cat(text, " (", detail, ")");
  }
};

// What reading one item gives: no failure, or the first one inside it (the item is passed in any case).
using Outcome = std::unique_ptr<Failure>;

Outcome Fail(std::string message) { return std::make_unique<Failure>(Failure{.message = std::move(message)}); }

Outcome TypeFailure(CborType type, std::string_view go_type, std::string detail = {}) {
  return std::make_unique<Failure>(
      Failure{.cbor_type = std::string(Name(type)), .go_type = std::string(go_type), .detail = std::move(detail)});
}

void KeepFirst(Outcome& first, Outcome next) {
  if (!first) first = std::move(next);
}

// Counts the entries of a map or list, of definite length or not.
class Entries {
 public:
  Entries(CborCursor& cursor, const CborHead& head) : cursor_(cursor), head_(head) {}
  bool Next() {
    if (head_.indefinite() ? cursor_.TakeBreak() : index_ + 1 == head_.argument + 1) return false;
    ++index_;
    return true;
  }
  uint64_t index() const { return index_ - 1; }  // of the entry that Next() announced
  // Passes the value at hand and every entry behind it.
  void SkipRest() {
    cursor_.Skip();
    while (Next()) {
      cursor_.Skip();
      cursor_.Skip();
    }
  }

 private:
  CborCursor& cursor_;
  const CborHead& head_;
  uint64_t index_ = 0;
};

std::string Rfc3339(Instant time) {
  using namespace std::chrono;
  int64_t days = time.seconds >= 0 ? time.seconds / 86400 : -((-time.seconds + 86399) / 86400);
  int64_t rest = time.seconds - days * 86400;
  year_month_day date{sys_days(std::chrono::days(days))};
  char text[64];
  int size =
      std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(rest / 3600), static_cast<int>(rest / 60 % 60), static_cast<int>(rest % 60));
  std::string out(text, static_cast<size_t>(size));
  if (time.nanos) {
    size = std::snprintf(text, sizeof(text), ".%09d", time.nanos);
    out.append(text, static_cast<size_t>(size));
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out + "Z";
}

// Reads items of checked bytes into trees.
class Reader {
 public:
  Reader(std::string_view bytes, Arena& arena, bool strict) : cursor_(bytes), arena_(arena), strict_(strict) {}

  Outcome Struct(const Type& type, Value& out);
  Outcome Any(Value& out, bool skip_mark = true);
  Outcome ObjectOrNull(Value& out);
  Outcome Kind(CborKind& kind);

 private:
  // Passes tags and remembers what they say of byte strings. False: an inadmissible tag, the item is passed.
  Outcome Tags();
  Outcome CheckTags();
  Outcome FieldValue(const Field& field, Value& out);
  Outcome Single(const Field& field, std::string_view go_type, Value& out);
  template <class ReadItem>
  Outcome Sequence(std::string_view go_type, Value& out, ReadItem read_item);
  template <class ReadItem>
  Outcome Map(std::string_view go_type, Value& out, ReadItem read_item);
  Outcome Strings(std::string_view go_type, Value& out);
  Outcome Members(const Type& type, Value& out);
  Outcome UnknownKey(Entries& entries, const std::string& key, absl::flat_hash_set<std::string>& keys, bool& done);
  Outcome Text(std::string_view go_type, Value& out);
  Outcome Bytes(std::string_view go_type, Value& out);
  Outcome ByteNumbers(Value& out);
  Outcome Integer(std::string_view go_type, int64_t least, int64_t most, Value& out);
  Outcome IntOrString(Value& out);
  Outcome SchemaOr(const Type& type, Value& out);
  Outcome Mismatch(std::string_view go_type);
  Outcome AnyTagged(Value& out);
  Outcome AnyNumber(Value& out);
  Outcome AnyPrimitive(Value& out);
  Outcome AnyMap(Value& out);
  Outcome AnyTime(Value& out);
  Outcome Epoch(Instant& time);
  Outcome JsonOf(Value& out);
  Outcome Transcoded(std::string_view what, Value& out);
  std::string_view Encoded(std::string_view bytes);

  CborCursor cursor_;
  Arena& arena_;
  bool strict_;
  uint64_t encoding_ = 0;  // the innermost of tags 21 to 23 around the item
};

// Restores what tags said when the item they enclose is read.
class Restore {
 public:
  explicit Restore(uint64_t& value) : value_(value), before_(value) {}
  ~Restore() { value_ = before_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  uint64_t& value_;
  uint64_t before_;
};

std::string_view Reader::Encoded(std::string_view bytes) {
  std::string out;
  if (encoding_ == 0) return bytes;
  if (encoding_ == kBase16) {
    for (char c : bytes) {
      out += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
      out += "0123456789abcdef"[static_cast<uint8_t>(c) & 15];
    }
  } else {
    value::AppendBase64(out, bytes);
    if (encoding_ == kBase64Url) {
      while (out.ends_with('=')) out.pop_back();
      for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
  }
  return arena_.CopyString(out);
}

Outcome Reader::CheckTags() {
  CborCursor at = cursor_;
  while (at.type() == CborType::kTag) {
    uint64_t tag = at.TakeHead().argument;
    CborHead content = at.Peek();
    std::string_view wanted;
    bool number = content.type <= CborType::kNegative ||
                  (content.type == CborType::kPrimitive && content.info >= 25 && content.info <= 27);
    if (tag == 0 && content.type != CborType::kText) wanted = "text string";
    if (tag == 1 && !number) wanted = "integer or floating-point number";
    if (wanted.empty()) continue;
    cursor_ = at;
    cursor_.Skip();
    return Fail(base::Cat("cbor: tag number ", tag, " must be followed by ", wanted, ", got ", Name(content.type)));
  }
  return nullptr;
}

Outcome Reader::Tags() {
  if (Outcome failure = CheckTags()) return failure;
  while (cursor_.type() == CborType::kTag) {
    uint64_t tag = cursor_.TakeHead().argument;
    if (tag >= kBase64Url && tag <= kBase16) encoding_ = tag;
  }
  return nullptr;
}

Outcome UnknownSimpleValue(uint64_t number) {
  return Fail(base::Cat("cbor: data item of cbor type primitives is not accepted by protocol: simple value ", number,
                        " is not recognized"));
}

// Of integers that no int64 holds.
Outcome BeyondInt64(const CborHead& head, std::string_view go_type, std::string_view positive_limit) {
  if (head.argument <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return nullptr;
  if (head.type == CborType::kPositive) {
    return TypeFailure(head.type, go_type, base::Cat(head.argument, " overflows ", positive_limit));
  }
  bool largest = head.argument == std::numeric_limits<uint64_t>::max();
  std::string magnitude = largest ? "18446744073709551616" : base::Cat(head.argument + 1);
  return TypeFailure(head.type, go_type, base::Cat("-", magnitude, " overflows Go's int64"));
}

// The item at hand fits no value of this type: passes it. What is wrong with the item itself comes first. Null fits
// every type and leaves the value as it is.
Outcome Reader::Mismatch(std::string_view go_type) {
  CborHead head = cursor_.Peek();
  if (head.type == CborType::kText) {
    bool valid = true;
    cursor_.TakeString(arena_, &valid);
    return valid ? TypeFailure(head.type, go_type) : Fail("cbor: invalid UTF-8 string");
  }
  cursor_.Skip();
  if (head.type == CborType::kPrimitive) {
    if (head.info == 22) return nullptr;
    bool simple = head.info < 20 || head.info == 23 || head.info == 24;
    return simple ? UnknownSimpleValue(head.argument) : TypeFailure(head.type, go_type);
  }
  if (head.type == CborType::kNegative) {
    if (Outcome failure = BeyondInt64(head, go_type, go_type)) return failure;
  }
  return TypeFailure(head.type, go_type);
}

Outcome Reader::Text(std::string_view go_type, Value& out) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  CborType type = cursor_.type();
  if (type == CborType::kBytes) {
    out = Value::String(Encoded(cursor_.TakeString(arena_)));
    return nullptr;
  }
  if (type == CborType::kText) {
    bool valid = true;
    out = Value::String(cursor_.TakeString(arena_, &valid));
    return valid ? nullptr : Fail("cbor: invalid UTF-8 string");
  }
  return Mismatch(go_type);
}

Outcome Reader::Bytes(std::string_view go_type, Value& out) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  if (cursor_.type() == CborType::kArray) return ByteNumbers(out);
  if (cursor_.type() != CborType::kBytes) return Mismatch(go_type);
  std::string_view bytes = cursor_.TakeString(arena_);
  std::string text;
  if (encoding_ == 0) {
    std::string decoded;
    if (auto good = DecodeBase64(bytes, decoded); !good) {
      return Fail(base::Cat("cbor: failed to decode base64 from byte string: ", good.error()));
    }
    value::AppendBase64(text, decoded);
  } else {
    value::AppendBase64(text, bytes);
  }
  out = Value::Copy(arena_, text);
  return nullptr;
}

Outcome Reader::ByteNumbers(Value& out) {
  Outcome first;
  std::string bytes, text;
  CborHead head = cursor_.TakeHead();
  Entries entries(cursor_, head);
  while (entries.Next()) {
    Value number = Value::Int(0);
    KeepFirst(first, Integer("uint8", 0, 255, number));
    if (!first) bytes += static_cast<char>(number.AsInt());
  }
  value::AppendBase64(text, bytes);
  out = Value::Copy(arena_, text);
  return first;
}

Outcome Reader::Integer(std::string_view go_type, int64_t least, int64_t most, Value& out) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  if (cursor_.type() > CborType::kNegative) return Mismatch(go_type);
  CborHead head = cursor_.TakeHead();
  if (Outcome failure = BeyondInt64(head, go_type, go_type)) return failure;
  auto number = static_cast<int64_t>(head.argument);
  if (head.type == CborType::kNegative) number = ~number;
  if (number < least || number > most)
    return TypeFailure(head.type, go_type, base::Cat(number, " overflows ", go_type));
  out = Value::Int(number);
  return nullptr;
}

Outcome Reader::IntOrString(Value& out) {
  CborCursor begin = cursor_;
  Value text = Value::String("");
  if (!Text("string", text)) {
    out = text;
    return nullptr;
  }
  cursor_ = begin;
  out = Value::Int(0);
  return Integer("int32", std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), out);
}

// As it comes back from JSON: whole floats are integers.
Outcome Reader::JsonOf(Value& out) {
  Value any;
  Outcome failure = Any(any);
  if (failure) return failure;
  std::string json = value::ToJson(any, value::KeyOrder::kSorted);
  auto read = value::ReadJson(arena_.CopyString(json), arena_, {.max_depth = value::kMaxEmbeddedDepth});
  if (read) out = *read;
  return nullptr;
}

Outcome Reader::Transcoded(std::string_view what, Value& out) {
  Outcome failure = JsonOf(out);
  return failure ? Fail(base::Cat("failed to transcode ", what, " to JSON: failed to parse ", what,
                                  " bytes as CBOR: ", failure->Text()))
                 : nullptr;
}

Outcome Reader::SchemaOr(const Type& type, Value& out) {
  CborType item = cursor_.type();
  if (type.special == Special::kUnknown) return JsonOf(out);
  if (item == CborType::kMap) return Struct(*type.Wire(type.special == Special::kSchemaOrBool ? 2 : 1)->ref, out);
  bool boolean = item == CborType::kPrimitive && (cursor_.Peek().info == 20 || cursor_.Peek().info == 21);
  if (type.special == Special::kSchemaOrBool) {
    if (boolean) return Any(out);
    cursor_.Skip();
    return Fail("boolean or JSON schema expected");
  }
  if (item != CborType::kArray) {
    cursor_.Skip();
    return nullptr;
  }
  if (type.special != Special::kSchemaOrArray) return Strings("[]string", out);
  return Sequence("[]v1.JSONSchemaProps", out, [&](Value& one) { return Struct(*type.Wire(2)->ref, one); });
}

Outcome Reader::Single(const Field& field, std::string_view go_type, Value& out) {
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kDuration:
      return Text(go_type, out);
    case FieldKind::kQuantity:
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      return Text("string", out);
    case FieldKind::kInt32:
      return Integer(go_type, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), out);
    case FieldKind::kInt64:
      return Integer(go_type, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), out);
    case FieldKind::kBytes:
      return Bytes(go_type, out);
    case FieldKind::kIntOrString:
      return IntOrString(out);
    case FieldKind::kRef:
      return field.ref->special == Special::kNone ? Struct(*field.ref, out) : SchemaOr(*field.ref, out);
    case FieldKind::kStringList:
      return Strings(go_type, out);
    case FieldKind::kRawExtension:
      return Transcoded("RawExtension", out);
    case FieldKind::kFieldsV1:
      return Transcoded("FieldsV1", out);
    case FieldKind::kJson:
    case FieldKind::kAny:
      return JsonOf(out);
    case FieldKind::kBool:
    case FieldKind::kDouble:
      break;
  }
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  CborHead head = cursor_.Peek();
  bool boolean = head.type == CborType::kPrimitive && (head.info == 20 || head.info == 21);
  bool number =
      head.type <= CborType::kNegative || (head.type == CborType::kPrimitive && head.info >= 25 && head.info <= 27);
  bool fits = field.kind == FieldKind::kBool ? boolean : field.kind == FieldKind::kDouble && number;
  if (fits) return Any(out, false);
  return Mismatch(go_type);
}

template <class ReadItem>
Outcome Reader::Sequence(std::string_view go_type, Value& out, ReadItem read_item) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  if (cursor_.type() != CborType::kArray) return Mismatch(go_type);
  Outcome first;
  CborHead head = cursor_.TakeHead();
  Entries entries(cursor_, head);
  out = Value::Array(arena_);
  while (entries.Next()) {
    Value item;
    KeepFirst(first, read_item(item));
    out.Append(arena_, item);
  }
  return first;
}

template <class ReadItem>
Outcome Reader::Map(std::string_view go_type, Value& out, ReadItem read_item) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  if (cursor_.type() != CborType::kMap) return Mismatch(go_type);
  std::string_view key_type = go_type.starts_with("map[") ? go_type.substr(4, go_type.find(']') - 4) : "string";
  Outcome first;
  CborHead head = cursor_.TakeHead();
  Entries entries(cursor_, head);
  absl::flat_hash_set<std::string_view> keys;
  out = Value::Object(arena_);
  while (entries.Next()) {
    Value key = Value::String(""), item;
    if (Outcome failure = Text(key_type, key)) {
      KeepFirst(first, std::move(failure));
      cursor_.Skip();
      continue;
    }
    if (Outcome failure = read_item(item)) {
      KeepFirst(first, std::move(failure));
      continue;
    }
    out.Add(arena_, key.AsString(), item);
    if (keys.insert(key.AsString()).second) continue;
    first = Fail(
        base::Cat("cbor: found duplicate map key \"", key.AsString(), "\" at map element index ", entries.index()));
    while (entries.Next()) {
      cursor_.Skip();
      cursor_.Skip();
    }
    break;
  }
  return first;
}

Outcome Reader::Strings(std::string_view go_type, Value& out) {
  return Sequence(go_type, out, [this](Value& item) {
    item = Value::String("");
    return Text("string", item);
  });
}

Outcome Reader::FieldValue(const Field& field, Value& out) {
  if (field.pointer && cursor_.IsNull()) {
    cursor_.Skip();
    return nullptr;
  }
  std::string go_type = GoType(field);
  if (field.shape == Shape::kSingle) return Single(field, go_type, out);
  std::string item_type = GoItemType(field);
  auto read_item = [&](Value& item) { return Single(field, item_type, item); };
  return field.shape == Shape::kMap ? Map(go_type, out, read_item) : Sequence(go_type, out, read_item);
}

Outcome Reader::Struct(const Type& type, Value& out) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  if (cursor_.type() == CborType::kMap) return Members(type, out);
  bool array = cursor_.type() == CborType::kArray;
  Outcome failure = Mismatch(type.go_name);
  if (failure && array) failure->detail = "cannot decode CBOR array to struct without toarray option";
  return failure;
}

// A key that names no field: strict reading ends the map here, lenient reading minds only that it stands there once.
Outcome Reader::UnknownKey(Entries& entries, const std::string& key, absl::flat_hash_set<std::string>& keys,
                           bool& done) {
  Outcome failure;
  if (strict_) {
    failure = Fail(base::Cat("cbor: found unknown field at map element index ", entries.index()));
    failure->unknown = true;
  } else if (!keys.insert(key).second) {
    std::string_view shown = std::string_view(key).substr(1);
    failure = Fail(base::Cat("cbor: found duplicate map key \"", shown, "\" at map element index ", entries.index()));
  }
  if (failure) {
    entries.SkipRest();
    done = true;
  } else {
    cursor_.Skip();
  }
  return failure;
}

Outcome Reader::Members(const Type& type, Value& out) {
  Outcome first;
  CborHead head = cursor_.TakeHead();
  Entries entries(cursor_, head);
  absl::flat_hash_set<std::string> unknown;
  std::vector<bool> met(type.members.size());
  out = Value::Object(arena_);
  while (entries.Next()) {
    CborType key_type = cursor_.type();
    std::string key;  // of one that is no field: its type's letter, then its text
    if (key_type == CborType::kText || key_type == CborType::kBytes) {
      bool valid = true;
      std::string_view name = cursor_.TakeString(arena_, key_type == CborType::kText ? &valid : nullptr);
      if (!valid) {
        KeepFirst(first, Fail("cbor: invalid UTF-8 string"));
        cursor_.Skip();
        continue;
      }
      if (int index = type.MemberIndex(name); index >= 0) {
        const Field& field = *type.members[static_cast<size_t>(index)];
        if (met[static_cast<size_t>(index)]) {
          Outcome failure =
              Fail(base::Cat("cbor: found duplicate map key \"", name, "\" at map element index ", entries.index()));
          entries.SkipRest();
          return failure;
        }
        met[static_cast<size_t>(index)] = true;
        Value content;
        if (Outcome failure = FieldValue(field, content)) {
          if (failure->message.empty()) failure->field = base::Cat(type.go_name, ".", field.name);
          KeepFirst(first, std::move(failure));
        } else {
          out.Add(arena_, field.name, content);
        }
        continue;
      }
      key = base::Cat("s", name);
    } else {
      Value odd;
      bool whole = key_type <= CborType::kNegative;
      if (!whole) {
        KeepFirst(first, TypeFailure(key_type, "string",
                                     base::Cat("map key is of type ", Name(key_type),
                                               " and cannot be used to match struct field name")));
      }
      Outcome failure = Any(odd);
      if (failure || odd.is_array() || odd.is_object()) {
        if (whole) KeepFirst(first, std::move(failure));
        cursor_.Skip();
        continue;
      }
      key = base::Cat("i", value::ToJson(odd));
    }
    bool done = false;
    Outcome failure = UnknownKey(entries, key, unknown, done);
    if (done) return failure;
  }
  return first;
}

// Leniently: what any object has in common.
Outcome Reader::Kind(CborKind& kind) {
  static constexpr Field kFields[] = {{.name = "kind", .omitempty = true}, {.name = "apiVersion", .omitempty = true}};
  static constexpr const Field* kMembers[] = {&kFields[0], &kFields[1]};
  uint16_t slots[4] = {};
  BuildSlots(kMembers, slots);
  Type meta{.name = "TypeMeta", .go_name = "v1.TypeMeta", .fields = kFields, .members = kMembers, .slots = slots};
  Value out;
  Outcome failure = Struct(meta, out);
  if (!failure) kind = {out.GetString("apiVersion"), out.GetString("kind")};
  return failure;
}

Outcome Reader::Any(Value& out, bool skip_mark) {
  while (skip_mark && cursor_.type() == CborType::kTag && cursor_.Peek().argument == value::kCborSelfDescribed)
    cursor_.TakeHead();
  if (Outcome failure = CheckTags()) return failure;
  switch (cursor_.type()) {
    case CborType::kPositive:
    case CborType::kNegative:
      return AnyNumber(out);
    case CborType::kBytes:
      out = Value::String(Encoded(cursor_.TakeString(arena_)));
      return nullptr;
    case CborType::kText:
      return Text("string", out);
    case CborType::kTag:
      return AnyTagged(out);
    case CborType::kPrimitive:
      return AnyPrimitive(out);
    case CborType::kMap:
      return AnyMap(out);
    case CborType::kArray:
      break;
  }
  return Sequence("[]interface {}", out, [this](Value& item) { return Any(item); });
}

Outcome Reader::AnyNumber(Value& out) {
  CborHead head = cursor_.TakeHead();
  if (Outcome failure = BeyondInt64(head, "int64", "Go's int64")) return failure;
  auto number = static_cast<int64_t>(head.argument);
  out = Value::Int(head.type == CborType::kNegative ? ~number : number);
  return nullptr;
}

Outcome Reader::AnyPrimitive(Value& out) {
  CborHead head = cursor_.TakeHead();
  switch (head.info) {
    case 20:
      out = Value::Bool(false);
      return nullptr;
    case 21:
      out = Value::Bool(true);
      return nullptr;
    case 22:
      return nullptr;
    case 25:
    case 26:
    case 27: {
      std::string text;
      value::AppendJsonDouble(text, value::CborFloat(head));
      if (text.find_first_of(".e") == text.npos) text += ".0";
      out = Value::Number(arena_, arena_.CopyString(text));
      return nullptr;
    }
    default:
      return UnknownSimpleValue(head.argument);
  }
}

Outcome Reader::AnyTagged(Value& out) {
  Restore restore(encoding_);
  uint64_t tag = cursor_.Peek().argument;
  if (tag == 0 || tag == 1) return AnyTime(out);
  cursor_.TakeHead();
  if (tag >= kBase64Url && tag <= kBase16) encoding_ = tag;
  return Any(out, false);
}

Outcome Reader::AnyTime(Value& out) {
  bool epoch = cursor_.TakeHead().argument == 1;
  if (!epoch) {
    bool valid = true;
    std::string_view text = cursor_.TakeString(arena_, &valid);
    if (!valid) return Fail("cbor: invalid UTF-8 string");
    auto time = ParseTime(text, TimeForm::kSeconds);
    if (!time) return Fail(base::Cat("cbor: cannot set ", text, " for time.Time: ", time.error()));
    out = Value::String(text);
    return nullptr;
  }
  Instant time;
  if (Outcome failure = Epoch(time)) return failure;
  constexpr int64_t kYear10000 = 253402300800;
  if (time.seconds < kZeroTime.seconds - 366 * 86400 || time.seconds >= kYear10000) {
    return Fail(
        "cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText: year "
        "outside of range [0,9999]");
  }
  out = Value::Copy(arena_, Rfc3339(time));
  return nullptr;
}

Outcome Reader::Epoch(Instant& time) {
  CborHead head = cursor_.TakeHead();
  if (head.type == CborType::kPrimitive) {
    double number = value::CborFloat(head);
    double whole = 0;
    double fraction = std::modf(number, &whole);
    constexpr double kTooFar = 1e15;
    time.seconds = static_cast<int64_t>(std::clamp(whole, -kTooFar, kTooFar));
    auto nanos = static_cast<int64_t>(fraction * 1e9);
    if (nanos < 0) {
      nanos += 1'000'000'000;
      --time.seconds;
    }
    time.nanos = static_cast<int32_t>(nanos);
    return nullptr;
  }
  if (Outcome failure = BeyondInt64(head, "time.Time", "Go's int64")) return failure;
  auto seconds = static_cast<int64_t>(head.argument);
  time.seconds = head.type == CborType::kNegative ? ~seconds : seconds;
  return nullptr;
}

Outcome Reader::AnyMap(Value& out) {
  return Map("map[string]interface {}", out, [this](Value& item) { return Any(item); });
}

Outcome Reader::ObjectOrNull(Value& out) {
  Restore restore(encoding_);
  if (Outcome failure = Tags()) return failure;
  return AnyMap(out);
}

api::Result<void> Check(std::string_view bytes) {
  auto good = value::CheckCbor(bytes);
  if (good) return {};
  return api::Fail(api::BadRequest(std::move(good.error().message)));
}

}  // namespace

api::Result<CborKind> ReadCborKind(std::string_view bytes, Arena& arena) {
  if (auto good = Check(bytes); !good) return std::unexpected(good.error());
  CborKind kind;
  if (Outcome failure = Reader(bytes, arena, false).Kind(kind)) return api::Fail(api::BadRequest(failure->Text()));
  return kind;
}

api::Result<Value> ReadCbor(const Type& type, std::string_view bytes, Arena& arena, std::string* unknown) {
  if (auto good = Check(bytes); !good) return std::unexpected(good.error());
  Value out = Value::Object(arena);
  Outcome failure = Reader(bytes, arena, unknown != nullptr).Struct(type, out);
  if (unknown) unknown->clear();
  if (failure && failure->unknown) {
    *unknown = failure->Text();
    out = Value::Object(arena);
    failure = Reader(bytes, arena, false).Struct(type, out);
  }
  if (failure) return api::Fail(api::BadRequest(failure->Text()));
  return out;
}

api::Result<Value> ReadCborObject(std::string_view bytes, Arena& arena) {
  if (auto good = Check(bytes); !good) return std::unexpected(good.error());
  Value out;
  if (Outcome failure = Reader(bytes, arena, false).ObjectOrNull(out))
    return api::Fail(api::BadRequest(failure->Text()));
  return out;
}

}  // namespace schema
