#include "handlers/negotiation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "base/text.h"

namespace handlers {

namespace {

// One member of an Accept header, as sent.
struct Clause {
  std::string_view type, subtype, parameters;
  double quality = 1;
};
constexpr size_t kMaxClauses = 64;  // more are not looked at
using Clauses = absl::InlinedVector<Clause, 4>;

// The text before `separator`, and what is after it ("" if there is none).
std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

// Calls `use(key, value)` for each parameter that has exactly one '='.
template <class Use>
void EachParameter(std::string_view parameters, Use use) {
  while (!parameters.empty()) {
    auto [parameter, rest] = Cut(parameters, ';');
    parameters = rest;
    auto [key, value] = Cut(parameter, '=');
    if (value.empty() || value.find('=') != std::string_view::npos) continue;
    use(base::TrimSpace(key), value);
  }
}

// Go's rule, which is no order: a more specific type goes before a wildcard even of higher quality, if it stands after
// it.
bool Precedes(const Clause& a, const Clause& b) {
  if (a.quality > b.quality) return true;
  if (a.type != "*" && b.type == "*") return true;
  return a.subtype != "*" && b.subtype == "*";
}

// By insertion, as Go sorts short lists: with such a rule the way of sorting shows.
void Sort(Clauses& clauses) {
  for (size_t i = 1; i < clauses.size(); ++i) {
    for (size_t j = i; j > 0 && Precedes(clauses[j], clauses[j - 1]); --j) std::swap(clauses[j], clauses[j - 1]);
  }
}

Clauses ParseAccept(std::string_view header) {
  Clauses clauses;
  while (!header.empty() && clauses.size() < kMaxClauses) {
    auto [part, rest] = Cut(header, ',');
    header = rest;
    auto [range, parameters] = Cut(base::TrimSpace(part), ';');
    auto [type, subtype] = Cut(range, '/');
    Clause clause{base::TrimSpace(type), base::TrimSpace(subtype), parameters};
    if (subtype.empty()) {
      if (clause.type != "*") continue;
      clause.subtype = "*";
    } else if (subtype.find('/') != std::string_view::npos) {
      continue;
    }
    EachParameter(parameters, [&](std::string_view key, std::string_view value) {
      if (key != "q") return;
      clause.quality = 0;
      std::from_chars(value.data(), value.data() + value.size(), clause.quality);
    });
    clauses.push_back(clause);
  }
  Sort(clauses);
  return clauses;
}

constexpr std::array kTypes = {Encoding::kJson, Encoding::kYaml, Encoding::kProtobuf, Encoding::kCbor};

bool IsOffered(Encoding encoding, bool protobuf, bool cbor) {
  return (encoding != Encoding::kProtobuf || protobuf) && (encoding != Encoding::kCbor || cbor);
}

std::string Offered(bool protobuf, bool cbor) {
  std::string list;
  for (Encoding encoding : kTypes) {
    if (IsOffered(encoding, protobuf, cbor)) base::Append(list, list.empty() ? "" : ", ", MediaType(encoding));
  }
  return list;
}

std::string OfferedStreams(bool protobuf, bool cbor) {
  std::string list = "application/json;stream=watch";
  if (protobuf) list += ", application/vnd.kubernetes.protobuf;stream=watch";
  if (cbor) list += ", application/cbor-seq";
  return list;
}

constexpr std::string_view kText = "text/plain";

// The route's own test: exact types only, parameters and quality not looked at.
bool RouteAccepts(std::string_view accept, const Offer& offer) {
  if (accept.empty()) return true;
  while (true) {
    auto [member, rest] = Cut(accept, ',');
    accept = rest;
    std::string_view type = base::TrimSpace(Cut(member, ';').first);
    if (type == "*/*" || (offer.text && type == kText) ||
        (offer.cbor && offer.stream_types && type == "application/cbor-seq"))
      return true;
    for (Encoding encoding : kTypes) {
      if (IsOffered(encoding, offer.protobuf, offer.cbor) && type == MediaType(encoding)) return true;
    }
    if (rest.empty()) return false;
  }
}

struct Wanted {
  std::string_view kind, group, version;
  bool converts = false, streams = false, allowed = true, pretty = false;
};

Wanted ReadParameters(std::string_view parameters, Encoding encoding) {
  Wanted wanted;
  EachParameter(parameters, [&](std::string_view key, std::string_view raw) {
    std::string_view value = base::TrimSpace(raw);
    if (key == "as") wanted.kind = value;
    if (key == "g") wanted.group = value;
    if (key == "v") wanted.version = value;
    if (key == "as" || key == "g" || key == "v") wanted.converts = true;
    if (key == "pretty") wanted.pretty = value == "1";
    if (key == "stream" && !value.empty() && (value != "watch" || encoding == Encoding::kYaml)) wanted.allowed = false;
    if (key == "sv" && !value.empty() && value != "v1") wanted.allowed = false;
  });
  return wanted;
}

bool SetGroupDiscovery(const Wanted& wanted, Output& output) {
  output.view = View::kGroupDiscovery;
  output.beta_view = wanted.version == "v2beta1";
  return wanted.group == "apidiscovery.k8s.io" && (wanted.version == "v2" || output.beta_view) &&
         wanted.kind == "APIGroupDiscoveryList";
}

// Sets the view in `output`; false where the route does not have it.
bool SetView(const Wanted& wanted, const Offer& offer, Output& output) {
  if (!wanted.converts) return !offer.protobuf_views_only || output.encoding != Encoding::kProtobuf;
  if (wanted.group != "meta.k8s.io" || (wanted.version != "v1" && wanted.version != "v1beta1")) return false;
  output.beta_view = wanted.version == "v1beta1";
  if (wanted.kind == "Table") {
    output.view = View::kTable;
    return offer.table && (output.encoding == Encoding::kJson || output.encoding == Encoding::kYaml);
  }
  output.view = wanted.kind == "PartialObjectMetadata" ? View::kPartialObject : View::kPartialObjectList;
  return offer.partial_object && (wanted.kind == "PartialObjectMetadata" || wanted.kind == "PartialObjectMetadataList");
}

// The first clause with a type on offer whose parameters `set_view` takes.
template <class SetViewOf>
std::optional<Output> Choose(std::string_view accept, const Offer& offer, SetViewOf set_view) {
  for (const Clause& clause : ParseAccept(accept)) {
    for (Encoding encoding : kTypes) {
      if (!IsOffered(encoding, offer.protobuf, offer.cbor)) continue;
      std::string_view subtype = MediaType(encoding).substr(12);  // after "application/"
      bool matches = clause.type == "application" ? clause.subtype == subtype || clause.subtype == "*"
                                                  : clause.type == "*" && clause.subtype == "*";
      if (!matches) continue;
      Output output{.encoding = encoding};
      Wanted wanted = ReadParameters(clause.parameters, encoding);
      if (!wanted.allowed || !set_view(wanted, output)) continue;
      output.pretty = wanted.pretty;
      return output;
    }
  }
  return std::nullopt;
}

std::optional<Output> Choose(std::string_view accept, const Offer& offer) {
  if (accept.empty()) return Output{};
  return Choose(accept, offer, [&](const Wanted& wanted, Output& output) { return SetView(wanted, offer, output); });
}

bool ParseGoBool(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" || text == "True";
}

// Whether a person seems to look: `pretty`, or the User-Agent of a browser or a command line tool.
bool WantsPretty(const exchange::Request& request, const api::Query& query) {
  if (std::string_view pretty = query.Get("pretty"); !pretty.empty()) return ParseGoBool(pretty);
  std::string_view agent = request.headers.Get("user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

// The parameters of a Content-Type, read as Go's mime package does: `;key=value`, a value perhaps in quotes, one more
// semicolon at the end.
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view text) : rest_(text) {}

  // Whether they can be read, and no two of one name say different things.
  bool Good() {
    absl::flat_hash_map<std::string, std::string> met;
    for (TrimLeft(); !rest_.empty(); TrimLeft()) {
      const std::string_view before = rest_;
      std::string key, value;
      if (!Next(key, value)) return base::TrimSpace(before) == ";";
      const auto [at, fresh] = met.try_emplace(std::move(key), value);
      if (!fresh && at->second != value) return false;
    }
    return true;
  }

 private:
  static bool IsSpecial(char c) { return std::string_view("()<>@,;:\\\"/[]?=").contains(c); }
  static bool IsOfToken(char c) { return c > 0x20 && c < 0x7f && !IsSpecial(c); }

  void TrimLeft() {
    while (!rest_.empty() && base::TrimSpace(rest_.substr(0, 1)).empty()) rest_.remove_prefix(1);
  }
  bool Take(char c) {
    TrimLeft();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    TrimLeft();
    return true;
  }
  std::string_view Token() {
    const auto end = std::ranges::find_if_not(rest_, IsOfToken);
    const std::string_view token = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(token.size());
    return token;
  }

  bool Next(std::string& key, std::string& value) {
    if (!Take(';')) return false;
    key = base::ToLower(Token());
    if (key.empty() || !Take('=')) return false;
    if (rest_.starts_with('"')) return Quoted(value);
    value = Token();
    return !value.empty();
  }

  bool Quoted(std::string& value) {
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size() && IsSpecial(rest_[i + 1])) ++i;
      value += rest_[i];
    }
    return false;
  }

