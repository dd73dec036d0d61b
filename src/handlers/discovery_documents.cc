#include "handlers/discovery_documents.h"

#include <openssl/evp.h>

#include <map>
#include <span>
#include <utility>

#include "base/text.h"
#include "handlers/respond.h"
#include "schema/encode.h"
#include "schema/wire.h"
#include "value/value.h"

namespace handlers {

namespace {

using registry::Resource;
using registry::Subresource;
using value::Arena;
using value::Value;
using Resources = std::span<const Resource* const>;
using Kind = DiscoveryDocument::Kind;

// Splits resources that lie together by what `key` says of them.
template <class Key>
std::vector<Resources> Split(Resources resources, Key key) {
  std::vector<Resources> parts;
  size_t begin = 0;
  for (size_t i = 1; i <= resources.size(); ++i) {
    if (i < resources.size() && key(*resources[i]) == key(*resources[begin])) continue;
    parts.push_back(resources.subspan(begin, i - begin));
    begin = i;
  }
  return parts;
}
std::vector<Resources> ByGroup(Resources resources) {
  return Split(resources, [](const Resource& r) -> std::string_view { return r.group; });
}
std::vector<Resources> ByVersion(Resources resources) {
  return Split(resources,
               [](const Resource& r) { return std::pair<std::string_view, std::string_view>(r.group, r.version); });
}

// Builds the trees of documents. Strings are those of the resources, or in the arena.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  Value Versions(Resources resources, std::string_view server_address) {
    Value versions = Array();
    for (Resources part : ByVersion(resources)) versions.Append(arena_, Value::String(part[0]->version));
    Value address = Object();
    address.Add(arena_, "clientCIDR", Value::String("0.0.0.0/0"));
    address.Add(arena_, "serverAddress", Value::String(server_address));
    Value addresses = Array();
    addresses.Append(arena_, address);
    Value document = Object();
    document.Add(arena_, "versions", versions);
    document.Add(arena_, "serverAddressByClientCIDRs", addresses);
    return document;
  }

  Value Groups(Resources resources) {
    Value groups = Array();
    for (Resources part : ByGroup(resources)) groups.Append(arena_, Group(part));
    Value document = Object();
    document.Add(arena_, "groups", groups);
    return document;
  }

  Value Group(Resources resources) {
    Value versions = Array();
    for (Resources part : ByVersion(resources)) {
      Value version = Object();
      version.Add(arena_, "groupVersion", Value::Copy(arena_, part[0]->group_version()));
      version.Add(arena_, "version", Value::String(part[0]->version));
      versions.Append(arena_, version);
    }
    Value group = Object();
    group.Add(arena_, "name", Value::String(resources[0]->group));
    group.Add(arena_, "versions", versions);
    group.Add(arena_, "preferredVersion", versions[0]);
    return group;
  }

  Value ResourceList(Resources resources, std::string_view group_version) {
    // Subresources stand among the resources, all by name.
    std::map<std::string, Value> by_name;
    for (const Resource* resource : resources) {
      by_name.emplace(resource->plural, Listed(*resource));
      for (const Subresource& subresource : resource->subresources) {
        std::string name = base::Cat(resource->plural, "/", subresource.name);
        Value listed = Listed(*resource, subresource, name);
        by_name.emplace(std::move(name), listed);
      }
    }
    Value list = Array();
    for (const auto& [name, listed] : by_name) list.Append(arena_, listed);
    Value document = Object();
    document.Add(arena_, "groupVersion", Value::String(group_version));
    document.Add(arena_, "resources", list);
    return document;
  }

  Value Aggregated(Resources resources) {
    Value groups = Array();
    for (Resources group : ByGroup(resources)) {
      Value versions = Array();
      for (Resources version : ByVersion(group)) versions.Append(arena_, AggregatedVersion(version));
      Value metadata = Object();
      metadata.Add(arena_, "name", Value::String(group[0]->group));
      Value item = Object();
      item.Add(arena_, "metadata", metadata);
      item.Add(arena_, "versions", versions);
      groups.Append(arena_, item);
    }
    Value document = Object();
    document.Add(arena_, "items", groups);
    return document;
  }

 private:
  Value Object() { return Value::Object(arena_, 8); }
  Value Array() { return Value::Array(arena_, 8); }

  void AddStrings(Value object, std::string_view key, const std::vector<std::string>& strings) {
    if (strings.empty()) return;
    Value list = Value::Array(arena_, static_cast<uint32_t>(strings.size()));
    for (const std::string& text : strings) list.Append(arena_, Value::String(text));
    object.Add(arena_, key, list);
  }

