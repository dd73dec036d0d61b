#include "cel/policy_environment.h"

#include <map>
#include <mutex>
#include <tuple>

#include "cel/kubernetes_variables.h"

namespace cel {
namespace {

// What all of them declare.
struct Shared {
  std::shared_ptr<Declarations> declarations = std::make_shared<Declarations>();
  const Declaration* request = DeclareAdmissionRequest(*declarations);
  const Declaration* namespace_object = DeclareNamespace(*declarations);
  const Type* authorizer = AuthorizerType(*declarations);
  const Type* resource_check = ResourceCheckType(*declarations);
  std::shared_ptr<Declarations> patches = std::make_shared<Declarations>();
  const Declaration* json_patch = DeclareJsonPatch(*patches);
};

const Shared& SharedDeclarations() {
  static const Shared* const shared = new Shared;
  return *shared;
}

using Composed = std::pair<const Declaration*, std::shared_ptr<const Declarations>>;

std::shared_ptr<const Environment> Make(const AdmissionVariables& variables, const Composed* composed,
                                        const PolicyTypes* types = nullptr) {
  const Shared& shared = SharedDeclarations();
  Environment::Builder builder({.version = variables.version, .patches = variables.has_patches});
  const auto declare = [&](std::string_view name, const Declaration* declaration) {
    declaration == nullptr ? builder.Declare(name, &kDynType) : builder.Declare(name, declaration);
  };
  declare("object", types == nullptr ? nullptr : types->object);
  declare("oldObject", types == nullptr ? nullptr : types->object);
  builder.Declare("namespaceObject", shared.namespace_object).Declare("request", shared.request);
  if (composed != nullptr) builder.Declare("variables", composed->first).Keep(composed->second);
  if (variables.has_params) declare("params", types == nullptr ? nullptr : types->params);
  if (variables.has_authorizer) builder.Declare("authorizer", shared.authorizer);
  if (variables.has_authorizer && types == nullptr) {
    builder.Declare("authorizer.requestResource", shared.resource_check);
  }
  if (variables.has_patches) builder.DeclareOpenTypes("Object").Keep(shared.patches);
  if (types != nullptr && types->declarations != nullptr) builder.Keep(types->declarations);
  return builder.Keep(shared.declarations).Build();
}

// Types that a variable's field can have: others are dyn.
const Type* FieldType(TypePool& types, const Type& type) {
  if (type.nullable) return &kDynType;
  switch (type.kind) {
    case TypeKind::kAny:
    case TypeKind::kBool:
    case TypeKind::kBytes:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return &type;
    case TypeKind::kList:
      return types.List(FieldType(types, *type.parameters[0]));
    case TypeKind::kMap:
      return types.Map(FieldType(types, *type.parameters[0]), FieldType(types, *type.parameters[1]));
    default:
      return &kDynType;
  }
}

}  // namespace

std::shared_ptr<const Environment> AdmissionEnvironment(const AdmissionVariables& variables) {
  using Key = std::tuple<int, bool, bool, bool>;
  static std::mutex mutex;
  static auto* const made = new std::map<Key, std::shared_ptr<const Environment>>;  // a few a version
  const Key key{variables.version.minor, variables.has_params, variables.has_authorizer, variables.has_patches};
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Environment>& environment = (*made)[key];
  if (environment == nullptr) environment = Make(variables, nullptr);
  return environment;
}

std::shared_ptr<const Environment> PolicyEnvironment::Get(Version version, bool has_authorizer, bool has_patches) {
  const size_t place = (version == kStoredExpressions ? 4 : 0) + (has_authorizer ? 2 : 0) + (has_patches ? 1 : 0);
  std::shared_ptr<const Environment>& environment = made_[place];
  if (environment == nullptr) {
    const Composed composed = variables_.Declare();
    environment = Make(
        {.version = version, .has_params = has_params_, .has_authorizer = has_authorizer, .has_patches = has_patches},
        &composed, types_ ? &*types_ : nullptr);
  }
  return environment;
}

void PolicyEnvironment::Add(std::string_view name, const Type* type) {
  TypePool types;
  variables_.Add(name, type == nullptr ? kDynType : *FieldType(types, *type));
  made_ = {};
}

}  // namespace cel
