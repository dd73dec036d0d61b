// Plays vector files: every *.json below the folders that are given, but for facts/. Prints each failure and ends with
// "N passed, N failed"; the exit code says whether any failed.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <vector>

#include "player.h"
#include "value/json_reader.h"

namespace vectors {

cel::CostRange RangeOf(const value::Value& form) {
  auto number = [&](std::string_view key) {
    value::Value part = form.Get(key);
    return part.is_string() ? std::strtoull(std::string(part.AsString()).c_str(), nullptr, 10)
           : part.is_int()  ? static_cast<uint64_t>(part.AsInt())
                            : 0;
  };
  return {number("min"), number("max")};
}

std::optional<cel::SizeRange> StatedSizes::Size(std::span<const std::string_view> path, const cel::Type& type) {
  if (const value::Value* types = vector_.Find("type_size_hints")) {
    if (const value::Value* hint = types->Find(Format(type))) return RangeOf(*hint);
    if (const value::Value* hint = types->Find(type.name)) return RangeOf(*hint);
  }
  if (const value::Value* paths = vector_.Find("size_hints"); paths != nullptr && !path.empty()) {
    std::string joined;
    for (std::string_view step : path) joined += (joined.empty() ? "" : ".") + std::string(step);
    if (const value::Value* hint = paths->Find(joined)) return RangeOf(*hint);
  }
  return std::nullopt;
}

std::optional<uint64_t> StatedSizes::CallCost(std::string_view overload) {
  const value::Value* costs = own_costs_ ? vector_.Find("call_cost") : nullptr;
  const value::Value* cost = costs != nullptr ? costs->Find(overload) : nullptr;
  return cost != nullptr ? std::optional(static_cast<uint64_t>(cost->AsInt())) : std::nullopt;
}

std::shared_ptr<const cel::Environment> EnvironmentOf(const value::Value& vector, cel::EnvironmentOptions options) {
  if (vector.Find("container") != nullptr) options.container = vector.GetString("container");
  cel::Environment::Builder builder(options);
  if (vector.GetString("feature_gate").starts_with("MutatingAdmissionPolicy")) builder.DeclareOpenTypes("Object");
  for (const value::Value& entry : vector.Get("type_env").items()) {
    std::string_view name = entry.GetString("name");
    if (const value::Value* overloads = entry.Find("overloads")) {
      for (const value::Value& overload : overloads->items()) {
        std::vector<const cel::Type*> arguments;
        for (const value::Value& argument : overload.Get("params").items())
          arguments.push_back(builder.types().Parse(argument.AsString()));
        value::Value member = overload.Get("member");
        builder.DeclareFunction(name, overload.GetString("id"), member.is_bool() && member.AsBool(), arguments,
                                builder.types().Parse(overload.GetString("result")));
      }
    } else {
      const cel::Type* type = builder.types().Parse(entry.GetString("type"));
      builder.Declare(name, type != nullptr ? type : &cel::kDynType);
    }
  }
  return builder.Build();
}

Outcome Run(const std::shared_ptr<const cel::Environment>& environment, const value::Value& vector,
            cel::SizeHints* hints, bool evaluate) {
  Outcome outcome;
  auto checked = cel::Check(environment, vector.GetString("expr"));
  if (!checked) {
    outcome.compile_error = checked.error();
    return outcome;
  }
  outcome.type = FormatFull(checked->type());
  outcome.estimate = hints != nullptr ? checked->EstimateCost(*hints) : checked->EstimateCost();
  if (!evaluate) return outcome;
  auto program = cel::MakeProgram(*checked);
  if (!program) {
    outcome.program_error = program.error();
    return outcome;
  }
  outcome.program = *program;
  cel::Activation activation(*environment);
  Values values(outcome.evaluation->arena);
  std::vector<std::unique_ptr<Values>> kept;
  for (const value::Member& binding : vector.Get("bindings").members())
    activation.Bind(binding.key, values.Make(binding.value));
  for (const value::Member& variable : vector.Get("vars").members()) activation.Bind(variable.key, variable.value);
  if (value::Value limit = vector.Get("cost_limit"); limit.is_int())
    outcome.evaluation->cost_limit = static_cast<uint64_t>(limit.AsInt());
  outcome.value = outcome.program->Evaluate(activation, *outcome.evaluation);
  outcome.cost = outcome.evaluation->cost;
  outcome.ran = true;
  return outcome;
}

namespace {

std::string Different(std::string_view what, std::string_view wanted, std::string_view got) {
  return std::string(what) + ":\n    wanted " + std::string(wanted) + "\n    got    " + std::string(got);
}

std::string Range(cel::CostRange range) { return std::to_string(range.min) + ".." + std::to_string(range.max); }

std::string CheckCost(const value::Value& wanted, const value::Value* varies, const Outcome& outcome) {
  if (varies != nullptr) {
    for (const value::Value& cost : varies->items()) {
      if (static_cast<uint64_t>(cost.AsInt()) == outcome.cost) return {};
    }
    return Different("runtime cost", "one of several", std::to_string(outcome.cost));
  }
  if (!wanted.is_int() || static_cast<uint64_t>(wanted.AsInt()) == outcome.cost) return {};
  return Different("runtime cost", std::to_string(wanted.AsInt()), std::to_string(outcome.cost));
}

// What the vector recorded of Kubernetes 1.32.
std::string CheckOutcome(const value::Value& wanted, const value::Value& vector, const Outcome& outcome) {
  for (std::string_view key : {"parse_error", "check_error"}) {
    if (const value::Value* error = wanted.Find(key)) {
      return error->AsString() == outcome.compile_error ? "" : Different(key, error->AsString(), outcome.compile_error);
    }
  }
  if (!outcome.compile_error.empty()) return Different("compiles", "it does", outcome.compile_error);
  std::string_view type = wanted.GetString("type");
  if (!type.empty() && type != outcome.type) return Different("type", type, outcome.type);
  if (const value::Value* estimate = wanted.Find("estimated_cost");
      estimate != nullptr && RangeOf(*estimate) != outcome.estimate) {
    return Different("estimated cost", Range(RangeOf(*estimate)), Range(outcome.estimate));
  }
  if (const value::Value* error = wanted.Find("program_error")) {
    return error->AsString() == outcome.program_error
               ? ""
               : Different("program error", error->AsString(), outcome.program_error);
  }
  if (!outcome.program_error.empty()) return Different("program", "it is made", outcome.program_error);
  if (const value::Value* error = wanted.Find("error")) {
    if (!outcome.value.is_error()) return Different("error", error->AsString(), Show(outcome.value));
    if (error->AsString() != outcome.value.text()) return Different("error", error->AsString(), outcome.value.text());
  }
  if (const value::Value* value = wanted.Find("value")) {
    bool any_order = vector.Find("any_order") != nullptr || wanted.Find("any_order") != nullptr;
    if (!Matches(*value, outcome.value, any_order)) return Different("value", "another one", Show(outcome.value));
  }
  return CheckCost(wanted.Get("runtime_cost"), wanted.Find("runtime_cost_varies"), outcome);
}

bool Flag(const value::Value& vector, std::string_view key) {
  value::Value flag = vector.Get(key);
  return flag.is_bool() && flag.AsBool();
}

bool IsFile(const value::Value& vector, std::initializer_list<std::string_view> prefixes) {
  std::string_view id = vector.GetString("id");
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return id.starts_with(prefix); });
}

}  // namespace

