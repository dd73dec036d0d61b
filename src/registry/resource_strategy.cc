#include "registry/resource_strategy.h"

namespace registry {

void TableStrategy::SetDefaults(const schema::Type& type, const Value& object, Arena& arena,
                                const api::Features& features) const {
  if (table_.set_defaults != nullptr) table_.set_defaults(type, object, arena, features);
}

void TableStrategy::PrepareForCreate(WriteContext& context, Value object) const {
  if (table_.prepare_for_create != nullptr) table_.prepare_for_create(context, object);
}

void TableStrategy::PrepareForUpdate(WriteContext& context, Value object, const Value& old) const {
  if (table_.prepare_for_update != nullptr) table_.prepare_for_update(context, object, old);
}

api::FieldErrors TableStrategy::Validate(WriteContext& context, const Value& object) const {
  return table_.validate != nullptr ? table_.validate(context, object) : api::FieldErrors();
}

api::FieldErrors TableStrategy::ValidateUpdate(WriteContext& context, const Value& object, const Value& old) const {
  return table_.validate_update != nullptr ? table_.validate_update(context, object, old) : api::FieldErrors();
}

void TableStrategy::Canonicalise(WriteContext& context, Value object) const {
  if (table_.canonicalise != nullptr) table_.canonicalise(context, object);
}

void TableStrategy::WarnOnWrite(WriteContext& context, const Value& object, const Value* old) const {
  if (table_.warnings_on_write != nullptr) table_.warnings_on_write(context, object, old);
}

std::string_view TableStrategy::HiddenMember(const Value& stored) const {
  return table_.hidden_member != nullptr ? table_.hidden_member(stored) : std::string_view();
}

std::optional<std::string> TableStrategy::UnsupportedField(std::string_view label) const {
  if (table_.unsupported_field == nullptr) return std::nullopt;
  return table_.unsupported_field(label);
}

bool TableStrategy::FirstUpdateWrites(const Value& created) const {
  return table_.first_update_writes != nullptr && table_.first_update_writes(created);
}

std::optional<int64_t> TableStrategy::GraceSeconds(const Value& object, std::optional<int64_t> asked) const {
  if (table_.grace_seconds == nullptr) return std::nullopt;
  return table_.grace_seconds(object, asked);
}

void TableStrategy::BeginTermination(WriteContext& context, Value object) const {
  if (table_.begin_termination != nullptr) table_.begin_termination(context, object);
}

bool TableStrategy::TerminationPending(const Value& object) const {
  return table_.termination_pending != nullptr && table_.termination_pending(object);
}

}  // namespace registry
