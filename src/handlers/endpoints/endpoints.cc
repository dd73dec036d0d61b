#include "handlers/endpoints/endpoints.h"

#include <algorithm>

namespace handlers {

namespace {

class SyncHandler final : public exchange::Handler {
 public:
  explicit SyncHandler(std::function<exchange::Response(exchange::Exchange&)> answer) : answer_(std::move(answer)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override { co_return answer_(exchange); }

 private:
  std::function<exchange::Response(exchange::Exchange&)> answer_;
};

bool IsBelow(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace

void Endpoints::Exact(std::string path, std::shared_ptr<exchange::Handler> handler) {
  exact_.insert_or_assign(std::move(path), std::move(handler));
}

void Endpoints::Unlisted(std::string path, std::shared_ptr<exchange::Handler> handler) {
  unlisted_.insert_or_assign(std::move(path), std::move(handler));
}

void Endpoints::Prefix(std::string prefix, std::shared_ptr<exchange::Handler> handler) {
  std::erase_if(prefixes_, [&](const auto& entry) { return entry.first == prefix; });
  auto at = std::ranges::find_if(prefixes_, [&](const auto& entry) { return entry.first.size() < prefix.size(); });
  prefixes_.emplace(at, std::move(prefix), std::move(handler));
}

exchange::Handler* Endpoints::Find(std::string_view path) const {
  if (auto found = exact_.find(path); found != exact_.end()) return found->second.get();
  if (auto found = unlisted_.find(path); found != unlisted_.end()) return found->second.get();
  for (const auto& [prefix, handler] : prefixes_) {
    if (IsBelow(path, prefix)) return handler.get();
  }
  return nullptr;
}

std::vector<std::string> Endpoints::Paths() const {
  std::vector<std::string> paths;
  paths.reserve(exact_.size() + prefixes_.size());
  for (const auto& entry : exact_) paths.push_back(entry.first);
  for (const auto& entry : prefixes_) paths.push_back(entry.first);
  std::ranges::sort(paths);
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::shared_ptr<exchange::Handler> Sync(std::function<exchange::Response(exchange::Exchange&)> answer) {
  return std::make_shared<SyncHandler>(std::move(answer));
}

}  // namespace handlers
