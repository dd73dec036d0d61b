#include "apply/check_config.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "apply/go_print.h"
#include "base/text.h"

namespace apply {
namespace {

using schema::Field;
using schema::FieldKind;
using schema::Shape;
using schema::Special;
using value::Member;

constexpr int kDeepest = 500;
constexpr size_t kMostBytes = 4 << 20;  // of errors; paths may be long and many

// A value as Go's %v prints it behind an interface: &{x}, &{[a b]}.
std::string Plain(const Value& v) {
  std::string out = "&{";
  AppendGoValue(v, out);
  return out + "}";
}

// What is said of a value that is no map or list, which Go formats twice.
std::string Expected(std::string_view what, const Value& v) {
  return GoFormatted(base::Cat("expected ", what, ", got ", Plain(v)));
}

// What is wrong with one member of an object: the errors from `begin` to `end`.
struct Faults {
  size_t member = 0;  // its place in the object
  size_t begin = 0, end = 0;
  bool last = false;  // an unknown field: the members after it are not looked at
};

// Those of `faults` that are told, in order, where the walk begins at the member at `start` and goes round.
std::vector<size_t> OrderFrom(size_t start, std::span<const Faults> faults) {
  std::vector<size_t> told;
  const auto first = std::ranges::lower_bound(faults, start, {}, &Faults::member);
  for (size_t i = 0; i < faults.size(); ++i) {
    told.push_back((static_cast<size_t>(first - faults.begin()) + i) % faults.size());
    if (faults[told.back()].last) break;
  }
  return told;
}

constexpr size_t kPlaces = 8;

// Go walks a map from a place of its choice. A map of no more than kPlaces members has a place for each, in the order
// in which they came, and empty ones after them: of all that may be told so, this is told most often. Of larger maps no
// order is more likely than another.
std::vector<size_t> LikelyOrder(std::span<const Faults> faults) {
  std::vector<size_t> best = OrderFrom(0, faults);
  std::map<std::vector<size_t>, size_t> counts;
  for (size_t start = 0; start < kPlaces; ++start) ++counts[OrderFrom(start, faults)];
  for (const auto& [order, count] : counts) {
    if (count > counts[best]) best = order;
  }
  return best;
}

class Checker {
 public:
  Checker(Arena& arena, bool distinct) : arena_(arena), distinct_(distinct) {}

  void At(const Slot& slot, const Value& v) {
    if (v.is_null() || depth_ == kDeepest) return;
    ++depth_;
    if (slot.structural != nullptr) {
      Structural(slot, v);
    } else if (slot.field && !slot.element && slot.field->shape == Shape::kList) {
      List(slot, v);
    } else if (slot.field && !slot.element && slot.field->shape == Shape::kMap) {
      Map(slot, v);
    } else if (slot.type && slot.type->special == Special::kNone) {
      Object(*slot.type, v);
    } else {
      Single(slot, v);
    }
    --depth_;
  }

  std::string Text() const {
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_[0];
    std::string text = "errors:";
    for (const std::string& error : errors_) text += "\n  " + error;
    return text;
  }

 private:
  void Fail(std::string message) {
    if (bytes_ > kMostBytes) return;
    errors_.push_back(path_.empty() ? std::move(message) : base::Cat(path_, ": ", message));
    bytes_ += errors_.back().size();
  }

  void Below(const PathElement& element, const Slot& slot, const Value& v) {
    size_t length = path_.size();
    element.AppendTo(path_);
    At(slot, v);
    path_.resize(length);
  }

  void Object(const schema::Type& type, const Value& v) {
    if (!v.is_object()) return Fail(Expected("map", v));
    std::vector<Faults> faults;
    for (size_t i = 0; i < v.size(); ++i) {
      const Member& member = v.members()[i];
      const size_t begin = errors_.size();
      const PathElement element = PathElement::Field(member.key);
      const Field* field = FindField(type, member.key);
      if (field) {
        Below(element, SlotOf(*field), member.value);
      } else {
        Unknown(element);
      }
      if (!field || errors_.size() != begin) faults.push_back({i, begin, errors_.size(), !field});
      if (!field && v.size() > kPlaces) break;
    }
    if (v.size() <= kPlaces) PutInOrder(faults);
  }

  void Unknown(const PathElement& element) {
    const size_t length = path_.size();
    element.AppendTo(path_);
    Fail("field not declared in schema");
    path_.resize(length);
  }

  void Structural(const Slot& slot, const Value& v) {
    using schema::JsonType;
    const schema::Structural& schema = *slot.structural;
    const bool any = schema.type == JsonType::kAny;
    if (schema.type == JsonType::kObject || (any && v.is_object())) return StructuralObject(slot, v);
    if (schema.type == JsonType::kArray || (any && v.is_array())) return List(slot, v);
    if (any) return;
    if (schema.type == JsonType::kInteger || schema.type == JsonType::kNumber) return OfKind(FieldKind::kInt64, v);
    if (schema.type == JsonType::kBoolean) return OfKind(FieldKind::kBool, v);
    const std::string_view format = schema.rules == nullptr ? std::string_view() : schema.rules->format;
    OfKind(format.empty() || format == "byte" ? FieldKind::kString : FieldKind::kTime, v);
  }

