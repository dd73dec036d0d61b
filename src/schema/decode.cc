#include "schema/decode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "api/quantity.h"
#include "api/quote.h"
#include "base/text.h"
#include "schema/members.h"
#include "schema/normalised.h"
#include "schema/structural_decode.h"
#include "schema/text_forms.h"
#include "value/json_writer.h"

namespace schema {

using value::Arena;
using value::Kind;
using value::Member;
using value::Value;

namespace {

// One step down from the document's root. Lives on the stack of the function that goes down.
struct Frame {
  const Frame* parent = nullptr;
  const Type* owner = nullptr;  // of a struct's field; null for items and keys
  std::string_view name;        // field or key
  int64_t index = -1;           // item
  uint32_t depth = 0;
};

Frame FieldFrame(const Frame* parent, const Type& owner, const Field& field) {
  return {parent, &owner, field.name, -1, parent ? parent->depth + 1 : 1};
}
Frame KeyFrame(const Frame& parent, std::string_view key) { return {&parent, nullptr, key, -1, parent.depth}; }
Frame ItemFrame(const Frame& parent, int64_t index) { return {&parent, nullptr, {}, index, parent.depth}; }

// "spec.containers[0].name": where strict decoding says it found something.
void AppendPath(const Frame* frame, std::string& out) {
  if (!frame) return;
  AppendPath(frame->parent, out);
  if (frame->index >= 0) {
    base::Append(out, "[", frame->index, "]");
  } else {
    if (!out.empty()) out += '.';
    out += frame->name;
  }
}

// "spec.containers.name": what Go's type errors say; items and keys have no part in it.
void AppendFieldNames(const Frame* frame, std::string& out) {
  if (!frame) return;
  AppendFieldNames(frame->parent, out);
  if (!frame->owner) return;
  if (!out.empty()) out += '.';
  out += frame->name;
}

std::string_view Describe(const Value& v) {
  switch (v.kind()) {
    case Kind::kBool:
      return "bool";
    case Kind::kInt:
    case Kind::kDouble:
      return "number";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
    case Kind::kNull:
      return "null";
    default:
      return "string";
  }
}

bool IsText(const Value& v) { return v.kind() == Kind::kString || v.kind() == Kind::kBytes; }

std::string NumberText(const Value& number) {
  return number.is_int() ? base::Cat(number.AsInt()) : std::string(number.literal());
}

// Which members of one object have been met.
class Seen {
 public:
  bool Test(size_t index) const {
    if (index < 64) return low_ >> index & 1;
    return index / 64 <= high_.size() && high_[index / 64 - 1] >> index % 64 & 1;
  }
  void Set(size_t index) {
    if (index < 64) {
      low_ |= uint64_t{1} << index;
      return;
    }
    if (index / 64 > high_.size()) high_.resize(index / 64);
    high_[index / 64 - 1] |= uint64_t{1} << index % 64;
  }

 private:
  uint64_t low_ = 0;
  std::vector<uint64_t> high_;
};

bool HasRepeatedKeys(std::span<const Member> members) {
  if (std::ranges::is_sorted(members, std::less_equal<>(), &Member::key)) return false;
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const Member& member : members) keys.push_back(member.key);
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

constexpr size_t kUsualMembers = 64;  // of all structs that are open at a time

class Decoder {
 public:
  Decoder(Arena& arena, Findings* findings) : arena_(arena), findings_(findings) {
    members_.reserve(kUsualMembers);
    places_.reserve(kUsualMembers);
  }

  api::Result<Value> Run(const Type& type, const Value& document) {
    Value object = Struct(type, document, nullptr, nullptr);
    if (failed_) return api::Fail(api::BadRequest(std::move(hard_)));
    if (!soft_.empty()) return api::Fail(api::BadRequest(std::move(soft_)));
    return object;
  }