std::string CheckExpectations(const value::Value& vector, const Outcome& outcome) {
  if (const value::Value* patterns = vector.Find("expect_compile_error_patterns")) {
    for (const value::Value& pattern : patterns->items()) {
      if (!std::regex_search(outcome.compile_error, std::regex(std::string(pattern.AsString()))))
        return Different("compile error", pattern.AsString(), outcome.compile_error);
    }
    return {};
  }
  std::string error = !outcome.compile_error.empty()   ? outcome.compile_error
                      : !outcome.program_error.empty() ? outcome.program_error
                      : outcome.value.is_error()       ? std::string(outcome.value.text())
                                                       : "";
  if (const value::Value* wanted = vector.Find("expect_error")) {
    if (error.empty()) return Different("error", wanted->is_string() ? wanted->AsString() : "one", Show(outcome.value));
    if (wanted->is_string() && error != wanted->AsString()) return Different("error", wanted->AsString(), error);
  } else if (const value::Value* part = vector.Find("expect_error_contains")) {
    if (!error.contains(part->AsString()))
      return Different("error", part->AsString(), error.empty() ? Show(outcome.value) : error);
  } else if (const value::Value* pattern = vector.Find("expect_error_pattern")) {
    if (error.empty() || !std::regex_search(error, std::regex(std::string(pattern->AsString()))))
      return Different("error", pattern->AsString(), error);
  } else if (!error.empty()) {
    return Different("error", "none", error);
  }
  if (const value::Value* value = vector.Find("expect_value");
      value != nullptr && !Matches(*value, outcome.value, vector.Find("any_order") != nullptr)) {
    return Different("expected value", "another one", Show(outcome.value));
  }
  if (Flag(vector, "expect_true") && !outcome.value.is_true()) return Different("value", "true", Show(outcome.value));
  if (const value::Value* estimate = vector.Find("expect_cost_estimate");
      estimate != nullptr && RangeOf(*estimate) != outcome.estimate) {
    return Different("expected cost estimate", Range(RangeOf(*estimate)), Range(outcome.estimate));
  }
  if (!outcome.ran) return {};
  return CheckCost(vector.Get("expect_runtime_cost"), vector.Find("expect_runtime_cost_varies"), outcome);
}

