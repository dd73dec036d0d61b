#include "resources/go/go_values.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/quantity.h"
#include "base/text.h"

namespace resources::go {
namespace {

constexpr std::string_view kQuantity = "resource.Quantity";
constexpr std::string_view kIntOrString = "intstr.IntOrString";
constexpr std::string_view kLabelSelector = "v1.LabelSelector";
constexpr std::string_view kTime = "v1.Time";
constexpr std::string_view kLargeNumber = "resource.infDecAmount";
constexpr std::string_view kClaimTemplate = "core.PersistentVolumeClaimTemplate";

const Struct* FindStruct(std::string_view name) {
  const auto found = std::ranges::lower_bound(Structs(), name, {}, &Struct::name);
  return found != Structs().end() && found->name == name ? &*found : nullptr;
}

std::string_view FormatName(api::Quantity::Format format) {
  if (format == api::Quantity::Format::kBinarySi) return "BinarySI";
  return format == api::Quantity::Format::kDecimalSi ? "DecimalSI" : "DecimalExponent";
}

// The struct of an amount: a whole number of units of a power of ten, and the text that it came from, which Go keeps of
// some. `is_rounded`: to thousandths, as lists of resources are.
Value QuantityStruct(Arena& arena, std::string_view text, bool is_rounded) {
  api::Quantity quantity = api::Quantity::Parse(text).value_or(api::Quantity());
  if (is_rounded) quantity.RoundUp(-3);
  const Value out = Value::Object(arena, 4);
  out.Add(arena, "Format", Value::String(FormatName(quantity.format())));
  out.Add(arena, "text", Value::Copy(arena, quantity.text()));
  const api::Quantity::Held held = quantity.held();
  if (!held.number.empty()) {
    out.Add(arena, "d", Value::Copy(arena, held.number));
    return out;
  }
  const Value amount = Value::Object(arena, 2);
  amount.Add(arena, "value", Value::Int(held.value));
  amount.Add(arena, "scale", Value::Int(held.scale));
  out.Add(arena, "i", amount);
  if (!held.written.empty()) out.Add(arena, "s", Value::Copy(arena, held.written));
  return out;
}

Value IntOrStringStruct(Arena& arena, const Value& json) {
  const Value out = Value::Object(arena, 3);
  out.Add(arena, "Type", Value::Int(json.is_string() ? 1 : 0));
  if (json.is_int()) out.Add(arena, "IntVal", json);
  if (json.is_string()) out.Add(arena, "StrVal", json);
  return out;
}

// A label selector in the words of its generated code.
std::string SelectorText(const Value& selector) {
  std::vector<std::string> labels;
  for (const value::Member& label : selector.Get("matchLabels").members()) {
    labels.push_back(base::Cat(label.key, ": ", label.value.AsString(), ","));
  }
  std::ranges::sort(labels);
  std::string out = base::Cat("&LabelSelector{MatchLabels:map[string]string{", base::Join(labels, ""),
                              "},MatchExpressions:[]LabelSelectorRequirement{");
  for (const Value& requirement : selector.Get("matchExpressions").items()) {
    std::vector<std::string> values;
    for (const Value& item : requirement.Get("values").items()) values.emplace_back(item.AsString());
    base::Append(out, "LabelSelectorRequirement{Key:", requirement.GetString("key"),
                 ",Operator:", requirement.GetString("operator"), ",Values:[", base::Join(values, " "), "],},");
  }
  return out + "},}";
}

// The metadata of a claim's template, in the words of its generated code: it may have labels and annotations alone.
std::string MetadataText(const Value& metadata) {
  const auto map_text = [&](std::string_view field) {
    std::vector<std::string> entries;
    for (const value::Member& entry : metadata.Get(field).members()) {
      entries.push_back(base::Cat(entry.key, ": ", entry.value.AsString(), ","));
    }
    std::ranges::sort(entries);
    return base::Cat("map[string]string{", base::Join(entries, ""), "}");
  };
  return base::Cat(
      "&ObjectMeta{Name:", metadata.GetString("name"),
      ",GenerateName:,Namespace:,SelfLink:,UID:,ResourceVersion:,Generation:0,CreationTimestamp:0001-01-01 "
      "00:00:00 +0000 UTC,DeletionTimestamp:<nil>,DeletionGracePeriodSeconds:nil,Labels:",
      map_text("labels"), ",Annotations:", map_text("annotations"),
      ",OwnerReferences:[]OwnerReference{},Finalizers:[],ManagedFields:[]ManagedFieldsEntry{},}");
}

}  // namespace

std::string_view Underlying(std::string_view type) {
  while (true) {
    const auto found = std::ranges::lower_bound(Aliases(), type, {}, &Alias::name);
    if (found == Aliases().end() || found->name != type) return type;
    type = found->of;
  }
}

Kind KindOf(std::string_view type) {
  type = Underlying(type);
  if (type.starts_with("[]")) return Kind::kSlice;
  if (type.starts_with('*')) return Kind::kPointer;
  if (type.starts_with("map[")) return Kind::kMap;
  if (type == "string") return Kind::kString;
  if (type == "bool") return Kind::kBool;
  return type.starts_with("int") && !type.contains('.') ? Kind::kInt : Kind::kStruct;
}

std::string_view ElementType(std::string_view type) {
  type = Underlying(type);
  if (type.starts_with("[]")) return type.substr(2);
  return type.starts_with('*') ? type.substr(1) : type.substr(type.find(']') + 1);
}

GoValue::GoValue(std::string_view type, Value json, Value around, Arena& arena)
    : type_(type), kind_(KindOf(type)), json_(json), around_(around), arena_(&arena) {
  if (type == kQuantity && json.is_string()) json_ = QuantityStruct(arena, json.AsString(), false);
  if (type == kIntOrString && !json.is_object() && !json.is_null()) json_ = IntOrStringStruct(arena, json);
}

bool GoValue::IsNil() const {
  return json_.is_null() && (kind_ == Kind::kSlice || kind_ == Kind::kMap || kind_ == Kind::kPointer);
}

bool GoValue::IsZero() const {
  switch (kind_) {
    case Kind::kBool:
      return !json_.is_bool() || !json_.AsBool();
    case Kind::kInt:
      return !json_.is_int() || json_.AsInt() == 0;
    case Kind::kString:
      return String().empty();
    case Kind::kStruct:
      if (type_ == kTime || type_ == kLargeNumber) return json_.is_null();
      return std::ranges::all_of(Fields(), [&](const Field& field) { return Get(field).IsZero(); });
    default:
      return IsNil();
  }
}

std::string GoValue::Scalar() const {
  if (kind_ == Kind::kBool) return json_.is_bool() && json_.AsBool() ? "true" : "false";
  return std::to_string(json_.is_int() ? json_.AsInt() : 0);
}

std::string_view GoValue::String() const { return json_.is_string() ? json_.AsString() : std::string_view(); }

bool GoValue::HasText() const {
  if (type_ == "core.ResourceName" || type_ == kTime || type_ == kLargeNumber) return true;
  if (IsNil() || kind_ != Kind::kPointer) return false;
  const std::string_view target = ElementType(type_);
  return target == kQuantity || target == kIntOrString || target == kLabelSelector || target == kClaimTemplate;
}

std::string GoValue::Text() const {
  if (kind_ == Kind::kPointer && ElementType(type_) == kLabelSelector) return SelectorText(json_);
  if (kind_ == Kind::kPointer && ElementType(type_) == kClaimTemplate) return MetadataText(json_.Get("metadata"));
  if (kind_ == Kind::kPointer && ElementType(type_) == kQuantity) {
    return api::Quantity::Parse(String()).value_or(api::Quantity()).text();
  }
  if (type_ == kTime && json_.is_null()) return "0001-01-01 00:00:00 +0000 UTC";
  return json_.is_int() ? std::to_string(json_.AsInt()) : std::string(String());
}

std::span<const Field> GoValue::Fields() const {
  const Struct* found = FindStruct(type_);
  return found == nullptr ? std::span<const Field>() : found->fields;
}

GoValue GoValue::Get(const Field& field) const {
  if (field.json == "-") return {field.type, json_, around_, *arena_};
  if (field.json.starts_with('^')) return {field.type, around_.Get(field.json.substr(1)), json_, *arena_};
  const Value* found = json_.Find(field.json);
  // An amount that is left out is written, and read again, as nothing.
  if (found == nullptr && field.type == kQuantity) return {field.type, Value::String("0"), json_, *arena_};
  return {field.type, found != nullptr ? *found : Value(), json_, *arena_};
}

std::vector<GoValue> GoValue::Items() const {
  std::vector<GoValue> items;
  for (const Value& item : json_.items()) items.emplace_back(ElementType(type_), item, json_, *arena_);
  return items;
}

std::vector<std::pair<std::string_view, GoValue>> GoValue::Entries() const {
  std::vector<std::pair<std::string_view, GoValue>> entries;
  for (const value::Member& member : json_.members()) {
    const bool is_amount = ElementType(type_) == kQuantity && member.value.is_string();
    const Value value = is_amount ? QuantityStruct(*arena_, member.value.AsString(), true) : member.value;
    entries.emplace_back(member.key, GoValue(ElementType(type_), value, json_, *arena_));
  }
  std::ranges::sort(entries, {}, [](const auto& entry) { return entry.first; });
  return entries;
}

GoValue GoValue::Target() const { return {ElementType(type_), json_, around_, *arena_}; }

std::string_view GoValue::key_type() const {
  const std::string_view type = Underlying(type_);
  return type.substr(4, type.find(']') - 4);
}

bool GoValue::Equals(const GoValue& other) const {
  const auto amount = [](const GoValue& v) {
    return api::Quantity::Parse(v.json_.GetString("text")).value_or(api::Quantity());
  };
  return amount(*this) == amount(other);
}

}  // namespace resources::go
