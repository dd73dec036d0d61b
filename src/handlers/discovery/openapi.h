// OpenApi: the endpoints /openapi/v2 (JSON and binary, everything in one document) and /openapi/v3 (an index and one
// document per group and version), which describe the served API to kubectl and to client generators.
//
// Documents are made of the resource table and the schema tables when somebody first asks, and kept packed; an ETag is
// the hash of the document, and so are the addresses in the index. Installed once by server/; answers on any I/O thread
// (a document is made by the first that needs it, others wait for it: some milliseconds, some tens for the index, which
// needs all). When other resources are served, the next request makes those documents anew that differ.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/published.h"
#include "handlers/discovery/openapi_paths.h"
#include "handlers/discovery/openapi_schemas.h"
#include "handlers/endpoints/endpoints.h"
#include "registry/resource_table.h"
#include "schema/texts.h"

namespace handlers {

class OpenApi {
 public:
  struct Options {
    bool cbor = false;  // gate CBORServingAndStorage
    bool enums = true;  // gate OpenAPIEnums: schemas say which values there are
    // Of custom kinds; empty: there are none.
    std::function<std::string(const registry::Resource& resource, OpenApiVersion version, bool list)> custom_schema;
  };

  // `tables` and `clock` outlive the object. `server_version` is told in the documents: "1.32".
  OpenApi(const registry::ResourceTables& tables, std::string server_version, const base::Clock& clock,
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
  struct Document;   // packed, with its hash
  struct Documents;  // of one table
  using DocumentRef = std::shared_ptr<Document>;

  exchange::Response AnswerV2(const exchange::Exchange& exchange);
  exchange::Response AnswerIndex(const exchange::Exchange& exchange);
  exchange::Response AnswerV3(const exchange::Exchange& exchange);

  // Of the newest table.
  std::shared_ptr<const Documents> Current() const;
  std::vector<OpenPath> Paths(const registry::ResourceTable& resources, std::string_view name,
                              const schema::Texts& texts) const;
  static std::vector<const registry::Resource*> Members(const registry::ResourceTable& resources,
                                                        std::string_view name);
  OpenApiCustomSchemas CustomSchemas(std::vector<const registry::Resource*> resources) const;
  std::string MakeV3(const Documents& documents, std::string_view name) const;
  std::string MakeV2(const Documents& documents) const;
  // Made, where it is not.
  DocumentRef FindV3(const Documents& documents, std::string_view name);
  DocumentRef V2(const Documents& documents, bool wire);

  const registry::ResourceTables& tables_;
  const std::string server_version_;
  const base::Clock& clock_;
  const Options options_;
  mutable std::mutex following_;  // one thread brings the documents up to a new table
  mutable base::PublishedShared<const Documents> documents_;
};

}  // namespace handlers