  Value Listed(const Resource& resource) {
    Value listed = Object();
    listed.Add(arena_, "name", Value::String(resource.plural));
    listed.Add(arena_, "singularName", Value::String(resource.singular));
    listed.Add(arena_, "namespaced", Value::Bool(resource.namespaced));
    listed.Add(arena_, "kind", Value::String(resource.kind));
    AddStrings(listed, "verbs", resource.verbs);
    AddStrings(listed, "shortNames", resource.short_names);
    AddStrings(listed, "categories", resource.categories);
    if (!resource.storage_version_hash.empty()) {
      listed.Add(arena_, "storageVersionHash", Value::String(resource.storage_version_hash));
    }
    return listed;
  }

  Value Listed(const Resource& resource, const Subresource& subresource, std::string_view name) {
    Value listed = Object();
    listed.Add(arena_, "name", Value::Copy(arena_, name));
    listed.Add(arena_, "namespaced", Value::Bool(resource.namespaced));
    if (subresource.group != resource.group || subresource.version != resource.version) {
      listed.Add(arena_, "group", Value::String(subresource.group));
      listed.Add(arena_, "version", Value::String(subresource.version));
    }
    listed.Add(arena_, "kind", Value::String(subresource.kind));
    AddStrings(listed, "verbs", subresource.verbs);
    return listed;
  }

  Value AggregatedVersion(Resources resources) {
    Value list = Array();
    for (const Resource* resource : resources) list.Append(arena_, AggregatedResource(*resource));
    Value version = Object();
    version.Add(arena_, "version", Value::String(resources[0]->version));
    version.Add(arena_, "resources", list);
    version.Add(arena_, "freshness", Value::String("Current"));
    return version;
  }

  // Built-in resources leave out the group and version of their own kind; custom ones say them.
  Value ResponseKind(const Resource& resource, std::string_view group, std::string_view version,
                     std::string_view kind) {
    Value response = Object();
    bool own = group == resource.group && version == resource.version;
    if (!own || resource.custom) {
      response.Add(arena_, "group", Value::String(group));
      response.Add(arena_, "version", Value::String(version));
    }
    response.Add(arena_, "kind", Value::String(kind));
    return response;
  }

  Value AggregatedResource(const Resource& resource) {
    Value item = Object();
    item.Add(arena_, "resource", Value::String(resource.plural));
    item.Add(arena_, "responseKind", ResponseKind(resource, resource.group, resource.version, resource.kind));
    item.Add(arena_, "scope", Value::String(resource.namespaced ? "Namespaced" : "Cluster"));
    item.Add(arena_, "singularResource", Value::String(resource.singular));
    AddStrings(item, "verbs", resource.verbs);
    AddStrings(item, "shortNames", resource.short_names);
    AddStrings(item, "categories", resource.categories);
    Value subresources = Array();
    for (const Subresource& subresource : resource.subresources) {
      Value part = Object();
      part.Add(arena_, "subresource", Value::String(subresource.name));
      part.Add(arena_, "responseKind",
               ResponseKind(resource, subresource.group, subresource.version, subresource.kind));
      AddStrings(part, "verbs", subresource.verbs);
      subresources.Append(arena_, part);
    }
    if (!subresources.empty()) item.Add(arena_, "subresources", subresources);
    return item;
  }

  Arena& arena_;
};

// The kind of a document, and whether it says no apiVersion (documents of the core group are older than that).
struct Header {
  std::string_view group, version, kind;
  bool unversioned;
};

Header HeaderOf(Kind kind, std::string_view group_version) {
  switch (kind) {
    case Kind::kVersions:
      return {"", "v1", "APIVersions", true};
    case Kind::kGroups:
      return {"", "v1", "APIGroupList", false};
    case Kind::kGroup:
      return {"", "v1", "APIGroup", false};
    case Kind::kResources:
      return {"", "v1", "APIResourceList", group_version.find('/') == group_version.npos};
    case Kind::kAggregated:
      return {"apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList", false};
    case Kind::kAggregatedBeta:
      return {"apidiscovery.k8s.io", "v2beta1", "APIGroupDiscoveryList", false};
  }
  return {};
}

