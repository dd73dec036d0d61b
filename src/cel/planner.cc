#include "cel/planner.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "cel/evaluator.h"
#include "cel/macros.h"
#include "cel/text.h"

namespace cel {
namespace {

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsConversion(std::string_view name) {
  return IsOneOf(name, {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"});
}

// What a call costs; `overload` is kNone where the arguments decide.
Rate RateOf(std::string_view name, OverloadId overload, bool kubernetes) {
  if (name.starts_with("sets."))
    return overload == OverloadId::kNone ? Rate::kOne : name == "sets.equivalent" ? Rate::kSetsTwice : Rate::kSets;
  if (kubernetes) {
    if (name == "check") return Rate::kCheck;
    if (IsOneOf(name, {"fieldSelector", "labelSelector"})) return Rate::kSelector;
    if (IsOneOf(name, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"})) return Rate::kTraversal;
    if (IsOneOf(name, {"url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR", "quantity",
                       "isQuantity"}))
      return Rate::kText;
    if (IsOneOf(name, {"replace", "split", "ip.isCanonical"})) return Rate::kTwiceText;
    if (name == "join") return Rate::kJoin;
    if (IsOneOf(name, {"find", "findAll"})) return Rate::kFind;
    if (name == "ip") return overload == OverloadId::kCidrIp ? Rate::kOne : Rate::kText;
    if (name == "containsIP")
      return overload == OverloadId::kCidrContainsIpString ? Rate::kContainsIpText : Rate::kContainsIp;
    if (name == "containsCIDR")
      return overload == OverloadId::kCidrContainsCidrString ? Rate::kContainsCidrText : Rate::kContainsCidr;
    if (name == "validate") return Rate::kValidate;
    if (name == "_==_") return Rate::kEquality;
  }
  switch (overload) {
    case OverloadId::kStartsWithString:
    case OverloadId::kEndsWithString:
    case OverloadId::kStringToBytes:
    case OverloadId::kBytesToString:
    case OverloadId::kStringsQuote:
    case OverloadId::kStringFormat:
      return Rate::kText;
    case OverloadId::kInList:
      return Rate::kInList;
    case OverloadId::kLessString:
    case OverloadId::kGreaterString:
    case OverloadId::kLessEqualsString:
    case OverloadId::kGreaterEqualsString:
    case OverloadId::kLessBytes:
    case OverloadId::kGreaterBytes:
    case OverloadId::kLessEqualsBytes:
    case OverloadId::kGreaterEqualsBytes:
    case OverloadId::kEquals:
    case OverloadId::kNotEquals:
      return Rate::kSmaller;
    case OverloadId::kAddString:
    case OverloadId::kAddBytes:
      return Rate::kAddText;
    case OverloadId::kMatchesString:
      return Rate::kMatches;
    case OverloadId::kContainsString:
      return Rate::kContains;
    default:
      return Rate::kOne;
  }
}

std::optional<Op> OperatorOp(std::string_view name) {
  struct Row {
    std::string_view name;
    Op op;
  };
  static constexpr Row kRows[] = {
      {"_==_", Op::kEqual},   {"_!=_", Op::kNotEqual},     {"_<_", Op::kLess},   {"_<=_", Op::kLessEqual},
      {"_>_", Op::kGreater},  {"_>=_", Op::kGreaterEqual}, {"_+_", Op::kAdd},    {"_-_", Op::kSubtract},
      {"_*_", Op::kMultiply}, {"_/_", Op::kDivide},        {"_%_", Op::kModulo}, {"@in", Op::kIn},
  };
  for (const Row& row : kRows) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

class Planner {
 public:
  Planner(const Environment& environment, const Ast& ast)
      : environment_(environment), ast_(ast), code_(std::make_unique<Code>()) {}

  std::expected<std::unique_ptr<Code>, std::string> Run() {
    code_->root = Make(*ast_.root, false);
    if (!error_.empty()) return std::unexpected(std::move(error_));
    code_->nodes.shrink_to_fit();
    code_->operands.shrink_to_fit();
    code_->constants.shrink_to_fit();
    code_->qualifiers.shrink_to_fit();
    return std::move(code_);
  }

 private:
  struct Local {
    std::string_view name;
    uint32_t slot;
    int32_t lazy = -1;  // the node that computes it
  };

  uint32_t Add(Node node) {
    code_->nodes.push_back(node);
    return static_cast<uint32_t>(code_->nodes.size() - 1);
  }
  uint32_t Constant(const Value& value) {
    code_->constants.push_back(value);
    return Add({.op = Op::kConstant, .a = static_cast<uint32_t>(code_->constants.size() - 1)});
  }
  const Value* AsConstant(uint32_t node) const {
    const Node& made = code_->nodes[node];
    return made.op == Op::kConstant ? &code_->constants[made.a] : nullptr;
  }
  // `value` with everything that it refers to in the code's own memory.
  Value Keep(const Value& value) {
    value::Arena& arena = code_->arena;
    switch (value.kind()) {
      case ValueKind::kString:
        return Value::String(arena.CopyString(value.text()));
      case ValueKind::kBytes:
        return Value::Bytes(arena.CopyString(value.text()));
      case ValueKind::kType:
        return Value::TypeNamed(arena.CopyString(value.text()));
      default:
        return value;
    }
  }
  void Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }

  // The node of `expr`. `raw`: as a branch of ?:, where the look-up itself costs nothing.
  uint32_t Make(const Expr& expr, bool raw) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        return Constant(Keep(expr.literal));
      case ExprKind::kIdent:
        return Ident(expr, raw ? 0 : 1);
      case ExprKind::kSelect:
        return Chain(expr, raw);
      case ExprKind::kCall:
        return Call(expr, raw);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kStruct:
        return Struct(expr);
      case ExprKind::kComprehension:
        return Comprehension(expr);
      case ExprKind::kError:
        break;
    }
    Fail("unsupported expression");
    return Constant(Value());
  }

  uint32_t Ident(const Expr& expr, uint8_t cost) {
    if (expr.type_name) {
      return Constant(Value::TypeNamed(code_->arena.CopyString(expr.name)));
    }
    // cel-go takes every identifier whose value is a type for the name of one.
    if (expr.type->kind == TypeKind::kType) Fail("reference to undefined type: " + std::string(expr.name));
    if (expr.variable >= 0) return Add({.op = Op::kVariable, .cost = cost, .a = static_cast<uint32_t>(expr.variable)});
    for (size_t i = locals_.size(); i > 0; --i) {
      const Local& local = locals_[i - 1];
      if (local.name != expr.name) continue;
      if (local.lazy < 0) return Add({.op = Op::kLocal, .cost = cost, .a = local.slot});
      return Add({.op = Op::kLazyLocal, .cost = cost, .a = local.slot, .b = static_cast<uint32_t>(local.lazy)});
    }
    Fail("no such attribute(s): " + std::string(expr.name));
    return Constant(Value());
  }

  static bool IsStep(const Expr& expr) {
    if (expr.kind == ExprKind::kSelect) return true;
    return expr.kind == ExprKind::kCall && !expr.member &&
           (expr.name == "_[_]" || expr.name == "_[?_]" || expr.name == "_?._");
  }

  // Selects and indexes one after the other, as one node.
  uint32_t Chain(const Expr& expr, bool raw) {
    std::vector<const Expr*> steps;
    const Expr* root = &expr;
    bool test = expr.kind == ExprKind::kSelect && expr.test_only;
    while (IsStep(*root) && (root == &expr || !(root->kind == ExprKind::kSelect && root->test_only))) {
      steps.push_back(root);
      root = root->kind == ExprKind::kSelect ? root->target : root->args[0];
    }
    std::reverse(steps.begin(), steps.end());
    // What has() tests, and what stands after ?:, has no look-up of its own to pay for.
    bool conditional = root->kind == ExprKind::kCall && root->name == "_?_:_";
    uint8_t cost = raw || conditional ? 0 : 1;
    if (test && !environment_.options().presence_test_has_cost) cost = 0;
    uint32_t node = root->kind == ExprKind::kIdent && !root->type_name ? Ident(*root, 0) : Make(*root, false);
    std::vector<Qualifier> qualifiers;
    for (const Expr* step : steps) {
      Qualifier qualifier;
      if (step->kind == ExprKind::kSelect) {
        qualifier.key = Value::String(code_->arena.CopyString(step->name));
        qualifier.plain = true;
      } else {
        qualifier.optional = step->name != "_[_]";
        uint32_t index = MakeIndex(*step->args[1]);
        if (const Value* constant = AsConstant(index)) {
          qualifier.key = *constant;
          qualifier.plain = !qualifier.optional && constant->is(ValueKind::kString);
          CheckKey(*constant);
        } else {
          qualifier.node = static_cast<int32_t>(index);
        }
      }
      qualifiers.push_back(qualifier);
    }
    auto first = static_cast<uint32_t>(code_->qualifiers.size());
    code_->qualifiers.insert(code_->qualifiers.end(), qualifiers.begin(), qualifiers.end());
    return Add({.op = Op::kChain,
                .cost = cost,
                .flags = static_cast<uint8_t>(test ? kTestOnly : 0),
                .count = static_cast<uint32_t>(qualifiers.size()),
                .a = node,
                .b = first});
  }

  // An index that is looked up costs as the step that it is for.
  uint32_t MakeIndex(const Expr& expr) { return Make(expr, expr.kind == ExprKind::kIdent || IsStep(expr)); }

  void CheckKey(const Value& key) {
    switch (key.kind()) {
      case ValueKind::kString:
      case ValueKind::kInt:
      case ValueKind::kUint:
      case ValueKind::kBool:
      case ValueKind::kDouble:
        return;
      default:
        Fail("invalid qualifier type: " + std::string(GoTypeName(key)));
    }
  }

  void Flatten(const Expr& expr, std::string_view name, std::vector<uint32_t>& terms) {
    if (expr.kind == ExprKind::kCall && expr.name == name && !expr.member) {
      for (const Expr* arg : expr.args) Flatten(*arg, name, terms);
    } else {
      terms.push_back(Make(expr, false));
    }
  }

  uint32_t Operands(const std::vector<uint32_t>& nodes) {
    auto first = static_cast<uint32_t>(code_->operands.size());
    code_->operands.insert(code_->operands.end(), nodes.begin(), nodes.end());
    return first;
  }

  uint32_t Call(const Expr& expr, bool raw) {
    std::string_view name = expr.name;
    if (IsStep(expr)) return Chain(expr, raw);
    if (!expr.member && (name == "_&&_" || name == "_||_")) {
      std::vector<uint32_t> terms;
      Flatten(expr, name, terms);
      uint32_t first = Operands(terms);
      return Add({.op = name == "_&&_" ? Op::kAnd : Op::kOr, .count = static_cast<uint32_t>(terms.size()), .b = first});
    }
    if (!expr.member && name == "_?_:_") {
      std::vector<uint32_t> parts{Make(*expr.args[0], false), Make(*expr.args[1], true), Make(*expr.args[2], true)};
      return Add({.op = Op::kTernary, .count = 3, .b = Operands(parts)});
    }
    if (!expr.member && expr.args.size() == 1) {
      Op op = name == "!_"                    ? Op::kNot
              : name == "-_"                  ? Op::kNegate
              : name == "@not_strictly_false" ? Op::kNotStrictlyFalse
                                              : Op::kCall;
      if (op != Op::kCall) {
        uint32_t operand = Make(*expr.args[0], false);
        return Add({.op = op, .a = operand});
      }
    }
    if (!expr.member && expr.args.size() == 2) {
      if (std::optional<Op> op = OperatorOp(name)) return Binary(expr, *op);
    }
    if (expr.member && (name == "or" || name == "orValue") && expr.args.size() == 1) {
      uint32_t a = Make(*expr.target, false);
      uint32_t b = Make(*expr.args[0], false);
      return Add({.op = name == "or" ? Op::kOptionalOr : Op::kOptionalOrValue, .a = a, .b = b});
    }
    return FunctionCall(expr);
  }

  OverloadId OverloadIdOf(const Expr& expr) const {
    return expr.overloads.size() == 1 ? expr.overloads[0]->id : OverloadId::kNone;
  }

  uint32_t Binary(const Expr& expr, Op op) {
    OverloadId overload = OverloadIdOf(expr);
    Rate rate = RateOf(expr.name, overload, environment_.options().kubernetes_costs);
    uint32_t a = Make(*expr.args[0], false);
    uint32_t b = Make(*expr.args[1], false);
    if (op == Op::kIn && overload == OverloadId::kInList && environment_.options().fold_constants) {
      if (const Value* list = AsConstant(b); list != nullptr && list->is(ValueKind::kList)) {
        if (list->size() == 0) return Constant(Value::Bool(false));
        if (std::optional<uint32_t> set = Set(*list)) return Add({.op = Op::kInSet, .a = a, .b = *set});
      }
    }
    return Add({.op = op, .rate = static_cast<uint8_t>(rate), .a = a, .b = b});
  }

  // The items of a constant list for looking them up; nothing if some cannot be.
  std::optional<uint32_t> Set(const Value& list) {
    EntryMap set;
    for (uint32_t i = 0; i < list.size(); ++i) {
      const Value item = list.At(i);
      switch (item.kind()) {
        case ValueKind::kBool:
        case ValueKind::kInt:
        case ValueKind::kUint:
        case ValueKind::kDouble:
        case ValueKind::kString:
          set.Set(code_->arena, item, Value::Bool(true));
          break;
        default:
          return std::nullopt;
      }
      AddNumbers(set, item);
    }
    code_->sets.push_back(set);
    return static_cast<uint32_t>(code_->sets.size() - 1);
  }

  // An int in the list is found by the double that equals it.
  void AddNumbers(EntryMap& set, const Value& item) {
    if (item.is(ValueKind::kInt))
      set.Set(code_->arena, Value::Double(static_cast<double>(item.AsInt())), Value::Bool(true));
    if (item.is(ValueKind::kUint))
      set.Set(code_->arena, Value::Double(static_cast<double>(item.AsUint())), Value::Bool(true));
    if (item.is(ValueKind::kDouble)) {
      double d = item.AsDouble();
      if (d > -0x1p63 && d < 0x1p63 && static_cast<double>(static_cast<int64_t>(d)) == d)
        set.Set(code_->arena, Value::Int(static_cast<int64_t>(d)), Value::Bool(true));
    }
  }

  uint32_t FunctionCall(const Expr& expr) {
    std::vector<uint32_t> arguments;
    if (expr.member) arguments.push_back(Make(*expr.target, false));
    for (const Expr* arg : expr.args) arguments.push_back(Make(*arg, false));
    CallSite site;
    site.function = expr.function;
    OverloadId overload = OverloadIdOf(expr);
    if (expr.overloads.size() == 1) site.overload = expr.overloads[0];
    if (site.function == nullptr || (site.overload != nullptr && site.overload->id == OverloadId::kNone)) {
      Fail("no such overload: " + std::string(expr.name));
      return Constant(Value());
    }
    site.rate = RateOf(expr.name, overload, environment_.options().kubernetes_costs);
    bool one_code = site.function->overloads[0].binding == Binding::kUnguarded;
    site.early =
        arguments.size() > 2 || overload == OverloadId::kStringFormat || (site.overload == nullptr && !one_code);
    bool pattern = IsOneOf(expr.name, {"matches", "find", "findAll"});
    if (pattern && arguments.size() >= 2 && environment_.options().fold_constants) {
      if (const Value* text = AsConstant(arguments[1]); text != nullptr && text->is(ValueKind::kString)) {
        auto compiled = api::Regexp::Compile(text->text(), api::Regexp::kLargestMemory);
        if (!compiled) {
          Fail(compiled.error());
        } else {
          site.pattern = static_cast<int32_t>(code_->patterns.size());
          code_->patterns.push_back(std::move(*compiled));
          site.early = true;
        }
      }
    }
    if (IsConversion(expr.name) && arguments.size() == 1 && environment_.options().fold_constants) {
      if (const Value* constant = AsConstant(arguments[0])) return Folded(site, *constant);
    }
    site.builtin = BuiltinOf(expr.name, one_code);
    if (std::optional<uint32_t> paid = OfConstants(site, arguments)) return *paid;
    code_->calls.push_back(site);
    auto call = static_cast<uint32_t>(code_->calls.size() - 1);
    return Add(
        {.op = Op::kCall, .count = static_cast<uint32_t>(arguments.size()), .a = call, .b = Operands(arguments)});
  }

  static Builtin BuiltinOf(std::string_view name, bool one_code) {
    if (!one_code) return Builtin::kNone;
    if (name == "size") return Builtin::kSize;
    if (name == "matches") return Builtin::kMatches;
    if (name == "contains") return Builtin::kContains;
    if (name == "startsWith") return Builtin::kStartsWith;
    if (name == "endsWith") return Builtin::kEndsWith;
    return Builtin::kNone;
  }

  // A call whose arguments are constants gives the same each time: it is made now, and paid for when it is evaluated.
  // Large results are not kept.
  std::optional<uint32_t> OfConstants(const CallSite& site, const std::vector<uint32_t>& arguments) {
    constexpr size_t kLargestKept = 1024;
    if (arguments.empty() || !environment_.options().fold_constants) return std::nullopt;
    std::vector<Value> values;
    for (uint32_t argument : arguments) {
      const Value* constant = AsConstant(argument);
      if (constant == nullptr) return std::nullopt;
      values.push_back(*constant);
    }
    if (site.rate == Rate::kCheck || site.function->name.starts_with("cel.@")) return std::nullopt;
    auto memory = std::make_unique<Evaluation>(256);
    Activation activation(environment_);
    Evaluator evaluator(*code_, environment_, activation, *memory);
    Value result = evaluator.CallOnce(site, values);
    uint64_t cost = evaluator.CostOnce(site, values, result);
    int64_t size = 0;
    if (SizeOf(result, size) && size > static_cast<int64_t>(kLargestKept)) return std::nullopt;
    switch (result.kind()) {
      case ValueKind::kList:
      case ValueKind::kMap:
      case ValueKind::kStruct:
      case ValueKind::kOptional:
      case ValueKind::kError:
        return std::nullopt;
      case ValueKind::kOpaque:
        code_->paid_memory.push_back(std::move(memory));
        break;
      default:
        result = Keep(result);
    }
    code_->paid.push_back({result, cost});
    return Add({.op = Op::kPaidConstant, .a = static_cast<uint32_t>(code_->paid.size() - 1)});
  }

  uint32_t Folded(const CallSite& site, const Value& argument) {
    Activation activation(environment_);
    Evaluation evaluation;
    Code none;
    Evaluator evaluator(none, environment_, activation, evaluation);
    Value result = evaluator.CallOnce(site, {&argument, 1});
    if (result.is_error()) Fail(std::string(result.text()));
    return Constant(Keep(result));
  }

  bool AnyOptional(const Expr& expr) const {
    return std::any_of(expr.optional.begin(), expr.optional.end(), [](uint8_t mark) { return mark != 0; });
  }

  uint32_t WithOperands(Node node, const std::vector<uint32_t>& nodes, const Expr& expr, size_t each) {
    node.count = static_cast<uint32_t>(nodes.size());
    node.b = Operands(nodes);
    if (AnyOptional(expr)) {
      node.flags = kOptionals;
      code_->optional.resize(code_->operands.size());
      for (size_t i = 0; i < expr.optional.size(); ++i) code_->optional[node.b + i * each] = expr.optional[i];
    }
    return Add(node);
  }

  uint32_t List(const Expr& expr) {
    std::vector<uint32_t> items;
    bool constant = environment_.options().fold_constants && !AnyOptional(expr);
    for (const Expr* item : expr.args) {
      items.push_back(Make(*item, false));
      constant = constant && AsConstant(items.back()) != nullptr;
    }
    if (!constant) return WithOperands({.op = Op::kList, .cost = 10}, items, expr, 1);
    auto* kept = code_->arena.AllocateArray<Value>(items.size());
    for (size_t i = 0; i < items.size(); ++i) kept[i] = *AsConstant(items[i]);
    return Constant(Value::List({kept, items.size()}));
  }

  uint32_t Map(const Expr& expr) {
    std::vector<uint32_t> parts;
    bool constant = environment_.options().fold_constants && !AnyOptional(expr);
    for (const Expr* part : expr.args) {
      parts.push_back(Make(*part, false));
      constant = constant && AsConstant(parts.back()) != nullptr;
    }
    if (!constant) return WithOperands({.op = Op::kMap, .cost = 30}, parts, expr, 2);
    auto* map = new (code_->arena.Allocate(sizeof(EntryMap), alignof(EntryMap))) EntryMap;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      map->Set(code_->arena, *AsConstant(parts[i]), *AsConstant(parts[i + 1]));
    return Constant(Value::Map(map));
  }

  uint32_t Struct(const Expr& expr) {
    const Declaration* declaration = expr.type->declaration;
    if (declaration == nullptr) declaration = environment_.FindStruct(expr.name);
    if (declaration != nullptr && declaration->open) {
      if (code_->open_types == nullptr) code_->open_types = std::make_unique<Declarations>();
      Declaration* copy = code_->open_types->New();
      copy->reading = Reading::kObject;
      copy->open = true;
      copy->name = declaration->name;
      declaration = copy;
    }
    std::vector<uint32_t> parts;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      code_->constants.push_back(Value::String(code_->arena.CopyString(expr.fields[i])));
      parts.push_back(static_cast<uint32_t>(code_->constants.size() - 1));
      parts.push_back(Make(*expr.args[i], false));
    }
    code_->constants.push_back(Value::Opaque(OpaqueKind::kFormat, declaration));
    auto type = static_cast<uint32_t>(code_->constants.size() - 1);
    return WithOperands({.op = Op::kStruct, .cost = 40, .a = type}, parts, expr, 2);
  }

  uint32_t Slot() { return code_->slots++; }

  // Whether `expr` adds one item to the accumulator: "accumulator + [item]".
  static bool IsAppend(const Expr& expr, std::string_view accumulator) {
    return expr.kind == ExprKind::kCall && !expr.member && expr.name == "_+_" &&
           expr.args[0]->kind == ExprKind::kIdent && expr.args[0]->name == accumulator && expr.args[0]->variable < 0 &&
           expr.args[1]->kind == ExprKind::kList && expr.args[1]->args.size() == 1 && expr.args[1]->optional.empty();
  }

  uint32_t MakeAppend(const Expr& expr, uint32_t slot) {
    uint32_t item = Make(*expr.args[1]->args[0], false);
    bool constant = environment_.options().fold_constants && AsConstant(item) != nullptr;
    // The list that holds the item, and the sum.
    return Add({.op = Op::kAppend, .cost = static_cast<uint8_t>(constant ? 1 : 11), .a = slot, .b = item});
  }

  uint32_t MakeStep(const Expr& expr, std::string_view accumulator, uint32_t slot) {
    if (IsAppend(expr, accumulator)) return MakeAppend(expr, slot);
    if (expr.kind == ExprKind::kCall && expr.name == "_?_:_" && IsAppend(*expr.args[1], accumulator)) {
      std::vector<uint32_t> parts{Make(*expr.args[0], false), MakeAppend(*expr.args[1], slot),
                                  Make(*expr.args[2], true)};
      return Add({.op = Op::kTernary, .count = 3, .b = Operands(parts)});
    }
    return Make(expr, false);
  }

  uint32_t Comprehension(const Expr& expr) {
    size_t outer = locals_.size();
    if (expr.name == kUnusedVariable) return Bind(expr);
    Fold fold{};
    fold.start = Make(*expr.start(), false);
    fold.range = Make(*expr.range(), false);
    fold.accumulator = Slot();
    fold.first = Slot();
    fold.second = expr.name2.empty() ? fold.first : Slot();
    fold.two_variables = !expr.name2.empty();
    fold.collects = expr.start()->kind == ExprKind::kMap || expr.start()->kind == ExprKind::kList;
    // The accumulator hides a variable of its name.
    locals_.push_back({expr.name, fold.first});
    if (fold.two_variables) locals_.push_back({expr.name2, fold.second});
    locals_.push_back({expr.accumulator, fold.accumulator});
    fold.condition = Make(*expr.condition(), false);
    fold.step = MakeStep(*expr.step(), expr.accumulator, fold.accumulator);
    locals_.resize(outer);
    locals_.push_back({expr.accumulator, fold.accumulator});
    fold.result = Make(*expr.result(), false);
    locals_.resize(outer);
    code_->folds.push_back(fold);
    return Add({.op = Op::kFold, .a = static_cast<uint32_t>(code_->folds.size() - 1)});
  }

  // A loop over nothing, which gives a value a name.
  uint32_t Bind(const Expr& expr) {
    uint32_t value = Make(*expr.start(), false);
    uint32_t slot = Slot();
    locals_.push_back({expr.accumulator, slot, static_cast<int32_t>(value)});
    uint32_t result = Make(*expr.result(), false);
    locals_.pop_back();
    // The empty range is a list like any other where constants are not folded.
    return Add({.op = Op::kBind,
                .cost = static_cast<uint8_t>(environment_.options().fold_constants ? 0 : 10),
                .a = slot,
                .b = result});
  }

  const Environment& environment_;
  const Ast& ast_;
  std::unique_ptr<Code> code_;
  std::vector<Local> locals_;
  std::string error_;
};

}  // namespace

std::expected<std::unique_ptr<Code>, std::string> Plan(const Environment& environment, const Ast& ast) {
  return Planner(environment, ast).Run();
}

}  // namespace cel
