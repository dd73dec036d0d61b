#include "handlers/discovery/openapi_document.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "handlers/discovery/open_json.h"
#include "handlers/discovery/openapi_schemas.h"

namespace handlers {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kCbor = "application/cbor";

// In the order of version 2; version 3 sorts.
std::vector<std::string_view> MediaTypes(const OpenOperation& operation) {
  std::vector<std::string_view> types;
  switch (operation.media) {
    case OpenMedia::kAnything:
      return {"*/*"};
    case OpenMedia::kJson:
      return {kJson};
    case OpenMedia::kJsonWebKeys:
      return {"application/jwk-set+json"};
    case OpenMedia::kPlainText:
      types.push_back("text/plain");
      [[fallthrough]];
    default:
      break;
  }
  types.insert(types.end(), {kJson, kYaml});
  if (operation.has_protobuf) types.push_back(kProtobuf);
  if (operation.has_cbor) types.push_back(kCbor);
  if (operation.media == OpenMedia::kObjectOrWatch) {
    types.push_back("application/json;stream=watch");
    if (operation.has_protobuf) types.push_back("application/vnd.kubernetes.protobuf;stream=watch");
    if (operation.has_cbor) types.push_back("application/cbor-seq");
  }
  return types;
}

// Those of bodies; the same order as above.
std::vector<std::string_view> BodyTypes(const OpenOperation& operation) {
  if (operation.custom) {
    if (!operation.is_patch()) return {kJson, kYaml};
    return {"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};
  }
  if (!operation.is_patch()) return {"*/*"};
  std::vector<std::string_view> types = {"application/json-patch+json", "application/merge-patch+json",
                                         "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
  if (operation.has_cbor) types.push_back("application/apply-patch+cbor");
  return types;
}

std::string_view StatusText(int code) {
  return code == 200 ? "OK" : code == 201 ? "Created" : code == 202 ? "Accepted" : "Unauthorized";
}

void Texts(std::span<const std::string_view> texts, OpenJson& json) {
  json.Begin('[');
  for (std::string_view text : texts) json.Text(text);
  json.End(']');
}

void WriteInfo(std::string_view title, std::string_view version, OpenJson& json) {
  json.Key("info").Begin('{').Key("title").Text(title).Key("version").Text(version).End('}');
}

void WriteBearerToken(OpenJson& json) {
  json.Key("BearerToken").Begin('{').Key("description").Text("Bearer Token authentication");
  json.Key("in").Text("header").Key("name").Text("authorization").Key("type").Text("apiKey").End('}');
}

// What both versions of OpenAPI say of an operation, before and behind what they say differently.
void WriteHead(const OpenOperation& operation, OpenJson& json) {
  json.Key("tags").Begin('[').Text(operation.tag).End(']');
  json.Member("description", operation.description).Key("operationId").Text(operation.id);
}

void WriteTail(const OpenOperation& operation, OpenJson& json) {
  if (operation.action.empty()) return;
  json.Key("x-kubernetes-action").Text(operation.action).Key("x-kubernetes-group-version-kind").Begin('{');
  json.Key("group")
      .Text(operation.gvk.group)
      .Key("kind")
      .Text(operation.gvk.kind)
      .Key("version")
      .Text(operation.gvk.version)
      .End('}');
}

class WriterV3 {
 public:
  WriterV3(OpenApiSchemas& schemas, OpenJson& json) : schemas_(schemas), json_(json) {}

  void Path(const OpenPath& path) {
    json_.Begin('{');
    for (const OpenOperation& operation : path.operations) {
      json_.Key(operation.method).Begin('{');
      Operation(operation);
      json_.End('}');
    }
    Parameters(path.parameters);
    json_.End('}');
  }

 private:
  void Operation(const OpenOperation& operation) {
    WriteHead(operation, json_);
    Parameters(operation.parameters);
    if (!operation.body.empty()) Body(operation);
    json_.Key("responses").Begin('{');
    for (const OpenResponse& response : operation.responses) Response(operation, response);
    json_.Key("401").Begin('{').Key("description").Text(StatusText(401)).End('}');
    json_.End('}');
    WriteTail(operation, json_);
  }

  void Body(const OpenOperation& operation) {
    std::vector<std::string_view> types = BodyTypes(operation);
    std::ranges::sort(types);
    json_.Key("requestBody").Begin('{').Key("content").Begin('{');
    for (std::string_view type : types) Content(type, operation.body);
    json_.End('}');
    if (operation.body_required) json_.Key("required").Raw("true");
    json_.End('}');
  }

  void Response(const OpenOperation& operation, const OpenResponse& response) {
    json_.Key(base::Cat(response.code)).Begin('{').Key("description").Text(StatusText(response.code));
    json_.Key("content").Begin('{');
    std::vector<std::string_view> types = MediaTypes(operation);
    std::ranges::sort(types);
    for (std::string_view type : types) Content(type, response.type);
    json_.End('}').End('}');
  }

  void Content(std::string_view media_type, std::string_view type) {
    json_.Key(media_type).Begin('{').Key("schema");
    if (type.empty()) {
      json_.Raw(R"({"type":"string"})");
    } else {
      schemas_.Reference(type, json_);
    }
    json_.End('}');
  }

  void Parameters(const std::vector<OpenParameter>& parameters) {
    if (parameters.empty()) return;
    json_.Key("parameters").Begin('[');
    for (const OpenParameter& parameter : parameters) {
      json_.Begin('{').Key("name").Text(parameter.name).Key("in").Text(parameter.in_path ? "path" : "query");
      json_.Member("description", parameter.description);
      if (parameter.in_path) json_.Key("required").Raw("true");
      json_.Key("schema").Begin('{').Key("type").Text(parameter.type).Key("uniqueItems").Raw("true").End('}').End('}');
    }
    json_.End(']');
  }

  OpenApiSchemas& schemas_;
  OpenJson& json_;
};

// Version 2 keeps parameters in one place, each once, under a name with a hash of what they say. Older kubectl looks
// for dryRun and fieldValidation in the operations themselves; names and bodies belong to one kind.
class WriterV2 {
 public:
  WriterV2(OpenApiSchemas& schemas, OpenJson& json) : schemas_(schemas), json_(json) {}

  void Path(const OpenPath& path) {
    json_.Begin('{');
    for (const OpenOperation& operation : path.operations) {
      json_.Key(operation.method).Begin('{');
      Operation(operation);
      json_.End('}');
    }
    Parameters(path.parameters, nullptr);
    json_.End('}');
  }

  void Shared() {
    json_.Key("parameters").Begin('{');
    for (const auto& [name, text] : shared_) json_.Key(name).Raw(text);
    json_.End('}');
  }

 private:
  static bool IsShared(std::string_view name, bool own_body) {
    return name != "name" && name != "dryRun" && name != "fieldValidation" && !own_body;
  }

  void Operation(const OpenOperation& operation) {
    const std::vector<std::string_view> types = MediaTypes(operation);
    bool resource = !operation.action.empty();
    bool key_set = operation.media == OpenMedia::kJsonWebKeys || operation.responses[0].type.empty();
    if (resource || !key_set) {
      json_.Key("consumes");
      Texts(resource ? BodyTypes(operation) : types, json_);
    }
    json_.Key("produces");
    Texts(types, json_);
    json_.Key("schemes").Raw(R"(["https"])");
    WriteHead(operation, json_);
    Parameters(operation.parameters, &operation);
    json_.Key("responses").Begin('{');
    for (const OpenResponse& response : operation.responses) {
      json_.Key(base::Cat(response.code)).Begin('{').Key("description").Text(StatusText(response.code)).Key("schema");
      if (response.type.empty()) {
        json_.Raw(R"({"type":"string"})");
      } else {
        schemas_.Reference(response.type, json_);
      }
      json_.End('}');
    }
    json_.Key("401").Begin('{').Key("description").Text(StatusText(401)).End('}').End('}');
    WriteTail(operation, json_);
  }

  static std::string Text(const OpenParameter& parameter) {
    std::string text;
    OpenJson json(text);
    json.Begin('{')
        .Key("uniqueItems")
        .Raw("true")
        .Key("type")
        .Text(parameter.type)
        .Member("description", parameter.description);
    json.Key("name").Text(parameter.name).Key("in").Text(parameter.in_path ? "path" : "query");
    if (parameter.in_path) json.Key("required").Raw("true");
    json.End('}');
    return text;
  }

  std::string BodyText(const OpenOperation& operation) {
    std::string text;
    OpenJson json(text);
    json.Begin('{').Key("name").Text("body").Key("in").Text("body");
    if (operation.body_required) json.Key("required").Raw("true");
    json.Key("schema");
    schemas_.Reference(operation.body, json);
    json.End('}');
    return text;
  }

  void Parameters(const std::vector<OpenParameter>& parameters, const OpenOperation* operation) {
    bool body = operation && !operation->body.empty();
    if (parameters.empty() && !body) return;
    json_.Key("parameters").Begin('[');
    if (body) {  // its name stands before all others
      bool of_meta = operation->body.starts_with("io.k8s.apimachinery");
      Parameter("body", BodyText(*operation), !of_meta);
    }
    for (const OpenParameter& parameter : parameters) Parameter(parameter.name, Text(parameter));
    json_.End(']');
  }

  void Parameter(std::string_view name, const std::string& text, bool own_body = false) {
    if (!IsShared(name, own_body)) {
      json_.Raw(text);
      return;
    }
    uint64_t hash = 14695981039346656037u;
    for (unsigned char c : text) hash = hash * 1099511628211u ^ c;
    std::string bytes;
    for (int i = 0; i < 6; ++i) bytes += static_cast<char>(hash >> (56 - 8 * i));
    std::string key = base::Cat(name, "-", absl::WebSafeBase64Escape(bytes));
    json_.Begin('{').Key("$ref").Text(base::Cat("#/parameters/", key)).End('}');
    shared_.emplace(std::move(key), text);
  }

  OpenApiSchemas& schemas_;
  OpenJson& json_;
  std::map<std::string, std::string> shared_;
};

}  // namespace

std::string WriteOpenApiV3(std::span<const OpenPath> paths, const OpenApiTexts& texts, bool of_definitions) {
  std::string out;
  OpenJson json(out);
  OpenApiSchemas schemas(OpenApiVersion::kV3, texts.types, texts.enums, texts.custom, of_definitions);
  json.Begin('{').Key("openapi").Text("3.0.0");
  if (of_definitions) {
    WriteInfo("Kubernetes CRD Swagger", "v0.1.0", json);
  } else {
    WriteInfo("Kubernetes", texts.server_version, json);
  }
  json.Key("paths").Begin('{');
  WriterV3 writer(schemas, json);
  for (const OpenPath& path : paths) {
    json.Key(path.path);
    writer.Path(path);
  }
  json.End('}').Key("components").Begin('{');
  if (schemas.any()) {
    json.Key("schemas");
    schemas.WriteAll(json);
  }
  if (!of_definitions) {
    json.Key("securitySchemes").Begin('{');
    WriteBearerToken(json);
    json.End('}');
  }
  json.End('}').End('}');
  return out;
}

std::string WriteOpenApiV2(std::span<const OpenPath> paths, const OpenApiTexts& texts) {
  std::string out;
  OpenJson json(out);
  OpenApiSchemas schemas(OpenApiVersion::kV2, texts.types, texts.enums, texts.custom);
  json.Begin('{').Key("swagger").Text("2.0");
  WriteInfo("Kubernetes", texts.server_version, json);
  json.Key("paths").Begin('{');
  WriterV2 writer(schemas, json);
  for (const OpenPath& path : paths) {
    json.Key(path.path);
    writer.Path(path);
  }
  json.End('}').Key("definitions");
  schemas.WriteAll(json);
  writer.Shared();
  json.Key("securityDefinitions").Begin('{');
  WriteBearerToken(json);
  json.End('}').Key("security").Raw(R"([{"BearerToken":[]}])").End('}');
  return out;
}

}  // namespace handlers
