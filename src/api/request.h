// The facts of one request that every stage and handler reads: who asks, for what, until when; and what the stages add
// on the way (warnings, audit id). Plain data, owned by the Exchange, passed by reference, used on the request's I/O
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace api {

struct AuditRecord;  // api/audit_record.h

struct User {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
  bool InGroup(std::string_view group) const;
};

// What the path and the method mean (the real server's RequestInfo). Strings are unescaped.
struct RequestInfo {
  bool is_resource_request = false;
  std::string path;  // as asked, unescaped
  std::string verb;  // get list watch create update patch delete deletecollection proxy; of no resource: the method in
                     // lower case
  std::string api_prefix;  // "api" or "apis", "" of other paths
  std::string group;       // "" is core
  std::string version;
  std::string namespace_name;
  std::string resource;
  std::string subresource;
  std::string name;
  std::vector<std::string> parts;  // path segments from the resource on
  bool deprecated_watch = false;   // came by /watch/...
};

// Query parameters in order, unescaped. The first of repeated ones wins.
class Query {
 public:
  // What cannot be read (a broken escape, a `;`) is left out, pair by pair.
  static Query Parse(std::string_view raw);
  bool Has(std::string_view key) const;
  std::string_view Get(std::string_view key) const;  // "" if absent
  std::vector<std::string_view> All(std::string_view key) const;
  // A boolean parameter: present with any value (also none) but "0" and "false".
  bool IsTrue(std::string_view key) const;
  bool empty() const { return pairs_.empty(); }
  const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
};

struct RequestContext {
  RequestInfo info;
  Query query;
  User user;
  std::string audit_id;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::vector<std::string> warnings;                                  // Warning headers, texts only
  std::vector<std::pair<std::string, std::string>> response_headers;  // added to whatever answer goes out
  std::shared_ptr<AuditRecord> audit;                                 // null: the request is not audited
};

// A decimal int64 with an optional sign, as number parameters are read; nullopt for anything else.
std::optional<int64_t> ParseInt64(std::string_view text);

// Undoes %XX in a path. False for a broken escape (the whole request is then bad).
bool UnescapePath(std::string_view escaped, std::string& path);

// `method` as sent; `path` unescaped, without query. Never fails: what is no resource request is a non-resource one.
// `failed_to_parse` is set where the real server answers "failed to create RequestInfo".
RequestInfo ParseRequestInfo(std::string_view method, std::string_view path, const Query& query, bool* failed_to_parse);

}  // namespace api
