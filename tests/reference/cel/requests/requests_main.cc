// Evaluates expressions: a request a line on standard input, its outcome as a line on standard output, both as ../main.go
// has them (../README.md says what they look like). With `--bench FILE` it measures what stands in FILE instead.
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "api/quantity.h"
#include "api/url.h"
#include "base/text.h"
#include "cel/library/named_formats.h"
#include "cel/library/network.h"
#include "cel/library/times.h"
#include "cel/program.h"
#include "cel/schema_declaration.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "vector_values.h"

namespace {

using base::Append;
using base::Cat;

constexpr int kMostDepth = 60;

void AppendForm(std::string& out, const cel::Value& value, int depth);

void AppendText(std::string& out, std::string_view kind, std::string_view text) {
  Append(out, "{\"", kind, "\":");
  value::AppendJsonString(out, text);
  out += '}';
}

void AppendOpaque(std::string& out, const cel::Value& value) {
  using Kind = cel::OpaqueKind;
  switch (value.opaque_kind()) {
    case Kind::kQuantity: return AppendText(out, "quantity", value.opaque<api::Quantity>().text());
    case Kind::kIp: return AppendText(out, "ip", value.opaque<cel::library::Ip>().text());
    case Kind::kCidr: return AppendText(out, "cidr", value.opaque<cel::library::Cidr>().text());
    case Kind::kUrl: return AppendText(out, "url", value.opaque<api::Url>().text());
    case Kind::kFormat: return AppendText(out, "format", value.opaque<cel::library::NamedFormat>().name);
    default: return AppendText(out, "object", TypeName(value));
  }
}

void AppendContainer(std::string& out, const cel::Value& value, int depth) {
  if (value.is(cel::ValueKind::kList)) {
    out += "{\"list\":[";
    for (uint32_t i = 0; i < value.Count(); ++i) {
      if (i > 0) out += ',';
      AppendForm(out, value.At(i), depth + 1);
    }
    out += "]}";
    return;
  }
  out += "{\"map\":[";
  cel::Value key, item;
  bool first = true;
  for (cel::MapWalk walk(value); walk.Next(key, item); first = false) {
    if (!first) out += ',';
    out += '[';
    AppendForm(out, key, depth + 1);
    out += ',';
    AppendForm(out, item, depth + 1);
    out += ']';
  }
  out += "]}";
}

void AppendForm(std::string& out, const cel::Value& value, int depth) {
  if (depth > kMostDepth) {
    out += "\"deep\"";
    return;
  }
  using Kind = cel::ValueKind;
  switch (value.kind()) {
    case Kind::kNull: out += "{\"null\":null}"; return;
    case Kind::kBool: out += value.AsBool() ? "{\"bool\":true}" : "{\"bool\":false}"; return;
    case Kind::kInt: return AppendText(out, "int", Cat(value.AsInt()));
    case Kind::kUint: return AppendText(out, "uint", Cat(value.AsUint()));
    case Kind::kDouble: {
      if (std::isnan(value.AsDouble())) return AppendText(out, "double", "NaN");
      char digits[20];
      const auto end = std::to_chars(digits, digits + sizeof digits, std::bit_cast<uint64_t>(value.AsDouble()), 16).ptr;
      return AppendText(out, "double", std::string_view(digits, end));
    }
    case Kind::kString: return AppendText(out, "string", value.text());
    case Kind::kBytes:
      out += "{\"bytes_b64\":\"";
      value::AppendBase64(out, value.text());
      out += "\"}";
      return;
    case Kind::kDuration: return AppendText(out, "duration", Cat(value.nanoseconds()));
    case Kind::kTimestamp:
      return AppendText(
          out, "timestamp",
          cel::library::FormatInstant({value.seconds(), value.subsecond(), value.offset_minutes()}));
    case Kind::kType: return AppendText(out, "type", value.text());
    case Kind::kOptional:
      out += "{\"optional\":";
      if (value.optional() == nullptr) {
        out += "null";
      } else {
        AppendForm(out, *value.optional(), depth + 1);
      }
      out += '}';
      return;
    case Kind::kError: return AppendText(out, "error", value.text());
    case Kind::kOpaque: return AppendOpaque(out, value);
    case Kind::kList:
    case Kind::kMap:
    case Kind::kStruct: return AppendContainer(out, value, depth);
  }
}

// Environments by what a request says of them, since making one takes longer than most expressions.
class Environments {
 public:
  std::shared_ptr<const cel::Environment> Of(const value::Value& request) {
    std::string key;
    for (const std::string_view part : {"stored", "type_env", "schema"}) {
      if (const value::Value* found = request.Find(part)) value::WriteJson(*found, key);
      key += '\n';
    }
    std::shared_ptr<const cel::Environment>& environment = made_[key];
    if (environment == nullptr) environment = Make(request);
    std::shared_ptr<const cel::Environment> found = environment;
    if (made_.size() > 500) made_.clear();
    return found;
  }