 private:
  // Errors. A soft one lets the rest be read (the first is told); a hard one ends everything and is told before soft
  // ones.
  std::string TypeError(std::string_view what, std::string_view go_type, const Frame* frame) const {
    if (opaque_) frame = opaque_;
    std::string path;
    AppendFieldNames(frame, path);
    while (frame && !frame->owner) frame = frame->parent;
    if (!frame) return base::Cat("json: cannot unmarshal ", what, " into Go value of type ", go_type);
    return base::Cat("json: cannot unmarshal ", what, " into Go struct field ", frame->owner->struct_name(), ".", path,
                     " of type ", go_type);
  }
  Value Mismatch(std::string_view what, std::string_view go_type, const Frame* frame) {
    if (soft_.empty()) soft_ = TypeError(what, go_type, frame);
    return {};
  }
  Value Fail(std::string message) {
    if (!failed_) hard_ = std::move(message);
    failed_ = true;
    return {};
  }

  void Find(std::vector<std::string> Findings::* list, std::string_view what, const Frame* parent,
            std::string_view name) {
    if (!findings_ || findings_->in_order.size() >= kMaxFindings || finding_bytes_ >= kMaxFindingBytes) return;
    std::string path;
    AppendPath(parent, path);
    if (!path.empty()) path += '.';
    path += name;
    std::string text = base::Cat(what, " field ", api::Quote(path));
    finding_bytes_ += text.size();
    if (std::ranges::find(findings_->in_order, text) != findings_->in_order.end()) return;
    (findings_->*list).push_back(text);
    findings_->in_order.push_back(std::move(text));
  }

  // Structs.
  Value Struct(const Type& type, const Value& document, const Value* existing, const Frame* frame);
  void TakeMember(const Type& type, const Member& sent, size_t start, size_t& expected, Seen& present, Seen& met,
                  const Frame* frame);
  size_t PlaceOf(size_t start, size_t index) const;
  Value FinishStruct(size_t start, std::string_view source);
  std::string_view SourceOf(const Value& document);

  // Fields. nullopt: the field is as if it had not been sent.
  std::optional<Value> FieldValue(const Field& field, const Value& document, const Value* existing, const Frame& frame);
  std::optional<Value> Null(const Field& field, const Value* existing) const;
  std::optional<Value> List(const Field& field, const Value& document, const Value* existing, const Frame& frame);
  std::optional<Value> Map(const Field& field, const Value& document, const Value* existing, const Frame& frame);
  Value Item(const Field& field, const Value& document, const Value* existing, const Frame& frame);
  Value Zero(const Field& field) const;

  // One value of the field's kind; never asked for null.
  Value Single(const Field& field, const Value& document, const Value* existing, const Frame& frame);
  Value Text(const Field& field, const Value& document, const Frame& frame);
  Value Integer(const Field& field, const Value& document, const Frame& frame);
  Value Floating(const Field& field, const Value& document, const Frame& frame);
  Value Bytes(const Field& field, const Value& document, const Frame& frame);
  Value BytesOfNumbers(const Value& document, const Frame& frame);
  Value Quantity(const Value& document);
  Value IntOrString(const Value& document, const Frame& frame);
  Value Time(const Value& document, TimeForm form, const Frame& frame);
  Value StringList(const Value& document, std::string_view go_type, const Frame& frame);
  Value Json(const Value& v);
  Value SchemaOr(const Type& type, const Value& document, const Frame& frame);
  Value NestedDocument(const Type& type, const Value& document, const Frame& frame);

  std::string_view ItemOrFieldType(const Field& field) {
    type_text_ = field.shape == Shape::kSingle ? GoType(field) : GoItemType(field);
    return type_text_;
  }

