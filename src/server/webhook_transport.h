// WebhookTransport: calls webhooks as kube-apiserver does: where their service or URL leads, as who the credentials
// say, and with its words for what goes wrong. Made by Server; any thread.
//
// A service is looked up in the store at each call: its cluster address, or with aggregator routing one of its
// endpoints. The address that is shown and that the certificate must be for is NAME.NAMESPACE.svc in either case.
#pragma once

#include "base/random.h"
#include "exchange/client.h"
#include "exchange/webhook_client.h"
#include "registry/resource_table.h"
#include "server/webhook_credentials.h"
#include "store/store.h"

namespace server {

class WebhookTransport final : public exchange::WebhookClient {
 public:
  struct Parts {  // references outlive it
    exchange::Client& client;
    store::Store& store;
    const registry::ResourceTable& resources;
    base::Random& random;
    WebhookCredentials credentials;
    bool routes_to_endpoints = false;
  };
  explicit WebhookTransport(Parts parts) : parts_(std::move(parts)) {}

  base::Task<std::expected<std::string, exchange::WebhookFailure>> Post(base::Executor& executor,
                                                                        exchange::WebhookCall call) override;

 private:
  // Where a call is sent.
  struct Place {
    std::string host, authority, path;  // the path is escaped
    uint16_t port = 443;
    std::string server_name;
  };
  base::Result<Place> PlaceOf(const exchange::WebhookAddress& address) const;
  // The address behind a service. The error is what is said after "Post ...: ".
  base::Result<> Resolve(const exchange::WebhookAddress::Service& service, Place& place) const;
  base::Result<> ResolveToEndpoint(const exchange::WebhookAddress::Service& service, std::string_view port_name,
                                   Place& place) const;

  const Parts parts_;
};

}  // namespace server
