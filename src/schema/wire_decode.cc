#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>

#include "api/group_version.h"
#include "api/quantity.h"
#include "base/text.h"
#include "schema/decode.h"
#include "schema/go_field_name.h"
#include "schema/members.h"
#include "schema/text_forms.h"
#include "schema/wire.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace schema {

using value::Arena;
using value::Kind;
using value::Member;
using value::Value;

namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEndGroup = 4, kFixed32 = 5 };

struct Tag {
  uint32_t number = 0;
  uint32_t type = 0;
};

// Reads a message from the front. The first thing that is wrong is kept, as the real server says it; everything read
// after it is empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : whole_(bytes), rest_(bytes) {}

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  bool more() const { return ok() && !rest_.empty(); }
  void Fail(std::string error) {
    if (ok()) error_ = std::move(error);
    rest_ = {};
  }

  uint64_t Varint() {
    if (!rest_.empty() && static_cast<uint8_t>(rest_[0]) < 0x80) {  // nearly always
      auto number = static_cast<uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      return number;
    }
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return Eof(), 0;
      auto byte = static_cast<uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
    Fail("proto: integer overflow");
    return 0;
  }

  std::string_view Bytes() {
    const size_t length = Length();
    return Take(length);
  }

  // The length of what follows. Lengths are added to where they stand, in 63 bits.
  size_t Length() {
    const uint64_t length = Varint();
    if (length > uint64_t{INT64_MAX} - at()) Fail("proto: negative length found during unmarshaling");
    if (length > rest_.size()) Eof();
    return ok() ? length : 0;
  }

  // How far it is read, and reading on from there.
  size_t at() const { return whole_.size() - rest_.size(); }
  void MoveTo(size_t at) { rest_ = whole_.substr(at); }

  uint64_t Fixed64() {
    std::string_view bytes = Take(8);
    uint64_t number = 0;
    if (bytes.size() == 8) std::memcpy(&number, bytes.data(), 8);
    return number;
  }

  // The next field's number and type, of a message of that Go type ("v1.Pod").
  Tag Field(std::string_view go_name) {
    uint64_t tag = Varint();
    auto number = static_cast<int32_t>(tag >> 3);
    uint32_t type = tag & 7;
    if (ok() && (type == kEndGroup || number <= 0)) {
      std::string_view name = go_name.substr(go_name.rfind('.') + 1);
      Fail(type == kEndGroup ? base::Cat("proto: ", name, ": wiretype end group for non-group")
                             : base::Cat("proto: ", name, ": illegal tag ", number, " (wire type ", tag, ")"));
    }
    return {static_cast<uint32_t>(number), type};
  }

  // The same in an entry of a map, where nobody looks at types.
  Tag EntryField() {
    const uint64_t tag = Varint();
    return {static_cast<uint32_t>(tag >> 3), static_cast<uint32_t>(tag & 7)};
  }

  void Skip(uint32_t type) {
    for (size_t depth = 0; ok();) {
      switch (type) {
        case kVarint:
          Varint();
          break;
        case kFixed64:
          Take(8);
          break;
        case kBytes:
          Bytes();
          break;
        case kGroup:
          ++depth;
          break;
        case kEndGroup:
          if (depth == 0) return Fail("proto: unexpected end of group");
          --depth;
          break;
        case kFixed32:
          Take(4);
          break;
        default:
          return Fail(base::Cat("proto: illegal wireType ", type));
      }
      if (depth == 0) return;
      type = static_cast<uint32_t>(Varint() & 7);
    }
  }

 private:
  void Eof() { Fail("unexpected EOF"); }
  std::string_view Take(uint64_t length) {
    if (length > rest_.size()) return Eof(), std::string_view();
    std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view whole_, rest_;
  std::string error_;
};

// The members of one object while its message is read. Only those that are set are ever made or read.
class Slots {
 public:
  static constexpr size_t kMax = 64;  // no type with a wire form has more members

  bool IsSet(size_t place) const { return set_ >> place & 1; }
  Value& operator[](size_t place) { return *std::launder(reinterpret_cast<Value*>(values_ + place * sizeof(Value))); }
  void Put(size_t place, Value v) {
    new (values_ + place * sizeof(Value)) Value(v);
    set_ |= uint64_t{1} << place;
  }
  uint64_t set() const { return set_; }

 private:
  uint64_t set_ = 0;
  alignas(Value) std::byte values_[kMax * sizeof(Value)];
};

