// EtcdFace: the few answers of etcd that test environments ask for, and the line to the kube-apiservers of this
// program. An exchange::Handler behind a plain HTTP port. It keeps no objects: it remembers in which directory they
// are.
//
// Threads: any; the list of links is guarded. Bounds: kMaxLinks links.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/exchange.h"

namespace server {

inline constexpr std::string_view kEtcdLinkPath = "/fairlead/v1/link";

class EtcdFace final : public exchange::Handler {
 public:
  static constexpr size_t kMaxLinks = 64;

  // `directory`: where the objects are to be, absolute. `sync`: whether writes wait for the disk.
  EtcdFace(std::string directory, bool sync) : directory_(std::move(directory)), sync_(sync) {}

  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  class Link;
  struct Line;

  exchange::Response Answer(exchange::Exchange& exchange);
  exchange::Response OpenLink();
  exchange::Response Compact(std::string_view body);

  const std::string directory_;
  const bool sync_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Line>> lines_;  // guarded by mutex_
};

}  // namespace server
