#include "cel/evaluator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "api/quantity.h"
#include "api/url.h"
#include "cel/library/call.h"
#include "cel/library/named_formats.h"
#include "cel/library/network.h"
#include "cel/library/numbers.h"
#include "cel/library/times.h"
#include "cel/rates.h"
#include "cel/text.h"

namespace cel {
namespace {

constexpr std::string_view kNoOverload = "no such overload";
constexpr uint32_t kTurnsBetweenLooks = 100;

library::Instant InstantOf(const Value& value) { return {value.seconds(), value.subsecond(), value.offset_minutes()}; }

uint64_t SizeForCost(const Value& value) {
  int64_t size = 1;
  return SizeOf(value, size) ? static_cast<uint64_t>(size) : 1;
}

uint64_t Traversal(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(value.text().size()) * 0.1);
    case ValueKind::kList: {
      uint64_t sum = 0;
      for (uint32_t i = 0; i < value.size(); ++i) sum = rates::Add(sum, Traversal(value.At(i)));
      return sum;
    }
    case ValueKind::kMap: {
      uint64_t sum = 0;
      MapWalk walk(value);
      Value key, item;
      while (walk.Next(key, item)) sum = rates::Add(sum, rates::Add(Traversal(key), Traversal(item)));
      return sum;
    }
    default:
      return 1;
  }
}

bool IsZero(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
      return !value.AsBool();
    case ValueKind::kInt:
    case ValueKind::kUint:
      return value.AsUint() == 0;
    case ValueKind::kDouble:
      return value.AsDouble() == 0;
    case ValueKind::kString:
    case ValueKind::kBytes:
      return value.text().empty();
    case ValueKind::kList:
      return value.size() == 0;
    case ValueKind::kMap:
      return value.form() != Value::Form::kDocument || value.declaration() == nullptr || !value.declaration()->strict
                 ? value.size() == 0
                 : false;
    case ValueKind::kStruct:
      return value.size() == 0;
    case ValueKind::kDuration:
      return value.nanoseconds() == 0;
    case ValueKind::kTimestamp:
      return value.seconds() == library::kLeastSeconds && value.subsecond() == 0;
    default:
      return false;
  }
}

}  // namespace

bool SuitsArgument(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParam:
      return true;
    case TypeKind::kBool:
      return value.is(ValueKind::kBool);
    case TypeKind::kInt:
      return value.is(ValueKind::kInt);
    case TypeKind::kUint:
      return value.is(ValueKind::kUint);
    case TypeKind::kDouble:
      return value.is(ValueKind::kDouble);
    case TypeKind::kString:
      return value.is(ValueKind::kString);
    case TypeKind::kBytes:
      return value.is(ValueKind::kBytes);
    case TypeKind::kDuration:
      return value.is(ValueKind::kDuration);
    case TypeKind::kTimestamp:
      return value.is(ValueKind::kTimestamp);
    case TypeKind::kNull:
      return value.is(ValueKind::kNull);
    case TypeKind::kType:
      return value.is(ValueKind::kType);
    case TypeKind::kList:
      return value.is(ValueKind::kList) && (value.size() == 0 || SuitsArgument(*type.parameters[0], value.At(0)));
    case TypeKind::kMap: {
      if (!value.is(ValueKind::kMap)) return false;
      MapWalk walk(value);
      Value key, item;
      return !walk.Next(key, item) ||
             (SuitsArgument(*type.parameters[0], key) && SuitsArgument(*type.parameters[1], item));
    }
    default:
      return type.name == TypeName(value);
  }
}

Evaluator::Evaluator(const Code& code, const Environment& environment, const Activation& activation,
                     Evaluation& evaluation)
    : code_(code),
      environment_(environment),
      activation_(activation),
      evaluation_(evaluation),
      steps_{evaluation.step_limit} {
  uint32_t count = code.slots;
  if (count == 0) return;
  slots_ = few_slots_;
  if (count > kFewSlots) slots_ = evaluation.arena.AllocateArray<Slot>(count);
  std::uninitialized_default_construct_n(slots_, count);
}

Value Evaluator::Run() {
  Value result = Eval(code_.root);
  if (stopped_ || steps_.left == 0) {
    evaluation_.limit_exceeded = true;
    return Value::Error(stopped_ ? "operation cancelled: actual cost limit exceeded"
                                 : "operation cancelled: too much work");
  }
  if (interrupted_) return Value::Error("operation interrupted");
  return result;
}

bool Evaluator::Interrupted() {
  if (++turns_ % kTurnsBetweenLooks == 0 && std::chrono::steady_clock::now() > evaluation_.deadline)
    interrupted_ = true;
  return stopped_ || interrupted_ || steps_.left == 0;
}

