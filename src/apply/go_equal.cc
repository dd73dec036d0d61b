#include "apply/go_equal.h"

#include <algorithm>
#include <optional>
#include <string>

#include "api/quantity.h"
#include "apply/members_in_order.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "value/json_reader.h"
#include "value/member_index.h"

namespace apply {
namespace {

using schema::Field;
using schema::FieldKind;
using schema::Shape;
using value::Member;

// An amount as Go holds it before it is stored.
struct Amount {
  std::optional<api::Quantity> quantity;
  api::Quantity::Held held;
};

// The amounts of one object or map, as they were sent.
class Amounts {
 public:
  Amounts(Arena& arena, const Value& holder) : arena_(arena), holder_(holder) {}

  Amount At(std::string_view name, const Value& canonical) {
    if (!holder_.source().empty() && !read_) {
      read_ = true;
      if (auto sent = value::ReadJson(holder_.source(), arena_)) sent_.emplace(*sent);
    }
    const std::string_view text = schema::AmountAsSent(arena_, {name, canonical}, *sent_);
    const auto quantity = api::Quantity::Parse(text);
    if (!quantity) return {};
    return {*quantity, quantity->held()};
  }

 private:
  Arena& arena_;
  const Value& holder_;
  std::optional<value::MemberIndex> sent_ = value::MemberIndex(Value());
  bool read_ = false;
};

bool Same(const Amount& left, const Amount& right) {
  if (!left.quantity || !right.quantity) return false;
  const auto &l = left.held, &r = right.held;
  return left.quantity->format() == right.quantity->format() && l.value == r.value && l.scale == r.scale &&
         l.number == r.number && l.written == r.written;
}

bool IsAmount(const Field& field) { return field.kind == FieldKind::kQuantity && field.shape == Shape::kSingle; }

std::string RawText(const Value& v) {
  std::string text;
  schema::AppendRawExtension(v, text);
  return text;
}

class Comparer {
 public:
  Comparer(Arena& arena, bool is_left_stored) : arena_(arena), is_left_stored_(is_left_stored) {}

  // `is_entry`: a map's.
  bool At(const Slot& slot, const Value& left, const Value& right, bool is_entry = false) {
    if (left.SameAs(right)) return true;
    if (left.is_array() && right.is_array()) {
      return std::ranges::equal(left.items(), right.items(),
                                [&](const Value& l, const Value& r) { return At(ElementOf(slot), l, r); });
    }
    const bool one = slot.element || !slot.field || slot.field->shape == Shape::kSingle;
    if (one && slot.field && slot.field->kind == FieldKind::kRawExtension) return RawText(left) == RawText(right);
    const bool objects = left.is_object() && right.is_object() && !slot.deduced;
    if (objects && !one) return Maps(slot, left, right);
    if (!objects || !slot.type || slot.type->special != schema::Special::kNone) return value::Equal(left, right);
    return Fields(*slot.type, left, right, is_entry);
  }

 private:
  bool Fields(const schema::Type& type, const Value& left, const Value& right, bool is_entry) {
    MembersInOrder lefts(left), rights(right);
    return std::ranges::all_of(type.fields, [&](const Field& field) {
      if (field.is_inline) return !field.ref || Fields(*field.ref, left, right, is_entry);
      Value implied;
      const bool has_implied = ImpliedValue(arena_, field, implied);
      const Value* l = lefts.Find(field.name);
      const Value* r = rights.Find(field.name);
      if (!l && has_implied) l = &implied;
      if (!r && has_implied) r = &implied;
      if (!l || !r) return l == r;
      if (!IsAmount(field)) return At(SlotOf(field), *l, *r);
      Amount before = Amounts(arena_, left).At(field.name, *l);
      // Writing it made its text; what stands in a map itself was a copy then.
      if (is_left_stored_ && before.quantity && (field.pointer || !is_entry))
        before.held.written = before.quantity->text();
      return Same(before, Amounts(arena_, right).At(field.name, *r));
    });
  }

  bool Maps(const Slot& slot, const Value& left, const Value& right) {
    if (left.size() != right.size()) return false;
    const bool are_amounts = slot.field->kind == FieldKind::kQuantity;
    Amounts lefts(arena_, left), rights(arena_, right);
    const value::MemberIndex others(right);
    return std::ranges::all_of(left.members(), [&](const Member& member) {
      const Value* other = others.Find(member.key);
      if (!other || !are_amounts) return other && At(ElementOf(slot), member.value, *other, true);
      return Same(lefts.At(member.key, member.value), rights.At(member.key, *other));
    });
  }

  Arena& arena_;
  const bool is_left_stored_;
};

}  // namespace

bool GoEqual(Arena& arena, const Slot& slot, const Value& live, const Value& updated) {
  return Comparer(arena, true).At(slot, live, updated);
}

bool GoEqualConverted(Arena& arena, const Slot& slot, const Value& left, const Value& right) {
  return Comparer(arena, false).At(slot, left, right);
}

bool HoldsAmountWithoutText(const Slot& slot, const Value& v) {
  const Slot element = ElementOf(slot);
  if (v.is_array())
    return std::ranges::any_of(v.items(), [&](const Value& item) { return HoldsAmountWithoutText(element, item); });
  const bool one = slot.element || !slot.field || slot.field->shape == Shape::kSingle;
  if (!v.is_object() || !one || slot.deduced || !slot.type) return false;
  return std::ranges::any_of(v.members(), [&](const Member& member) {
    const Field* field = slot.type->Member(member.key);
    if (!field || !IsAmount(*field))
      return field && !member.value.empty() && HoldsAmountWithoutText(SlotOf(*field), member.value);
    const auto quantity = api::Quantity::Parse(member.value.AsString());
    return quantity && quantity->held().written.empty();
  });
}

}  // namespace apply
