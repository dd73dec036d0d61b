// FixedDocument: an endpoint of one path that answers GET with one document of one media type: /version and the OpenID
// ones. Everything else below its path is refused the way the real server's routes do it: unknown path, then method,
// then Accept.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "exchange/exchange.h"

namespace handlers {

class FixedDocument final : public exchange::Handler {
 public:
  struct Facts {
    std::string path;            // also served with a slash behind it
    std::string media_type;      // the only one
    std::string cache_control;   // "" leaves the server's own
    bool takes_it_only = false;  // a request whose Content-Type is another is refused
  };
  // `make` gives the body; called for each request on its thread.
  FixedDocument(Facts facts, std::function<std::string()> make) : facts_(std::move(facts)), make_(std::move(make)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  exchange::Response Answer(exchange::Exchange& exchange) const;

  const Facts facts_;
  const std::function<std::string()> make_;
};

}  // namespace handlers