  std::string_view rest_;
};

std::unexpected<api::Error> NotAcceptable(std::string message, bool by_route) {
  api::Error error = api::NotAcceptable(std::move(message));
  error.has_details = by_route;
  return api::Fail(std::move(error));
}

}  // namespace

std::string_view MediaType(Encoding encoding) {
  switch (encoding) {
    case Encoding::kJson:
      return "application/json";
    case Encoding::kYaml:
      return "application/yaml";
    case Encoding::kProtobuf:
      return "application/vnd.kubernetes.protobuf";
    case Encoding::kCbor:
      return "application/cbor";
  }
  return "";
}

std::string_view StreamMediaType(Encoding encoding) {
  switch (encoding) {
    case Encoding::kProtobuf:
      return "application/vnd.kubernetes.protobuf;stream=watch";
    case Encoding::kCbor:
      return "application/cbor-seq";
    default:
      return "application/json";
  }
}

api::Result<> CheckAccept(const exchange::Request& request, const Offer& offer) {
  if (!offer.routed || RouteAccepts(request.headers.Get("accept"), offer)) return {};
  const std::string text = offer.text ? base::Cat(kText, ", ") : "";
  std::string streams = offer.stream_types ? base::Cat(", ", OfferedStreams(offer.protobuf, offer.cbor)) : "";
  return NotAcceptable(base::Cat("406: Not Acceptable\n\nAvailable representations: ", text,
                                 Offered(offer.protobuf, offer.cbor), streams),
                       true);
}

