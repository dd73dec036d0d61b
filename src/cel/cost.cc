#include "cel/cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/macros.h"
#include "cel/rates.h"

namespace cel {

// The path of a declaration: field names, "@items", "@values", "@keys".
std::optional<SizeRange> DeclaredSizes::Size(std::span<const std::string_view> path, const Type& type) {
  (void)type;
  if (path.empty()) return std::nullopt;
  // Whatever a path begins with, the estimator of definitions goes on from the one type that its variables have: also
  // for a part of a literal, whose path begins with "@items".
  const auto declared = std::ranges::find_if(environment_.variables(),
                                             [](const Variable& variable) { return variable.declaration != nullptr; });
  const Declaration* at = declared == environment_.variables().end() ? nullptr : declared->declaration;
  for (std::string_view step : path.subspan(1)) {
    if (at == nullptr) return std::nullopt;
    if (step == "@items" || step == "@values") {
      at = at->element;
    } else if (step == "@keys") {
      at = at->key;
    } else if (at->reading == Reading::kMap) {
      at = at->element;
    } else {
      const DeclaredField* field = at->Field(step);
      at = field != nullptr ? field->declaration : nullptr;
    }
  }
  if (at == nullptr || at->max_size == kNoSizeKnown) return std::nullopt;
  return SizeRange{0, at->max_size};
}

namespace {

using rates::Add;
using rates::Multiply;
using rates::Scale;

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

CostRange Union(CostRange a, CostRange b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }
CostRange Fixed(uint64_t cost) { return {cost, cost}; }

bool IsScalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    default:
      return false;
  }
}

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Estimator {
 public:
  Estimator(const Ast& ast, const Environment& environment, SizeHints& hints)
      : environment_(environment),
        hints_(hints),
        paths_(static_cast<size_t>(ast.count)),
        sizes_(static_cast<size_t>(ast.count)) {}

  CostRange Cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kIdent:
        return Ident(expr);
      case ExprKind::kSelect:
        return Select(expr);
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kList:
        return Add(Parts(expr), Fixed(10));
      case ExprKind::kMap:
        return Add(Parts(expr), Fixed(30));
      case ExprKind::kStruct:
        return Add(Parts(expr), Fixed(40));
      case ExprKind::kComprehension:
        return Comprehension(expr);
      default:
        return {};
    }
  }

 private:
  using Path = std::vector<std::string_view>;
  struct Call_ {
    CostRange cost;
    std::optional<SizeRange> result_size;
  };
  struct LoopVariable {
    std::string_view name;
    const Expr* range;
  };

  Path& PathOf(const Expr& expr) { return paths_[static_cast<size_t>(expr.id)]; }

  CostRange Parts(const Expr& expr) {
    CostRange sum;
    for (const Expr* part : expr.args) sum = Add(sum, Cost(*part));
    return sum;
  }

  CostRange Ident(const Expr& expr) {
    for (size_t i = loops_.size(); i > 0; --i) {
      if (loops_[i - 1].name != expr.name) continue;
      const Expr& range = *loops_[i - 1].range;
      if (range.type->kind == TypeKind::kList || range.type->kind == TypeKind::kMap) {
        Path path = PathOf(range);
        path.push_back(range.type->kind == TypeKind::kList ? "@items" : "@keys");
        PathOf(expr) = std::move(path);
      }
      return Fixed(1);
    }
    PathOf(expr) = {expr.name};
    return Fixed(1);
  }

  CostRange Select(const Expr& expr) {
    if (expr.test_only) return Add(Fixed(environment_.options().presence_test_has_cost ? 1 : 0), Cost(*expr.target));
    CostRange sum = Cost(*expr.target);
    TypeKind kind = expr.target->type->kind;
    if (kind == TypeKind::kMap || kind == TypeKind::kStruct || kind == TypeKind::kParam) sum = Add(sum, Fixed(1));
    Path path = PathOf(*expr.target);
    path.push_back(expr.name);
    PathOf(expr) = std::move(path);
    return sum;
  }

  CostRange Comprehension(const Expr& expr) {
    CostRange sum = Add(Cost(*expr.range()), Cost(*expr.start()));
    loops_.push_back({expr.name, expr.range()});
    CostRange loop = Cost(*expr.condition());
    CostRange step = Cost(*expr.step());
    loops_.pop_back();
    sum = Add(sum, Cost(*expr.result()));
    SizeRange count = SizeOf(*expr.range());
    sizes_[static_cast<size_t>(expr.id)] = count;
    return Add(sum, Multiply(count, Add(step, loop)));
  }

  std::optional<SizeRange> ComputedSize(const Expr& expr) {
    if (const auto& size = sizes_[static_cast<size_t>(expr.id)]) return size;
    switch (expr.kind) {
      case ExprKind::kLiteral: {
        int64_t size = 1;
        if (!cel::SizeOf(expr.literal, size)) size = 1;
        return Fixed(static_cast<uint64_t>(size));
      }
      case ExprKind::kList:
        return Fixed(expr.args.size());
      case ExprKind::kMap:
        return Fixed(expr.args.size() / 2);
      default:
        return std::nullopt;
    }
  }

  // The size that the hints know of what `expr` stands for.
  std::optional<SizeRange> HintedSize(const Expr& expr) {
    const Path& path = PathOf(expr);
    if (!path.empty() && path[0] == kAccumulator) return hints_.Size({}, *expr.type);
    return hints_.Size(path, *expr.type);
  }

  SizeRange SizeOf(const Expr& expr) {
    if (auto size = ComputedSize(expr)) return *size;
    if (auto size = HintedSize(expr)) return *size;
    return IsScalar(*expr.type) ? Fixed(1) : SizeRange{0, kUnlimited};
  }

  // As SizeOf, for the functions of Kubernetes: a scalar's size is not known.
  SizeRange LibrarySize(const Expr& expr) {
    if (auto size = ComputedSize(expr)) return *size;
    if (auto size = HintedSize(expr)) return *size;
    return {0, kUnlimited};
  }

  // The size of an item of the list `expr`; false if it is no list.
  bool ItemSize(const Expr& expr, const Type*& item, SizeRange& size) {
    if (expr.type->parameters.empty()) return false;
    item = expr.type->parameters[0];
    Path path = PathOf(expr);
    if (!path.empty() && path[0] == kAccumulator) path.clear();
    if (!path.empty()) path.push_back("@items");
    auto known = hints_.Size(path, *item);
    size = known ? *known : SizeRange{0, kUnlimited};
    return true;
  }

  CostRange Call(const Expr& expr) {
    std::vector<CostRange> costs;
    CostRange args;
    for (const Expr* arg : expr.args) {
      costs.push_back(Cost(*arg));
      args = Add(args, costs.back());
    }
    if (expr.overloads.empty()) return {};
    CostRange sum;
    if (expr.member) sum = Cost(*expr.target);
    CostRange cost{kUnlimited, 0};
    std::optional<SizeRange> result_size;
    for (const Overload* overload : expr.overloads) {
      Call_ call = OverloadCost(expr, *overload, costs, args);
      cost = Union(cost, call.cost);
      if (call.result_size) result_size = result_size ? Union(*result_size, *call.result_size) : *call.result_size;
      if (overload->id == OverloadId::kIndexList || overload->id == OverloadId::kIndexMap) {
        Path path = PathOf(*expr.args[0]);
        path.push_back(overload->id == OverloadId::kIndexList ? "@items" : "@values");
        PathOf(expr) = std::move(path);
      }
    }
    if (result_size) sizes_[static_cast<size_t>(expr.id)] = result_size;
    return Add(sum, cost);
  }

  Call_ OverloadCost(const Expr& expr, const Overload& overload, const std::vector<CostRange>& costs, CostRange args) {
    if (auto fixed = hints_.CallCost(overload.name)) return {Add(Fixed(*fixed), args), {}};
    if (expr.name.starts_with("sets.")) return {Add(Sets(expr).cost, args), {}};
    if (environment_.options().kubernetes_costs) {
      if (auto call = Kubernetes(expr, overload)) {
        call->cost = Add(call->cost, args);
        return *call;
      }
    }
    return Standard(expr, overload, costs, args);
  }

  Call_ Standard(const Expr& expr, const Overload& overload, const std::vector<CostRange>& costs, CostRange args) {
    auto arg_size = [&](size_t i) { return SizeOf(*expr.args[i]); };
    switch (overload.id) {
      case OverloadId::kStringFormat:
        if (expr.member) return {Add(Scale(SizeOf(*expr.target), 0.1), args), {}};
        break;
      case OverloadId::kStringToBytes: {
        SizeRange size = arg_size(0);
        return {Add(Scale(size, 0.1), args), SizeRange{size.min, size.max * 4}};
      }
      case OverloadId::kBytesToString: {
        SizeRange size = arg_size(0);
        return {Add(Scale(size, 0.1), args), SizeRange{size.min / 4, size.max}};
      }
      case OverloadId::kStringsQuote: {
        SizeRange size = arg_size(0);
        return {Add(Scale(size, 0.1), args), SizeRange{size.min + 2, size.max * 2 + 2}};
      }
      case OverloadId::kStartsWithString:
      case OverloadId::kEndsWithString:
        return {Add(Scale(arg_size(0), 0.1), args), {}};
      case OverloadId::kInList:
        return {Add(Scale(arg_size(1), 1), args), {}};
      case OverloadId::kMatchesString: {
        CostRange text = Scale(Add(SizeOf(*expr.target), Fixed(1)), 0.1);
        return {Add(Multiply(text, Scale(arg_size(0), 0.25)), args), {}};
      }
      case OverloadId::kContainsString:
        return {Add(Multiply(Scale(SizeOf(*expr.target), 0.1), Scale(arg_size(0), 0.1)), args), {}};
      case OverloadId::kLogicalOr:
      case OverloadId::kLogicalAnd:
        return {{costs[0].min, Add(costs[0], costs[1]).max}, {}};
      case OverloadId::kConditional:
        return {Add(costs[0], Union(costs[1], costs[2])), Union(arg_size(1), arg_size(2))};
      case OverloadId::kAddList:
        return {Add(Fixed(1), args), Add(arg_size(0), arg_size(1))};
      case OverloadId::kAddString:
      case OverloadId::kAddBytes: {
        SizeRange size = Add(arg_size(0), arg_size(1));
        return {Add(Scale(size, 0.1), args), size};
      }
      case OverloadId::kLessString:
      case OverloadId::kGreaterString:
      case OverloadId::kLessEqualsString:
      case OverloadId::kGreaterEqualsString:
      case OverloadId::kLessBytes:
      case OverloadId::kGreaterBytes:
      case OverloadId::kLessEqualsBytes:
      case OverloadId::kGreaterEqualsBytes:
      case OverloadId::kEquals:
      case OverloadId::kNotEquals: {
        uint64_t most = std::min(arg_size(0).max, arg_size(1).max);
        return {Add(Scale({most > 0 ? uint64_t{1} : 0, most}, 0.1), args), {}};
      }
      default:
        break;
    }
    return {Add(Fixed(1), args), {}};
  }

  // The functions of Kubernetes, by name as there.
  std::optional<Call_> Kubernetes(const Expr& expr, const Overload& overload) {
    std::string_view name = expr.name;
    const Expr* target = expr.target;
    size_t count = expr.args.size();
    auto scaled = [&](const Expr& of, double factor) { return Call_{Scale(LibrarySize(of), factor), {}}; };
    if (IsOneOf(name, {"check"})) return Call_{Fixed(350000), {}};
    if (IsOneOf(name, {"serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed",
                       "reason", "error", "errored"}))
      return Call_{Fixed(1), {}};
    if (IsOneOf(name, {"fieldSelector", "labelSelector"}) && count == 1)
      return Call_{rates::Selector(LibrarySize(*expr.args[0])), {}};
    if (IsOneOf(name, {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"}))
      return target != nullptr ? std::optional(OverList(*target)) : std::nullopt;
    if (name == "url" && count == 1) return Call_{Scale(LibrarySize(*expr.args[0]), 0.1), LibrarySize(*expr.args[0])};
    if (IsOneOf(name, {"lowerAscii", "upperAscii", "substring", "trim"}) && target != nullptr)
      return Call_{Scale(LibrarySize(*target), 0.1), LibrarySize(*target)};
    if (name == "replace" && target != nullptr && count >= 2) {
      SizeRange size = LibrarySize(*target);
      return Call_{Scale(size, 0.2), rates::ReplacedSize(size, LibrarySize(*expr.args[0]), LibrarySize(*expr.args[1]))};
    }
    if (name == "split" && target != nullptr) return Split(expr, *target);
    if (name == "join" && target != nullptr) return Join(expr, *target);
    if (IsOneOf(name, {"find", "findAll"}) && target != nullptr && count >= 1) {
      SizeRange size = LibrarySize(*target);
      return Call_{Multiply(Scale(Add(size, Fixed(1)), 0.1), Scale(LibrarySize(*expr.args[0]), 0.25)),
                   SizeRange{0, size.max}};
    }
    if (IsOneOf(name, {"cidr", "isIP", "isCIDR", "quantity", "isQuantity"}) && count >= 1)
      return scaled(*expr.args[0], 0.1);
    if (name == "ip")
      return count >= 1 && overload.id != OverloadId::kCidrIp ? scaled(*expr.args[0], 0.1) : Call_{Fixed(1), {}};
    if (name == "ip.isCanonical" && count >= 1) return scaled(*expr.args[0], 0.2);
    if (IsOneOf(name, {"masked",
                       "prefixLength",
                       "family",
                       "isUnspecified",
                       "isLoopback",
                       "isLinkLocalMulticast",
                       "isLinkLocalUnicast",
                       "isGlobalUnicast",
                       "format.named",
                       "sign",
                       "asInteger",
                       "isInteger",
                       "asApproximateFloat",
                       "isGreaterThan",
                       "isLessThan",
                       "compareTo",
                       "add",
                       "sub",
                       "getScheme",
                       "getHostname",
                       "getHost",
                       "getPort",
                       "getEscapedPath",
                       "getQuery"})) {
      return Call_{Fixed(1), {}};
    }
    if (IsOneOf(name, {"containsIP", "containsCIDR"}) && count >= 1) {
      CostRange cost = Scale({8, 32}, 0.1);
      if (name == "containsCIDR") cost = Add(Add(cost, Scale({4, 16}, 0.1)), Fixed(1));
      bool text =
          overload.id == OverloadId::kCidrContainsIpString || overload.id == OverloadId::kCidrContainsCidrString;
      if (text) cost = Add(cost, Scale(LibrarySize(*expr.args[0]), 0.1));
      return Call_{cost, {}};
    }
    if (name == "validate" && count >= 1) return Call_{Scale(Scale(LibrarySize(*expr.args[0]), 0.1), 128 * 0.25), {}};
    if (name == "_==_") return Equality(expr);
    return std::nullopt;
  }

  Call_ OverList(const Expr& list) {
    const Type* item = nullptr;
    SizeRange item_size;
    if (!ItemSize(list, item, item_size)) return {Scale(LibrarySize(list), 0.1), {}};
    CostRange each = Fixed(1);
    if (item->kind == TypeKind::kString || item->kind == TypeKind::kBytes) each = Add(each, Scale(item_size, 0.1));
    return {Multiply(LibrarySize(list), each), {}};
  }

  Call_ Split(const Expr& expr, const Expr& target) {
    SizeRange size = LibrarySize(target);
    uint64_t most = size.max;
    if (expr.args.size() > 1 && expr.args[1]->kind == ExprKind::kLiteral && expr.args[1]->literal.is(ValueKind::kInt)) {
      most = static_cast<uint64_t>(expr.args[1]->literal.AsInt());
    }
    return {Scale(size, 0.2), SizeRange{0, most}};
  }

  Call_ Join(const Expr& expr, const Expr& target) {
    SizeRange list = LibrarySize(target);
    SizeRange size;
    const Type* item = nullptr;
    SizeRange item_size;
    if (ItemSize(target, item, item_size)) size = Multiply(list, item_size);
    if (!expr.args.empty()) {
      SizeRange gaps{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      size = Add(size, Multiply(LibrarySize(*expr.args[0]), gaps));
    }
    return {Scale(size, 0.1), size};
  }

  Call_ Sets(const Expr& expr) {
    SizeRange product = Multiply(SizeOf(*expr.args[0]), SizeOf(*expr.args[1]));
    return {Add(Scale(product, expr.name == "sets.equivalent" ? 2 : 1), Fixed(1)), {}};
  }

  std::optional<Call_> Equality(const Expr& expr) {
    if (expr.args.size() != 2 || expr.args[0]->type->name != expr.args[1]->type->name) return std::nullopt;
    const Type& type = *expr.args[0]->type;
    if (type.kind == TypeKind::kOpaque && (type.name == "net.IP" || type.name == "net.CIDR"))
      return Call_{Fixed(1), {}};
    if (type.kind != TypeKind::kStruct) return std::nullopt;
    if (type.name == "kubernetes.Quantity" || type.name.starts_with("kubernetes.authorization."))
      return Call_{Fixed(1), {}};
    if (type.name == "kubernetes.NamedFormat") return Call_{Scale({1, 64}, 0.1), {}};
    if (type.name == "kubernetes.URL") {
      auto right = ComputedSize(*expr.args[1]);
      return Call_{Scale({1, right ? right->max : 1}, 0.1), {}};
    }
    return std::nullopt;
  }

  const Environment& environment_;
  SizeHints& hints_;
  std::vector<Path> paths_;
  std::vector<std::optional<SizeRange>> sizes_;
  std::vector<LoopVariable> loops_;
};

}  // namespace

CostRange EstimateCost(const Ast& ast, const Environment& environment, SizeHints& hints) {
  return Estimator(ast, environment, hints).Cost(*ast.root);
}

}  // namespace cel
