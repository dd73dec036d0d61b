// OpenApi: the endpoints /openapi/v2 (JSON and binary, everything in one document) and /openapi/v3 (an index and one
// document per group and version), which describe the served API to kubectl and to client generators.
//
// Documents are made of the resource table and the schema tables when somebody first asks, and kept packed; an ETag is
// the hash of the document, and so are the addresses in the index. Installed once by server/; answers on any I/O thread
// (a document is made by the first that needs it, others wait for it: some milliseconds, some tens for the index, which
// needs all). Resources are looked at once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "handlers/endpoints.h"
#include "handlers/openapi_paths.h"
#include "registry/resource.h"
#include "schema/texts.h"

namespace handlers {

class OpenApi {
 public:
  struct Options {
    bool cbor = false;  // gate CBORServingAndStorage
    bool enums = true;  // gate OpenAPIEnums: schemas say which values there are
  };

  // `resources` and `clock` outlive the object. `server_version` is told in the documents: "1.32".
  OpenApi(const registry::ResourceTable& resources, std::string server_version, const base::Clock& clock,
          Options options);
  ~OpenApi();
  OpenApi(const OpenApi&) = delete;
  OpenApi& operator=(const OpenApi&) = delete;

  // The object outlives `endpoints`.
  void Install(Endpoints& endpoints);

  // For tests and for whoever describes the API otherwise.
  std::string DocumentV3(std::string_view name) const;  // "apis/apps/v1"; "" if there is none
  std::string DocumentV2() const;

 private:
  struct Document;  // packed, with its hash

  exchange::Response AnswerV2(const exchange::Exchange& exchange);
  exchange::Response AnswerIndex(const exchange::Exchange& exchange);
  exchange::Response AnswerV3(const exchange::Exchange& exchange);

  std::vector<OpenPath> Paths(std::string_view name, const schema::Texts& texts) const;
  const Document* FindV3(std::string_view name);
  const Document& V2(bool wire);

  const registry::ResourceTable& resources_;
  const std::string server_version_;
  const base::Clock& clock_;
  const Options options_;
  // By name, "api/v1". Which there are is constant.
  std::map<std::string, std::unique_ptr<Document>, std::less<>> v3_;
  std::unique_ptr<Document> v2_json_, v2_wire_;
};

}  // namespace handlers
