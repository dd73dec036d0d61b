#include "api/request.h"

#include <algorithm>
#include <charconv>

#include "api/names.h"
#include "api/selector.h"
#include "base/text.h"

namespace api {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Undoes %XX, and + where `plus_is_space`. False for a % that two hexadecimal digits do not follow.
bool Unescape(std::string_view text, bool plus_is_space, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = HexDigit(text[i + 1]), low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out += static_cast<char>(high << 4 | low);
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return true;
}

// The next segment of `path`, which it is cut from. `path` has no slash at its ends.
std::string_view NextSegment(std::string_view& path) {
  const size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  return segment;
}

std::string_view Trim(std::string_view path) {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return path;
}

std::string_view VerbOf(std::string_view method) {
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "";
}

bool IsNamespaceSubresource(std::string_view segment) { return segment == "status" || segment == "finalize"; }

// Whether the list parameters can be read: else their selectors do not count.
bool ListParametersParse(const Query& query, FieldSelector& fields) {
  for (std::string_view key : {"timeoutSeconds", "limit"}) {
    if (query.Has(key) && !ParseInt64(query.Get(key))) return false;
  }
  if (query.Has("labelSelector") && !LabelSelector::Parse(query.Get("labelSelector"))) return false;
  if (!query.Has("fieldSelector")) return true;
  Result<FieldSelector> parsed = FieldSelector::Parse(query.Get("fieldSelector"));
  if (!parsed) return false;
  fields = *std::move(parsed);
  return true;
}

constexpr std::string_view kNameField = "metadata.name";

// A GET without a name is a list or a watch; a selector of one name narrows it to that object.
void RefineCollectionGet(const Query& query, RequestInfo& info) {
  info.verb = query.IsTrue("watch") ? "watch" : "list";
  // Nobody is authenticated yet: selectors are parsed here only where one may name the object.
  if (!query.Get("fieldSelector").contains(kNameField)) return;
  FieldSelector fields;
  if (!ListParametersParse(query, fields)) return;
  if (const std::string* name = fields.RequiresExact(kNameField); name != nullptr && CheckPathSegment(*name).empty()) {
    info.name = *name;
  }
}

// `rest` is the path behind the version. Everything from the resource on goes into `info`.
void ReadResourceParts(std::string_view rest, RequestInfo& info) {
  while (true) {
    info.parts.emplace_back(NextSegment(rest));
    if (rest.empty()) break;
  }
  if (info.parts[0] == "namespaces" && info.parts.size() > 1) {
    info.namespace_name = info.parts[1];
    if (info.parts.size() > 2 && !IsNamespaceSubresource(info.parts[2])) {
      info.parts.erase(info.parts.begin(), info.parts.begin() + 2);
    }
  }
  if (info.parts.size() >= 3 && info.verb != "proxy") info.subresource = info.parts[2];
  if (info.parts.size() >= 2) info.name = info.parts[1];
  info.resource = info.parts[0];
}

}  // namespace

std::optional<int64_t> ParseInt64(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool UnescapePath(std::string_view escaped, std::string& path) { return Unescape(escaped, false, path); }

bool User::InGroup(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

Query Query::Parse(std::string_view raw) {
  Query query;
  std::string key, value;
  while (!raw.empty()) {
    const size_t ampersand = raw.find('&');
    const std::string_view pair = raw.substr(0, ampersand);
    raw = ampersand == std::string_view::npos ? std::string_view() : raw.substr(ampersand + 1);
    if (pair.empty() || pair.contains(';')) continue;
    const size_t equals = pair.find('=');
    const std::string_view raw_value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    if (!Unescape(pair.substr(0, equals), true, key) || !Unescape(raw_value, true, value)) continue;
    query.pairs_.emplace_back(std::move(key), std::move(value));
  }
  return query;
}

bool Query::Has(std::string_view key) const {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == key; });
}

std::string_view Query::Get(std::string_view key) const {
  for (const auto& [name, value] : pairs_) {
    if (name == key) return value;
  }
  return {};
}

std::vector<std::string_view> Query::All(std::string_view key) const {
  std::vector<std::string_view> values;
  for (const auto& [name, value] : pairs_) {
    if (name == key) values.push_back(value);
  }
  return values;
}

bool Query::IsTrue(std::string_view key) const {
  if (!Has(key)) return false;
  const std::string_view value = Get(key);
  return value != "0" && !base::EqualsIgnoreCase(value, "false");
}

RequestInfo ParseRequestInfo(std::string_view method, std::string_view path, const Query& query,
                             bool* failed_to_parse) {
  *failed_to_parse = false;
  RequestInfo info;
  info.path = path;
  info.verb = base::ToLower(method);

  std::string_view rest = Trim(path);
  if (std::count(rest.begin(), rest.end(), '/') < 2) return info;
  const std::string_view prefix = NextSegment(rest);
  if (prefix != "api" && prefix != "apis") return info;
  info.api_prefix = prefix;
  if (prefix == "apis") {
    if (std::count(rest.begin(), rest.end(), '/') < 2) return info;
    info.group = NextSegment(rest);
  }
  info.is_resource_request = true;
  info.version = NextSegment(rest);

  std::string_view behind = rest;
  if (const std::string_view first = NextSegment(behind); first == "watch" || first == "proxy") {
    if (rest.size() == first.size()) {
      *failed_to_parse = true;
      return info;
    }
    info.verb = first;
    info.deprecated_watch = first == "watch";
    rest = behind;
  } else {
    info.verb = VerbOf(method);
  }
  ReadResourceParts(rest, info);
  if (info.name.empty() && info.verb == "get") RefineCollectionGet(query, info);
  if (info.name.empty() && info.verb == "delete") info.verb = "deletecollection";
  return info;
}

}  // namespace api