Value Evaluator::Eval(uint32_t at) {
  const Node& node = code_.nodes[at];
  switch (node.op) {
    case Op::kConstant:
      return code_.constants[node.a];
    case Op::kPaidConstant: {
      const PaidConstant& paid = code_.paid[node.a];
      Charge(paid.cost);
      return paid.value;
    }
    case Op::kVariable: {
      Charge(node.cost);
      const Value* value = activation_.Get(static_cast<int>(node.a));
      if (value != nullptr) [[likely]]
        return Reread(*value);
      return Fail("no such attribute(s): " + environment_.variables()[node.a].name);
    }
    case Op::kLocal:
      Charge(node.cost);
      return Reread(slots_[node.a].value);
    case Op::kLazyLocal:
      if (!slots_[node.a].computed) {
        slots_[node.a].value = Eval(node.b);
        slots_[node.a].computed = true;
      }
      Charge(node.cost);
      return Reread(slots_[node.a].value);
    case Op::kChain:
      return Chain(node);
    case Op::kAnd:
      return LogicalAnd(node);
    case Op::kOr:
      return LogicalOr(node);
    case Op::kNot: {
      Value value = Eval(node.a);
      Charge(1);
      if (value.is(ValueKind::kBool)) return Value::Bool(!value.AsBool());
      return value.is_error() ? value : Value::Error(kNoOverload);
    }
    case Op::kNegate: {
      Value value = Eval(node.a);
      Charge(1);
      return value.is_error() ? value : Negated(value);
    }
    case Op::kNotStrictlyFalse: {
      Value value = Eval(node.a);
      Charge(1);
      return value.is(ValueKind::kBool) ? value : Value::Bool(true);
    }
    case Op::kTernary:
      return Reread(Ternary(node));
    case Op::kEqual:
    case Op::kNotEqual:
      return Equality(node);
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return Comparison(node);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return Arithmetic(node);
    case Op::kIn:
      return In(node);
    case Op::kInSet:
      return InSet(node);
    case Op::kAppend:
      return Append(node);
    case Op::kList:
      return List(node);
    case Op::kMap:
      return Map(node);
    case Op::kStruct:
      return Struct(node);
    case Op::kFold:
      return Loop(code_.folds[node.a]);
    case Op::kBind:
      Charge(node.cost);
      slots_[node.a].computed = false;
      return Eval(node.b);
    case Op::kOptionalOr:
    case Op::kOptionalOrValue: {
      Value value = Eval(node.a);
      if (!value.is(ValueKind::kOptional)) return value;
      if (value.optional() == nullptr) return Eval(node.b);
      return node.op == Op::kOptionalOr ? value : *value.optional();
    }
    case Op::kCall:
      return Call(node);
  }
  return Value::Error(kNoOverload);
}

// What is left of the content of an optional that goes through Go's own types.
Value Evaluator::ThroughGo(const Value& content) {
  constexpr std::string_view kUnsupported = "unsupported conversion to ref.Val: (";
  switch (content.kind()) {
    case ValueKind::kOptional:
      return content.optional() == nullptr ? Value() : ThroughGo(*content.optional());
    case ValueKind::kType:
      return Value::String(content.text());
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kStruct:
      return content.form() == Value::Form::kDocument ? Value::Document(content.document(), nullptr) : content;
    case ValueKind::kOpaque:
      break;
    default:
      return content;
  }
  const auto unsupported = [&](std::string_view type, const std::string& text) {
    return Value::Error(evaluation_.arena, std::string(kUnsupported) + std::string(type) + ")" + text);
  };
  switch (content.opaque_kind()) {
    case OpaqueKind::kFormat:
      return content;
    case OpaqueKind::kQuantity:
      return unsupported("*resource.Quantity", content.opaque<api::Quantity>().text());
    case OpaqueKind::kIp:
      return unsupported("netip.Addr", content.opaque<library::Ip>().text());
    case OpaqueKind::kCidr:
      return unsupported("netip.Prefix", content.opaque<library::Cidr>().text());
    case OpaqueKind::kUrl:
      return unsupported("*url.URL", content.opaque<api::Url>().text());
    default:
      return Value::Error(kNoOverload);
  }
}

// Goes down the members of a document that has no schema, as far as the chain names them; returns how many steps.
uint32_t Evaluator::WalkDocument(const Node& node, Value& value) {
  if (value.form() != Value::Form::kDocument || value.declaration() != nullptr) return 0;
  const Qualifier* qualifiers = &code_.qualifiers[node.b];
  uint32_t end = node.flags & kTestOnly ? node.count - 1 : node.count;
  const value::Value* at = &value.document();
  uint32_t done = 0;
  while (done < end && qualifiers[done].plain && at->is_object()) {
    const value::Value* found = at->Find(qualifiers[done].key.text());
    if (found == nullptr) break;
    at = found;
    ++done;
  }
  if (done > 0) {
    Charge(done);
    value = Value::Document(*at, nullptr);
  }
  return done;
}