class WireDecoder {
 public:
  explicit WireDecoder(Arena& arena) : arena_(arena) {}

  api::Result<Value> Run(const Type& type, std::string_view message) {
    Value object = Struct(type, message, nullptr);
    if (!error_.empty()) return api::Fail(api::BadRequest(std::move(error_)));
    return object;
  }

 private:
  bool failed() const { return !error_.empty(); }
  void Fail(std::string error) {
    if (!failed()) error_ = std::move(error);
  }
  void Note(const Reader& reader) {
    if (!reader.ok()) Fail(reader.error());
  }

  Value Struct(const Type& type, std::string_view message, const Value* existing) {
    assert(type.members.size() <= Slots::kMax);
    if (depth_ >= kMaxDepth || ++messages_ > kMaxMessages) {
      Fail(depth_ >= kMaxDepth ? "exceeded max depth" : "too many messages");
      return Value::Object(arena_);
    }
    ++depth_;
    Slots slots;
    if (existing) {
      for (const Member& member : existing->members()) {
        slots.Put(static_cast<size_t>(type.MemberIndex(member.key)), member.value);
      }
    }
    Fields(type, message, slots, 0);
    --depth_;
    return Finish(type, slots);
  }

  // Fills the members of `type` that begin at `base` in `slots`.
  void Fields(const Type& type, std::string_view message, Slots& slots, size_t base) {
    Reader reader(message);
    while (reader.more() && !failed()) {
      Tag tag = reader.Field(type.go_name);
      if (!reader.ok()) break;
      const Field* field = type.Wire(tag.number);
      if (!field) {
        reader.Skip(tag.type);
      } else if (field->is_inline) {
        if (!Expect(reader, *field, tag, kBytes)) break;
        std::string_view nested = reader.Bytes();
        if (reader.ok()) Fields(*field->ref, nested, slots, base + field->place);
      } else {
        FieldOf(reader, *field, tag, slots, base + field->place);
      }
    }
    Note(reader);
  }

  static bool Expect(Reader& reader, const Field& field, Tag tag, WireType type) {
    return tag.type == type || Expect(reader, GoFieldName(field), tag, type);
  }
  static bool Expect(Reader& reader, std::string_view go_name, Tag tag, WireType type) {
    if (tag.type == type) return true;
    reader.Fail(base::Cat("proto: wrong wireType = ", tag.type, " for field ", go_name));
    return false;
  }

  static WireType WireTypeOf(FieldKind kind) {
    switch (kind) {
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kBool:
        return kVarint;
      case FieldKind::kDouble:
        return kFixed64;
      default:
        return kBytes;
    }
  }

  void FieldOf(Reader& reader, const Field& field, Tag tag, Slots& slots, size_t place) {
    WireType type = WireTypeOf(field.kind);
    if (field.shape == Shape::kMap) {
      if (!Expect(reader, field, tag, kBytes)) return;
      if (!slots.IsSet(place)) slots.Put(place, Value::Object(arena_));
      return MapEntry(reader, field, slots[place]);
    }
    if (field.shape == Shape::kList) {
      if (!slots.IsSet(place)) slots.Put(place, Value::Array(arena_));
      if (type != kBytes && tag.type == kBytes) return Packed(reader, field, slots[place]);
      if (!Expect(reader, field, tag, type)) return;
      Value item = Single(reader, field, nullptr);
      if (reader.ok()) slots[place].Append(arena_, item);
      return;
    }
    if (!Expect(reader, field, tag, type)) return;
    const bool repeated = slots.IsSet(place);
    Value earlier = repeated ? slots[place] : Value();
    slots.Put(place, Single(reader, field, repeated ? &earlier : nullptr));
  }

  // The last number may go on behind the end of the list, and what follows begins behind it.
  void Packed(Reader& reader, const Field& field, Value list) {
    const size_t length = reader.Length();
    const size_t end = reader.at() + length;
    while (reader.ok() && reader.at() < end) {
      Value item = Single(reader, field, nullptr);
      if (reader.ok()) list.Append(arena_, item);
    }
  }