  Arena& arena_;
  Findings* findings_;
  size_t finding_bytes_ = 0, repeated_members_ = 0;
  bool failed_ = false;
  std::string hard_, soft_;
  std::string type_text_;
  bool rewrites_ = false;          // an amount of the struct or map at hand was written otherwise
  const Frame* opaque_ = nullptr;  // the field whose own UnmarshalJSON is at work: errors inside are told of it
  // Members of the structs being filled, innermost last, with their places in the type.
  std::vector<Member> members_;
  std::vector<uint16_t> places_;
};

Value Decoder::Struct(const Type& type, const Value& document, const Value* existing, const Frame* frame) {
  if (!document.is_object()) {
    if (document.is_null()) return existing ? *existing : Value::Object(arena_);
    return Mismatch(Describe(document), type.go_name, frame);
  }
  if (frame && frame->depth > kMaxDepth) return Fail("exceeded max depth");
  size_t start = members_.size();
  Seen present, met;
  if (existing) {
    for (const Member& member : existing->members()) {
      int index = type.MemberIndex(member.key);
      if (index < 0) continue;
      members_.push_back(member);
      places_.push_back(static_cast<uint16_t>(index));
      present.Set(static_cast<size_t>(index));
    }
  }
  size_t expected = 0;
  const bool outer = std::exchange(rewrites_, false);
  for (const Member& sent : document.members()) {
    TakeMember(type, sent, start, expected, present, met, frame);
    if (failed_) break;
  }
  return FinishStruct(start, std::exchange(rewrites_, outer) ? SourceOf(document) : std::string_view());
}

// The text of `document` as it is now: what is left of the one it was read from may be older than patches.
std::string_view Decoder::SourceOf(const Value& document) { return arena_.CopyString(value::ToJson(document)); }

size_t Decoder::PlaceOf(size_t start, size_t index) const {
  for (size_t i = start; i < places_.size(); ++i) {
    if (places_[i] == index) return i;
  }
  return places_.size();
}

// `expected` is where the type's next member would be if the client keeps to its order.
void Decoder::TakeMember(const Type& type, const Member& sent, size_t start, size_t& expected, Seen& present, Seen& met,
                         const Frame* frame) {
  const int found = MemberIndexFrom(type, expected, sent.key);
  if (found < 0) return Find(&Findings::unknown, "unknown", frame, sent.key);
  const auto index = static_cast<size_t>(found);
  expected = index + 1;
  const Field& field = *type.members[index];
  if (met.Test(index)) Find(&Findings::duplicate, "duplicate", frame, sent.key);
  met.Set(index);
  Frame here = FieldFrame(frame, type, field);
  size_t place = present.Test(index) ? PlaceOf(start, index) : places_.size();
  Value existing = place < places_.size() ? members_[place].value : Value();
  std::optional<Value> taken = FieldValue(field, sent.value, place < places_.size() ? &existing : nullptr, here);
  if (place < places_.size()) {
    if (taken) {
      members_[place].value = *taken;
    } else {
      members_.erase(members_.begin() + static_cast<ptrdiff_t>(place));
      places_.erase(places_.begin() + static_cast<ptrdiff_t>(place));
    }
  } else if (taken) {
    members_.push_back({field.name, *taken});
    places_.push_back(static_cast<uint16_t>(index));
    present.Set(index);
  }
}

Value Decoder::FinishStruct(size_t start, std::string_view source) {
  std::span<Member> members(members_.begin() + static_cast<ptrdiff_t>(start), members_.end());
  std::span<uint16_t> places(places_.begin() + static_cast<ptrdiff_t>(start), places_.end());
  if (!std::ranges::is_sorted(places)) {
    std::vector<std::pair<uint16_t, Member>> pairs;
    pairs.reserve(members.size());
    for (size_t i = 0; i < members.size(); ++i) pairs.emplace_back(places[i], members[i]);
    std::ranges::sort(pairs, {}, &std::pair<uint16_t, Member>::first);
    for (size_t i = 0; i < members.size(); ++i) members[i] = pairs[i].second;
  }
  Value object = Value::ObjectOf(arena_, members, source);
  members_.resize(start);
  places_.resize(start);
  return object;
}

std::optional<Value> Decoder::FieldValue(const Field& field, const Value& document, const Value* existing,
                                         const Frame& frame) {
  if (document.is_null()) return Null(field, existing);
  if (field.shape == Shape::kList) return List(field, document, existing, frame);
  if (field.shape == Shape::kMap) return Map(field, document, existing, frame);
  Value v = Single(field, document, existing, frame);
  if (!field.pointer && IsZeroValue(field, v)) return std::nullopt;
  return v;
}

std::optional<Value> Decoder::Null(const Field& field, const Value* existing) const {
  if (!existing || field.pointer || field.shape != Shape::kSingle) return std::nullopt;
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kBool:
    case FieldKind::kDouble:
    case FieldKind::kRef:
    case FieldKind::kRawExtension:
      return *existing;
    default:
      return std::nullopt;
  }
}

std::optional<Value> Decoder::List(const Field& field, const Value& document, const Value* existing,
                                   const Frame& frame) {
  if (!document.is_array()) {
    Mismatch(Describe(document), GoType(field), &frame);
    return existing ? std::optional(*existing) : std::nullopt;
  }
  Value out = Value::Array(arena_, document.size());
  std::span<Value> items = document.items();
  for (size_t i = 0; i < items.size() && !failed_; ++i) {
    // Go fills the slice it has from the front: an item of an earlier list of the same name keeps what the new one does
    // not say.
    const Value* earlier = existing && i < existing->size() ? &existing->items()[i] : nullptr;
    out.Append(arena_, Item(field, items[i], earlier, ItemFrame(frame, static_cast<int64_t>(i))));
  }
  return out;
}

std::optional<Value> Decoder::Map(const Field& field, const Value& document, const Value* existing,
                                  const Frame& frame) {
  if (!document.is_object()) {
    Mismatch(Describe(document), GoType(field), &frame);
    return existing ? std::optional(*existing) : std::nullopt;
  }
  std::span<const Member> sent = document.members();
  if (existing) {
    repeated_members_ += existing->size();
    if (repeated_members_ > kMaxRepeatedMembers) return Fail("json: maps are repeated too often");
  }
  const bool repeated = findings_ && HasRepeatedKeys(sent);
  absl::flat_hash_set<std::string_view> met;
  Value out = Value::Object(arena_, document.size() + (existing ? existing->size() : 0));
  if (existing) {
    for (const Member& member : existing->members()) out.Add(arena_, member.key, member.value);
  }
  const bool outer = std::exchange(rewrites_, false);
  for (size_t i = 0; i < sent.size() && !failed_; ++i) {
    std::string_view key = sent[i].key;
    if (repeated && !met.insert(key).second) {
      Find(&Findings::duplicate, "duplicate", &frame, key);
    }
    out.Add(arena_, key, Item(field, sent[i].value, nullptr, KeyFrame(frame, key)));
  }
  out.Truncate(static_cast<uint32_t>(SortKeepingLast(out.members())));
  return std::exchange(rewrites_, outer) ? Value::ObjectOf(arena_, out.members(), SourceOf(document)) : out;
}

Value Decoder::Item(const Field& field, const Value& document, const Value* existing, const Frame& frame) {
  if (document.is_null()) return existing && field.kind == FieldKind::kRef ? *existing : Zero(field);
  Value v = Single(field, document, existing, frame);
  return v.is_null() ? Zero(field) : v;
}

Value Decoder::Zero(const Field& field) const {
  switch (field.kind) {
    case FieldKind::kString:
      return Value::String("");
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kDouble:
    case FieldKind::kIntOrString:
      return Value::Int(0);
    case FieldKind::kBool:
      return Value::Bool(false);
    case FieldKind::kQuantity:
      return Value::String("0");
    case FieldKind::kRef:
      return field.ref->special == Special::kNone ? Value::Object(arena_) : Value();
    default:
      return {};  // null
  }
}

Value Decoder::Single(const Field& field, const Value& document, const Value* existing, const Frame& frame) {
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kDuration:  // no field of 1.32 is one
      return Text(field, document, frame);
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return Integer(field, document, frame);
    case FieldKind::kBool:
      return document.is_bool() ? document : Mismatch(Describe(document), ItemOrFieldType(field), &frame);
    case FieldKind::kDouble:
      return Floating(field, document, frame);
    case FieldKind::kBytes:
      return Bytes(field, document, frame);
    case FieldKind::kRef:
      if (field.ref->special == Special::kNone) return Struct(*field.ref, document, existing, &frame);
      return SchemaOr(*field.ref, document, frame);
    case FieldKind::kQuantity:
      return Quantity(document);
    case FieldKind::kIntOrString:
      return IntOrString(document, frame);
    case FieldKind::kTime:
      return Time(document, TimeForm::kSeconds, frame);
    case FieldKind::kMicroTime:
      return Time(document, TimeForm::kMicros, frame);
    case FieldKind::kStringList:
      return StringList(document, field.ref->go_name, frame);
    case FieldKind::kJson:
      return Json(document);
    case FieldKind::kRawExtension:
    case FieldKind::kFieldsV1:
    case FieldKind::kAny:
      return document;
  }
  return {};
}

