#include "apply/check_config.h"

#include <algorithm>
#include <vector>

#include "apply/go_print.h"

namespace apply {
namespace {

using schema::Field;
using schema::FieldKind;
using schema::Shape;
using schema::Special;
using value::Member;

constexpr int kDeepest = 500;

// A value as Go's %v prints it behind an interface: &{x}, &{[a b]}.
std::string Plain(const Value& v) {
  std::string out = "&{";
  AppendGoValue(v, out);
  return out + "}";
}

class Checker {
 public:
  explicit Checker(Arena& arena) : arena_(arena) {}

  void At(const Slot& slot, const Value& v) {
    if (v.is_null() || depth_ == kDeepest) return;
    ++depth_;
    if (slot.field && !slot.element && slot.field->shape == Shape::kList) {
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
  void Fail(std::string message) { errors_.push_back(path_.empty() ? std::move(message) : path_ + ": " + message); }

  void Below(const PathElement& element, const Slot& slot, const Value& v) {
    size_t length = path_.size();
    element.AppendTo(path_);
    At(slot, v);
    path_.resize(length);
  }

  void Object(const schema::Type& type, const Value& v) {
    if (!v.is_object()) return Fail("expected map, got " + Plain(v));
    for (const Member& member : v.members()) {
      PathElement element = PathElement::Field(member.key);
      if (const Field* field = FindField(type, member.key)) {
        Below(element, SlotOf(*field), member.value);
        continue;
      }
      size_t length = path_.size();
      element.AppendTo(path_);
      Fail("field not declared in schema");
      path_.resize(length);
      return;  // the rest of this object is not looked at
    }
  }

  void Map(const Slot& slot, const Value& v) {
    if (!v.is_object()) return Fail("expected map, got " + Plain(v));
    for (const Member& member : v.members()) Below(PathElement::Field(member.key), ElementOf(slot), member.value);
  }

  void List(const Slot& slot, const Value& v) {
    if (!v.is_array()) return Fail("expected list, got " + Plain(v));
    Form form = FormOf(slot, v);
    bool identified = form == Form::kKeyed || form == Form::kSet;
    std::vector<PathElement> seen;
    for (uint32_t i = 0; i < v.size(); ++i) {
      PathElement element{.kind = PathElement::Kind::kIndex, .field = {}, .keys = {}, .value = Value::Int(i)};
      if (identified) {
        base::Result<PathElement> found = ElementFor(arena_, slot, form, v[i]);
        if (!found) return Fail("element " + std::to_string(i) + ": " + found.error().message);
        element = *found;
        auto at = std::ranges::lower_bound(
            seen, element, [](const PathElement& a, const PathElement& b) { return Compare(a, b) < 0; });
        if (at != seen.end() && Compare(*at, element) == 0) {
          std::string text;
          element.AppendTo(text);
          Fail("duplicate entries for key " + text);
        } else {
          seen.insert(at, element);
        }
      }
      Below(element, ElementOf(slot), v[i]);
    }
  }

  void Single(const Slot& slot, const Value& v) {
    if (!slot.field) return;
    switch (slot.field->kind) {
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
      case FieldKind::kIntOrString:
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        if (v.is_array() || v.is_object()) Fail("expected any scalar, got " + Plain(v));
        return;
      case FieldKind::kFieldsV1:
        if (!v.is_object()) Fail("expected map, got " + Plain(v));
        return;
      case FieldKind::kStringList:
        if (!v.is_array()) Fail("expected list, got " + Plain(v));
        return;
      default:
        return;
    }
  }

  Arena& arena_;
  int depth_ = 0;
  std::string path_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string CheckConfig(Arena& arena, const schema::Type& type, const Value& config) {
  Checker checker(arena);
  checker.At(Slot::Object(type), config);
  return checker.Text();
}

}  // namespace apply
