// ObjectMeta: typed access to `metadata` of a canonical tree. Setters keep members in the order of the schema, so that
// the tree stays canonical. A view like value::Value: copying shares, the tree lives as long as its arena, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "value/arena.h"
#include "value/value.h"

namespace registry {

// Sets `key` of `object`, at its place in `order` where it is new; members whose keys are not in `order` come last.
void SetInOrder(const value::Value& object, value::Arena& arena, std::span<const std::string_view> order,
                std::string_view key, value::Value member);

class ObjectMeta {
 public:
  // Of `object`, whose metadata is made if it has none.
  ObjectMeta(const value::Value& object, value::Arena& arena);
  // To read only: absent metadata reads as empty.
  explicit ObjectMeta(const value::Value& object) : meta_(object.Get("metadata")) {}

  std::string_view name() const { return meta_.GetString("name"); }
  std::string_view generate_name() const { return meta_.GetString("generateName"); }
  std::string_view namespace_name() const { return meta_.GetString("namespace"); }
  std::string_view uid() const { return meta_.GetString("uid"); }
  std::string_view resource_version() const { return meta_.GetString("resourceVersion"); }
  std::string_view creation_timestamp() const { return meta_.GetString("creationTimestamp"); }
  std::string_view deletion_timestamp() const { return meta_.GetString("deletionTimestamp"); }
  bool deleting() const { return !deletion_timestamp().empty(); }
  std::optional<int64_t> deletion_grace_seconds() const;
  int64_t generation() const;
  value::Value finalizers() const { return meta_.Get("finalizers"); }
  bool HasFinalizer(std::string_view finalizer) const;

  value::Value Get(std::string_view key) const { return meta_.Get(key); }
  const value::Value& value() const { return meta_; }

  // `text` must live as long as the tree; "" removes the member.
  void SetString(std::string_view key, std::string_view text);
  // 0 removes generation; a pointer field's zero stays.
  void SetGeneration(int64_t generation);
  void SetDeletionGraceSeconds(int64_t seconds);
  // Null and empty containers remove the member.
  void Set(std::string_view key, value::Value member);
  // Makes `key` what it is in `other`; the two share it.
  void Take(std::string_view key, const ObjectMeta& other) { Set(key, other.Get(key)); }

 private:
  value::Value meta_;
  value::Arena* arena_ = nullptr;
};

}  // namespace registry
