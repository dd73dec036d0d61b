#include "handlers/discovery/openapi.h"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "base/text.h"
#include "handlers/discovery/open_json.h"
#include "handlers/discovery/openapi_document.h"
#include "handlers/discovery/openapi_wire.h"
#include "handlers/endpoints/conditions.h"
#include "handlers/negotiation.h"
#include "handlers/respond.h"

namespace handlers {

namespace {

// The forms of a document: JSON, and the binary form by either of its names. The last is what it is called in answers.
using Forms = std::array<std::string_view, 3>;
constexpr Forms kFormsV2 = {"json", "com.github.proto-openapi.spec.v2@v1.0+protobuf",
                            "com.github.proto-openapi.spec.v2.v1.0+protobuf"};
constexpr Forms kFormsV3 = {"json", "com.github.proto-openapi.spec.v3@v1.0+protobuf",
                            "com.github.proto-openapi.spec.v3.v1.0+protobuf"};
constexpr std::string_view kJsonType = "application/json";
constexpr std::string_view kV3 = "/openapi/v3";

// In upper-case hex, as the real server's hashes look.
std::string Sha512(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha512(), nullptr);
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    out += "0123456789ABCDEF"[digest[i] >> 4];
    out += "0123456789ABCDEF"[digest[i] & 15];
  }
  return out;
}

constexpr int kGzipWindow = 15 + 16;
constexpr int kPackLevel = 3;  // documents repeat themselves so much that more gains little

