#include "engine/rocksdb/version_record.h"

#include <cstdint>

namespace engine {
namespace {

enum Kind : uint8_t { kObject = 1, kDeletion = 2, kEscapedObject = 3 };

Kind KindOf(const Version& version) {
  if (!version.value) return kDeletion;
  return version.value->needs_reencoding ? kEscapedObject : kObject;
}

void AppendBigEndian(uint64_t number, std::string& out) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(number >> shift));
}

uint64_t BigEndian(std::string_view eight) {
  uint64_t number = 0;
  for (char byte : eight) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

void AppendVarint(uint64_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

// Takes a number off the front; none when the bytes end or the number is too long.
std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t number = 0;
  for (int shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

std::unexpected<base::Error> Bad(std::string what) { return base::Fail(base::Code::kCorrupt, std::move(what)); }

}  // namespace

void AppendVersionKey(std::string_view collection, std::string_view key, Revision revision, std::string& out) {
  out.append(collection).push_back('\0');
  out.append(key).push_back('\0');
  AppendBigEndian(static_cast<uint64_t>(revision.value()), out);
}

void AppendVersionHeader(const Version& version, std::string& out) {
  out.push_back(KindOf(version));
  AppendVarint(static_cast<uint64_t>(version.created.value()), out);
  if (!version.value) return;
  AppendVarint(version.value->revision_offset, out);
  AppendVarint(version.value->labels_offset, out);
  AppendVarint(version.value->index.size(), out);
  out.append(version.value->index);
}

bool IsDeletion(std::string_view value) { return !value.empty() && value[0] == kDeletion; }

base::Result<Version> ParseVersion(std::string_view key, std::string_view value) {
  constexpr size_t kTail = 1 + sizeof(uint64_t);
  const size_t split = key.find('\0');
  if (split == key.npos || split == 0 || key.size() < split + 1 + kTail) return Bad("a stored key is too short");
  Version version;
  version.collection = key.substr(0, split);
  version.key = key.substr(split + 1, key.size() - split - 1 - kTail);
  if (key[key.size() - kTail] != '\0' || version.key.empty() || version.key.find('\0') != version.key.npos) {
    return Bad("a stored key has no revision");
  }
  version.modified = Revision(static_cast<int64_t>(BigEndian(key.substr(key.size() - sizeof(uint64_t)))));
  if (version.modified < Revision(1)) return Bad("a stored key has a revision below 1");
  if (value.empty() || value[0] < kObject || value[0] > kEscapedObject) {
    return Bad("a stored value is of no known kind");
  }
  const auto kind = static_cast<Kind>(value[0]);
  value.remove_prefix(1);
  const std::optional<uint64_t> created = TakeVarint(value);
  if (!created || *created < 1 || Revision(static_cast<int64_t>(*created)) > version.modified) {
    return Bad("a stored value has a bad creation revision");
  }
  version.created = Revision(static_cast<int64_t>(*created));
  if (kind == kDeletion) return value.empty() ? base::Result<Version>(version) : Bad("a stored deletion has a body");
  const std::optional<uint64_t> revision_offset = TakeVarint(value);
  const std::optional<uint64_t> labels_offset = TakeVarint(value);
  const std::optional<uint64_t> index = TakeVarint(value);
  if (!revision_offset || !labels_offset || !index || *index > value.size()) return Bad("a stored value is cut off");
  const std::string_view bytes = value.substr(*index);
  if (*revision_offset > bytes.size() || *labels_offset > bytes.size()) return Bad("a stored value has a bad offset");
  version.value = {.bytes = bytes,
                   .revision_offset = static_cast<uint32_t>(*revision_offset),
                   .labels_offset = static_cast<uint32_t>(*labels_offset),
                   .index = value.substr(0, *index),
                   .needs_reencoding = kind == kEscapedObject};
  return version;
}

std::string BaseValue(Revision base) {
  std::string value;
  AppendBigEndian(static_cast<uint64_t>(base.value()), value);
  return value;
}

base::Result<Revision> ParseBaseValue(std::string_view value) {
  if (value.size() != sizeof(uint64_t)) return Bad("the base revision has a bad length");
  const Revision base(static_cast<int64_t>(BigEndian(value)));
  if (base < Revision(1)) return Bad("the base revision is below 1");
  return base;
}

}  // namespace engine
