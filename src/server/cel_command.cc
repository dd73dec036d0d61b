// fairlead cel: tries an expression of a policy, a definition or a configuration without a server.
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/text.h"
#include "cel/kubernetes_variables.h"
#include "cel/program.h"
#include "cel/schema_declaration.h"
#include "cel/to_document.h"
#include "server/commands.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"

namespace server {
namespace {

using base::Cat;

constexpr std::string_view kCelUsage =
    "Usage:\n"
    "  fairlead cel eval EXPRESSION [flags]    evaluate it: the result, its type and what it costs\n"
    "  fairlead cel check EXPRESSION [flags]   check it only: its type and what it may cost\n"
    "\n"
    "Flags (FILE is YAML or JSON, - is standard input):\n"
    "  --object FILE      the variable object (and self)\n"
    "  --old FILE         the variable oldObject (and oldSelf); null without it\n"
    "  --params FILE      the variable params\n"
    "  --request FILE     the variable request, an AdmissionRequest\n"
    "  --namespace FILE   the variable namespaceObject\n"
    "  --schema FILE      what object and oldObject are: a CustomResourceDefinition or an OpenAPI schema;\n"
    "                     without it, anything\n"
    "  --version VERSION  the version of Kubernetes that the expression is for: 1.31 (new expressions, the default),\n"
    "                     stored, or an earlier one\n"
    "  --output FORMAT    text (the default) or json\n"
    "\n"
    "Exit status: 0 with a result, 1 where evaluating gives an error, 2 for a wrong command line or file,\n"
    "3 where the expression does not compile.\n";

enum ExitStatus { kResult = 0, kEvaluationError = 1, kUsageError = 2, kCompileError = 3 };

struct CelFlags {
  bool evaluate = true;
  bool json = false;
  std::string_view expression;
  std::string_view object, old, params, request, namespace_object, schema, version = "1.31";
};

int Complain(std::string_view message) {
  std::string line = Cat("fairlead cel: ", message, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  return kUsageError;
}

base::Result<value::Value> ReadFile(std::string_view path, value::Arena& arena) {
  std::string text;
  if (path == "-") {
    char block[4096];
    for (size_t n; (n = std::fread(block, 1, sizeof block, stdin)) > 0;) text.append(block, n);
  } else {
    std::ifstream in{std::string(path), std::ios::binary};
    if (!in) return base::Fail(base::Code::kNotFound, Cat("open ", path, ": no such file"));
    std::stringstream content;
    content << in.rdbuf();
    text = content.str();
  }
  auto read = value::ReadYaml(text, arena);
  if (!read) return base::Fail(read.error().code, Cat(path, ": ", read.error().message));
  return read;
}

// The schema in a CustomResourceDefinition (of the version that `object` has, or the first), or the document itself.
const value::Value* SchemaIn(const value::Value& document, const value::Value& object) {
  if (document.GetString("kind") != "CustomResourceDefinition") return &document;
  std::string_view api_version = object.GetString("apiVersion");
  std::string_view wanted = api_version.substr(api_version.find('/') + 1);
  const value::Value* first = nullptr;
  for (const value::Value& version : document.Get({"spec", "versions"}).items()) {
    const value::Value* schema = version.Find("schema");
    if (schema != nullptr) schema = schema->Find("openAPIV3Schema");
    if (schema == nullptr) continue;
    if (version.GetString("name") == wanted) return schema;
    if (first == nullptr) first = schema;
  }
  return first;
}

std::optional<cel::Version> VersionOf(std::string_view text) {
  if (text == "stored") return cel::kStoredExpressions;
  if (!text.starts_with("1.") || text.size() > 4) return std::nullopt;
  int minor = 0;
  for (char c : text.substr(2)) {
    if (c < '0' || c > '9') return std::nullopt;
    minor = minor * 10 + (c - '0');
  }
  return text.size() > 2 ? std::optional(cel::Version{1, minor}) : std::nullopt;
}

bool ParseFlags(Arguments arguments, CelFlags& flags, std::string& error) {
  struct Row {
    std::string_view name;
    std::string_view CelFlags::* value;
  };
  static constexpr Row kRows[] = {
      {"object", &CelFlags::object},
      {"old", &CelFlags::old},
      {"params", &CelFlags::params},
      {"request", &CelFlags::request},
      {"namespace", &CelFlags::namespace_object},
      {"schema", &CelFlags::schema},
      {"version", &CelFlags::version},
  };
  bool named = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string_view word = arguments[i];
    if (!word.starts_with("--")) {
      if (named) {
        error = "one expression, please";
        return false;
      }
      flags.expression = word;
      named = true;
      continue;
    }
    word.remove_prefix(2);
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      error = Cat("flag needs an argument: --", name);
      return false;
    }
    bool known = name == "output";
    if (known && value != "text" && value != "json") {
      error = Cat("unknown output format ", value, ": text or json");
      return false;
    }
    if (known) flags.json = value == "json";
    for (const Row& row : kRows) {
      if (row.name != name) continue;
      flags.*row.value = value;
      known = true;
    }
    if (!known) {
      error = Cat("unknown flag: --", name);
      return false;
    }
  }
  if (!named) error = "no expression";
  return named;
}

// What a run found out, printed in one of two forms.
struct Report {
  std::string type, compile_error, evaluation_error, result;
  cel::CostRange estimate;
  std::optional<uint64_t> cost;
};

std::string Bound(uint64_t bound) { return bound == UINT64_MAX ? "unbounded" : std::to_string(bound); }

std::string AsText(const Report& report) {
  if (!report.compile_error.empty()) return report.compile_error + "\n";
  std::string out;
  if (!report.evaluation_error.empty()) out += Cat("error: ", report.evaluation_error, "\n");
  if (!report.result.empty()) out += report.result + "\n";
  out += Cat("type: ", report.type, "\n");
  if (report.cost) out += Cat("cost: ", std::to_string(*report.cost), "\n");
  return out + Cat("estimated cost: ", Bound(report.estimate.min), " to ", Bound(report.estimate.max), "\n");
}

std::string AsJson(const Report& report) {
  std::string out = "{";
  auto text = [&](std::string_view key, std::string_view value) {
    out += out.size() > 1 ? ",\"" : "\"";
    out += key;
    out += "\":";
    value::AppendJsonString(out, value);
  };
  if (!report.compile_error.empty()) {
    text("compileError", report.compile_error);
    return out + "}\n";
  }
  if (!report.evaluation_error.empty()) text("error", report.evaluation_error);
  if (!report.result.empty()) out += Cat(out.size() > 1 ? "," : "", "\"result\":", report.result);
  text("type", report.type);
  if (report.cost) out += Cat(",\"cost\":", std::to_string(*report.cost));
  out += Cat(",\"estimatedCost\":{\"min\":", std::to_string(report.estimate.min),
             ",\"max\":", std::to_string(report.estimate.max), "}}\n");
  return out;
}

struct Documents {
  value::Value object, old, params, request, namespace_object, schema;
};

base::Result<Documents> ReadDocuments(const CelFlags& flags, value::Arena& arena) {
  Documents documents;
  struct Row {
    std::string_view path;
    value::Value* to;
  };
  const Row rows[] = {{flags.object, &documents.object},
                      {flags.old, &documents.old},
                      {flags.params, &documents.params},
                      {flags.request, &documents.request},
                      {flags.namespace_object, &documents.namespace_object},
                      {flags.schema, &documents.schema}};
  for (const Row& row : rows) {
    if (row.path.empty()) continue;
    auto read = ReadFile(row.path, arena);
    if (!read) return std::unexpected(read.error());
    *row.to = *read;
  }
  return documents;
}

std::shared_ptr<const cel::Environment> MakeEnvironment(cel::Version version, const cel::Declaration* object,
                                                        const std::shared_ptr<cel::Declarations>& declarations) {
  cel::Environment::Builder builder({.version = version});
  for (const char* name : {"object", "oldObject", "self", "oldSelf"}) {
    if (object != nullptr) {
      builder.Declare(name, object);
    } else {
      builder.Declare(name, &cel::kDynType);
    }
  }
  builder.Declare("params", &cel::kDynType);
  builder.Declare("request", cel::DeclareAdmissionRequest(*declarations));
  builder.Declare("namespaceObject", cel::DeclareNamespace(*declarations));
  return builder.Keep(declarations).Build();
}

int Evaluate(const cel::CheckedExpression& checked, const Documents& documents, Report& report) {
  auto program = cel::MakeProgram(checked);
  if (!program) {
    report.compile_error = "program instantiation failed: " + program.error();
    return kCompileError;
  }
  cel::Activation activation((*program)->environment());
  for (const char* name : {"object", "self"}) activation.Bind(name, documents.object);
  for (const char* name : {"oldObject", "oldSelf"}) {
    if (documents.old.is_null()) {
      activation.Bind(name, cel::Value());
    } else {
      activation.Bind(name, documents.old);
    }
  }
  activation.Bind("params", documents.params);
  activation.Bind("request", documents.request);
  activation.Bind("namespaceObject", documents.namespace_object);
  cel::Evaluation evaluation;
  cel::Value result = (*program)->Evaluate(activation, evaluation);
  report.cost = evaluation.cost;
  if (result.is_error()) {
    report.evaluation_error = result.text();
    return kEvaluationError;
  }
  auto document = cel::ToDocument(result, evaluation.arena);
  if (!document) {
    report.evaluation_error = document.error().message;
    return kEvaluationError;
  }
  report.result = value::ToJson(*document);
  return kResult;
}

}  // namespace

