// Url: an address as Go's net/url reads it, which is what webhooks' addresses and approvals are held against, with its
// words for what is none. Pure; any thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace api {

struct Url {
  std::string scheme;               // in lower case
  std::string opaque;               // what follows the scheme where that is no path
  std::optional<std::string> user;  // "name" or "name:password", escaped
  std::string host;                 // with its port
  std::string query, fragment;
};

// The error is the whole text: `parse "...": ...`. Nothing is resolved, and few schemes are known apart.
std::expected<Url, std::string> ParseUrl(std::string_view text);
// The same for what stands in a request: an absolute path or a whole URL, and no fragment.
std::expected<Url, std::string> ParseRequestUri(std::string_view text);

}  // namespace api
