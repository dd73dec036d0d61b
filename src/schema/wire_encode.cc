#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>

#include "schema/encode.h"
#include "schema/members.h"
#include "schema/text_forms.h"
#include "schema/wire.h"
#include "value/json_reader.h"

namespace schema {

using value::Kind;
using value::Member;
using value::Value;

namespace {

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2 };

// Bytes written from the end to the front: a message's length is known when its tag is due, so nothing is measured
// beforehand.
class BackwardBuffer {
 public:
  BackwardBuffer() : begin_(inline_), at_(inline_ + sizeof(inline_)), end_(at_) {}
  BackwardBuffer(const BackwardBuffer&) = delete;
  BackwardBuffer& operator=(const BackwardBuffer&) = delete;

  size_t size() const { return static_cast<size_t>(end_ - at_); }
  std::string_view view() const { return {at_, size()}; }

  void Prepend(std::string_view bytes) {
    Reserve(bytes.size());
    at_ -= bytes.size();
    if (!bytes.empty()) std::memcpy(at_, bytes.data(), bytes.size());
  }
  void Byte(uint8_t byte) {
    Reserve(1);
    *--at_ = static_cast<char>(byte);
  }
  void Varint(uint64_t number) {
    if (number < 0x80) return Byte(static_cast<uint8_t>(number));  // nearly always
    size_t length = (std::bit_width(number | 1) + 6) / 7;
    Reserve(length);
    at_ -= length;
    char* to = at_;
    while (number >= 0x80) {
      *to++ = static_cast<char>(number | 0x80);
      number >>= 7;
    }
    *to = static_cast<char>(number);
  }
  void Fixed64(uint64_t number) {
    Reserve(8);
    at_ -= 8;
    std::memcpy(at_, &number, 8);
  }
  void Tag(uint32_t number, WireType type) { Varint(uint64_t{number} << 3 | type); }
  // Closes what was written since the buffer had `size` bytes as a length-delimited field.
  void CloseAs(uint32_t number, size_t size_before) {
    Varint(size() - size_before);
    Tag(number, kBytes);
  }
  void Bytes(uint32_t number, std::string_view bytes) {
    Prepend(bytes);
    Varint(bytes.size());
    Tag(number, kBytes);
  }

 private:
  void Reserve(size_t more) {
    if (static_cast<size_t>(at_ - begin_) < more) Grow(more);
  }
  void Grow(size_t more) {
    size_t used = size(), capacity = 2 * static_cast<size_t>(end_ - begin_) + more;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    std::memcpy(larger.get() + capacity - used, at_, used);
    heap_ = std::move(larger);
    begin_ = heap_.get();
    end_ = begin_ + capacity;
    at_ = end_ - used;
  }

  char inline_[4096];
  std::unique_ptr<char[]> heap_;
  char* begin_;
  char* at_;
  char* end_;
};

class WireEncoder {
 public:
  std::string_view Encode(const Type& type, const Value& object) {
    Struct(type, object);
    return out_.view();
  }

 private:
  static constexpr size_t kMaxMembers = 64;  // no type with a wire form has more (schema_test holds it)

  void Struct(const Type& type, const Value& object) {
    assert(type.members.size() <= kMaxMembers);
    std::array<const Value*, kMaxMembers> at;
    std::fill_n(at.begin(), type.members.size(), nullptr);
    size_t expected = 0;
    for (const Member& member : object.members()) {
      size_t index = expected;
      while (index < type.members.size() && !SameName(member.key, type.members[index]->name)) ++index;
      if (index == type.members.size()) {
        int found = type.MemberIndex(member.key);
        if (found < 0) continue;
        index = static_cast<size_t>(found);
      }
      expected = index + 1;
      if (!at[index] && !member.value.is_null()) at[index] = &member.value;
      if (member.value.is_null() && type.members[index]->pointer && IsTime(*type.members[index]))
        at[index] = &member.value;
    }
    Fields(type, at.data());
  }

  static bool IsTime(const Field& field) {
    return field.shape == Shape::kSingle && (field.kind == FieldKind::kTime || field.kind == FieldKind::kMicroTime);
  }

  // `at`: the value of each of the type's members, null where there is none.
  void Fields(const Type& type, const Value* const* at) {
    for (size_t number = type.by_wire.size(); number-- > 1;) {
      const Field* field = type.Wire(static_cast<uint32_t>(number));
      if (!field || field->wire_only) continue;
      if (field->is_inline) {
        size_t before = out_.size();
        Fields(*field->ref, at + field->place);
        out_.CloseAs(field->wire, before);
      } else {
        FieldOf(*field, at[field->place]);
      }
    }
  }

  void FieldOf(const Field& field, const Value* v) {
    if (field.shape == Shape::kList) {
      std::span<const Value> items = v ? std::span<const Value>(v->items()) : std::span<const Value>();
      for (size_t i = items.size(); i-- > 0;) Single(field, items[i], field.wire);
    } else if (field.shape == Shape::kMap) {
      if (v) MapOf(field, *v);
    } else if (v) {
      Single(field, *v, field.wire);
    } else if (!field.pointer && field.kind != FieldKind::kBytes && field.kind != FieldKind::kStringList) {
      Single(field, Value(), field.wire);
    }
  }

  void MapOf(const Field& field, const Value& map) {
    SortedMap sorted(map);
    for (size_t i = sorted.members().size(); i-- > 0;) {
      const Member& member = sorted.members()[i];
      size_t before = out_.size();
      Single(field, member.value, 2);
      out_.Bytes(1, member.key);
      out_.CloseAs(field.wire, before);
    }
  }

