#include "cel/unify.h"

namespace cel {
namespace {

constexpr int kMaxDepth = 200;  // of types within types while they are compared

bool IsDynOrError(const Type& type) { return type.is_dyn() || type.kind == TypeKind::kError; }

bool TakesNull(const Type& type) {
  switch (type.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return type.nullable;
  }
}

bool EqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.is_dyn() || a.kind == TypeKind::kParam) return true;
  if (b.is_dyn() || b.kind == TypeKind::kParam || a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kOpaque:
      if (a.name != b.name) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kMap:
      if (a.parameters.size() != b.parameters.size()) return false;
      for (size_t i = 0; i < a.parameters.size(); ++i) {
        if (!EqualOrLessSpecific(*a.parameters[i], *b.parameters[i])) return false;
      }
      return true;
    case TypeKind::kType:
      return true;
    default:
      return Same(a, b);
  }
}

}  // namespace

const Type* MostGeneral(const Type* a, const Type* b) { return EqualOrLessSpecific(*a, *b) ? a : b; }

const Type* Bindings::NewVariable() {
  const Type* variable = types_.Variable(static_cast<int32_t>(variables_.size()));
  variables_.push_back(nullptr);
  return variable;
}

const Type* Bindings::Find(const Type& parameter) const {
  if (parameter.variable >= 0) return variables_[static_cast<size_t>(parameter.variable)];
  for (const Bound& bound : named_) {
    if (bound.name == parameter.name) return bound.type;
  }
  return nullptr;
}

void Bindings::Bind(const Type& parameter, const Type* to) {
  if (parameter.variable >= 0) {
    auto index = static_cast<size_t>(parameter.variable);
    changes_.push_back({true, index, variables_[index]});
    variables_[index] = to;
    return;
  }
  for (size_t i = 0; i < named_.size(); ++i) {
    if (named_[i].name != parameter.name) continue;
    changes_.push_back({false, i, named_[i].type});
    named_[i].type = to;
    return;
  }
  changes_.push_back({false, named_.size(), nullptr});
  named_.push_back({parameter.name, to});
}

void Bindings::Undo(size_t mark) {
  while (changes_.size() > mark) {
    const Change& change = changes_.back();
    if (change.variable) {
      variables_[change.index] = change.before;
    } else {
      named_[change.index].type = change.before;
    }
    changes_.pop_back();
  }
}

bool Bindings::Assign(const Type* from, const Type* to) {
  size_t mark = changes_.size();
  if (AssignInner(from, to, 0)) return true;
  Undo(mark);
  return false;
}

bool Bindings::AssignAll(std::span<const Type* const> from, std::span<const Type* const> to) {
  if (from.size() != to.size()) return false;
  size_t mark = changes_.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (AssignInner(from[i], to[i], 0)) continue;
    Undo(mark);
    return false;
  }
  return true;
}

bool Bindings::AssignInner(const Type* from, const Type* to, int depth) {
  if (depth > kMaxDepth) return false;
  if (to->kind == TypeKind::kParam) {
    bool bound = false;
    if (Fits(from, to, bound, depth)) return true;
    if (bound) return false;
  }
  if (from->kind == TypeKind::kParam) {
    bool bound = false;
    return Fits(to, from, bound, depth);
  }
  if (IsDynOrError(*from) || IsDynOrError(*to)) return true;
  if (from->kind == TypeKind::kNull) return TakesNull(*to);
  if (to->kind == TypeKind::kNull) return TakesNull(*from);
  switch (from->kind) {
    case TypeKind::kType:
      return to->kind == TypeKind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      if (from->kind != to->kind || from->name != to->name || from->parameters.size() != to->parameters.size())
        return false;
      for (size_t i = 0; i < from->parameters.size(); ++i) {
        if (!AssignInner(from->parameters[i], to->parameters[i], depth + 1)) return false;
      }
      return true;
    default:
      return Assignable(*to, *from);
  }
}

bool Bindings::Fits(const Type* type, const Type* parameter, bool& bound, int depth) {
  if (type->kind == TypeKind::kParam && Same(*type, *parameter)) {
    bound = true;
    return true;
  }
  if (const Type* now = Find(*parameter)) {
    bound = true;
    if (type->kind == now->kind && Same(*type, *now)) return true;
    if (!AssignInner(type, now, depth + 1)) return false;
    const Type* general = MostGeneral(type, now);
    if (NotIn(*parameter, *general, 0)) Bind(*parameter, general);
    return true;
  }
  if (!NotIn(*parameter, *type, 0)) return false;
  Bind(*parameter, type);
  return true;
}

bool Bindings::NotIn(const Type& type, const Type& within, int depth) const {
  if (depth > kMaxDepth || Same(type, within)) return false;
  if (within.kind == TypeKind::kParam) {
    const Type* bound = Find(within);
    return bound == nullptr || NotIn(type, *bound, depth + 1);
  }
  switch (within.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
    case TypeKind::kType:
      for (const Type* parameter : within.parameters) {
        if (!NotIn(type, *parameter, depth + 1)) return false;
      }
      return true;
    default:
      return true;
  }
}

const Type* Bindings::Substitute(const Type* type, bool unbound_to_dyn) {
  while (type->kind == TypeKind::kParam) {
    const Type* bound = Find(*type);
    if (bound == nullptr) return unbound_to_dyn ? &kDynType : type;
    type = bound;
  }
  if (type->parameters.empty()) return type;
  const Type* changed[8];
  bool any = false;
  size_t count = std::min<size_t>(type->parameters.size(), 8);
  for (size_t i = 0; i < count; ++i) {
    changed[i] = Substitute(type->parameters[i], unbound_to_dyn);
    any |= changed[i] != type->parameters[i];
  }
  if (!any) return type;
  switch (type->kind) {
    case TypeKind::kList:
      return types_.List(changed[0]);
    case TypeKind::kMap:
      return types_.Map(changed[0], changed[1]);
    case TypeKind::kType:
      return types_.TypeOf(changed[0]);
    default:
      return types_.Opaque(type->name, std::span(changed, count));
  }
}

const Type* Bindings::Instantiate(const Type* type, std::vector<std::pair<std::string_view, const Type*>>& names) {
  if (type->kind == TypeKind::kParam) {
    for (auto& [name, variable] : names) {
      if (name == type->name) return variable;
    }
    names.emplace_back(type->name, NewVariable());
    return names.back().second;
  }
  if (type->parameters.empty()) return type;
  const Type* changed[8];
  bool any = false;
  size_t count = std::min<size_t>(type->parameters.size(), 8);
  for (size_t i = 0; i < count; ++i) {
    changed[i] = Instantiate(type->parameters[i], names);
    any |= changed[i] != type->parameters[i];
  }
  if (!any) return type;
  switch (type->kind) {
    case TypeKind::kList:
      return types_.List(changed[0]);
    case TypeKind::kMap:
      return types_.Map(changed[0], changed[1]);
    case TypeKind::kType:
      return types_.TypeOf(changed[0]);
    default:
      return types_.Opaque(type->name, std::span(changed, count));
  }
}

}  // namespace cel