std::string Gzip(std::string_view plain) {
  z_stream stream{};
  if (deflateInit2(&stream, kPackLevel, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(deflateBound(&stream, plain.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  packed.shrink_to_fit();
  return packed;
}

std::string Gunzip(std::string_view packed, size_t size) {
  z_stream stream{};
  std::string plain(size, '\0');
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return plain;
}

bool TakesGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    size_t comma = accept_encoding.find(',');
    std::string_view one = base::TrimSpace(accept_encoding.substr(0, comma));
    accept_encoding.remove_prefix(comma == accept_encoding.npos ? accept_encoding.size() : comma + 1);
    bool refused = one.find("q=0") != one.npos && one.find("q=0.") == one.npos;
    if (one.substr(0, one.find(';')) == "gzip") return !refused;
  }
  return false;
}

exchange::Response Bare(int status) {
  exchange::Response response;
  response.status = status;
  return response;
}

std::string FormType(size_t form, const Forms& forms) {
  return base::Cat("application/", form == 0 ? forms.front() : forms.back());
}

std::string DocumentName(std::string_view group, std::string_view version) {
  return group.empty() ? base::Cat("api/", version) : base::Cat("apis/", group, "/", version);
}

}  // namespace

struct OpenApi::Document {
  std::once_flag made;
  std::string gzip;
  size_t size = 0;
  std::string etag;     // without quotes
  absl::Time modified;  // when it was made

  std::string Plain() const { return Gunzip(gzip, size); }
};

// Those whose resources do not differ are the same ones as before.
struct OpenApi::Documents {
  registry::ResourceTableRef table;
  std::map<std::string, DocumentRef, std::less<>> v3;  // by name, "api/v1"
  DocumentRef v2_json = std::make_shared<Document>(), v2_wire = std::make_shared<Document>();
};

OpenApi::OpenApi(const registry::ResourceTables& tables, std::string server_version, const base::Clock& clock,
                 Options options)
    : tables_(tables), server_version_(std::move(server_version)), clock_(clock), options_(options) {
  auto first = std::make_shared<Documents>();
  first->table = registry::ResourceTable::Make({});
  for (const char* name : {"api", "apis", "version", ".well-known/openid-configuration", "openid/v1/jwks"}) {
    first->v3.emplace(name, std::make_shared<Document>());
  }
  documents_.Store(std::move(first));
}

std::shared_ptr<const OpenApi::Documents> OpenApi::Current() const {
  registry::ResourceTableRef table = tables_.Snapshot();
  std::shared_ptr<const Documents> documents = documents_.Load();
  if (documents->table == table) return documents;
  std::lock_guard lock(following_);
  documents = documents_.Load();
  table = tables_.Snapshot();
  if (documents->table == table) return documents;
  auto next = std::make_shared<Documents>();
  next->v3 = documents->v3;
  const auto note = [&](const registry::Resource& resource) {
    const std::string name = DocumentName(resource.group, resource.version);
    if (table->HasVersion(resource.group, resource.version)) {
      next->v3[name] = std::make_shared<Document>();
    } else {
      next->v3.erase(name);
    }
    if (resource.group.empty()) return;
    if (table->HasGroup(resource.group)) {
      if (resource.custom) return;
      next->v3.try_emplace(base::Cat("apis/", resource.group), std::make_shared<Document>());
    } else {
      next->v3.erase(base::Cat("apis/", resource.group));
    }
  };
  registry::ResourceTable::ForEachDifference(*documents->table, *table, [&](const auto& before, const auto& after) {
    note(before != nullptr ? *before : *after);
  });
  next->table = std::move(table);
  documents_.Store(next);
  return next;
}

OpenApi::~OpenApi() = default;

std::vector<OpenPath> OpenApi::Paths(const registry::ResourceTable& resources, std::string_view name,
                                     const schema::Texts& texts) const {
  constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  std::string path = base::Cat("/", name, "/");
  auto one = [&](std::string_view operation, std::string_view description, std::string type, OpenMedia media) {
    std::vector<OpenPath> paths;
    paths.push_back(PathOfDocument(path, operation, std::string(description), std::move(type), media));
    return paths;
  };
  if (name == "api")
    return one("getCoreAPIVersions", "list the versions of the core group", base::Cat(kMeta, "APIVersions"),
               OpenMedia::kObject);
  if (name == "apis")
    return one("getAPIVersions", "list the groups", base::Cat(kMeta, "APIGroupList"), OpenMedia::kObject);
  if (name == "version")
    return one("getCodeVersion", "tell the server's version", "io.k8s.apimachinery.pkg.version.Info", OpenMedia::kJson);
  if (name == "openid/v1/jwks") {
    return one("getServiceAccountIssuerOpenIDKeyset",
               "the keys that service account tokens are signed with, as a JSON Web Key Set", "",
               OpenMedia::kJsonWebKeys);
  }
  if (name == ".well-known/openid-configuration") {
    return one("getServiceAccountIssuerOpenIDConfiguration",
               "the OpenID provider configuration of the service account issuer", "", OpenMedia::kJson);
  }
  const std::vector<const registry::Resource*> members = Members(resources, name);
  if (!members.empty()) {
    std::vector<OpenPath> paths = PathsOfVersion(members[0]->group, members[0]->version, members, texts);
    for (OpenPath& each : paths) {
      for (OpenOperation& operation : each.operations) operation.has_cbor = options_.cbor && !operation.custom;
    }
    return paths;
  }
  std::string_view group = name.substr(name.find('/') + 1);
  return one(GroupOperationId(group), "tell about the group", base::Cat(kMeta, "APIGroup"), OpenMedia::kObject);
}

std::vector<const registry::Resource*> OpenApi::Members(const registry::ResourceTable& resources,
                                                        std::string_view name) {
  constexpr std::string_view kCore = "api/", kGroups = "apis/";
  std::string_view group, version;
  if (name.starts_with(kCore)) {
    version = name.substr(kCore.size());
  } else if (name.starts_with(kGroups)) {
    const size_t slash = name.find('/', kGroups.size());
    if (slash == name.npos) return {};
    group = name.substr(kGroups.size(), slash - kGroups.size());
    version = name.substr(slash + 1);
  }
  std::vector<const registry::Resource*> members;
  for (const registry::Resource* resource : resources.All()) {
    if (resource->version == version && resource->group == group) members.push_back(resource);
  }
  return members;
}

OpenApiCustomSchemas OpenApi::CustomSchemas(std::vector<const registry::Resource*> resources) const {
  if (!options_.custom_schema) return {};
  // By the name of the type, as paths have it.
  std::map<std::string, std::pair<const registry::Resource*, bool>, std::less<>> custom;
  for (const registry::Resource* resource : resources) {
    if (!resource->custom) continue;
    const std::string name(resource->type->name);
    custom.emplace(name.substr(0, name.rfind('.') + 1) + resource->list_kind, std::pair(resource, true));
    custom.insert_or_assign(name, std::pair(resource, false));
  }
  return [this, custom = std::move(custom)](std::string_view name, OpenApiVersion version) {
    const auto found = custom.find(name);
    return found == custom.end()
               ? std::string()
               : options_.custom_schema(*found->second.first, version, found->second.second);
  };
}

std::string OpenApi::MakeV3(const Documents& documents, std::string_view name) const {
  auto texts = schema::Texts::Load();
  const std::vector<const registry::Resource*> members = Members(*documents.table, name);
  const bool of_definitions =
      !members.empty() && std::ranges::all_of(members, [](const auto* resource) { return resource->custom; });
  const OpenApiCustomSchemas custom = CustomSchemas(members);
  return WriteOpenApiV3(
      Paths(*documents.table, name, *texts),
      {.server_version = server_version_, .types = *texts, .enums = options_.enums, .custom = custom}, of_definitions);
}

std::string OpenApi::DocumentV3(std::string_view name) const {
  const std::shared_ptr<const Documents> documents = Current();
  return documents->v3.contains(name) ? MakeV3(*documents, name) : std::string();
}

std::string OpenApi::MakeV2(const Documents& documents) const {
  auto texts = schema::Texts::Load();
  std::vector<OpenPath> all;
  for (const auto& entry : documents.v3) {
    std::vector<OpenPath> paths = Paths(*documents.table, entry.first, *texts);
    std::ranges::move(paths, std::back_inserter(all));
  }
  std::ranges::sort(all, {}, &OpenPath::path);
  const auto resources = documents.table->All();
  const OpenApiCustomSchemas custom = CustomSchemas({resources.begin(), resources.end()});
  return WriteOpenApiV2(
      all, {.server_version = server_version_, .types = *texts, .enums = options_.enums, .custom = custom});
}

std::string OpenApi::DocumentV2() const { return MakeV2(*Current()); }

OpenApi::DocumentRef OpenApi::FindV3(const Documents& documents, std::string_view name) {
  auto found = documents.v3.find(name);
  if (found == documents.v3.end()) return nullptr;
  Document& document = *found->second;
  std::call_once(document.made, [&] {
    std::string plain = MakeV3(documents, name);
    document.gzip = Gzip(plain);
    document.size = plain.size();
    document.etag = Sha512(plain);
    document.modified = absl::FromChrono(clock_.Now());
  });
  return found->second;
}

OpenApi::DocumentRef OpenApi::V2(const Documents& documents, bool wire) {
  const DocumentRef& document = wire ? documents.v2_wire : documents.v2_json;
  std::call_once(document->made, [&] {
    std::string plain = wire ? OpenApiV2ToWire(V2(documents, false)->Plain()) : MakeV2(documents);
    document->gzip = Gzip(plain);
    document->size = plain.size();
    document->etag = Sha512(plain);
    document->modified = absl::FromChrono(clock_.Now());
  });
  return document;
}

exchange::Response OpenApi::AnswerV2(const exchange::Exchange& exchange) {
  const exchange::Headers& headers = exchange.request().headers;
  exchange::Response response = Bare(406);
  response.headers.Add("vary", "Accept-Encoding");
  response.headers.Add("vary", "Accept");
  const std::optional<size_t> form = ChooseForm(headers.Get("accept"), kFormsV2).form;
  if (!form) return response;
  const DocumentRef held = V2(*Current(), *form != 0);
  const Document& document = *held;
  std::string etag = base::Cat("\"", document.etag, "\"");
  response.headers.Add("etag", etag);
  response.status = UnmetCondition(exchange.request(), etag, document.modified);
  if (response.status == 304) return response;
  response.headers.Add("content-type", FormType(*form, kFormsV2));
  response.headers.Add("last-modified", HttpDate(document.modified));
  if (response.status == 412) return response;
  response.status = 200;
  response.headers.Add("accept-ranges", "bytes");
  std::vector<base::Slice> body;
  if (TakesGzip(headers.Get("accept-encoding"))) {
    response.headers.Add("content-encoding", "gzip");
    body.push_back({document.gzip, held});
  } else {
    body.push_back(base::Slice::Own(document.Plain()));
  }
  response.body = std::move(body);
  return response;
}

exchange::Response OpenApi::AnswerIndex(const exchange::Exchange& exchange) {
  const absl::Time now = absl::FromChrono(clock_.Now());  // it is made each time
  // A date has whole seconds. A client that asked in this second may not know a definition that was answered in it too:
  // what it has counts as old.
  if (int unmet = UnmetCondition(exchange.request(), "", now + absl::Seconds(1)); unmet != 0) {
    exchange::Response response = Bare(unmet);
    response.headers.Add("last-modified", HttpDate(now));
    return response;
  }
  std::string text;
  OpenJson json(text);
  json.Begin('{').Key("paths").Begin('{');
  const std::shared_ptr<const Documents> documents = Current();
  for (const auto& entry : documents->v3) {
    std::string address = base::Cat(kV3, "/", entry.first, "?hash=", FindV3(*documents, entry.first)->etag);
    json.Key(entry.first).Begin('{').Key("serverRelativeURL").Text(address).End('}');
  }
  json.End('}').End('}');
  exchange::Response response = RespondText(200, "text/plain; charset=utf-8", std::move(text));
  response.headers.Add("accept-ranges", "bytes");
  response.headers.Add("last-modified", HttpDate(now));
  return response;
}

exchange::Response OpenApi::AnswerV3(const exchange::Exchange& exchange) {
  const api::RequestContext& context = exchange.context();
  const exchange::Headers& headers = exchange.request().headers;
  std::string_view path = context.info.path;
  std::string_view name = path.size() > kV3.size() ? path.substr(kV3.size() + 1) : "";
  const std::shared_ptr<const Documents> documents = Current();
  if (!documents->v3.contains(name)) return Bare(404);
  const auto [form, asked] = ChooseForm(headers.Get("accept"), kFormsV3);
  if (!asked) return Bare(200);  // nothing, for whoever asks for nothing
  exchange::Response response = Bare(406);
  response.headers.Add("vary", "Accept");
  if (!form) return response;
  const DocumentRef held = FindV3(*documents, name);
  const Document& document = *held;
  std::string etag = base::Cat("\"", document.etag, "\"");
  response.headers.Add("etag", etag);
  std::string_view hash = context.query.Get("hash");
  if (!hash.empty() && hash != document.etag) {
    response.status = 301;
    response.headers.Add("content-type", std::string(kJsonType));
    response.headers.Add("location", base::Cat(kV3, "/", name, "?hash=", document.etag));
    return response;
  }
  if (!hash.empty()) {  // what such an address names never changes
    response.headers.Add("cache-control", "public, immutable");
    absl::Time in_a_year = absl::FromChrono(clock_.Now()) + absl::Hours(24 * 365);
    response.headers.Add("expires", absl::FormatTime("%a, %d %b %Y %H:%M:%S UTC", in_a_year, absl::UTCTimeZone()));
  }
  response.status = UnmetCondition(exchange.request(), etag, document.modified);
  if (response.status == 304) return response;
  response.headers.Add("content-type", FormType(*form, kFormsV3));
  response.headers.Add("last-modified", HttpDate(document.modified));
  if (response.status == 412) return response;
  response.status = 200;
  response.headers.Add("accept-ranges", "bytes");
  std::string body = document.Plain();
  if (*form != 0) body = OpenApiV3ToWire(body);
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(body))};
  return response;
}

void OpenApi::Install(Endpoints& endpoints) {
  endpoints.Exact("/openapi/v2", Sync([this](exchange::Exchange& e) { return AnswerV2(e); }));
  endpoints.Exact(std::string(kV3), Sync([this](exchange::Exchange& e) { return AnswerIndex(e); }));
  auto v3 = Sync([this](exchange::Exchange& e) { return AnswerV3(e); });
  endpoints.Exact(base::Cat(kV3, "/"), v3);
  endpoints.Prefix(std::string(kV3), v3);
}

}  // namespace handlers