Value Decoder::Text(const Field& field, const Value& document, const Frame& frame) {
  if (document.is_string()) return document;
  if (document.kind() == Kind::kBytes) return Value::String(document.AsString());
  return Mismatch(Describe(document), ItemOrFieldType(field), &frame);
}

Value Decoder::Integer(const Field& field, const Value& document, const Frame& frame) {
  if (!document.is_number()) return Mismatch(Describe(document), ItemOrFieldType(field), &frame);
  bool fits = document.is_int() &&
              (field.kind == FieldKind::kInt64 || (document.AsInt() >= std::numeric_limits<int32_t>::min() &&
                                                   document.AsInt() <= std::numeric_limits<int32_t>::max()));
  if (!fits) return Mismatch(base::Cat("number ", NumberText(document)), ItemOrFieldType(field), &frame);
  return document;
}

Value Decoder::Floating(const Field& field, const Value& document, const Frame& frame) {
  // Whole numbers that a double cannot hold are rounded.
  constexpr int64_t kExact = int64_t{1} << 53;
  if (document.is_int() && document.AsInt() >= -kExact && document.AsInt() <= kExact) return document;
  if (!document.is_number()) return Mismatch(Describe(document), ItemOrFieldType(field), &frame);
  if (!std::isfinite(document.AsDouble())) {
    return Mismatch(base::Cat("number ", document.literal()), ItemOrFieldType(field), &frame);
  }
  return Value::Double(arena_, document.AsDouble());
}

