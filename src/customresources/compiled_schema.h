// From a definition's openAPIV3Schema to a structural schema (schema/structural.h): compact, immutable, made once.
//
// A SchemaCompiler keeps what it made as long as somebody uses it, so that equal sub-schemas of a size (a pod template,
// an unchanged second version) are one, whichever definitions they come from. Descriptions, titles and examples are
// not kept: OpenAPI documents are made from the stored definition. CompiledSchema: any thread, shared by pointer.
// SchemaCompiler: any thread; one lock for the moment of a look-up.
//
// Cost: linear in the schema. Memory: 80 to 300 bytes for each different node, and its names and texts. Bounds: depth
// is that of decoded documents; patterns are compiled at their first use (pattern_cache.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "schema/structural.h"
#include "value/arena.h"
#include "value/value.h"

namespace customresources {

using SchemaKey = std::array<unsigned char, 32>;  // SHA-256 of what a schema says

class CompiledSchema {
 public:
  CompiledSchema() : arena_(1024) {}
  CompiledSchema(const CompiledSchema&) = delete;
  CompiledSchema& operator=(const CompiledSchema&) = delete;

  const schema::Structural& root() const { return *root_; }
  const SchemaKey& key() const { return key_; }        // equal schemas have equal keys
  size_t bytes() const { return arena_.allocated(); }  // without the parts that are shared
  size_t shared_parts() const { return parts_.size(); }

 private:
  friend class SchemaBuilder;
  value::Arena arena_;
  const schema::Structural* root_ = nullptr;
  SchemaKey key_{};
  std::vector<std::shared_ptr<const CompiledSchema>> parts_;  // what nodes of this point into
};

class SchemaCompiler {
 public:
  // `openapi_schema`: a canonical JSONSchemaProps that is structural (what is not, is left out), or null for a
  // definition without one: everything is kept, nothing is demanded. Never null.
  std::shared_ptr<const CompiledSchema> Compile(const value::Value& openapi_schema);

  size_t interned() const;  // schemas that somebody uses or used

 private:
  friend class SchemaBuilder;
  std::shared_ptr<const CompiledSchema> Find(const SchemaKey& key);
  std::shared_ptr<const CompiledSchema> Insert(std::shared_ptr<const CompiledSchema> made);

  mutable std::mutex mutex_;
  absl::flat_hash_map<SchemaKey, std::weak_ptr<const CompiledSchema>> made_;  // guarded
  size_t sweep_at_ = 64;                                                      // guarded
};

}  // namespace customresources
