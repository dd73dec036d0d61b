#include "admission/event_rate_limit.h"

#include <algorithm>

#include "admission/plugin_configuration.h"
#include "base/clock.h"
#include "base/text.h"
#include "value/quote.h"

namespace admission {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kTypes[] = {"Server", "Namespace", "User", "SourceAndObject"};

std::string KeyOf(EventLimit::Type type, const AdmissionRequest& request) {
  using enum EventLimit::Type;
  if (type == kNamespace) return std::string(request.key.namespace_name);
  if (type == kUser) return request.call.request.user.name;
  if (type != kSourceAndObject) return "";
  const Value source = request.object.Get("source"), about = request.object.Get("involvedObject");
  return Cat(source.GetString("component"), source.GetString("host"), about.GetString("kind"),
             about.GetString("namespace"), about.GetString("name"), about.GetString("uid"),
             about.GetString("apiVersion"));
}

base::Result<EventLimit> ReadLimit(const Value& item, std::string_view at) {
  const auto fail = [](std::string message) { return base::Fail(base::Code::kInvalid, std::move(message)); };
  if (!item.is_object()) return fail(Cat(at, " is no object"));
  auto read = CheckConfigurationFields(item, {"type", "qps", "burst", "cacheSize"}, at);
  if (!read) return std::unexpected(std::move(read.error()));
  const std::string_view type = item.GetString("type");
  const auto found = std::ranges::find(kTypes, type);
  if (found == std::end(kTypes)) {
    return fail(Cat(at, ".type: Unsupported value: ", value::Quote(type),
                    R"(: supported values: "Namespace", "Server", "SourceAndObject", "User")"));
  }
  EventLimit limit{.type = static_cast<EventLimit::Type>(found - std::begin(kTypes))};
  for (const auto& [field, into] : {std::pair{"burst", &limit.burst}, {"qps", &limit.per_second}}) {
    const Value number = item.Get(field);
    if (!number.is_null() && !number.is_int()) return fail(Cat(at, ".", field, " is no number"));
    *into = number.is_int() ? number.AsInt() : 0;
    if (*into <= 0 || *into > INT32_MAX)
      return fail(Cat(at, ".", field, ": Invalid value: ", *into, ": must be positive"));
  }
  const Value size = item.Get("cacheSize");
  if (!size.is_null() && !size.is_int()) return fail(Cat(at, ".cacheSize is no number"));
  if (size.is_int() && (size.AsInt() < 0 || size.AsInt() > INT32_MAX)) {
    return fail(Cat(at, ".cacheSize: Invalid value: ", size.AsInt(), ": must not be negative"));
  }
  if (size.is_int() && size.AsInt() > 0) limit.buckets = static_cast<size_t>(size.AsInt());
  return limit;
}

}  // namespace

base::Result<EventLimitOptions> EventLimitOptions::Read(const Value& document) {
  EventLimitOptions options;
  if (!document.is_null()) {
    auto read = CheckConfigurationKind(document, "eventratelimit.admission.k8s.io", {"v1alpha1"}, "Configuration");
    if (read) read = CheckConfigurationFields(document, {"apiVersion", "kind", "limits"});
    if (!read) return std::unexpected(std::move(read.error()));
  }
  const Value limits = document.Get("limits");
  if (!limits.is_array() || limits.empty()) {
    return base::Fail(base::Code::kInvalid, "limits: Invalid value: null: must not be empty");
  }
  for (const Value& item : limits.items()) {
    auto limit = ReadLimit(item, Cat("limits[", options.limits.size(), "]"));
    if (!limit) return std::unexpected(std::move(limit.error()));
    options.limits.push_back(*limit);
  }
  return options;
}

bool EventBuckets::Take(const std::string& key, std::chrono::steady_clock::time_point now) {
  std::lock_guard lock(mutex_);
  auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    if (used_.size() >= (limit_.type == EventLimit::Type::kServer ? 1 : limit_.buckets)) {
      by_key_.erase(used_.back().key);
      used_.pop_back();
    }
    used_.push_front({key, static_cast<double>(limit_.burst), now});
    by_key_.emplace(used_.front().key, used_.begin());
  } else {
    used_.splice(used_.begin(), used_, found->second);
  }
  Bucket& bucket = used_.front();
  const double passed = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.left = std::min(static_cast<double>(limit_.burst),
                         bucket.left + std::max(passed, 0.0) * static_cast<double>(limit_.per_second));
  bucket.filled = std::max(bucket.filled, now);
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

EventRateLimit::EventRateLimit(std::string_view name, const PluginParts&, const EventLimitOptions& options)
    : Plugin(name) {
  for (const EventLimit& limit : options.limits) limits_.push_back(std::make_unique<EventBuckets>(limit));
}

api::Result<> EventRateLimit::Validate(AdmissionRequest& request) const {
  const bool writes = request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  if (!writes || request.dry_run || !request.IsFor("", "events")) return {};
  const auto now = base::SystemClock().Monotonic();
  std::vector<std::string> reached;
  for (const auto& limit : limits_) {
    const std::string key = KeyOf(limit->limit().type, request);
    if (limit->Take(key, now)) continue;
    std::string text =
        Cat("limit reached on type ", kTypes[static_cast<size_t>(limit->limit().type)], " for key ", key);
    if (std::ranges::find(reached, text) == reached.end()) reached.push_back(std::move(text));
  }
  if (reached.empty()) return {};
  api::Error error;
  error.code = 429;
  error.reason = "TooManyRequests";
  error.message =
      Cat("Too many requests: ", reached.size() == 1 ? reached[0] : Cat("[", base::Join(reached, ", "), "]"));
  return api::Fail(std::move(error));
}

}  // namespace admission
