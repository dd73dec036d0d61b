// Discovery: what the server serves, told at /api, /apis, /apis/GROUP, /api/VERSION and /apis/GROUP/VERSION, one
// document each or all in one (aggregated discovery, asked for by Accept). The Router hands it the paths that exist.
//
// Documents follow from a resource table, and from the API services once they are known; each form of one is encoded
// when it is first asked for and shared by all later answers. Threads: any. Publish() swaps the whole set; answers on
// their way keep the old one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/task.h"
#include "exchange/exchange.h"
#include "handlers/discovery_documents.h"
#include "registry/resource.h"

namespace handlers {

class Discovery final : public exchange::Handler {
 public:
  struct Options {
    std::string server_address;  // "192.0.2.1:6443": where clients outside reach the server
    bool cbor = false;           // gate CBORServingAndStorage
  };

  // Nothing is served before the first Publish().
  explicit Discovery(Options options) : options_(std::move(options)) {}

  // From now on answers describe `table`, which outlives them. What is made of it is made at the first request.
  void Publish(std::shared_ptr<const registry::ResourceTable> table);
  // From now on what is listed, and in which order, follows from these. After the table; one call at a time.
  void Publish(ApiServices services);
  // Null before they are known.
  std::shared_ptr<const ApiServices> services() const { return services_.Load(); }
  // Of all documents, for the index.
  std::vector<std::string> Paths() const;

  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  exchange::Response Answer(exchange::Exchange& exchange) const;
  exchange::Response Aggregated(exchange::Exchange& exchange, const Output& output,
                                std::shared_ptr<const DiscoveryDocuments> documents, std::string_view path) const;

  const Options options_;
  std::shared_ptr<const registry::ResourceTable> table_;
  base::PublishedShared<const ApiServices> services_;
  base::PublishedShared<const DiscoveryDocuments> documents_;
};

}  // namespace handlers