  // A key or a value may go on behind the end of its entry, as far as the message around it goes; what follows is read
  // from the end of the entry on all the same.
  void MapEntry(Reader& reader, const Field& field, Value map) {
    const size_t length = reader.Length();
    const size_t end = reader.at() + length;
    std::string_view key;
    std::optional<Value> v;
    while (reader.ok() && !failed() && reader.at() < end) {
      Tag tag = reader.EntryField();
      if (!reader.ok()) break;
      if (tag.number == 1) {
        key = reader.Bytes();
      } else if (tag.number == 2) {
        v = Single(reader, field, nullptr);
      } else {
        reader.Skip(tag.type);
        if (reader.at() > end) reader.Fail("unexpected EOF");
      }
    }
    if (!reader.ok() || failed()) return;
    if (reader.at() > end) read_again_ += reader.at() - end;
    if (read_again_ > kMostReadAgain) return Fail("unexpected EOF");
    reader.MoveTo(end);
    if (!v) {
      Reader nothing(std::string_view("\0", 1));
      v = Single(nothing, field, nullptr);
    }
    map.Add(arena_, key, *v);
  }

  // One value whose tag has been read.
  Value Single(Reader& reader, const Field& field, const Value* existing) {
    switch (field.kind) {
      case FieldKind::kInt32:
        return Value::Int(static_cast<int32_t>(reader.Varint()));
      case FieldKind::kInt64:
        return Value::Int(static_cast<int64_t>(reader.Varint()));
      case FieldKind::kBool:
        return Value::Bool(reader.Varint() != 0);
      case FieldKind::kDouble:
        return Double(std::bit_cast<double>(reader.Fixed64()));
      default: {
        std::string_view bytes = reader.Bytes();
        return reader.ok() ? Delimited(field, bytes, existing) : Value();
      }
    }
  }

  Value Double(double number) {
    constexpr double kExact = 9007199254740992;
    if (std::abs(number) <= kExact && number == std::trunc(number)) return Value::Int(static_cast<int64_t>(number));
    // JSON has no word for infinities and NaN; the real server cannot write them either.
    return std::isfinite(number) ? Value::Double(arena_, number) : Value::Int(0);
  }