  static std::string_view Text(const Value& v) {
    return v.is_string() || v.kind() == Kind::kBytes ? v.AsString() : std::string_view();
  }

  // One value under the number; a null Value stands for the zero value.
  void Single(const Field& field, const Value& v, uint32_t number) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kDuration:
        return out_.Bytes(number, Text(v));
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        out_.Varint(v.is_int() ? static_cast<uint64_t>(v.AsInt()) : 0);
        return out_.Tag(number, kVarint);
      case FieldKind::kBool:
        out_.Byte(v.is_bool() && v.AsBool());
        return out_.Tag(number, kVarint);
      case FieldKind::kDouble:
        out_.Fixed64(std::bit_cast<uint64_t>(v.is_number() ? v.AsDouble() : 0.0));
        return out_.Tag(number, kFixed64);
      case FieldKind::kBytes: {
        std::string bytes;
        (void)DecodeBase64(Text(v), bytes);  // canonical trees hold good base64
        return out_.Bytes(number, bytes);
      }
      default: {
        size_t before = out_.size();
        Message(field, v);
        return out_.CloseAs(number, before);
      }
    }
  }

  void Message(const Field& field, const Value& v) {
    switch (field.kind) {
      case FieldKind::kRef:
        return field.ref->special == Special::kNone ? Struct(*field.ref, v) : SchemaOr(*field.ref, v);
      case FieldKind::kQuantity:
        return out_.Bytes(1, v.is_null() ? "0" : Text(v));
      case FieldKind::kIntOrString:
        return IntOrString(v);
      case FieldKind::kTime:
        return Time(v, TimeForm::kSeconds);
      case FieldKind::kMicroTime:
        return Time(v, TimeForm::kMicros);
      case FieldKind::kStringList:
        for (size_t i = v.size(); i-- > 0;) out_.Bytes(1, Text(v.items()[i]));
        return;
      default:
        return Raw(v, 1, field.kind == FieldKind::kRawExtension);
    }
  }

  void Varint(uint32_t number, int64_t value) {
    out_.Varint(static_cast<uint64_t>(value));
    out_.Tag(number, kVarint);
  }

  void IntOrString(const Value& v) {
    out_.Bytes(3, Text(v));
    Varint(2, v.is_int() ? v.AsInt() : 0);
    Varint(1, v.is_string() ? 1 : 0);
  }

  void Time(const Value& v, TimeForm form) {
    if (!v.is_string()) return;
    std::expected<Instant, std::string> time = ParseTime(v.AsString(), form);
    if (!time || *time == kZeroTime) return;
    Varint(2, form == TimeForm::kMicros ? time->nanos / 1000 * 1000 : 0);
    Varint(1, time->seconds);
  }

  void Raw(const Value& v, uint32_t number, bool with_spaces = false) {
    if (v.is_null()) return;
    if (v.kind() == Kind::kBytes) return out_.Bytes(number, v.AsString());  // was no JSON
    std::string json;
    if (with_spaces) {
      AppendRawExtension(v, json);
    } else {
      AppendRawJson(v, json);
    }
    out_.Bytes(number, json);
  }

  void Nested(const Type& type, const Value& v, uint32_t number) {
    size_t before = out_.size();
    Struct(type, v);
    out_.CloseAs(number, before);
  }

  void SchemaOr(const Type& type, const Value& v) {
    switch (type.special) {
      case Special::kSchemaOrBool:
        if (v.is_object()) Nested(*type.Wire(2)->ref, v, 2);
        return Varint(1, v.is_object() || (v.is_bool() && v.AsBool()));
      case Special::kSchemaOrArray:
        for (size_t i = v.items().size(); i-- > 0;) Nested(*type.Wire(2)->ref, v.items()[i], 2);
        break;
      case Special::kSchemaOrStringArray:
        for (size_t i = v.items().size(); i-- > 0;) out_.Bytes(2, Text(v.items()[i]));
        break;
      default:  // runtime.Unknown
        out_.Bytes(4, "");
        out_.Bytes(3, "");
        Raw(v, 2);
        return out_.Bytes(1, std::string_view("\x0a\x00\x12\x00", 4));
    }
    if (v.is_object()) Nested(*type.Wire(1)->ref, v, 1);
  }

  BackwardBuffer out_;
};

}  // namespace

void EncodeWire(const Type& type, const Value& object, std::string& out) {
  WireEncoder encoder;
  out += encoder.Encode(type, object);
}

api::Result<> JsonToWire(const Type& type, std::string_view json, std::string& out) {
  value::Arena arena(json.size() * 4 + 1024);
  auto tree = value::ReadJson(json, arena, {.escaped_bytes = true});
  if (!tree) return api::Fail(api::Internal(std::move(tree.error().message)));
  EncodeWire(type, *tree, out);
  return {};
}

void AppendEnvelope(std::string_view api_version, std::string_view kind, std::string_view message, std::string& out) {
  BackwardBuffer head;
  head.Varint(message.size());
  head.Tag(2, kBytes);
  size_t before = head.size();
  head.Bytes(2, kind);
  head.Bytes(1, api_version);
  head.CloseAs(1, before);
  out.reserve(out.size() + kEnvelopePrefix.size() + head.size() + message.size() + 4);
  out += kEnvelopePrefix;
  out += head.view();
  out += message;
  out += std::string_view("\x1a\x00\x22\x00", 4);  // contentEncoding and contentType, empty
}

void EncodeEnvelope(const Type& type, std::string_view api_version, std::string_view kind, const Value& object,
                    std::string& out) {
  WireEncoder encoder;
  AppendEnvelope(api_version, kind, encoder.Encode(type, object), out);
}

}  // namespace schema