Value Tree(const DiscoveryDocument::Subject& subject, Arena& arena) {
  Builder builder(arena);
  switch (subject.kind) {
    case Kind::kVersions:
      return builder.Versions(subject.resources, subject.server_address);
    case Kind::kGroups:
      return builder.Groups(subject.resources);
    case Kind::kGroup:
      return builder.Group(subject.resources);
    case Kind::kResources:
      return builder.ResourceList(subject.resources, subject.group_version);
    default:
      return builder.Aggregated(subject.resources);
  }
}

std::string ApiVersion(const Header& header) {
  return header.group.empty() ? std::string(header.version) : base::Cat(header.group, "/", header.version);
}

std::string Json(const DiscoveryDocument::Subject& subject, const Header& header, const schema::Type& type) {
  Arena arena;
  std::string json;
  schema::EncodeJson(type, Tree(subject, arena), json);
  if (header.unversioned) {
    std::string said = base::Cat(",\"apiVersion\":\"", header.version, "\"");
    json.erase(json.find(said), said.size());
  }
  return json;
}

std::string Sha512Hex(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha512(), nullptr);
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += {kHex[digest[i] >> 4], kHex[digest[i] & 15]};
  return hex;
}

}  // namespace

std::string DiscoveryDocument::Encoded(const Output& output) const {
  Header header = HeaderOf(subject_.kind, subject_.group_version);
  const schema::Type* type = schema::FindKind(header.group, header.version, header.kind);
  if (output.encoding == Encoding::kProtobuf) {
    Arena arena;
    std::string bytes;
    schema::EncodeEnvelope(*type, header.unversioned ? "" : ApiVersion(header), header.kind, Tree(subject_, arena),
                           bytes);
    return bytes;
  }
  Document document = MakeDocument(Json(subject_, header, *type), type, ApiVersion(header), header.kind);
  return Encode({.encoding = output.encoding, .pretty = output.pretty}, document).value_or("");
}

std::string_view DiscoveryDocument::Bytes(const Output& output) const {
  Form& form = forms_[output.pretty ? kForms - 1 : static_cast<size_t>(output.encoding)];
  std::call_once(form.once, [&] { form.bytes = Encoded(output); });
  return form.bytes;
}

std::string_view DiscoveryDocument::Etag() const {
  std::call_once(etag_.once, [&] {
    // Of the document without kind and apiVersion, so that both versions have the same.
    Header header = HeaderOf(subject_.kind, {});
    std::string json = Json(subject_, header, *schema::FindKind(header.group, header.version, header.kind));
    json.replace(0, json.find("\"metadata\""), "{");
    etag_.bytes = base::Cat("\"", Sha512Hex(json), "\"");
  });
  return etag_.bytes;
}

DiscoveryDocuments::DiscoveryDocuments(std::shared_ptr<const registry::ResourceTable> table,
                                       std::string_view server_address)
    : table_(std::move(table)) {
  using Subject = DiscoveryDocument::Subject;
  std::vector<const Resource*> legacy, grouped;
  for (const Resource* resource : table_->All()) (resource->group.empty() ? legacy : grouped).push_back(resource);
  for (Resources version : ByVersion(legacy)) {
    Add(base::Cat("/api/", version[0]->version),
        Subject{Kind::kResources, version[0]->version, {version.begin(), version.end()}, {}});
  }
  for (Resources group : ByGroup(grouped)) {
    Add(base::Cat("/apis/", group[0]->group), Subject{Kind::kGroup, {}, {group.begin(), group.end()}, {}});
    for (Resources version : ByVersion(group)) {
      std::string group_version = version[0]->group_version();
      Add("/apis/" + group_version, Subject{Kind::kResources, group_version, {version.begin(), version.end()}, {}});
    }
  }
  for (bool beta : {false, true}) {
    Kind kind = beta ? Kind::kAggregatedBeta : Kind::kAggregated;
    aggregated_[0][beta] = std::make_unique<DiscoveryDocument>(Subject{kind, {}, legacy, {}});
    aggregated_[1][beta] = std::make_unique<DiscoveryDocument>(Subject{kind, {}, grouped, {}});
  }
  Add("/api", Subject{Kind::kVersions, {}, std::move(legacy), std::string(server_address)});
  Add("/apis", Subject{Kind::kGroups, {}, std::move(grouped), {}});
}

void DiscoveryDocuments::Add(std::string path, DiscoveryDocument::Subject subject) {
  documents_.emplace(std::move(path), std::make_unique<DiscoveryDocument>(std::move(subject)));
}

const DiscoveryDocument* DiscoveryDocuments::Find(std::string_view path) const {
  auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : found->second.get();
}

}  // namespace handlers