Value Evaluator::Chain(const Node& node) {
  Value value = Eval(node.a);
  Charge(node.cost);
  if (value.is_error()) return value;
  bool optional = false;
  if (value.is(ValueKind::kOptional)) {
    if (value.optional() == nullptr) return node.flags & kTestOnly ? Value::Bool(false) : value;
    value = ThroughGo(*value.optional());
    optional = true;
  }
  uint32_t first = optional ? 0 : WalkDocument(node, value);
  for (uint32_t i = first; i < node.count; ++i) {
    const Qualifier& qualifier = code_.qualifiers[node.b + i];
    bool test = (node.flags & kTestOnly) && i + 1 == node.count;
    optional |= qualifier.optional;
    Value key = qualifier.node < 0 ? qualifier.key : Eval(static_cast<uint32_t>(qualifier.node));
    if (key.is_error()) {
      if (!optional) Charge(1);
      return key;
    }
    if (qualifier.node >= 0 && !key.is(ValueKind::kString) && !key.is(ValueKind::kInt) && !key.is(ValueKind::kUint) &&
        !key.is(ValueKind::kBool) && !key.is(ValueKind::kDouble)) {
      Charge(1);
      return Fail("invalid qualifier type: " + std::string(GoTypeName(key)));
    }
    bool there = Qualify(value, key, optional || test);
    if (there || !optional) Charge(1);
    if (value.is_error() && there) return value;
    if (test) return Value::Bool(there);
    if (!there) return node.flags & kTestOnly ? Value::Bool(false) : Value::None();
  }
  return optional ? Value::OptionalOf(evaluation_.arena, value) : value;
}

bool Evaluator::Qualify(Value& value, const Value& key, bool optional) {
  switch (value.kind()) {
    case ValueKind::kMap:
    case ValueKind::kStruct: {
      Value found;
      if (FindInMap(value, key, found)) {
        value = found;
        return true;
      }
      if (optional) return false;
      bool open = value.is(ValueKind::kStruct) && value.declaration() != nullptr && value.declaration()->open;
      value = open ? Value() : Fail("no such key: " + Shown(key));
      return true;
    }
    case ValueKind::kList: {
      int64_t index = -1;
      switch (key.kind()) {
        case ValueKind::kInt:
          index = key.AsInt();
          break;
        case ValueKind::kUint:
          index = key.AsUint() <= INT64_MAX ? static_cast<int64_t>(key.AsUint()) : -1;
          break;
        case ValueKind::kDouble: {
          auto whole = library::ToInt(key.AsDouble());
          if (!whole || static_cast<double>(*whole) != key.AsDouble()) {
            value = Fail("unsupported index value " + Shown(key) + " in list");
            return true;
          }
          index = *whole;
          break;
        }
        default:
          value = Fail("unsupported index type '" + std::string(TypeName(key)) + "' in list");
          return true;
      }
      if (index >= 0 && index < value.size()) {
        value = value.At(static_cast<uint32_t>(index));
        return true;
      }
      if (optional) return false;
      value = Fail("index out of bounds: " + Shown(key));
      return true;
    }
    default:
      if (optional) return false;
      value = Fail("no such key: " + Shown(key));
      return true;
  }
}

Value Evaluator::LogicalAnd(const Node& node) {
  Value error = Value::Bool(true);
  for (uint32_t i = 0; i < node.count; ++i) {
    Value value = Eval(code_.operands[node.b + i]);
    if (value.is(ValueKind::kBool)) {
      if (!value.AsBool()) return value;
    } else if (!error.is_error()) {
      error = value.is_error() ? value : Value::Error(kNoOverload);
    }
    if (stopped_) return error;
  }
  return error;
}

Value Evaluator::LogicalOr(const Node& node) {
  Value error = Value::Bool(false);
  for (uint32_t i = 0; i < node.count; ++i) {
    Value value = Eval(code_.operands[node.b + i]);
    if (value.is(ValueKind::kBool)) {
      if (value.AsBool()) return value;
    } else if (!error.is_error()) {
      error = value.is_error() ? value : Value::Error(kNoOverload);
    }
    if (stopped_) return error;
  }
  return error;
}

Value Evaluator::Ternary(const Node& node) {
  Value condition = Eval(code_.operands[node.b]);
  if (condition.is(ValueKind::kBool)) return Eval(code_.operands[node.b + (condition.AsBool() ? 1 : 2)]);
  return condition.is_error() ? condition : Value::Error(kNoOverload);
}

