#include "registry/pending_conversions.h"

#include <span>
#include <utility>

#include "schema/decode.h"
#include "schema/encode.h"
#include "value/json_reader.h"

namespace registry {
namespace {

std::string Json(const schema::Type& type, const Value& object) {
  std::string json;
  schema::EncodeJson(type, object, json);
  return json;
}

}  // namespace

std::optional<Value> PendingConversions::Find(const Resource& source, const Resource& target, const Value& object,
                                              Arena& arena) {
  std::string json = Json(*source.type, object);
  for (const Entry& entry : entries_) {
    if (entry.source != &source || entry.target != &target || entry.object != json) continue;
    if (!entry.known) return std::nullopt;
    const auto read = value::ReadJson(arena.CopyString(entry.result), arena);
    if (!read) return std::nullopt;
    const auto decoded = schema::Decode(*target.type, *read, arena, nullptr);
    return decoded ? std::optional<Value>(*decoded) : std::nullopt;
  }
  if (gave_up_ || entries_.size() == kMost) return std::nullopt;
  entries_.push_back({.source = &source, .target = &target, .object = std::move(json), .result = {}});
  asked_ = true;
  return std::nullopt;
}

base::Task<api::Result<>> PendingConversions::ResolveOne(Converter::Request request, Entry& entry) {
  Arena arena;
  const auto read = value::ReadJson(entry.object, arena);
  if (!read) co_return api::Fail(api::Internal(read.error().message));
  auto decoded = schema::Decode(*entry.source->type, *read, arena, nullptr);
  if (!decoded) co_return std::unexpected(std::move(decoded.error()));
  Value object = *decoded;
  if (entry.source->converter != nullptr) {
    auto stored =
        co_await entry.source->converter->Convert(Converter::To::kStored, request, std::span(&object, 1), arena);
    if (!stored) co_return stored;
  }
  if (entry.target->converter != nullptr) {
    auto served =
        co_await entry.target->converter->Convert(Converter::To::kServed, request, std::span(&object, 1), arena);
    if (!served) co_return served;
  }
  entry.result = Json(*entry.target->type, object);
  entry.known = true;
  co_return api::Result<>();
}

base::Task<api::Result<>> PendingConversions::Resolve(Converter::Request request) {
  asked_ = false;
  for (Entry& entry : entries_) {
    if (entry.known) continue;
    auto resolved = co_await ResolveOne(request, entry);
    if (!resolved) co_return resolved;
  }
  co_return api::Result<>();
}

}  // namespace registry
