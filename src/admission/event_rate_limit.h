// EventRateLimit: events are written at a bounded rate: of all, of a namespace, of a user, or of one source about one
// object. Threads and ownership as Plugin; the buckets are behind a lock of each limit.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admission/plugins.h"
#include "base/result.h"

namespace admission {

struct EventLimit {
  enum class Type { kServer, kNamespace, kUser, kSourceAndObject };
  Type type = Type::kServer;
  int64_t per_second = 1, burst = 1;
  size_t buckets = 4096;  // that are kept, those used last
};
struct EventLimitOptions {
  std::vector<EventLimit> limits;

  // Of a Configuration of eventratelimit.admission.k8s.io, which has to have a limit.
  static base::Result<EventLimitOptions> Read(const value::Value& document);
};

// What one limit leaves to each key: `burst` at first, `per_second` more in each second.
class EventBuckets {
 public:
  explicit EventBuckets(const EventLimit& limit) : limit_(limit) {}
  // Whether there is one more for `key`; then it is taken.
  bool Take(const std::string& key, std::chrono::steady_clock::time_point now);
  const EventLimit& limit() const { return limit_; }

 private:
  struct Bucket {
    std::string key;
    double left;
    std::chrono::steady_clock::time_point filled;
  };
  const EventLimit limit_;
  std::mutex mutex_;        // guards these
  std::list<Bucket> used_;  // the last used first
  std::unordered_map<std::string_view, std::list<Bucket>::iterator> by_key_;
};

class EventRateLimit final : public Plugin {
 public:
  EventRateLimit(std::string_view name, const PluginParts&, const EventLimitOptions& options);
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  std::vector<std::unique_ptr<EventBuckets>> limits_;
};

}  // namespace admission