Value Evaluator::Equality(const Node& node) {
  Value operands[] = {Eval(node.a), Eval(node.b)};
  const Value& a = operands[0];
  const Value& b = operands[1];
  Charge(CostOf(static_cast<Rate>(node.rate), operands, a));
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  // The steps of an authorizer cannot be compared.
  if (node.op == Op::kEqual && a.is(ValueKind::kOpaque) && a.opaque_kind() >= OpaqueKind::kAuthorizer &&
      !b.is(ValueKind::kNull)) {
    return Value::Error(kNoOverload);
  }
  return Value::Bool(Equal(a, b, steps_) == (node.op == Op::kEqual));
}

Value Evaluator::Comparison(const Node& node) {
  Value operands[] = {Eval(node.a), Eval(node.b)};
  const Value& a = operands[0];
  const Value& b = operands[1];
  Charge(CostOf(static_cast<Rate>(node.rate), operands, a));
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  int order = 0;
  std::string_view error;
  if (!Compare(a, b, order, error)) {
    switch (a.kind()) {
      case ValueKind::kBool:
      case ValueKind::kBytes:
      case ValueKind::kDouble:
      case ValueKind::kDuration:
      case ValueKind::kInt:
      case ValueKind::kString:
      case ValueKind::kTimestamp:
      case ValueKind::kUint:
        return Value::Error(error);
      default:
        break;
    }
    static constexpr std::string_view kNames[] = {"no such overload: _<_", "no such overload: _<=_",
                                                  "no such overload: _>_", "no such overload: _>=_"};
    return Value::Error(kNames[static_cast<int>(node.op) - static_cast<int>(Op::kLess)]);
  }
  switch (node.op) {
    case Op::kLess:
      return Value::Bool(order < 0);
    case Op::kLessEqual:
      return Value::Bool(order <= 0);
    case Op::kGreater:
      return Value::Bool(order > 0);
    default:
      return Value::Bool(order >= 0);
  }
}

namespace {

template <class T>
Value Made(const library::Number<T>& number) {
  if (!number) return Value::Error(number.error());
  if constexpr (std::is_same_v<T, int64_t>)
    return Value::Int(*number);
  else
    return Value::Uint(*number);
}

Value MadeDuration(const library::Number<int64_t>& number) {
  return number ? Value::Duration(*number) : Value::Error(number.error());
}

Value MadeTimestamp(const library::Number<library::Instant>& instant) {
  return instant ? Value::Timestamp(instant->seconds, instant->nanoseconds, instant->offset_minutes)
                 : Value::Error(instant.error());
}

template <class T>
library::Number<T> Compute(Op op, T a, T b) {
  switch (op) {
    case Op::kSubtract:
      return library::Subtract(a, b);
    case Op::kMultiply:
      return library::Multiply(a, b);
    case Op::kDivide:
      return library::Divide(a, b);
    default:
      return library::Modulo(a, b);
  }
}

bool Computes(Op op, ValueKind kind) {
  switch (kind) {
    case ValueKind::kInt:
    case ValueKind::kUint:
      return true;
    case ValueKind::kDouble:
      return op != Op::kModulo;
    case ValueKind::kDuration:
    case ValueKind::kTimestamp:
      return op == Op::kAdd || op == Op::kSubtract;
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kList:
      return op == Op::kAdd;
    default:
      return false;
  }
}

}  // namespace

Value Evaluator::Arithmetic(const Node& node) {
  Value operands[] = {Eval(node.a), Eval(node.b)};
  const Value& a = operands[0];
  const Value& b = operands[1];
  Charge(node.rate == static_cast<uint8_t>(Rate::kOne) ? 1 : CostOf(static_cast<Rate>(node.rate), operands, a));
  if (a.is_error()) return a;
  if (b.is_error()) return b;
  if (stopped_) return Value::Error(kNoOverload);
  if (!Computes(node.op, a.kind())) {
    static constexpr std::string_view kNames[] = {"no such overload: _+_", "no such overload: _-_",
                                                  "no such overload: _*_", "no such overload: _/_",
                                                  "no such overload: _%_"};
    bool receiver = a.is(ValueKind::kString) || a.is(ValueKind::kDuration) || a.is(ValueKind::kTimestamp);
    return Value::Error(receiver ? kNoOverload : kNames[static_cast<int>(node.op) - static_cast<int>(Op::kAdd)]);
  }
  if (node.op == Op::kAdd) return Sum(a, b);
  if (a.kind() == b.kind()) {
    switch (a.kind()) {
      case ValueKind::kInt:
        return Made(Compute(node.op, a.AsInt(), b.AsInt()));
      case ValueKind::kUint:
        return Made(Compute(node.op, a.AsUint(), b.AsUint()));
      case ValueKind::kDouble: {
        double x = a.AsDouble();
        double y = b.AsDouble();
        return Value::Double(node.op == Op::kSubtract ? x - y : node.op == Op::kMultiply ? x * y : x / y);
      }
      case ValueKind::kDuration:
        return MadeDuration(library::Subtract(a.nanoseconds(), b.nanoseconds()));
      case ValueKind::kTimestamp:
        return MadeDuration(library::Subtract(InstantOf(a), InstantOf(b)));
      default:
        break;
    }
  }
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration))
    return MadeTimestamp(library::Subtract(InstantOf(a), b.nanoseconds()));
  return Value::Error(kNoOverload);
}

