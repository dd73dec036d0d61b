#include "cel/composition.h"

#include <algorithm>

namespace cel {

namespace {

// Lists in lists of a variable's type, beyond which it is dyn: each variable may wrap the one before, and every
// expression is compiled against all of them.
constexpr int kMostNested = 16;

bool IsDeep(const Type& type, int left) {
  return left == 0 || std::ranges::any_of(type.parameters, [&](const Type* inner) { return IsDeep(*inner, left - 1); });
}

}  // namespace

VariablesType::VariablesType() : types_(std::make_shared<TypePool>()) {}

void VariablesType::Add(std::string_view name, const Type& type) {
  const Type* copied = IsDeep(type, kMostNested) ? &kDynType : types_->Copy(&type);
  const auto known = std::ranges::find(fields_, name, &Field::name);
  if (known != fields_.end()) {
    known->type = copied;
  } else {
    fields_.push_back({std::string(name), copied});
  }
}

std::pair<const Declaration*, std::shared_ptr<const Declarations>> VariablesType::Declare() const {
  auto declarations = std::make_shared<Declarations>();
  Declaration* made = declarations->New();
  made->reading = Reading::kObject;
  made->name = "kubernetes.variables";
  for (const Field& field : fields_) {
    Declaration* declaration = declarations->New();
    declaration->type = declarations->types().Copy(field.type);
    made->fields.push_back({field.name, field.name, declaration, false});
  }
  std::sort(made->fields.begin(), made->fields.end(),
            [](const DeclaredField& a, const DeclaredField& b) { return a.name < b.name; });
  made->type = declarations->types().Struct(made->name, made);
  return {made, declarations};
}

bool VariableValues::Get(std::string_view name, Value& result) {
  const auto found = std::ranges::lower_bound(variables_, name, {}, &ComposedVariable::name);
  if (found == variables_.end() || found->name != name) return false;
  auto index = static_cast<size_t>(found - variables_.begin());
  if (known_[index] == 2) {  // only ones before it can be asked for
    result = Value::Error("variable uses itself");
    return true;
  }
  if (known_[index] == 0) {
    known_[index] = 2;
    auto failed = [&](std::string_view reason) {
      return Value::Error(
          arena_, "composited variable \"" + std::string(name) + "\" fails to evaluate: " + std::string(reason));
    };
    if (found->program == nullptr) {
      values_[index] =
          Value::Error(arena_, "composited variable \"" + std::string(name) + "\" fails to compile: " + found->error);
    } else {
      evaluations_.push_back(std::make_unique<Evaluation>());
      Evaluation& evaluation = *evaluations_.back();
      Value value = found->program->Evaluate(activation_, evaluation);
      cost_ += evaluation.cost;
      values_[index] = value.is_error() ? failed(value.text()) : value;
    }
    known_[index] = 1;
  }
  result = values_[index];
  return true;
}

}  // namespace cel