  void StructuralObject(const Slot& slot, const Value& v) {
    if (!v.is_object()) return Fail(Expected("map", v));
    std::vector<Faults> faults;
    for (size_t i = 0; i < v.size(); ++i) {
      const Member& member = v.members()[i];
      const size_t begin = errors_.size();
      const PathElement element = PathElement::Field(member.key);
      Slot below;
      const bool known = SlotOfMember(slot, Form::kMap, member.key, below);
      if (known) {
        Below(element, below, member.value);
      } else {
        Unknown(element);
      }
      if (!known || errors_.size() != begin) faults.push_back({i, begin, errors_.size(), !known});
      if (!known && v.size() > kPlaces) break;
    }
    if (v.size() <= kPlaces) PutInOrder(faults);
  }

  void Map(const Slot& slot, const Value& v) {
    if (!v.is_object()) return Fail(Expected("map", v));
    std::vector<Faults> faults;
    for (size_t i = 0; i < v.size(); ++i) {
      const size_t begin = errors_.size();
      Below(PathElement::Field(v.members()[i].key), ElementOf(slot), v.members()[i].value);
      if (errors_.size() != begin) faults.push_back({i, begin, errors_.size(), false});
    }
    if (v.size() <= kPlaces) PutInOrder(faults);
  }

  // The errors of an object's members, which are the last that were found, as they are told.
  void PutInOrder(std::span<const Faults> faults) {
    if (faults.empty()) return;
    std::vector<std::string> told;
    for (const size_t at : LikelyOrder(faults)) {
      for (size_t i = faults[at].begin; i < faults[at].end; ++i) told.push_back(std::move(errors_[i]));
    }
    errors_.resize(faults[0].begin);
    std::ranges::move(told, std::back_inserter(errors_));
  }

  void List(const Slot& slot, const Value& v) {
    if (!v.is_array()) return Fail(Expected("list", v));
    Form form = FormOf(slot, v);
    bool identified = form == Form::kKeyed || form == Form::kSet;
    Seen seen;
    for (uint32_t i = 0; i < v.size(); ++i) {
      PathElement element{.kind = PathElement::Kind::kIndex, .field = {}, .keys = {}, .value = Value::Int(i)};
      if (identified) {
        base::Result<PathElement> found = ElementFor(arena_, slot, form, v[i]);
        if (!found) return Fail("element " + std::to_string(i) + ": " + found.error().message);
        element = *found;
        if (distinct_) HoldDistinct(seen, element);
      }
      Below(element, ElementOf(slot), v[i]);
    }
  }

  struct InOrder {
    bool operator()(const PathElement& a, const PathElement& b) const { return Compare(a, b) < 0; }
  };
  using Seen = absl::btree_set<PathElement, InOrder>;

  // `seen`: the items before.
  void HoldDistinct(Seen& seen, const PathElement& element) {
    if (seen.insert(element).second) return;
    std::string text;
    element.AppendTo(text);
    Fail("duplicate entries for key " + text);
  }

  void Single(const Slot& slot, const Value& v) {
    if (slot.field) OfKind(slot.field->kind, v);
  }

  void OfKind(FieldKind kind, const Value& v) {
    switch (kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
      case FieldKind::kDuration: {
        if (v.is_string() || v.kind() == value::Kind::kBytes) return;
        std::string text = "expected string, got &value.valueUnstructured{Value:";
        AppendGoSyntax(v, text);
        return Fail(text + "}");
      }
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kDouble:
        if (!v.is_number()) Fail("expected numeric (int or float), got " + std::string(GoTypeName(v)));
        return;
      case FieldKind::kBool:
        if (!v.is_bool()) Fail("expected boolean, got " + Plain(v));
        return;
      case FieldKind::kQuantity:
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        if (v.is_array() || v.is_object()) Fail("expected any scalar, got " + Plain(v));
        return;
      case FieldKind::kFieldsV1:
        if (!v.is_object()) Fail(Expected("map", v));
        return;
      case FieldKind::kStringList:
        if (!v.is_array()) Fail(Expected("list", v));
        return;
      default:
        return;
    }
  }

  Arena& arena_;
  const bool distinct_;  // whether an item may stand in its list once only
  int depth_ = 0;
  std::string path_;
  std::vector<std::string> errors_;
  size_t bytes_ = 0;  // of errors
};

}  // namespace

std::string CheckConfig(Arena& arena, const schema::Type& type, const Value& config) {
  Checker checker(arena, true);
  checker.At(Slot::Object(type), config);
  return checker.Text();
}

std::string CheckLive(Arena& arena, const schema::Type& type, const Value& live) {
  Checker checker(arena, false);
  checker.At(Slot::Object(type), live);
  return checker.Text();
}

}  // namespace apply