Value Evaluator::Sum(const Value& a, const Value& b) {
  if (a.is(ValueKind::kDuration) && b.is(ValueKind::kTimestamp))
    return MadeTimestamp(library::Add(InstantOf(b), a.nanoseconds()));
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kDuration))
    return MadeTimestamp(library::Add(InstantOf(a), b.nanoseconds()));
  if (a.kind() != b.kind()) return Value::Error(kNoOverload);
  switch (a.kind()) {
    case ValueKind::kInt:
      return Made(library::Add(a.AsInt(), b.AsInt()));
    case ValueKind::kUint:
      return Made(library::Add(a.AsUint(), b.AsUint()));
    case ValueKind::kDouble:
      return Value::Double(a.AsDouble() + b.AsDouble());
    case ValueKind::kDuration:
      return MadeDuration(library::Add(a.nanoseconds(), b.nanoseconds()));
    case ValueKind::kList:
      return SumOfLists(a, b);
    case ValueKind::kString:
    case ValueKind::kBytes: {
      size_t size = a.text().size() + b.text().size();
      char* to = evaluation_.arena.AllocateArray<char>(size);
      std::copy(b.text().begin(), b.text().end(), std::copy(a.text().begin(), a.text().end(), to));
      return a.is(ValueKind::kString) ? Value::String({to, size}) : Value::Bytes({to, size});
    }
    default:
      return Value::Error(kNoOverload);
  }
}

Value Evaluator::SumOfLists(const Value& a, const Value& b) {
  const Declaration* declaration = a.declaration();
  if (declaration == nullptr || declaration->list == ListSemantics::kAtomic) {
    if (a.size() == 0) return b;
    if (b.size() == 0) return a;
    if (uint64_t{a.size()} + b.size() > UINT32_MAX) return Value::Error("list is too long");
    auto* list = new (evaluation_.arena.Allocate(sizeof(ConcatList), alignof(ConcatList))) ConcatList{a, b};
    return Value::Concat(list, a.size() + b.size());
  }
  // A set keeps one of equal items; a list that is a map puts an item in the place of the one with its keys.
  bool by_key = declaration->list == ListSemantics::kMap;
  auto* items = evaluation_.arena.AllocateArray<Value>(a.size() + b.size());
  EntryMap places;
  uint32_t count = 0;
  auto key_of = [&](const Value& item) {
    if (!by_key) return item;
    if (declaration->list_map_keys.size() == 1) {
      Value key;
      FindField(item, declaration->list_map_keys[0], key);
      return key;
    }
    std::string joined;
    for (const std::string& name : declaration->list_map_keys) {
      Value key;
      FindField(item, name, key);
      joined += Shown(key);
      joined += '\0';
    }
    return Value::String(evaluation_.arena.CopyString(joined));
  };
  for (const Value* list : {&a, &b}) {
    for (uint32_t i = 0; i < list->size(); ++i) {
      Value item = list->At(i);
      Value key = key_of(item);
      const Value* place = list == &a && !by_key ? nullptr : places.Find(key);
      if (place != nullptr && list == &b) {
        if (by_key) items[place->AsInt()] = item;
        continue;
      }
      places.Set(evaluation_.arena, key, Value::Int(count));
      items[count++] = item;
    }
  }
  return Value::List({items, count}, declaration);
}

Value Evaluator::Negated(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kInt:
      return Made(library::Negate(value.AsInt()));
    case ValueKind::kDouble:
      return Value::Double(-value.AsDouble());
    case ValueKind::kDuration:
      return MadeDuration(library::Negate(value.nanoseconds()));
    case ValueKind::kBool:
      return Value::Bool(!value.AsBool());
    case ValueKind::kString:
    case ValueKind::kTimestamp:
      return Value::Error(kNoOverload);
    default:
      return Value::Error("no such overload: -_");
  }
}

Value Evaluator::In(const Node& node) {
  Value operands[] = {Eval(node.a), Eval(node.b)};
  const Value& item = operands[0];
  const Value& of = operands[1];
  Charge(CostOf(static_cast<Rate>(node.rate), operands, of));
  if (item.is_error()) return item;
  if (of.is_error()) return of;
  if (stopped_) return Value::Error(kNoOverload);
  if (of.is(ValueKind::kList)) {
    for (uint32_t i = 0; i < of.size(); ++i) {
      if (steps_.left == 0) break;
      --steps_.left;
      if (Equal(item, of.At(i), steps_)) return Value::Bool(true);
    }
    return Value::Bool(false);
  }
  if (!of.is(ValueKind::kMap)) return Value::Error(kNoOverload);
  Value found;
  bool there = FindInMap(of, item, found);
  return there && found.is_error() ? found : Value::Bool(there);
}

