// Discovery: what the server serves, told at /api, /apis, /apis/GROUP, /api/VERSION and /apis/GROUP/VERSION, one
// document each or all in one (aggregated discovery, asked for by Accept). The Router hands it the paths that exist.
//
// Documents follow from the newest resource table, and from the API services once they are known: the first request
// after a change makes the set anew, and each form of a document is encoded when it is first asked for and shared by
// all later answers. Threads: any. Answers on their way keep the set that they began with.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/task.h"
#include "exchange/exchange.h"
#include "handlers/discovery/discovery_documents.h"
#include "registry/resource_table.h"

namespace handlers {

class Discovery final : public exchange::Handler {
 public:
  struct Options {
    std::string server_address;  // "192.0.2.1:6443": where clients outside reach the server
    bool cbor = false;           // gate CBORServingAndStorage
  };

  // `tables` outlive it.
  Discovery(const registry::ResourceTables& tables, Options options) : tables_(tables), options_(std::move(options)) {}

  // From now on what is listed, and in which order, follows from these.
  void Publish(ApiServices services);
  // Null before they are known.
  std::shared_ptr<const ApiServices> services() const { return services_.Load(); }
  // Of all documents, for the index.
  std::vector<std::string> Paths() const;

  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  // Of the newest table and services.
  std::shared_ptr<const DiscoveryDocuments> Current() const;
  exchange::Response Answer(exchange::Exchange& exchange) const;
  exchange::Response Aggregated(exchange::Exchange& exchange, const Output& output,
                                std::shared_ptr<const DiscoveryDocuments> documents, std::string_view path) const;

  const registry::ResourceTables& tables_;
  const Options options_;
  base::PublishedShared<const ApiServices> services_;
  mutable std::mutex following_;  // one thread makes the next documents
  mutable base::PublishedShared<const DiscoveryDocuments> documents_;
};

}  // namespace handlers