std::string PlayExpression(const value::Value& vector) {
  bool check_only = Flag(vector, "check_only");
  if (const value::Value* wanted = vector.Find("k8s_outcome")) {
    StatedSizes stated(vector, false);
    Outcome outcome =
        Run(EnvironmentOf(vector, {.version = cel::kStoredExpressions}), vector, &stated,
            !check_only && (wanted->Find("value") || wanted->Find("error") || wanted->Find("program_error")));
    if (std::string difference = CheckOutcome(*wanted, vector, outcome); !difference.empty())
      return "in Kubernetes 1.32: " + difference;
  }
  if (!Flag(vector, "k8s_1_32") || vector.Find("expect") != nullptr) return {};
  cel::EnvironmentOptions options{.version = cel::kStoredExpressions};
  bool of_cel_go = IsFile(vector, {"cel-go/cost_estimate", "cel-go/runtime_cost", "cel-go/sets"});
  // The tables of the libraries were made without folding.
  options.fold_constants = !of_cel_go && !IsFile(vector, {"k8s/cost/", "k8s/quantity/", "k8s/ip/", "k8s/cidr/",
                                                          "k8s/format/", "k8s/semver/"});
  options.kubernetes_costs = !of_cel_go;
  options.presence_test_has_cost = Flag(vector, "presence_test_has_cost");
  if (of_cel_go) options.homogeneous_literals = false;
  StatedSizes sizes(vector, true);
  bool runs = !check_only && !IsFile(vector, {"cel-go/cost_estimate"}) && !Flag(vector, "expect_compiles");
  return CheckExpectations(vector, Run(EnvironmentOf(vector, options), vector, &sizes, runs));
}

namespace {

struct Counts {
  int passed = 0, failed = 0;
};

void PlayFile(const std::filesystem::path& path, Counts& counts, const char* only) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  std::string content = text.str();
  value::Arena arena;
  auto document = value::ReadJson(content, arena);
  if (!document || !document->is_array()) {
    std::cout << "FAIL " << path.string() << ": no list of vectors\n";
    ++counts.failed;
    return;
  }
  for (const value::Value& vector : document->items()) {
    std::string id(vector.GetString("id"));
    if (only != nullptr && !id.contains(only)) continue;
    std::string difference = PlayKubernetes(path.stem().string(), vector);
    if (difference == kUnknownForm) difference = PlayExpression(vector);
    if (difference.empty()) {
      ++counts.passed;
      continue;
    }
    ++counts.failed;
    std::cout << "FAIL " << id << "\n  " << vector.GetString("expr") << "\n  " << difference << "\n";
  }
}

}  // namespace
}  // namespace vectors

int main(int count, char** arguments) {
  const char* only = nullptr;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--only") == 0 && i + 1 < count) {
      only = arguments[++i];
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
      bool facts = entry.path().string().contains("/facts/");
      if (entry.path().extension() == ".json" && !facts) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  vectors::Counts counts;
  for (const auto& file : files) vectors::PlayFile(file, counts, only);
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