Value Evaluator::InSet(const Node& node) {
  Value item = Eval(node.a);
  if (item.is_error()) return item;
  return Value::Bool(code_.sets[node.b].Find(item) != nullptr);
}

Value Evaluator::Append(const Node& node) {
  Charge(1);  // the accumulator
  Value item = Eval(node.b);
  Charge(node.cost);
  Value& list = slots_[node.a].value;
  if (list.is_error()) return list;
  if (item.is_error()) return item;
  if (!list.is(ValueKind::kList)) return Value::Error(kNoOverload);
  if (stopped_) return list;
  Builder& builder = slots_[node.a].builder;
  bool own = list.form() == Value::Form::kItems && list.items() == builder.items && list.size() == builder.size;
  if (!own || builder.size == builder.capacity) {
    uint32_t size = list.size();
    uint32_t capacity = std::max<uint32_t>(4, size * 2);
    auto* items = evaluation_.arena.AllocateArray<Value>(capacity);
    for (uint32_t i = 0; i < size; ++i) items[i] = list.At(i);
    builder = {items, size, capacity};
  }
  builder.items[builder.size++] = item;
  return Value::List({builder.items, builder.size});
}

Value Evaluator::OptionalItem(const Value& item, std::string_view what, const Value* key, bool& leave_out) {
  leave_out = false;
  if (!item.is(ValueKind::kOptional)) {
    std::string message = "cannot initialize optional " + std::string(what);
    if (key != nullptr) message += " '" + Shown(*key) + "'";
    return Fail(message + " from non-optional value " + Shown(item));
  }
  leave_out = item.optional() == nullptr;
  return leave_out ? item : *item.optional();
}

Value Evaluator::List(const Node& node) {
  auto* items = evaluation_.arena.AllocateArray<Value>(node.count);
  uint32_t size = 0;
  for (uint32_t i = 0; i < node.count; ++i) {
    Value item = Eval(code_.operands[node.b + i]);
    bool leave_out = false;
    if (!item.is_error() && (node.flags & kOptionals) && code_.optional[node.b + i])
      item = OptionalItem(item, "list element", nullptr, leave_out);
    if (item.is_error()) {
      Charge(node.cost);
      return item;
    }
    if (!leave_out) items[size++] = item;
  }
  Charge(node.cost);
  return Value::List({items, size});
}

Value Evaluator::Map(const Node& node) {
  auto* map = new (evaluation_.arena.Allocate(sizeof(EntryMap), alignof(EntryMap))) EntryMap;
  for (uint32_t i = 0; i < node.count; i += 2) {
    Value key = Eval(code_.operands[node.b + i]);
    Value item = key.is_error() ? key : Eval(code_.operands[node.b + i + 1]);
    bool leave_out = false;
    if (!item.is_error() && (node.flags & kOptionals) && code_.optional[node.b + i])
      item = OptionalItem(item, "entry", &key, leave_out);
    if (item.is_error()) {
      Charge(node.cost);
      return item;
    }
    if (leave_out) {
      map->Remove(key);
    } else {
      map->Set(evaluation_.arena, key, item);
    }
  }
  Charge(node.cost);
  return Value::Map(map);
}

Value Evaluator::Struct(const Node& node) {
  const auto* declaration = &code_.constants[node.a].opaque<Declaration>();
  auto* map = new (evaluation_.arena.Allocate(sizeof(EntryMap), alignof(EntryMap))) EntryMap;
  for (uint32_t i = 0; i < node.count; i += 2) {
    const Value& name = code_.constants[code_.operands[node.b + i]];
    Value item = Eval(code_.operands[node.b + i + 1]);
    bool leave_out = false;
    if (!item.is_error() && (node.flags & kOptionals) && code_.optional[node.b + i])
      item = OptionalItem(item, "entry", &name, leave_out);
    if (item.is_error()) {
      Charge(node.cost);
      return item;
    }
    if (!leave_out) map->Set(evaluation_.arena, name, item);
  }
  Charge(node.cost);
  return Value::Struct(map, declaration);
}

Value Evaluator::LoopTurn(const Fold& fold, bool& goes_on) {
  Value condition = Eval(fold.condition);
  goes_on = !condition.is_false();
  if (goes_on) slots_[fold.accumulator].value = Eval(fold.step);
  return condition;
}