api::Result<> CheckContentType(const exchange::Request& request, std::span<const std::string_view> types) {
  const std::string_view method = request.method;
  const bool writes = method == "POST" || method == "PUT" || method == "PATCH";
  std::string_view sent = request.headers.Get("content-type");
  if (sent.empty() && !writes) return {};
  while (true) {
    auto [member, rest] = Cut(sent, ',');
    if (std::ranges::find(types, base::TrimSpace(Cut(member, ';').first)) != types.end()) return {};
    if (rest.empty()) break;
    sent = rest;
  }
  if (!request.body.empty()) {
    api::Error error = api::UnsupportedMediaType("415: Unsupported Media Type");
    error.has_details = true;
    return api::Fail(std::move(error));
  }
  constexpr std::string_view kNone = "\n\nAvailable representations: ";
  api::Error error = writes && !request.headers.Has("content-length")
                         ? api::UnsupportedMediaType(base::Cat("415: Unsupported Media Type", kNone))
                         : api::NotAcceptable(base::Cat("406: Not Acceptable", kNone));
  error.has_details = true;
  return api::Fail(std::move(error));
}

std::vector<std::string_view> MediaTypes(bool protobuf, bool cbor) {
  std::vector<std::string_view> types;
  for (Encoding encoding : kTypes) {
    if (IsOffered(encoding, protobuf, cbor)) types.push_back(MediaType(encoding));
  }
  return types;
}

api::Result<Output> Negotiate(const exchange::Request& request, const api::Query& query, const Offer& offer) {
  if (auto accepted = CheckAccept(request, offer); !accepted) return std::unexpected(std::move(accepted.error()));
  std::optional<Output> output = Choose(request.headers.Get("accept"), offer);
  if (!output) {
    return NotAcceptable(
        base::Cat("only the following media types are accepted: ", Offered(offer.protobuf, offer.cbor)), false);
  }
  output->pretty = output->encoding == Encoding::kJson && (output->pretty || WantsPretty(request, query));
  return *output;
}

std::optional<Output> NegotiateGroupDiscovery(const exchange::Request& request, const api::Query& query) {
  std::optional<Output> output = Choose(request.headers.Get("accept"), {}, SetGroupDiscovery);
  if (output) output->pretty = output->encoding == Encoding::kJson && (output->pretty || WantsPretty(request, query));
  return output;
}

api::Result<Output> NegotiateStream(const exchange::Request& request, const api::Query& query, const Offer& offer) {
  auto output = Negotiate(request, query, offer);
  if (!output || output->encoding != Encoding::kYaml) {
    if (output) output->pretty = false;
    return output;
  }
  return NotAcceptable(
      base::Cat("only the following media types are accepted: ", OfferedStreams(offer.protobuf, offer.cbor)), false);
}

FormChoice ChooseForm(std::string_view accept, std::span<const std::string_view> subtypes) {
  const Clauses clauses = ParseAccept(accept.empty() ? "*/*" : accept);
  for (const Clause& clause : clauses) {
    if (clause.type != "application" && clause.type != "*") continue;
    for (size_t i = 0; i < subtypes.size(); ++i) {
      if (clause.subtype == "*" || clause.subtype == subtypes[i]) return {.form = i};
    }
  }
  return {.asked = !clauses.empty()};
}

Output NegotiateError(const exchange::Request& request, const api::Query& query, bool cbor) {
  std::optional<Output> output = Choose(request.headers.Get("accept"), {.cbor = cbor});
  if (!output) return {.pretty = true};
  output->pretty = output->encoding == Encoding::kJson && (output->pretty || WantsPretty(request, query));
  return *output;
}

api::Result<Encoding> NegotiateInput(std::string_view content_type, bool protobuf, bool cbor) {
  if (content_type.empty()) return Encoding::kJson;
  const std::string_view named = Cut(content_type, ';').first, type = base::TrimSpace(named);
  const bool good = ParameterReader(content_type.substr(named.size())).Good();
  for (Encoding encoding : kTypes) {
    if (good && IsOffered(encoding, protobuf, cbor) && base::EqualsIgnoreCase(type, MediaType(encoding)))
      return encoding;
  }
  return api::Fail(api::UnsupportedMediaType(base::Cat(
      "the body of the request was in an unknown format - accepted media types include: ", Offered(protobuf, cbor))));
}

}  // namespace handlers
