// DiscoveryDocuments: the discovery documents of one resource table, and of the API services beside it, which say what
// is listed in which order. Made cheaply when either has changed; every form of a document (media type, indented or
// not) is encoded once, when it is first asked for. Any thread. Bounds: as many bytes as the documents of the table
// have in all forms, about 1 MiB for the built-in resources.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "handlers/discovery/api_services.h"
#include "handlers/negotiation.h"
#include "registry/resource_table.h"
#include "schema/schema.h"

namespace handlers {

// A group as documents tell it.
struct DiscoveryGroup {
  struct Version {
    std::string name;
    std::vector<const registry::Resource*> resources;  // none of one that is elsewhere
  };
  std::string name;               // "" core
  std::vector<Version> versions;  // the preferred one first
};

// One document in all its forms.
class DiscoveryDocument {
 public:
  // What it describes. kVersions and kGroup: of one group; kResources: of one version of it.
  enum class Kind : uint8_t { kVersions, kGroups, kGroup, kResources, kAggregated, kAggregatedBeta };
  struct Subject {
    Kind kind;
    std::vector<DiscoveryGroup> groups;
    std::string server_address;  // of kVersions
  };
  explicit DiscoveryDocument(Subject subject) : subject_(std::move(subject)) {}

  // The bytes in that form. Lives as long as this document.
  std::string_view Bytes(const Output& output) const;
  // Of aggregated documents, with its quotes: the same for all forms and both versions of what is served.
  std::string_view Etag() const;

 private:
  struct Form {
    std::once_flag once;
    std::string bytes;
  };
  static constexpr size_t kForms = 5;  // the encodings, and indented JSON

  std::string Encoded(const Output& output) const;

  const Subject subject_;
  mutable std::array<Form, kForms> forms_;
  mutable Form etag_;
};

class DiscoveryDocuments {
 public:
  // Without `services` (null), all groups of the table are listed in its order.
  DiscoveryDocuments(std::shared_ptr<const registry::ResourceTable> table, std::string_view server_address,
                     std::shared_ptr<const ApiServices> services);

  // Whether it is made of these.
  bool Describes(const registry::ResourceTableRef& table, const std::shared_ptr<const ApiServices>& services) const {
    return table_ == table && services_ == services;
  }

  // The document at `path` ("/apis/apps", no slash at the end), or nullptr.
  const DiscoveryDocument* Find(std::string_view path) const;
  // All of them, and those of versions that are not described here.
  const std::vector<std::string>& paths() const { return paths_; }
  // Aggregated discovery of /api or /apis.
  const DiscoveryDocument& Aggregated(bool legacy, bool beta) const {
    return *aggregated_[legacy ? 0 : 1][beta ? 1 : 0];
  }

 private:
  void Add(std::string path, DiscoveryDocument::Subject subject);

  std::shared_ptr<const registry::ResourceTable> table_;
  std::shared_ptr<const ApiServices> services_;
  base::StringMap<std::unique_ptr<DiscoveryDocument>> documents_;
  std::unique_ptr<DiscoveryDocument> aggregated_[2][2];
  std::vector<std::string> paths_;
};

}  // namespace handlers
