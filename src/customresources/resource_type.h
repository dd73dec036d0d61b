// ResourceType: the schema::Type of one version of a custom resource, so that everything that works on built-in types
// (decoding, encoding, patches, server-side apply, field managers) works on it. Immutable, shared by pointer, any
// thread; keeps its schema alive.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "customresources/compiled_schema.h"
#include "schema/schema.h"

namespace customresources {

// The name under which OpenAPI documents know a kind: com.example.stable.v1.CronTab.
std::string OpenApiName(std::string_view group, std::string_view version, std::string_view kind);

class ResourceType {
 public:
  ResourceType(std::string_view group, std::string_view version, std::string_view kind,
               std::shared_ptr<const CompiledSchema> schema);
  ResourceType(const ResourceType&) = delete;
  ResourceType& operator=(const ResourceType&) = delete;

  const schema::Type& type() const { return type_; }
  const schema::Structural& root() const { return schema_->root(); }

 private:
  const std::string group_, version_, kind_, name_;
  const std::shared_ptr<const CompiledSchema> schema_;
  std::vector<schema::Field> fields_;  // kind, apiVersion, metadata, and spec and status where the schema has them
  std::vector<const schema::Field*> members_;
  std::vector<uint16_t> slots_;
  schema::Type type_;
};

}  // namespace customresources
