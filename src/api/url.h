// Url: an address as Go's net/url reads it, with its words for what is none: webhooks' addresses and approvals are held
// against it, and expressions take it apart. Pure; any thread; linear in the text.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace api {

struct Url {
  std::string scheme;               // in lower case
  std::string opaque;               // what follows the scheme where that is no path
  std::optional<std::string> user;  // "name" or "name:password", escaped
  std::string host;                 // with its port
  std::string path, query;          // as they were written
  std::string fragment, written_fragment;
  bool has_query = false;      // "?" stands in it, if only at the end
  bool has_authority = false;  // "//" stands before the host, which may be empty

  // The path with what may not stand in one escaped; as it was written if nothing had to be.
  std::string EscapedPath() const;
  std::string_view Hostname() const;  // the host without its port and without brackets
  std::string_view Port() const;      // "" without one
  // The query's values by their keys, both unescaped: keys in the order in which they first stand, a key's values in
  // their order. What is no pair is left out; so are all where they are more than kMostParameters.
  std::vector<std::pair<std::string, std::vector<std::string>>> Query() const;
  // The whole address, written anew.
  std::string text() const;

  static constexpr size_t kMostParameters = 10'000;
};

// The error is the whole text: `parse "...": ...`. Nothing is resolved, and few schemes are known apart.
std::expected<Url, std::string> ParseUrl(std::string_view text);
// The same for what stands in a request: an absolute path or a whole URL, and no fragment.
std::expected<Url, std::string> ParseRequestUri(std::string_view text);

}  // namespace api
