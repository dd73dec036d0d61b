// The files about admission, schemas and configurations, which have forms of their own.
#include <cstdlib>
#include <map>

#include "cel/composition.h"
#include "cel/kubernetes_variables.h"
#include "cel/rates.h"
#include "cel/schema_declaration.h"
#include "player.h"
#include "value/json_writer.h"

namespace vectors {
namespace {

bool Flag(const value::Value& vector, std::string_view key) {
  value::Value flag = vector.Get(key);
  return flag.is_bool() && flag.AsBool();
}

cel::Version VersionOf(const value::Value& vector) {
  if (vector.GetString("environment") == "stored") return cel::kStoredExpressions;
  std::string_view text = vector.GetString("compatibility_version");
  if (text.empty()) return vector.GetString("environment") == "new" ? cel::kNewExpressions : cel::kStoredExpressions;
  return {1, std::atoi(std::string(text.substr(2)).c_str())};
}

std::string Different(std::string_view what, std::string_view wanted, std::string_view got) {
  return std::string(what) + ":\n    wanted " + std::string(wanted) + "\n    got    " + std::string(got);
}

// "Widget with string field(s) x, y".
const cel::Declaration* DeclareTextObject(cel::Declarations& declarations, std::string_view text) {
  cel::Declaration* made = declarations.New();
  made->reading = cel::Reading::kObject;
  made->name = text.substr(0, text.find(' '));
  cel::Declaration* field = declarations.New();
  field->type = &cel::kStringType;
  std::string_view names = text.substr(text.find("(s) ") + 4);
  std::string key;
  cel::UnescapeName(names, key);
  made->fields = {{std::string(names), key, field, false}};
  made->type = declarations.types().Struct(made->name, made);
  return made;
}

// What extra options add, as far as the version has them.
void AddExtra(const value::Value& vector, cel::Environment::Builder& builder, cel::Declarations& declarations) {
  bool stored = vector.GetString("environment") == "stored";
  int minor = stored ? 32 : VersionOf(vector).minor;
  auto minor_of = [](std::string_view text) { return std::atoi(std::string(text.substr(2)).c_str()); };
  for (const value::Value& extra : vector.Get("extra_options").items()) {
    if (minor_of(extra.GetString("introduced")) > minor) continue;
    // What is removed later stays removed for stored expressions too.
    int now = stored ? std::max(minor, VersionOf(vector).minor) : minor;
    if (extra.Find("removed") != nullptr && minor_of(extra.GetString("removed")) <= now) continue;
    std::map<std::string, const cel::Declaration*, std::less<>> types;
    for (const value::Value& type : extra.Get("types").items()) {
      const cel::Declaration* declaration = DeclareTextObject(declarations, type.AsString());
      types[declaration->name] = declaration;
    }
    for (const value::Value& add : extra.Get("adds").items()) {
      if (const value::Value* version = add.Find("test_library_version")) {
        builder.DeclareFunction("test", "test", false, {}, &cel::kBoolType);
        if (version->AsInt() == 1) builder.DeclareFunction("testV1", "testV1", false, {}, &cel::kBoolType);
        continue;
      }
      auto known = types.find(add.GetString("type"));
      if (known != types.end()) {
        builder.Declare(add.GetString("name"), known->second);
      } else {
        builder.Declare(add.GetString("name"), builder.types().Parse(add.GetString("type")));
      }
    }
  }
}

struct Admission {
  std::shared_ptr<const cel::Environment> environment;
  int variables = -1;
};

// The environment of admission policies. `variables` may be null.
Admission AdmissionEnvironment(const value::Value& vector, bool params, bool authorizer,
                               const cel::VariablesType* composed, const value::Value* object_schema = nullptr) {
  cel::EnvironmentOptions options{.version = VersionOf(vector)};
  if (vector.Find("authorize_with_selectors") != nullptr)
    options.authorize_with_selectors = Flag(vector, "authorize_with_selectors");
  cel::Environment::Builder builder(options);
  auto declarations = std::make_shared<cel::Declarations>();
  const cel::Declaration* object =
      object_schema != nullptr ? cel::DeclareSchema(*declarations, *object_schema, "kubernetes.Object", true) : nullptr;
  for (const char* name : {"object", "oldObject"}) {
    if (object != nullptr) {
      builder.Declare(name, object);
    } else {
      builder.Declare(name, &cel::kDynType);
    }
  }
  if (params && object != nullptr) {
    builder.Declare("params", object);
  } else if (params) {
    builder.Declare("params", &cel::kDynType);
  }
  builder.Declare("request", cel::DeclareAdmissionRequest(*declarations));
  builder.Declare("namespaceObject", cel::DeclareNamespace(*declarations));
  if (authorizer) {
    builder.Declare("authorizer", cel::AuthorizerType(*declarations));
    builder.Declare("authorizer.requestResource", cel::ResourceCheckType(*declarations));
  }
  if (vector.GetString("environment") == "stored") builder.DeclareFunction("test", "test", false, {}, &cel::kBoolType);
  if (composed != nullptr) {
    auto [type, owner] = composed->Declare();
    builder.Declare("variables", type);
    builder.Keep(owner);
  }
  builder.Keep(declarations);
  return {builder.Build()};
}

void BindAll(const value::Value& vector, Values& values, cel::Activation& activation) {
  for (const value::Member& variable : vector.Get("vars").members()) {
    if (variable.key == "authorizer") {
      activation.Bind("authorizer", values.MakeAuthorizer(variable.value, false, {}));
      activation.Bind("authorizer.requestResource",
                      values.MakeAuthorizer(variable.value, true, vector.Get({"vars", "request"})));
    } else {
      activation.Bind(variable.key, variable.value);
    }
  }
}

// As ValidatingAdmissionPolicy runs it: variables, one expression after the other, one budget.
std::string PlayAdmission(const value::Value& vector) {
  cel::VariablesType type;
  std::vector<cel::ComposedVariable> composed;
  std::vector<std::shared_ptr<const cel::Environment>> kept;
  for (const value::Value& variable : vector.Get("variables").items()) {
    auto environment = AdmissionEnvironment(vector, true, true, &type).environment;
    auto checked = cel::Check(environment, variable.GetString("expr"));
    cel::ComposedVariable made{.name = std::string(variable.GetString("name"))};
    if (checked) {
      auto program = cel::MakeProgram(*checked);
      if (program)
        made.program = *program;
      else
        made.error = program.error();
      type.Add(made.name, checked->type());
    } else {
      made.error = checked.error();
      type.Add(made.name, cel::kDynType);
    }
    composed.push_back(std::move(made));
  }
  auto environment =
      AdmissionEnvironment(vector, vector.Get("vars").Find("params") != nullptr, true, &type).environment;
  cel::Activation activation(*environment);
  cel::Evaluation memory;
  Values values(memory.arena);
  BindAll(vector, values, activation);
  // A variable's program has the variables in other places than the expression: bind the same ones there.
  auto variable_environment = AdmissionEnvironment(vector, true, true, &type).environment;
  cel::Activation variable_activation(*variable_environment);
  BindAll(vector, values, variable_activation);
  cel::VariableValues lazy(composed, variable_activation, memory.arena);
  activation.Bind("variables", cel::Value::Lazy(&lazy));
  variable_activation.Bind("variables", cel::Value::Lazy(&lazy));

  std::vector<std::string> expressions;
  if (vector.Find("expr") != nullptr) expressions.emplace_back(vector.GetString("expr"));
  for (const value::Value& expr : vector.Get("exprs").items()) expressions.emplace_back(expr.AsString());
  value::Value stated = vector.Get("budget");
  int64_t budget = stated.is_int() ? stated.AsInt() : 10'000'000;
  uint64_t counted = 0;
  std::string error;
  Outcome outcome;
  for (const std::string& expression : expressions) {
    auto checked = cel::Check(environment, expression);
    if (!checked) {
      error = "compilation error: compilation failed: " + checked.error();
      break;
    }
    auto program = cel::MakeProgram(*checked);
    if (!program) {
      error = "program instantiation failed: " + program.error();
      break;
    }
    outcome.program = *program;
    if (Flag(vector, "expect_compiles")) continue;
    if (value::Value limit = vector.Get("per_call_limit"); limit.is_int())
      outcome.evaluation->cost_limit = static_cast<uint64_t>(limit.AsInt());
    outcome.evaluation->cost = 0;
    outcome.value = (*program)->Evaluate(activation, *outcome.evaluation);
    budget -= static_cast<int64_t>(outcome.evaluation->cost + lazy.cost() - counted);
    counted = lazy.cost();
    if (outcome.value.is_error()) {
      error = "expression '" + expression + "' resulted in error: " + std::string(outcome.value.text());
      break;
    }
    if (budget < 0) {
      error = "validation failed due to running out of cost budget, no further validation rules will be run";
      break;
    }
  }
  if (const value::Value* part = vector.Find("expect_error_contains")) {
    return error.contains(part->AsString())
               ? ""
               : Different("error", part->AsString(), error.empty() ? Show(outcome.value) : error);
  }
  if (!error.empty()) return Flag(vector, "expect_error") ? "" : Different("error", "none", error);
  if (Flag(vector, "expect_error")) return Different("error", "one", Show(outcome.value));
  if (const value::Value* value = vector.Find("expect_value");
      value != nullptr && !Matches(*value, outcome.value, false))
    return Different("value", "another one", Show(outcome.value));
  if (const value::Value* left = vector.Find("expect_remaining_budget"); left != nullptr && left->AsInt() != budget)
    return Different("budget left", std::to_string(left->AsInt()), std::to_string(budget));
  return {};
}

// A result of the wrong type is a compile error of the place that has the expression.
std::string WrongResult(const cel::Type& type, std::string_view wanted) {
  if (wanted.empty() || wanted == "any") return {};
  if (FormatFull(type) == wanted) return {};
  return "must evaluate to " + std::string(wanted) + " but got " + FormatFull(type);
}

std::string PlayCompile(const value::Value& vector, const std::shared_ptr<const cel::Environment>& environment,
                        std::string_view result_type) {
  auto checked = cel::Check(environment, vector.GetString("expr"));
  std::string error = checked ? WrongResult(checked->type(), result_type) : "compilation failed: " + checked.error();
  if (const value::Value* part = vector.Find("expect_error_contains"))
    return error.contains(part->AsString()) ? "" : Different("error", part->AsString(), error);
  return error.empty() ? "" : Different("error", "none", error);
}

std::string PlayAuthorization(const value::Value& vector) {
  bool selectors = Flag(vector, "authorize_with_selectors");
  cel::Environment::Builder builder({.version = cel::kStoredExpressions, .authorize_with_selectors = selectors});
  auto declarations = std::make_shared<cel::Declarations>();
  builder.Declare("request", cel::DeclareSubjectAccessReview(*declarations, selectors)).Keep(declarations);
  return PlayCompile(vector, builder.Build(), "bool");
}

std::string PlayAuthentication(const value::Value& vector) {
  cel::Environment::Builder builder({.version = cel::kStoredExpressions});
  auto declarations = std::make_shared<cel::Declarations>();
  if (vector.GetString("variable") == "user") {
    builder.Declare("user", cel::DeclareUserInfo(*declarations)).Keep(declarations);
  } else {
    builder.Declare("claims", builder.types().Map(&cel::kStringType, &cel::kAnyType));
  }
  return PlayCompile(vector, builder.Build(), vector.GetString("result_type"));
}

std::string PlayEnvironment(const value::Value& vector) {
  cel::Environment::Builder builder({.version = VersionOf(vector)});
  auto declarations = std::make_shared<cel::Declarations>();
  AddExtra(vector, builder, *declarations);
  builder.Keep(declarations);
  auto environment = builder.Build();
  auto checked = cel::Check(environment, vector.GetString("expr"));
  if (Flag(vector, "expect_error")) return checked ? Different("error", "one", "it compiles") : "";
  if (!checked) return Different("compiles", "it does", checked.error());
  // test() has no code here; that it is known is what counts.
  if (vector.GetString("expr").starts_with("test")) return {};
  auto program = cel::MakeProgram(*checked);
  if (!program) return Different("program", "one", program.error());
  cel::Evaluation evaluation;
  cel::Activation activation(*environment);
  Values values(evaluation.arena);
  for (const value::Member& variable : vector.Get("vars").members()) {
    if (variable.key == "authorizer")
      activation.Bind(variable.key, values.Make(variable.value));
    else
      activation.Bind(variable.key, variable.value);
  }
  cel::Value result = (*program)->Evaluate(activation, evaluation);
  return result.is_true() ? "" : Different("value", "true", Show(result));
}

std::string PlayEscaping(const value::Value& vector) {
  std::string text;
  if (vector.Find("unescapable") != nullptr) {
    bool good = cel::UnescapeName(vector.GetString("escaped"), text);
    if (good == Flag(vector, "unescapable"))
      return Different("unescapes", Flag(vector, "unescapable") ? "true" : "false", text);
    return good && vector.Find("unescaped") != nullptr && text != vector.GetString("unescaped")
               ? Different("unescaped", vector.GetString("unescaped"), text)
               : "";
  }
  bool good = cel::EscapeName(vector.GetString("unescaped"), text);
  if (good != Flag(vector, "escapable"))
    return Different("escapes", Flag(vector, "escapable") ? "true" : "false", text);
  if (!good) return {};
  if (text != vector.GetString("escaped")) return Different("escaped", vector.GetString("escaped"), text);
  std::string back;
  if (!cel::UnescapeName(text, back) || back != vector.GetString("unescaped"))
    return Different("unescaped", vector.GetString("unescaped"), back);
  return {};
}

std::string PlayResultSize(const value::Value& vector) {
  cel::SizeRange size = cel::rates::ReplacedSize(
      RangeOf(vector.Get("target_size")), RangeOf(vector.Get("arg_sizes")[0]), RangeOf(vector.Get("arg_sizes")[1]));
  cel::SizeRange wanted = RangeOf(vector.Get("expect_result_size"));
  auto show = [](cel::SizeRange range) { return std::to_string(range.min) + ".." + std::to_string(range.max); };
  return size == wanted ? "" : Different("size", show(wanted), show(size));
}

// An expression over documents with schemas: name -> (schema, document).
cel::Value EvaluateWith(std::string_view expression,
                        const std::vector<std::tuple<std::string, value::Value, const value::Value*>>& variables,
                        cel::Evaluation& evaluation, std::string& error,
                        std::vector<std::shared_ptr<const void>>& kept) {
  cel::Environment::Builder builder({.version = cel::kStoredExpressions});
  auto declarations = std::make_shared<cel::Declarations>();
  const cel::Declaration* first = nullptr;
  value::Value first_schema;
  for (const auto& [name, schema, document] : variables) {
    // One declaration for what has one schema; no schema is that of the first one's items.
    const cel::Declaration* declaration = nullptr;
    if (first != nullptr && schema.is_object() && schema.SameAs(first_schema)) {
      declaration = first;
    } else if (first != nullptr && schema.is_null()) {
      declaration = first->element;
    } else {
      declaration = cel::DeclareSchema(*declarations, schema, "type." + name);
    }
    if (first == nullptr) {
      first = declaration;
      first_schema = schema;
    }
    if (declaration != nullptr)
      builder.Declare(name, declaration);
    else
      builder.Declare(name, &cel::kDynType);
  }
  builder.Keep(declarations);
  auto environment = builder.Build();
  kept.push_back(environment);
  kept.push_back(declarations);
  auto checked = cel::Check(environment, expression);
  if (!checked) {
    error = checked.error();
    return {};
  }
  auto program = cel::MakeProgram(*checked);
  if (!program) {
    error = program.error();
    return {};
  }
  kept.push_back(*program);
  cel::Activation activation(*environment);
  for (const auto& [name, schema, document] : variables) activation.Bind(name, *document);
  return (*program)->Evaluate(activation, evaluation);
}

std::string PlayEquality(const value::Value& vector) {
  cel::Evaluation evaluation;
  std::vector<std::shared_ptr<const void>> kept;
  std::string error;
  value::Value schema = vector.Get("schema");
  // The schema may be of no type that expressions know (unknown fields kept): then the documents are compared as they
  // are.
  const value::Value* lhs = vector.Find("lhs");
  const value::Value* rhs = vector.Find("rhs");
  cel::Value result = EvaluateWith("lhs == rhs", {{"lhs", schema, lhs}, {"rhs", schema, rhs}}, evaluation, error, kept);
  if (!error.empty() || result.is_error())
    return "error: " + error + std::string(result.is_error() ? result.text() : "");
  return result.is_true() == Flag(vector, "expect_equal")
             ? ""
             : Different("equal", Flag(vector, "expect_equal") ? "true" : "false", Show(result));
}

std::string PlayLists(const value::Value& vector) {
  cel::Evaluation evaluation;
  std::vector<std::shared_ptr<const void>> kept;
  std::string error;
  value::Value schema = vector.Get("schema");
  const value::Value* list = vector.Find("list");
  const value::Value* add = vector.Find("add");
  cel::Value size = EvaluateWith("list.size()", {{"list", schema, list}}, evaluation, error, kept);
  if (!error.empty() || !size.is(cel::ValueKind::kInt) || size.AsInt() != vector.Get("expect_size").AsInt())
    return Different("size", "another one", error + Show(size));
  for (const value::Value& item : vector.Get("not_contains").items()) {
    cel::Value in = EvaluateWith("item in list", {{"list", schema, list}, {"item", value::Value(), &item}}, evaluation,
                                 error, kept);
    if (!in.is_false()) return Different("in", "false", error + Show(in));
  }
  cel::Value sum = EvaluateWith("list + add", {{"list", schema, list}, {"add", schema, add}}, evaluation, error, kept);
  cel::Declarations declarations;
  const cel::Declaration* declaration = cel::DeclareSchema(declarations, schema, "sum");
  cel::Value wanted = cel::Value::Document(*vector.Find("expect_sum"), declaration);
  if (sum.size() != wanted.size()) return Different("sum", Show(wanted), error + Show(sum));
  cel::Steps steps{1000};
  for (uint32_t i = 0; i < sum.size(); ++i) {
    if (!Equal(sum.At(i), wanted.At(i), steps)) return Different("sum", Show(wanted), error + Show(sum));
  }
  return {};
}

std::string PlayMapList(const value::Value& vector) {
  cel::Declarations declarations;
  value::Value schema = vector.Get("schema");
  std::vector<std::string> keys;
  for (const value::Value& key : schema.Get("x-kubernetes-list-map-keys").items()) keys.emplace_back(key.AsString());
  bool is_map = schema.GetString("type") == "array" && schema.GetString("x-kubernetes-list-type") == "map";
  const value::Value* found = is_map ? cel::FindInMapList(vector.Get("items"), keys, vector.Get("query")) : nullptr;
  const value::Value* wanted = vector.Find("expect_found");
  bool none = wanted == nullptr || wanted->is_null();
  if (none != (found == nullptr))
    return Different("found", none ? "nothing" : "an item", found == nullptr ? "nothing" : "an item");
  return none || value::Equal(*found, *wanted) ? "" : "found another item";
}

std::string PlayMaxElements(const value::Value& vector) {
  cel::Declarations declarations;
  const cel::Declaration* declaration = cel::DeclareSchema(declarations, vector.Get("schema"), "type");
  if (declaration == nullptr) return "no declaration";
  auto wanted = static_cast<uint64_t>(vector.Get("expect_max_elements").AsInt());
  return declaration->max_size == wanted
             ? ""
             : Different("size", std::to_string(wanted), std::to_string(declaration->max_size));
}

std::string PlayMultipleTypes(const value::Value& vector) {
  cel::Evaluation evaluation;
  std::vector<std::shared_ptr<const void>> kept;
  std::string error;
  std::vector<std::tuple<std::string, value::Value, const value::Value*>> variables;
  for (const value::Member& schema : vector.Get("var_schemas").members())
    variables.emplace_back(schema.key, schema.value, vector.Get("vars").Find(schema.key));
  EvaluateWith(vector.GetString("expr"), variables, evaluation, error, kept);
  return error.empty() == Flag(vector, "expect_compile_error") ? Different("compile error", "one", error) : "";
}

// The warnings that a policy gets for its types: of expressions over the object's schema.
std::string PlayTypeChecking(const value::Value& vector) {
  value::Value spec = vector.Get("policy_spec");
  value::Value wanted = vector.Get("expect_warnings");
  std::vector<std::pair<std::string, std::string>> warnings;
  value::Value schema = vector.Get("schema");
  if (!schema.is_null()) {
    cel::VariablesType type;
    for (const value::Value& variable : spec.Get("variables").items()) {
      auto checked = cel::Check(AdmissionEnvironment(vector, true, true, &type, &schema).environment,
                                variable.GetString("expression"));
      type.Add(variable.GetString("name"), checked ? checked->type() : cel::kDynType);
    }
    auto environment =
        AdmissionEnvironment(vector, spec.Find("paramKind") != nullptr, true, &type, &schema).environment;
    value::Value validations = spec.Get("validations");
    for (uint32_t i = 0; i < validations.size(); ++i) {
      for (const char* field : {"expression", "messageExpression"}) {
        std::string_view text = validations[i].GetString(field);
        if (text.empty()) continue;
        auto checked = cel::Check(environment, text);
        if (!checked) warnings.emplace_back("spec.validations[" + std::to_string(i) + "]." + field, checked.error());
      }
    }
  }
  if (Flag(wanted, "empty")) return warnings.empty() ? "" : Different("warnings", "none", warnings[0].second);
  if (value::Value count = wanted.Get("count");
      count.is_int() && static_cast<size_t>(count.AsInt()) != warnings.size()) {
    return Different("warnings", std::to_string(count.AsInt()),
                     std::to_string(warnings.size()) + (warnings.empty() ? "" : " " + warnings[0].second));
  }
  value::Value fields = wanted.Get("field_refs");
  for (uint32_t i = 0; i < fields.size(); ++i) {
    if (i >= warnings.size() || warnings[i].first != fields[i].AsString())
      return Different("field", fields[i].AsString(), i < warnings.size() ? warnings[i].first : "nothing");
  }
  if (const value::Value* part = wanted.Find("each_contains")) {
    for (const auto& [field, warning] : warnings) {
      if (!warning.contains(part->AsString())) return Different("warning", part->AsString(), warning);
    }
  }
  return {};
}

}  // namespace

std::string PlayKubernetes(std::string_view file, const value::Value& vector) {
  bool played = Flag(vector, "k8s_1_32");
  if (file == "escaping") return PlayEscaping(vector);
  if (file == "cost_result_size") return PlayResultSize(vector);
  if (file == "environment") return PlayEnvironment(vector);
  if (file == "authorization_compile") return PlayAuthorization(vector);
  if (file == "authentication_compile") return PlayAuthentication(vector);
  if (file == "openapi_equality") return PlayEquality(vector);
  if (file == "openapi_lists") return PlayLists(vector);
  if (file == "openapi_maplist") return PlayMapList(vector);
  if (file == "openapi_max_elements") return PlayMaxElements(vector);
  if (file == "openapi_multiple_types") return PlayMultipleTypes(vector);
  if (file == "typechecking") return PlayTypeChecking(vector);
  if (file == "admission_compile") {
    return PlayCompile(
        vector,
        AdmissionEnvironment(vector, Flag(vector, "has_params"), Flag(vector, "has_authorizer"), nullptr).environment,
        vector.GetString("result_type"));
  }
  if (file == "admission_condition" || file == "admission_cost_budget" || file == "admission_composition")
    return played ? PlayAdmission(vector) : "";
  return std::string(kUnknownForm);
}

}  // namespace vectors
