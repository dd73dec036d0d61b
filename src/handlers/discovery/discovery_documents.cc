#include "handlers/discovery/discovery_documents.h"

#include <openssl/evp.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "api/group_version.h"
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
using Kind = DiscoveryDocument::Kind;

// The table's resources lie in the order of discovery.
std::vector<DiscoveryGroup> Grouped(std::span<const Resource* const> resources) {
  std::vector<DiscoveryGroup> groups;
  for (const Resource* resource : resources) {
    if (groups.empty() || groups.back().name != resource->group) groups.push_back({resource->group, {}});
    auto& versions = groups.back().versions;
    if (versions.empty() || versions.back().name != resource->version) versions.push_back({resource->version, {}});
    versions.back().resources.push_back(resource);
  }
  return groups;
}

std::vector<ApiServices::GroupVersion> CustomVersions(const std::vector<DiscoveryGroup>& served) {
  std::vector<ApiServices::GroupVersion> custom;
  for (const DiscoveryGroup& group : served) {
    for (const DiscoveryGroup::Version& version : group.versions) {
      if (std::ranges::any_of(version.resources, &Resource::custom)) custom.push_back({group.name, version.name});
    }
  }
  return custom;
}

const DiscoveryGroup* FindGroup(const std::vector<DiscoveryGroup>& groups, std::string_view name) {
  const auto found = std::ranges::find(groups, name, &DiscoveryGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

// The group whose API services these are has none of its own; it is always there, before all others.
constexpr std::string_view kFirstGroup = "apiregistration.k8s.io";

// What API services speak of, whoever serves it.
std::vector<DiscoveryGroup> ListedBy(const ApiServices& services, const std::vector<DiscoveryGroup>& served) {
  std::vector<DiscoveryGroup> listed;
  if (const DiscoveryGroup* first = FindGroup(served, kFirstGroup)) listed.push_back(*first);
  for (const ApiServices::Group& group : services.groups()) {
    DiscoveryGroup& added = listed.emplace_back(DiscoveryGroup{group.name, {}});
    for (const ApiServices::Version& version : group.versions) added.versions.push_back({version.name, {}});
  }
  return listed;
}

// What is served here, and what another server should tell of itself.
std::vector<DiscoveryGroup> AggregatedBy(const ApiServices& services, const std::vector<DiscoveryGroup>& served) {
  std::vector<std::pair<int64_t, DiscoveryGroup>> ranked;
  for (const ApiServices::Group& group : services.groups()) {
    const DiscoveryGroup* own = FindGroup(served, group.name);
    DiscoveryGroup told{group.name, {}};
    for (const ApiServices::Version& version : group.versions) {
      if (version.elsewhere) {
        told.versions.push_back({version.name, {}});
      } else if (own != nullptr) {
        const auto known = std::ranges::find(own->versions, version.name, &DiscoveryGroup::Version::name);
        if (known != own->versions.end()) told.versions.push_back(*known);
      }
    }
    const int64_t rank = own != nullptr ? group.priority : group.priority_elsewhere;
    if (!told.versions.empty()) ranked.emplace_back(rank, std::move(told));
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &std::pair<int64_t, DiscoveryGroup>::first);
  std::vector<DiscoveryGroup> groups;
  if (const DiscoveryGroup* first = FindGroup(served, kFirstGroup)) groups.push_back(*first);
  for (auto& [rank, group] : ranked) groups.push_back(std::move(group));
  return groups;
}

// Builds the trees of documents. Strings are those of the resources, or in the arena.
class Builder {
 public:
  explicit Builder(Arena& arena) : arena_(arena) {}

  Value Versions(const DiscoveryGroup& group, std::string_view server_address) {
    Value versions = Array();
    for (const DiscoveryGroup::Version& version : group.versions) {
      versions.Append(arena_, Value::String(version.name));
    }
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

  Value Groups(const std::vector<DiscoveryGroup>& listed) {
    Value groups = Array();
    for (const DiscoveryGroup& group : listed) groups.Append(arena_, Group(group));
    Value document = Object();
    document.Add(arena_, "groups", groups);
    return document;
  }

  Value Group(const DiscoveryGroup& told) {
    Value versions = Array();
    for (const DiscoveryGroup::Version& part : told.versions) {
      Value version = Object();
      version.Add(arena_, "groupVersion", Value::Copy(arena_, api::GroupVersion{told.name, part.name}.text()));
      version.Add(arena_, "version", Value::String(part.name));
      versions.Append(arena_, version);
    }
    Value group = Object();
    group.Add(arena_, "name", Value::String(told.name));
    group.Add(arena_, "versions", versions);
    group.Add(arena_, "preferredVersion", versions[0]);
    return group;
  }

  Value ResourceList(const DiscoveryGroup& group) {
    const DiscoveryGroup::Version& told = group.versions[0];
    // Subresources stand among the resources, all by name.
    std::map<std::string, Value> by_name;
    for (const Resource* resource : told.resources) {
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
    document.Add(arena_, "groupVersion", Value::Copy(arena_, api::GroupVersion{group.name, told.name}.text()));
    document.Add(arena_, "resources", list);
    return document;
  }

  Value Aggregated(const std::vector<DiscoveryGroup>& told) {
    Value groups = Array();
    for (const DiscoveryGroup& group : told) {
      Value versions = Array();
      for (const DiscoveryGroup::Version& version : group.versions) {
        versions.Append(arena_, AggregatedVersion(version));
      }
      Value metadata = Object();
      metadata.Add(arena_, "name", Value::String(group.name));
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

  // What is elsewhere has not told of itself.
  Value AggregatedVersion(const DiscoveryGroup::Version& told) {
    Value list = Array();
    for (const Resource* resource : told.resources) list.Append(arena_, AggregatedResource(*resource));
    Value version = Object();
    version.Add(arena_, "version", Value::String(told.name));
    if (!list.empty()) version.Add(arena_, "resources", list);
    version.Add(arena_, "freshness", Value::String(list.empty() ? "Stale" : "Current"));
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

Header HeaderOf(const DiscoveryDocument::Subject& subject) {
  switch (subject.kind) {
    case Kind::kVersions:
      return {"", "v1", "APIVersions", true};
    case Kind::kGroups:
      return {"", "v1", "APIGroupList", false};
    case Kind::kGroup:
      return {"", "v1", "APIGroup", false};
    case Kind::kResources:
      return {"", "v1", "APIResourceList", subject.groups[0].name.empty()};
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
      return builder.Versions(subject.groups[0], subject.server_address);
    case Kind::kGroups:
      return builder.Groups(subject.groups);
    case Kind::kGroup:
      return builder.Group(subject.groups[0]);
    case Kind::kResources:
      return builder.ResourceList(subject.groups[0]);
    default:
      return builder.Aggregated(subject.groups);
  }
}

std::string ApiVersion(const Header& header) { return api::GroupVersion{header.group, header.version}.text(); }

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
  Header header = HeaderOf(subject_);
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
    Header header = HeaderOf(subject_);
    std::string json = Json(subject_, header, *schema::FindKind(header.group, header.version, header.kind));
    json.replace(0, json.find("\"metadata\""), "{");
    etag_.bytes = base::Cat("\"", Sha512Hex(json), "\"");
  });
  return etag_.bytes;
}

DiscoveryDocuments::DiscoveryDocuments(std::shared_ptr<const registry::ResourceTable> table,
                                       std::string_view server_address, std::shared_ptr<const ApiServices> services)
    : table_(std::move(table)), services_(std::move(services)) {
  std::vector<const Resource*> core, others;
  for (const Resource* resource : table_->All()) (resource->group.empty() ? core : others).push_back(resource);
  std::vector<DiscoveryGroup> legacy = Grouped(core), served = Grouped(others);
  if (legacy.empty()) legacy.emplace_back();
  for (const DiscoveryGroup::Version& version : legacy[0].versions) {
    Add(base::Cat("/api/", version.name), {Kind::kResources, {{legacy[0].name, {version}}}, {}});
  }
  std::optional<ApiServices> services_now;
  if (services_ != nullptr) services_now = services_->WithRegistered(CustomVersions(served));
  std::vector<DiscoveryGroup> listed = services_now ? ListedBy(*services_now, served) : served;
  for (const std::vector<DiscoveryGroup>& groups : {listed, served}) {
    for (const DiscoveryGroup& group : groups) Add(base::Cat("/apis/", group.name), {Kind::kGroup, {group}, {}});
  }
  for (const DiscoveryGroup& group : listed) {
    for (const auto& version : group.versions) paths_.push_back(base::Cat("/apis/", group.name, "/", version.name));
  }
  for (const DiscoveryGroup& group : served) {
    for (const DiscoveryGroup::Version& version : group.versions) {
      Add(base::Cat("/apis/", group.name, "/", version.name), {Kind::kResources, {{group.name, {version}}}, {}});
    }
  }
  std::vector<DiscoveryGroup> told = services_now ? AggregatedBy(*services_now, served) : served;
  for (bool beta : {false, true}) {
    const Kind kind = beta ? Kind::kAggregatedBeta : Kind::kAggregated;
    using Subject = DiscoveryDocument::Subject;
    aggregated_[0][beta] = std::make_unique<DiscoveryDocument>(Subject{kind, legacy, {}});
    aggregated_[1][beta] = std::make_unique<DiscoveryDocument>(Subject{kind, told, {}});
  }
  Add("/api", {Kind::kVersions, std::move(legacy), std::string(server_address)});
  Add("/apis", {Kind::kGroups, std::move(listed), {}});
}

// Of one path the first stays.
void DiscoveryDocuments::Add(std::string path, DiscoveryDocument::Subject subject) {
  paths_.push_back(path);
  documents_.try_emplace(std::move(path), std::make_unique<DiscoveryDocument>(std::move(subject)));
}

const DiscoveryDocument* DiscoveryDocuments::Find(std::string_view path) const {
  auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : found->second.get();
}

}  // namespace handlers