 private:
  static std::shared_ptr<const cel::Environment> Make(const value::Value& request) {
    const value::Value stored = request.Get("stored");
    cel::EnvironmentOptions options;
    if (stored.is_bool() && stored.AsBool()) options.version = cel::kStoredExpressions;
    cel::Environment::Builder builder(options);
    for (const value::Value& variable : request.Get("type_env").items()) {
      builder.Declare(variable.GetString("name"), builder.types().Parse(variable.GetString("type")));
    }
    if (const value::Value* schema = request.Find("schema")) {
      auto declarations = std::make_shared<cel::Declarations>();
      const cel::Declaration* self = cel::DeclareSchema(*declarations, *schema, "selfType");
      builder.Keep(declarations);
      if (self != nullptr) builder.Declare("self", self).Declare("oldSelf", self);
    }
    return builder.Build();
  }

  std::map<std::string, std::shared_ptr<const cel::Environment>> made_;
};

void AppendMember(std::string& out, std::string_view name, std::string_view text) {
  Append(out, out.size() > 1 ? ",\"" : "\"", name, "\":");
  value::AppendJsonString(out, text);
}

void Bind(const value::Value& request, vectors::Values& values, cel::Activation& activation) {
  for (const value::Member& binding : request.Get("bindings").members()) {
    activation.Bind(binding.key, values.Make(binding.value));
  }
  for (const value::Member& variable : request.Get("vars").members()) activation.Bind(variable.key, variable.value);
}

std::string Outcome(Environments& environments, std::string_view line) {
  value::Arena arena;
  std::string out = "{";
  const auto request = value::ReadJson(line, arena);
  if (!request) {
    AppendMember(out, "compile_error", Cat("request: ", request.error().message));
    return out + '}';
  }
  const auto environment = environments.Of(*request);
  const auto checked = cel::Check(environment, request->GetString("expr"));
  if (!checked) {
    AppendMember(out, "compile_error", checked.error());
    return out + '}';
  }
  AppendMember(out, "type", FormatFull(checked->type()));
  const cel::CostRange estimate = checked->EstimateCost();
  Append(out, ",\"estimate\":{\"min\":\"", estimate.min, "\",\"max\":\"", estimate.max, "\"}");
  const auto program = cel::MakeProgram(*checked);
  if (!program) {
    AppendMember(out, "program_error", program.error());
    return out + '}';
  }
  cel::Activation activation(*environment);
  cel::Evaluation evaluation;
  vectors::Values values(arena);
  Bind(*request, values, activation);
  const cel::Value result = (*program)->Evaluate(activation, evaluation);
  AppendMember(out, "cost", Cat(evaluation.cost));
  if (result.is_error()) {
    AppendMember(out, "error", result.text());
  } else {
    out += ",\"value\":";
    AppendForm(out, result, 0);
  }
  return out + '}';
}

// ---- measuring ----

template <class Work>
double PerCall(const Work& work) {
  using Clock = std::chrono::steady_clock;
  for (int64_t count = 1;; count *= 2) {
    const Clock::time_point begin = Clock::now();
    for (int64_t i = 0; i < count; ++i) work();
    const std::chrono::nanoseconds took = Clock::now() - begin;
    if (took > std::chrono::milliseconds(100)) return static_cast<double>(took.count()) / static_cast<double>(count);
  }
}

bool Measure(Environments& environments, std::string_view line) {
  value::Arena arena;
  const auto request = value::ReadJson(line, arena);
  if (!request) return false;
  const auto environment = environments.Of(*request);
  const std::string_view text = request->GetString("expr");
  const auto compile = [&] {
    const auto checked = cel::Check(environment, text);
    return checked ? cel::MakeProgram(*checked).value_or(nullptr) : nullptr;
  };
  const std::shared_ptr<const cel::Program> program = compile();
  if (program == nullptr) {
    std::cerr << text << ": does not compile\n";
    return false;
  }
  cel::Activation activation(*environment);
  vectors::Values values(arena);
  Bind(*request, values, activation);
  cel::Evaluation first;
  const cel::Value result = program->Evaluate(activation, first);
  std::string shown;
  if (result.is_error()) {
    shown = result.text();
  } else {
    AppendForm(shown, result, 0);
  }
  const double compiled = PerCall(compile);
  const double evaluated = PerCall([&] {
    cel::Evaluation evaluation;
    program->Evaluate(activation, evaluation);
  });
  std::string out = "{";
  AppendMember(out, "expr", text);
  AppendMember(out, "result", shown);
  Append(out, ",\"compile\":");
  value::AppendJsonDouble(out, compiled);
  Append(out, ",\"evaluate\":");
  value::AppendJsonDouble(out, evaluated);
  Append(out, ",\"bytes\":", program->memory(), "}\n");
  std::cout << out << std::flush;
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  Environments environments;
  std::string line;
  if (count == 3 && std::string_view(arguments[1]) == "--bench") {
    std::ifstream file(arguments[2]);
    bool good = true;
    while (std::getline(file, line)) good = Measure(environments, line) && good;
    return good ? 0 : 1;
  }
  while (std::getline(std::cin, line)) {
    std::cout << Outcome(environments, line) << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout << std::flush;
  }
  return 0;
}