Value Decoder::Bytes(const Field& field, const Value& document, const Frame& frame) {
  if (document.is_array()) return BytesOfNumbers(document, frame);
  if (!IsText(document)) return Mismatch(Describe(document), ItemOrFieldType(field), &frame);
  std::string_view text = document.AsString();
  if (IsCanonicalBase64(text)) return Value::String(text);
  std::string bytes;
  if (auto decoded = DecodeBase64(text, bytes); !decoded) {
    if (soft_.empty()) soft_ = decoded.error();
    return {};
  }
  std::string canonical;
  value::AppendBase64(canonical, bytes);
  return Value::Copy(arena_, canonical);
}

Value Decoder::BytesOfNumbers(const Value& document, const Frame& frame) {
  std::string bytes;
  for (const Value& item : document.items()) {
    if (item.is_null()) {
      bytes += '\0';
    } else if (!item.is_number()) {
      Mismatch(Describe(item), "uint8", &frame);
    } else if (!item.is_int() || item.AsInt() < 0 || item.AsInt() > 255) {
      Mismatch(base::Cat("number ", NumberText(item)), "uint8", &frame);
    } else {
      bytes += static_cast<char>(item.AsInt());
    }
  }
  std::string canonical;
  value::AppendBase64(canonical, bytes);
  return Value::Copy(arena_, canonical);
}

Value Decoder::Quantity(const Value& document) {
  if (IsText(document) && IsCanonicalQuantity(document.AsString())) return Value::String(document.AsString());
  std::string number;
  std::string_view text;
  if (IsText(document)) {
    text = document.AsString();
  } else {
    number = document.is_number() ? NumberText(document) : value::ToJson(document);
    text = number;
  }
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  size_t first = text.find_first_not_of(kSpace);
  text = first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  std::expected<api::Quantity, std::string_view> quantity = api::Quantity::Parse(text);
  if (!quantity) return Fail(std::string(quantity.error()));
  std::string canonical = quantity->text();
  if (IsText(document) && canonical == text) return Value::String(text);
  rewrites_ = true;
  return Value::Copy(arena_, canonical);
}

