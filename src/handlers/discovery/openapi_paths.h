// The paths of OpenAPI documents as data, before they become version 2 or 3: what operations each path of the API has,
// with their parameters, bodies and answers. Made of the resource table; plain values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/resource.h"
#include "schema/texts.h"

namespace handlers {

struct OpenParameter {
  std::string name;
  bool in_path = false;   // else in the query
  std::string_view type;  // "string", "integer", "boolean"
  std::string description;
  bool operator==(const OpenParameter&) const = default;
};

// The media types that an operation answers with.
enum class OpenMedia { kObject, kObjectOrWatch, kPlainText, kAnything, kJson, kJsonWebKeys };

struct OpenResponse {
  int code = 200;
  std::string type;  // OpenAPI name of the answer's type; "" for a text
};

struct OpenOperation {
  std::string_view method;  // "get"
  std::string tag, id, description;
  std::string_view action;  // x-kubernetes-action; "" for what is no resource
  schema::GroupVersionKind gvk;
  std::vector<OpenParameter> parameters;  // by name
  std::string body;                       // type of the body, "" without one
  bool body_required = false;
  OpenMedia media = OpenMedia::kObject;
  bool has_protobuf = true;
  bool has_cbor = false;
  bool custom = false;  // of a custom resource: bodies are objects in JSON or YAML, nothing is merged strategically
  std::vector<OpenResponse> responses;  // 401 goes without saying

  bool is_patch() const { return action == "patch"; }
};

struct OpenPath {
  std::string path;
  std::vector<OpenOperation> operations;  // get, put, post, delete, options, head, patch
  std::vector<OpenParameter> parameters;  // those that all operations have; the operations do not repeat them
};

// The paths of one version of a group, by path: its own and those of its resources.
std::vector<OpenPath> PathsOfVersion(std::string_view group, std::string_view version,
                                     std::span<const registry::Resource* const> resources, const schema::Texts& texts);
// A path that answers GET with one document and is no resource: "/apis/apps/", "/version/".
OpenPath PathOfDocument(std::string path, std::string_view operation, std::string description, std::string answer_type,
                        OpenMedia media);
// "getAppsAPIGroup"
std::string GroupOperationId(std::string_view group);

}  // namespace handlers
