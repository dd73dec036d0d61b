#include "registry/continue_token.h"

#include <array>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace registry {
namespace {

using base::Cat;
using value::Value;

constexpr std::string_view kVersion = "meta.k8s.io/v1";
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<int8_t, 256> MakeDigits() {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}
constexpr std::array<int8_t, 256> kDigits = MakeDigits();

std::string ToBase64Url(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 3);
  uint32_t bits = 0;
  int count = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    count += 8;
    while (count >= 6) out.push_back(kAlphabet[bits >> (count -= 6) & 63]);
  }
  if (count > 0) out.push_back(kAlphabet[bits << (6 - count) & 63]);
  return out;
}

std::unexpected<api::Error> BadKey(std::string_view why) {
  return api::Fail(api::BadRequest(Cat("invalid continue token: continue key is not valid", why)));
}

// Line breaks are skipped, as Go's decoder does.
api::Result<std::string> FromBase64Url(std::string_view text) {
  std::string out;
  uint32_t bits = 0;
  int in_group = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const int8_t digit = kDigits[static_cast<unsigned char>(text[i])];
    if (digit >= 0) {
      bits = bits << 6 | static_cast<uint32_t>(digit);
      if (++in_group > 1) out.push_back(static_cast<char>(bits >> (8 - 2 * in_group)));
      in_group %= 4;
      continue;
    }
    if (text[i] == '\n' || text[i] == '\r') continue;
    return BadKey(Cat(": illegal base64 data at input byte ", i));
  }
  if (in_group == 1) return BadKey(Cat(": illegal base64 data at input byte ", text.size() - 1));
  return out;
}

std::string_view KindText(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kBool:
      return "bool";
    case value::Kind::kString:
      return "string";
    case value::Kind::kArray:
      return "array";
    case value::Kind::kObject:
      return "object";
    default:
      return "number";
  }
}

std::unexpected<api::Error> WrongType(const Value& v, std::string_view field, std::string_view type) {
  std::string what(KindText(v));
  if (v.is_number()) base::Append(what, " ", value::ToJson(v));
  if (field.empty()) return BadKey(Cat(": json: cannot unmarshal ", what, " into Go value of type ", type));
  return BadKey(
      Cat(": json: cannot unmarshal ", what, " into Go struct field continueToken.", field, " of type ", type));
}

struct Fields {
  std::string_view version, start;
  int64_t revision = 0;
};

// encoding/json's rules: names without regard to case, the last of repeated ones, null changes nothing.
api::Result<Fields> ReadFields(const Value& document) {
  if (!document.is_object() && !document.is_null()) return WrongType(document, "", "storage.continueToken");
  Fields fields;
  for (const value::Member& member : document.members()) {
    if (member.value.is_null()) continue;
    if (base::EqualsIgnoreCase(member.key, "rv")) {
      if (!member.value.is_int()) return WrongType(member.value, "rv", "int64");
      fields.revision = member.value.AsInt();
      continue;
    }
    const bool version = base::EqualsIgnoreCase(member.key, "v");
    if (!version && !base::EqualsIgnoreCase(member.key, "start")) continue;
    if (!member.value.is_string()) return WrongType(member.value, version ? "v" : "start", "string");
    (version ? fields.version : fields.start) = member.value.AsString();
  }
  return fields;
}

// What path.Clean leaves as it is: no empty, "." or ".." segments, no slash at the end.
bool IsCleanPath(std::string_view absolute) {
  if (absolute == "/") return true;
  for (size_t at = 1; at <= absolute.size();) {
    const size_t end = std::min(absolute.find('/', at), absolute.size());
    const std::string_view segment = absolute.substr(at, end - at);
    if (segment.empty() || segment == "." || segment == "..") return false;
    at = end + 1;
  }
  return absolute.back() != '/';
}

}  // namespace

std::string EncodeContinueToken(const ContinueToken& token) {
  std::string json = Cat(R"({"v":")", kVersion, R"(","rv":)", token.revision, R"(,"start":)");
  value::AppendJsonString(json, token.start);
  json.push_back('}');
  return ToBase64Url(json);
}

api::Result<ContinueToken> DecodeContinueToken(std::string_view text) {
  auto json = FromBase64Url(text);
  if (!json) return std::unexpected(std::move(json.error()));
  value::Arena arena(1024);
  auto document = value::ReadJson(*json, arena);
  if (!document) return BadKey(Cat(": ", document.error().message));
  auto fields = ReadFields(*document);
  if (!fields) return std::unexpected(std::move(fields.error()));
  if (fields->version != kVersion) {
    return BadKey(Cat(": server does not recognize this encoded version ", fields->version));
  }
  if (fields->revision == 0) {
    return BadKey(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (fields->start.empty()) return BadKey(": encoded start key empty (version meta.k8s.io/v1)");
  std::string_view start = fields->start;
  if (start.starts_with('/')) start.remove_prefix(1);
  if (!IsCleanPath(Cat("/", start))) return BadKey(Cat(": ", fields->start));
  return ContinueToken{fields->revision, std::string(start)};
}

}  // namespace registry