int RunCel(Arguments arguments) {
  CelFlags flags;
  std::string_view command = arguments.empty() ? "" : arguments[0];
  bool asked = command == "--help" || command == "-h" || command == "help";
  for (std::string_view word : arguments) asked = asked || word == "--help";
  if (asked || (command != "eval" && command != "check")) {
    std::fwrite(kCelUsage.data(), 1, kCelUsage.size(), asked ? stdout : stderr);
    return asked ? kResult : kUsageError;
  }
  flags.evaluate = command == "eval";
  std::string error;
  if (!ParseFlags(arguments.subspan(1), flags, error)) return Complain(error);
  auto version = VersionOf(flags.version);
  if (!version) return Complain(Cat("no version of Kubernetes: ", flags.version));
  value::Arena arena;
  auto documents = ReadDocuments(flags, arena);
  if (!documents) return Complain(documents.error().message);

  auto declarations = std::make_shared<cel::Declarations>();
  const cel::Declaration* object = nullptr;
  if (!flags.schema.empty()) {
    const value::Value* schema = SchemaIn(documents->schema, documents->object);
    if (schema != nullptr) object = cel::DeclareSchema(*declarations, *schema, "object", true);
    if (object == nullptr) return Complain(Cat(flags.schema, ": no schema that expressions can use"));
  }
  auto checked = cel::Check(MakeEnvironment(*version, object, declarations), flags.expression);
  Report report;
  int status = kResult;
  if (checked) {
    report.type = FormatFull(checked->type());
    report.estimate = checked->EstimateCost();
    if (flags.evaluate) status = Evaluate(*checked, *documents, report);
  } else {
    report.compile_error = checked.error();
    status = kCompileError;
  }
  std::string out = flags.json ? AsJson(report) : AsText(report);
  std::fwrite(out.data(), 1, out.size(), status == kCompileError && !flags.json ? stderr : stdout);
  return status;
}

}  // namespace server