Value Evaluator::Loop(const Fold& fold) {
  Value range = Eval(fold.range);
  bool map = range.is(ValueKind::kMap);
  if (!map && !range.is(ValueKind::kList)) {
    if (range.is_error() && !fold.two_variables) return range;
    return Fail(fold.two_variables ? "unsupported comprehension range type: " + std::string(GoTypeName(range))
                                   : "got '" + std::string(GoTypeName(range)) + "', expected iterable type");
  }
  slots_[fold.accumulator].builder = {};
  Value start = Eval(fold.start);
  if (fold.collects && start.is(ValueKind::kMap)) {
    start = Value::Map(new (evaluation_.arena.Allocate(sizeof(EntryMap), alignof(EntryMap))) EntryMap);
  }
  slots_[fold.accumulator].value = start;
  bool goes_on = true;
  if (map) {
    MapWalk walk(range);
    Value key, item;
    while (goes_on && walk.Next(key, item)) {
      slots_[fold.second].value = item;
      slots_[fold.first].value = key;  // the same slot where there is one variable
      LoopTurn(fold, goes_on);
      if (Interrupted()) break;
    }
  } else {
    for (uint32_t i = 0; goes_on && i < range.size(); ++i) {
      Value item = range.At(i);
      slots_[fold.second].value = item;
      slots_[fold.first].value = fold.two_variables ? Value::Int(i) : item;
      LoopTurn(fold, goes_on);
      if (Interrupted()) break;
    }
  }
  if (stopped_ || interrupted_) return Value::Error("operation interrupted");
  return Eval(fold.result);
}

Value Evaluator::Call(const Node& node) {
  const CallSite& site = code_.calls[node.a];
  Value few[4];
  std::span<Value> arguments(few, std::min<size_t>(node.count, 4));
  if (node.count > 4) arguments = {evaluation_.arena.AllocateArray<Value>(node.count), node.count};
  const Value* error = nullptr;
  for (uint32_t i = 0; i < node.count; ++i) {
    arguments[i] = Eval(code_.operands[node.b + i]);
    if (!arguments[i].is_error() || error != nullptr) continue;
    error = &arguments[i];
    if (site.early && i + 1 < node.count) return *error;
  }
  Value result = error != nullptr ? *error : stopped_ ? Value::Error(kNoOverload) : Dispatch(site, arguments);
  Charge(CostOf(site.rate, arguments, result));
  return result;
}

Value Evaluator::NoOverload(const Function& function, std::span<const Value> arguments) {
  std::string message = "no such overload: " + std::string(function.name) + "(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) message += ", ";
    message += TypeName(arguments[i]);
  }
  return Fail(message + ")");
}

Value Evaluator::Unguarded(const CallSite& site, std::span<const Value> arguments) {
  const Value& first = arguments[0];
  auto missing = [&] {
    bool receiver = first.is(ValueKind::kString) || first.is(ValueKind::kDuration) || first.is(ValueKind::kTimestamp);
    return receiver ? Value::Error(kNoOverload) : Fail("no such overload: " + std::string(site.function->name));
  };
  switch (site.builtin) {
    case Builtin::kSize: {
      int64_t size = 0;
      return SizeOf(first, size) ? Value::Int(size) : missing();
    }
    case Builtin::kMatches:
      if (!first.is(ValueKind::kString)) return missing();
      if (!arguments[1].is(ValueKind::kString)) return Value::Error(kNoOverload);
      if (site.pattern >= 0) return Value::Bool(code_.patterns[static_cast<size_t>(site.pattern)].IsIn(first.text()));
      break;
    case Builtin::kContains:
    case Builtin::kStartsWith:
    case Builtin::kEndsWith: {
      if (!first.is(ValueKind::kString) || !arguments[1].is(ValueKind::kString)) return Value::Error(kNoOverload);
      std::string_view text = first.text();
      std::string_view part = arguments[1].text();
      if (site.builtin == Builtin::kStartsWith) return Value::Bool(text.starts_with(part));
      if (site.builtin == Builtin::kEndsWith) return Value::Bool(text.ends_with(part));
      return Value::Bool(text.contains(part));
    }
    case Builtin::kNone:
      break;
  }
  return RunOverload(site, site.overload != nullptr ? *site.overload : site.function->overloads[0], arguments);
}

Value Evaluator::Dispatch(const CallSite& site, std::span<const Value> arguments) {
  const Function& function = *site.function;
  if (function.overloads[0].binding == Binding::kUnguarded) return Unguarded(site, arguments);
  auto suits = [&](const Overload& overload) {
    if (overload.arguments.size() != arguments.size()) return false;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!SuitsArgument(*overload.arguments[i], arguments[i])) return false;
    }
    return true;
  };
  if (site.overload != nullptr)
    return suits(*site.overload) ? RunOverload(site, *site.overload, arguments) : NoOverload(function, arguments);
  for (const Overload& overload : function.overloads) {
    if (suits(overload)) return RunOverload(site, overload, arguments);
  }
  return NoOverload(function, arguments);
}

