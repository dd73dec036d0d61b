#include "cel/environment.h"

#include <algorithm>

namespace cel {

Environment::Builder::Builder(EnvironmentOptions options) : made_(std::make_shared<Environment>()) {
  made_->options_ = std::move(options);
}

Environment::Builder& Environment::Builder::Declare(std::string_view name, const Type* type) {
  made_->variables_.push_back({std::string(name), type, nullptr});
  return *this;
}

Environment::Builder& Environment::Builder::Declare(std::string_view name, const Declaration* declaration) {
  made_->variables_.push_back({std::string(name), declaration->type, declaration});
  return *this;
}

Environment::Builder& Environment::Builder::Keep(std::shared_ptr<const Declarations> declarations) {
  made_->kept_.push_back(std::move(declarations));
  return *this;
}

Environment::Builder& Environment::Builder::DeclareFunction(std::string_view name, std::string_view overload,
                                                            bool member, std::span<const Type* const> arguments,
                                                            const Type* result) {
  value::Arena& arena = made_->types_.arena();
  auto* kept = arena.AllocateArray<const Type*>(arguments.size());
  std::copy(arguments.begin(), arguments.end(), kept);
  auto found = std::find_if(made_->extra_.begin(), made_->extra_.end(),
                            [&](const Function& function) { return function.name == name; });
  if (found == made_->extra_.end()) {
    const Function* known = cel::FindFunction(name);
    made_->extra_.push_back(known != nullptr ? *known : Function{arena.CopyString(name), {}});
    found = std::prev(made_->extra_.end());
  }
  Overload made{.name = arena.CopyString(overload),
                .member = member,
                .arguments = {kept, arguments.size()},
                .result = result,
                .parametric = true};
  found->overloads.push_back(made);
  return *this;
}

Environment::Builder& Environment::Builder::DeclareOpenTypes(std::string_view root) {
  made_->open_root_ = root;
  return *this;
}

bool Environment::IsOpenType(std::string_view name) const {
  if (open_root_.empty() || !name.starts_with(open_root_)) return false;
  return name.size() == open_root_.size() || name[open_root_.size()] == '.';
}

TypePool& Environment::Builder::types() { return made_->types_; }

std::shared_ptr<const Environment> Environment::Builder::Build() { return std::move(made_); }

int Environment::FindVariable(std::string_view name) const {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

bool Environment::Has(const Overload& overload) const {
  switch (overload.since) {
    case Since::k1_0:
      return true;
    case Since::k1_27:
      return at_least(27);
    case Since::k1_28:
      return at_least(28);
    case Since::k1_29:
      return at_least(29);
    case Since::k1_30:
      return at_least(30);
    case Since::k1_31:
      return at_least(31);
    case Since::kSelectors:
      return at_least(31) && options_.authorize_with_selectors;
    case Since::k1_32:
      return at_least(32);
    case Since::kPatches:
      return options_.patches;
  }
  return false;
}

bool Environment::HasFunction(const Function& function) const {
  return std::any_of(function.overloads.begin(), function.overloads.end(),
                     [&](const Overload& overload) { return Has(overload); });
}

const Function* Environment::FindFunction(std::string_view name) const {
  for (const Function& function : extra_) {
    if (function.name == name) return &function;
  }
  const Function* function = cel::FindFunction(name);
  return function != nullptr && HasFunction(*function) ? function : nullptr;
}

const Declaration* Environment::FindStruct(std::string_view name) const {
  for (const auto& declarations : kept_) {
    if (const Declaration* found = declarations->FindType(name)) return found;
  }
  return nullptr;
}

const Type* Environment::FindTypeName(std::string_view name) const {
  struct Named {
    std::string_view name;
    const Type* type;
    int since;
  };
  static TypePool* const pool = new TypePool;  // never freed: constants
  static const Named kNamed[] = {
      {"bool", &kBoolType, 0},
      {"bytes", &kBytesType, 0},
      {"double", &kDoubleType, 0},
      {"google.protobuf.Duration", &kDurationType, 0},
      {"int", &kIntType, 0},
      {"list", pool->List(pool->Parameter("A")), 0},
      {"map", pool->Map(pool->Parameter("A"), pool->Parameter("B")), 0},
      {"null_type", &kNullType, 0},
      {"string", &kStringType, 0},
      {"google.protobuf.Timestamp", &kTimestampType, 0},
      {"type", &kTypeType, 0},
      {"uint", &kUintType, 0},
      {"optional_type", pool->Optional(pool->Parameter("V")), 28},
      {"net.IP", pool->Opaque("net.IP", {}), 30},
      {"net.CIDR", pool->Opaque("net.CIDR", {}), 30},
  };
  for (const Named& named : kNamed) {
    if (named.name == name) return named.since == 0 || at_least(named.since) ? named.type : nullptr;
  }
  return nullptr;
}

}  // namespace cel