  Value Delimited(const Field& field, std::string_view bytes, const Value* existing) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kDuration:
        return Value::String(bytes);
      case FieldKind::kBytes: {
        std::string text;
        value::AppendBase64(text, bytes);
        return Value::Copy(arena_, text);
      }
      case FieldKind::kRef:
        return field.ref->special == Special::kNone ? Struct(*field.ref, bytes, existing) : SchemaOr(*field.ref, bytes);
      case FieldKind::kQuantity:
        return Quantity(bytes, existing);
      case FieldKind::kIntOrString:
        return IntOrString(bytes, existing);
      case FieldKind::kTime:
        return Time(bytes, TimeForm::kSeconds);
      case FieldKind::kMicroTime:
        return Time(bytes, TimeForm::kMicros);
      case FieldKind::kStringList:
        return StringList(field.ref->struct_name(), bytes, existing);
      case FieldKind::kJson:
        return Raw("JSON", bytes, existing);
      case FieldKind::kFieldsV1:
        return Raw("FieldsV1", bytes, existing);
      default:
        return Raw("RawExtension", bytes, existing);
    }
  }

  // Calls `take` for each field of a small message whose fields are read here and not by a table.
  template <class Take>
  void EachField(std::string_view go_name, std::string_view message, Take take) {
    Reader reader(message);
    while (reader.more() && !failed()) {
      Tag tag = reader.Field(go_name);
      if (reader.ok() && !take(reader, tag)) reader.Skip(tag.type);
    }
    Note(reader);
  }

  Value Quantity(std::string_view message, const Value* existing) {
    Value amount = existing ? *existing : Value::String("0");
    EachField("Quantity", message, [&](Reader& reader, Tag tag) {
      if (tag.number != 1) return false;
      if (!Expect(reader, "String_", tag, kBytes)) return true;
      const std::string_view text = reader.Bytes();
      if (reader.ok()) amount = QuantityOf(reader, text);
      return true;
    });
    return amount;
  }

  Value QuantityOf(Reader& reader, std::string_view text) {
    if (IsCanonicalQuantity(text)) return Value::String(text);
    std::expected<api::Quantity, std::string_view> quantity = api::Quantity::Parse(text);
    if (!quantity) {
      reader.Fail(std::string(quantity.error()));
      return {};
    }
    std::string canonical = quantity->text();
    return canonical == text ? Value::String(text) : Value::Copy(arena_, canonical);
  }

  Value IntOrString(std::string_view message, const Value* existing) {
    int64_t type = existing && existing->is_string() ? 1 : 0;
    int32_t number = existing && existing->is_int() ? static_cast<int32_t>(existing->AsInt()) : 0;
    std::string_view text = existing && existing->is_string() ? existing->AsString() : "";
    EachField("IntOrString", message, [&](Reader& reader, Tag tag) {
      if (tag.number == 1) {
        if (Expect(reader, "Type", tag, kVarint)) type = static_cast<int64_t>(reader.Varint());
      } else if (tag.number == 2) {
        if (Expect(reader, "IntVal", tag, kVarint)) number = static_cast<int32_t>(reader.Varint());
      } else if (tag.number == 3) {
        if (Expect(reader, "StrVal", tag, kBytes)) text = reader.Bytes();
      } else {
        return false;
      }
      return true;
    });
    return type == 0 ? Value::Int(number) : Value::String(text);
  }

  Value Time(std::string_view message, TimeForm form) {
    if (message.empty()) return {};
    Instant time;
    EachField("Timestamp", message, [&](Reader& reader, Tag tag) {
      if (tag.number > 2) return false;
      if (!Expect(reader, tag.number == 1 ? "Seconds" : "Nanos", tag, kVarint)) return true;
      uint64_t number = reader.Varint();
      if (tag.number == 1) {
        time.seconds = static_cast<int64_t>(number);
      } else {
        time.nanos = static_cast<int32_t>(number);
      }
      return true;
    });
    return TimeOf(time, form);
  }

  Value TimeOf(Instant time, TimeForm form) {
    // Years 0 to 9999, as everything that writes a time can say them.
    constexpr int64_t kFirst = -62167219200, kLast = 253402300799, kSecond = 1'000'000'000;
    if (time.seconds < kFirst || time.seconds > kLast) return {};
    const int64_t nanos = form == TimeForm::kSeconds ? 0 : time.nanos / 1000 * 1000;
    const int64_t within = ((nanos % kSecond) + kSecond) % kSecond;
    time.seconds += (nanos - within) / kSecond;
    time.nanos = static_cast<int32_t>(within);
    if (time == kZeroTime) return {};
    char buffer[kMaxTimeText];
    return Value::Copy(arena_, FormatTime(time, form, buffer));
  }

  Value StringList(std::string_view go_name, std::string_view message, const Value* existing) {
    Value list = existing ? *existing : Value::Array(arena_);
    EachField(go_name, message, [&](Reader& reader, Tag tag) {
      if (tag.number != 1) return false;
      if (!Expect(reader, "Items", tag, kBytes)) return true;
      list.Append(arena_, Value::String(reader.Bytes()));
      return true;
    });
    return list;
  }

  Value Raw(std::string_view go_name, std::string_view message, const Value* existing) {
    std::optional<std::string_view> raw;
    EachField(go_name, message, [&](Reader& reader, Tag tag) {
      if (tag.number != 1) return false;
      if (Expect(reader, "Raw", tag, kBytes)) raw = reader.Bytes();
      return true;
    });
    if (failed()) return {};
    return raw ? RawDocument(*raw) : existing ? *existing : Value();
  }

  // JSON, or an object in an envelope. What is neither stays bytes, which the wire form gives back.
  Value RawDocument(std::string_view raw) {
    if (raw.empty()) return {};
    if (raw.starts_with(kEnvelopePrefix)) return EnvelopeDocument(raw);
    base::Result<Value> document = value::ReadJson(raw, arena_, {.max_depth = value::kMaxEmbeddedDepth});
    return document && !document->is_null() ? *document : Value::Bytes(raw);
  }

  Value EnvelopeDocument(std::string_view raw) {
    api::Result<Envelope> envelope = DecodeEnvelope(raw);
    if (!envelope) return Value::Bytes(raw);
    const auto version = api::GroupVersion::Parse(envelope->api_version);
    const Type* type = version ? FindKind(version->group, version->version, envelope->kind) : nullptr;
    if (!type || !type->has_wire) return Value::Bytes(raw);
    Value object = Struct(*type, envelope->message, nullptr);
    Value document = Value::Object(arena_, object.size() + 2);
    document.Add(arena_, "kind", Value::String(envelope->kind));
    document.Add(arena_, "apiVersion", Value::String(envelope->api_version));
    for (const Member& member : object.members()) document.Add(arena_, member.key, member.value);
    return document;
  }

  Value SchemaOr(const Type& type, std::string_view message) {
    Value schema, list;
    bool allows = false;
    bool of_bool = type.special == Special::kSchemaOrBool;
    EachField(type.go_name, message, [&](Reader& reader, Tag tag) {
      const Field* field = type.Wire(tag.number);
      if (!field) return false;
      if (!Expect(reader, *field, tag, WireTypeOf(field->kind))) return true;
      if (field->kind == FieldKind::kBool) {
        allows = reader.Varint() != 0;
        return true;
      }
      std::string_view nested = reader.Bytes();
      if (!reader.ok()) return true;
      if (type.special == Special::kUnknown) {
        if (tag.number == 2) schema = RawDocument(nested);
      } else if (tag.number == (of_bool ? 2u : 1u)) {
        schema = Struct(*type.Wire(tag.number)->ref, nested, schema.is_object() ? &schema : nullptr);
      } else if (!of_bool) {
        if (!list.is_array()) list = Value::Array(arena_);
        bool text = type.special == Special::kSchemaOrStringArray;
        list.Append(arena_, text ? Value::String(nested) : Struct(*type.Wire(2)->ref, nested, nullptr));
      }
      return true;
    });
    if (of_bool) return schema.is_object() ? schema : Value::Bool(allows);
    return list.is_array() ? list : schema;
  }

  // Drops what equals the zero value, as canonical trees do.
  Value Finish(const Type& type, Slots& slots) {
    Value object = Value::Object(arena_, static_cast<uint32_t>(std::popcount(slots.set())));
    for (uint64_t left = slots.set(); left != 0; left &= left - 1) {
      auto place = static_cast<size_t>(std::countr_zero(left));
      const Field& field = *type.members[place];
      Value v = slots[place];
      if (!field.pointer && IsZeroValue(field, v)) continue;
      if (field.shape == Shape::kMap) v.Truncate(static_cast<uint32_t>(SortKeepingLast(v.members())));
      object.Add(arena_, field.name, v);
    }
    return object;
  }

  Arena& arena_;
  std::string error_;
  static constexpr size_t kMostReadAgain = 64 << 10;
  uint32_t depth_ = 0;
  uint32_t messages_ = 0;
  size_t read_again_ = 0;  // bytes behind the ends of map entries, which what follows has too
};