Value Decoder::IntOrString(const Value& document, const Frame& frame) {
  if (IsText(document)) return Value::String(document.AsString());
  if (!document.is_number()) return Fail(TypeError(Describe(document), "int32", &frame));
  if (!document.is_int() || document.AsInt() != static_cast<int32_t>(document.AsInt())) {
    return Fail(TypeError(base::Cat("number ", NumberText(document)), "int32", &frame));
  }
  return document;
}

Value Decoder::Time(const Value& document, TimeForm form, const Frame& frame) {
  if (!IsText(document)) return Fail(TypeError(Describe(document), "string", &frame));
  std::string_view text = document.AsString();
  if (IsCanonicalTime(text, form)) return Value::String(text);
  std::expected<Instant, std::string> time = ParseTime(text, form);
  if (!time) return Fail(time.error());
  if (*time == kZeroTime) return {};
  char buffer[kMaxTimeText];
  return Value::Copy(arena_, FormatTime(*time, form, buffer));
}

Value Decoder::StringList(const Value& document, std::string_view go_type, const Frame& frame) {
  if (!document.is_array()) return Mismatch(Describe(document), go_type, &frame);
  Value out = Value::Array(arena_, document.size());
  for (const Value& item : document.items()) {
    bool text = IsText(item);
    if (!text && !item.is_null()) Mismatch(Describe(item), "string", &frame);
    out.Append(arena_, Value::String(text ? item.AsString() : std::string_view()));
  }
  return out;
}

// As the API writes it back after reading it into an interface.
Value Decoder::Json(const Value& v) {
  std::string_view too_large;
  const Value normalised = Normalised(arena_, v, &too_large);
  if (too_large.empty()) return normalised;
  return Fail(base::Cat("json: cannot unmarshal number ", too_large, " into Go value of type float64"));
}

// The three forms of a schema in a custom resource definition that is not just a schema: their Go types read
// themselves.
Value Decoder::SchemaOr(const Type& type, const Value& document, const Frame& frame) {
  if (type.special == Special::kUnknown) return document;
  if (document.is_object())
    return NestedDocument(*type.Wire(type.special == Special::kSchemaOrBool ? 2 : 1)->ref, document, frame);
  if (type.special == Special::kSchemaOrBool) {
    return document.is_bool() ? document : Fail("boolean or JSON schema expected");
  }
  if (!document.is_array() || document.empty()) return {};
  Value out = Value::Array(arena_, document.size());
  for (const Value& item : document.items()) {
    if (failed_) break;
    if (type.special == Special::kSchemaOrArray) {
      out.Append(arena_, item.is_null() ? Value::Object(arena_) : NestedDocument(*type.Wire(2)->ref, item, frame));
    } else if (IsText(item) || item.is_null()) {
      out.Append(arena_, item.is_null() ? Value::String("") : Value::String(item.AsString()));
    } else {
      return Fail(TypeError(Describe(item), "string", &frame));
    }
  }
  return out;
}

// A document within the document: strict decoding does not look into it, its type errors are the enclosing field's.
Value Decoder::NestedDocument(const Type& type, const Value& document, const Frame& frame) {
  Findings* findings = std::exchange(findings_, nullptr);
  std::string soft = std::exchange(soft_, {});
  const Frame* opaque = std::exchange(opaque_, opaque_ ? opaque_ : &frame);
  Value v = Struct(type, document, nullptr, &frame);
  if (!soft_.empty()) Fail(soft_);
  findings_ = findings;
  soft_ = std::move(soft);
  opaque_ = opaque;
  return v;
}

}  // namespace

api::Result<Value> Decode(const Type& type, const Value& document, Arena& arena, Findings* findings) {
  if (type.structural != nullptr) return DecodeStructural(*type.structural, document, arena, findings);
  return Decoder(arena, findings).Run(type, document);
}

std::string_view AmountAsSent(Arena& arena, const Member& amount, const value::MemberIndex& sent) {
  const std::string_view own = amount.value.AsString();
  const Value* written = sent.Find(amount.key);
  if (written == nullptr) return own;
  const std::string_view text =
      written->is_string() ? base::TrimSpace(written->AsString()) : arena.CopyString(value::ToJson(*written));
  const auto quantity = api::Quantity::Parse(text);
  return quantity && quantity->text() == own ? text : own;
}

}  // namespace schema
