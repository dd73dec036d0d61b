// Endpoints: the paths that are no resources (health, version, OpenAPI, ...) and who answers them. Filled by server/
// before the first request, then read by the Router from any thread. Owns or shares its handlers. Look-up costs one
// hash and, for paths below a prefix, one step per registered prefix.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/string_map.h"
#include "exchange/exchange.h"

namespace handlers {

class Endpoints {
 public:
  // That path alone. A later registration of the same path replaces the earlier one.
  void Exact(std::string path, std::shared_ptr<exchange::Handler> handler);
  // The same, but that Paths() does not tell of it.
  void Unlisted(std::string path, std::shared_ptr<exchange::Handler> handler);
  // `prefix` itself and everything below "prefix/". The longest registered prefix wins; an exact path wins over all.
  void Prefix(std::string prefix, std::shared_ptr<exchange::Handler> handler);

  // Who answers `path` (unescaped, without query), or nullptr.
  exchange::Handler* Find(std::string_view path) const;
  // Every registered path but the unlisted ones, sorted: what GET / lists.
  std::vector<std::string> Paths() const;

 private:
  base::StringMap<std::shared_ptr<exchange::Handler>> exact_, unlisted_;
  std::vector<std::pair<std::string, std::shared_ptr<exchange::Handler>>> prefixes_;  // longest first
};

// A handler that waits for nothing, of a plain function.
std::shared_ptr<exchange::Handler> Sync(std::function<exchange::Response(exchange::Exchange&)> answer);

}  // namespace handlers