// The kind and version of an envelope, which say what is not said anew.
base::Result<> ReadTypeMeta(std::string_view bytes, Envelope& envelope) {
  Reader reader(bytes);
  while (reader.more()) {
    const Tag tag = reader.Field("TypeMeta");
    if (!reader.ok()) break;
    if (tag.number > 2) {
      reader.Skip(tag.type);
    } else if (tag.type != kBytes) {
      reader.Fail(
          base::Cat("proto: wrong wireType = ", tag.type, " for field ", tag.number == 1 ? "APIVersion" : "Kind"));
    } else {
      (tag.number == 1 ? envelope.api_version : envelope.kind) = reader.Bytes();
    }
  }
  if (!reader.ok()) return base::Fail(base::Code::kInvalid, reader.error());
  return {};
}

}  // namespace

api::Result<Value> DecodeWire(const Type& type, std::string_view message, Arena& arena) {
  return WireDecoder(arena).Run(type, message);
}

api::Result<Envelope> DecodeEnvelope(std::string_view bytes) {
  if (bytes.empty()) return api::Fail(api::BadRequest("empty data"));
  if (!bytes.starts_with(kEnvelopePrefix)) {
    return api::Fail(
        api::BadRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"));
  }
  if (bytes.size() == kEnvelopePrefix.size()) return api::Fail(api::BadRequest("empty body"));
  Envelope envelope;
  Reader reader(bytes.substr(kEnvelopePrefix.size()));
  std::string_view* const parts[] = {nullptr, nullptr, &envelope.message, &envelope.content_encoding,
                                     &envelope.content_type};
  constexpr std::string_view kNames[] = {"", "TypeMeta", "Raw", "ContentEncoding", "ContentType"};
  while (reader.more()) {
    Tag tag = reader.Field("Unknown");
    if (!reader.ok()) break;
    if (tag.number > 4) {
      reader.Skip(tag.type);
    } else if (tag.type != kBytes) {
      reader.Fail(base::Cat("proto: wrong wireType = ", tag.type, " for field ", kNames[tag.number]));
    } else if (tag.number == 1) {
      auto read = ReadTypeMeta(reader.Bytes(), envelope);
      if (reader.ok() && !read) reader.Fail(read.error().message);
    } else {
      *parts[tag.number] = reader.Bytes();
    }
  }
  if (!reader.ok()) return api::Fail(api::BadRequest(reader.error()));
  return envelope;
}

}  // namespace schema