Value Evaluator::InsertIntoMap(const Value& map, const Value& key, const Value& item) {
  if (!map.is(ValueKind::kMap) || map.form() != Value::Form::kEntries) return Value::Error(kNoOverload);
  if (map.entries().Find(key) != nullptr) return Fail("insert failed: key " + Shown(key) + " already exists");
  // The map was made by the loop that collects into it, and nothing else holds it.
  auto& entries = const_cast<EntryMap&>(map.entries());
  entries.Set(evaluation_.arena, key, item);
  return Value::Map(&entries);
}

Value Evaluator::RunOverload(const CallSite& site, const Overload& overload, std::span<const Value> arguments) {
  switch (overload.id) {
    case OverloadId::kToDyn:
      return arguments[0];
    case OverloadId::kOptionalOf:
      return Value::OptionalOf(evaluation_.arena, arguments[0]);
    case OverloadId::kOptionalNone:
      return Value::None();
    case OverloadId::kOptionalHasValue:
      return Value::Bool(arguments[0].optional() != nullptr);
    case OverloadId::kOptionalValue:
      return arguments[0].optional() != nullptr ? *arguments[0].optional()
                                                : Value::Error("optional.none() dereference");
    case OverloadId::kOptionalOfNonZeroValue:
      return IsZero(arguments[0]) ? Value::None() : Value::OptionalOf(evaluation_.arena, arguments[0]);
    case OverloadId::kMapInsertMapKeyValue:
      return InsertIntoMap(arguments[0], arguments[1], arguments[2]);
    case OverloadId::kMapInsertMapMap: {
      Value map = arguments[0];
      MapWalk walk(arguments[1]);
      Value key, item;
      while (!map.is_error() && walk.Next(key, item)) map = InsertIntoMap(map, key, item);
      return map;
    }
    default:
      break;
  }
  library::CallContext context{evaluation_.arena, steps_,
                               site.pattern >= 0 ? &code_.patterns[static_cast<size_t>(site.pattern)] : nullptr};
  return library::Call(overload.id, arguments, context);
}

uint64_t Evaluator::CostOf(Rate rate, std::span<const Value> arguments, const Value& result) {
  auto size = [&](size_t i) { return SizeForCost(arguments[i]); };
  switch (rate) {
    case Rate::kOne:
      return 1;
    case Rate::kText:
      return rates::Tenth(size(0));
    case Rate::kTwiceText:
      return rates::Scale(size(0), 0.2);
    case Rate::kJoin:
      return rates::Scale(SizeForCost(result), 0.2);
    case Rate::kTraversal:
      return Traversal(arguments[0]);
    case Rate::kFind:
    case Rate::kMatches:
      return rates::Multiply(rates::Tenth(size(0) + 1), rates::Scale(size(1), 0.25));
    case Rate::kContains:
      return rates::Multiply(rates::Tenth(size(0)), rates::Tenth(size(1)));
    case Rate::kEquality:
      if (arguments[0].is(ValueKind::kOpaque) && environment_.options().kubernetes_costs) return 1;
      [[fallthrough]];
    case Rate::kSmaller:
      return rates::Tenth(std::min(size(0), size(1)));
    case Rate::kAddText:
      return rates::Tenth(size(0) + size(1));
    case Rate::kInList:
      return size(1);
    case Rate::kSelector:
      return rates::Selector({size(1), size(1)}).max;
    case Rate::kCheck:
      return 350'000;
    case Rate::kContainsIp:
      return rates::Tenth(2 * size(0));
    case Rate::kContainsIpText:
      return rates::Tenth(2 * size(0)) + rates::Tenth(size(1));
    case Rate::kContainsCidr:
      return rates::Tenth(2 * size(0)) + rates::Tenth(size(0)) + 1;
    case Rate::kContainsCidrText:
      return rates::Tenth(2 * size(0)) + rates::Tenth(size(0)) + 1 + rates::Tenth(size(1));
    case Rate::kValidate: {
      if (!arguments[0].is(ValueKind::kOpaque) || arguments[0].opaque_kind() != OpaqueKind::kFormat) return 1;
      auto pattern = static_cast<uint64_t>(arguments[0].opaque<library::NamedFormat>().most_pattern_size);
      return rates::Multiply(rates::Tenth(size(1) + 1), rates::Scale(pattern, 0.25));
    }
    case Rate::kSets:
      return rates::Add(1, rates::Multiply(size(0), size(1)));
    case Rate::kSetsTwice:
      return rates::Add(1, rates::Multiply(2, rates::Multiply(size(0), size(1))));
  }
  return 1;
}

}  // namespace cel
