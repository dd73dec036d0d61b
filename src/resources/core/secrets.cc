#include <cmath>
#include <string>

#include "base/text.h"
#include "resources/core/data_rules.h"
#include "resources/core/key_pair.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "schema/text_forms.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

using registry::WriteContext;

constexpr std::string_view kAccountName = "kubernetes.io/service-account.name";

void CheckKeys(Scope& secret) {
  const FieldPath data = secret.At("data");
  for (const value::Member& entry : secret.Get("data").members()) CheckDataKey(secret.errors, data, entry.key);
  if (BytesIn(secret.Get("data")) > kMostDataBytes) secret.errors.TooLong(data, kMostDataBytes);
}

std::string Decoded(const Value& base64) {
  std::string bytes;
  // Canonical trees hold nothing that cannot be decoded.
  if (base64.is_string()) (void)schema::DecodeBase64(base64.AsString(), bytes);
  return bytes;
}

std::string_view JsonKind(const Value& v) {
  if (v.is_array()) return "array";
  if (v.is_string()) return "string";
  return v.is_bool() ? "bool" : "number";
}

// The first number of a document that no float64 holds, as it is written; "" where there is none. Depth is bounded by
// the reader's.
std::string_view NumberTooLarge(const Value& v) {
  if (v.kind() == value::Kind::kDouble && std::isinf(v.AsDouble())) return v.literal();
  for (const Value& item : v.items()) {
    if (const std::string_view found = NumberTooLarge(item); !found.empty()) return found;
  }
  for (const value::Member& member : v.members()) {
    if (const std::string_view found = NumberTooLarge(member.value); !found.empty()) return found;
  }
  return {};
}

// Why `text` is no JSON object (or null), in the words of Go's decoder; "" where it is.
std::string WhyNoJsonObject(std::string_view text) {
  if (auto error = value::FindJsonError(text)) return error->message;
  value::Arena arena;
  // No deeper than what follows may recurse.
  const auto read = value::ReadJson(text, arena, {.max_depth = 1000});
  if (!read || read->is_null()) return {};
  if (read->is_object()) {
    const std::string_view number = NumberTooLarge(*read);
    if (number.empty()) return {};
    return base::Cat("json: cannot unmarshal number ", number, " into Go value of type float64");
  }
  return base::Cat("json: cannot unmarshal ", JsonKind(*read), " into Go value of type map[string]interface {}");
}

void RequireKey(Scope& secret, std::string_view key) {
  const FieldPath data = secret.At("data");
  if (secret.Get("data").Find(key) == nullptr) secret.errors.Required(data.Key(key));
}

void CheckJsonKey(Scope& secret, std::string_view key) {
  const FieldPath data = secret.At("data");
  const Value* found = secret.Get("data").Find(key);
  if (found == nullptr) return secret.errors.Required(data.Key(key));
  const std::string why = WhyNoJsonObject(Decoded(*found));
  if (!why.empty()) secret.errors.Invalid(data.Key(key), "<secret contents redacted>", why);
}

// What each well-known type must hold.
void CheckType(Scope& secret) {
  const std::string_view type = secret.String("type");
  const Value data = secret.Get("data");
  const FieldPath metadata = secret.At("metadata");
  if (type == "kubernetes.io/service-account-token") {
    const FieldPath annotations = metadata.Child("annotations");
    const Value given = secret.Get("metadata").Get("annotations");
    if (given.GetString(kAccountName).empty()) secret.errors.Required(annotations.Key(kAccountName));
  } else if (type == "kubernetes.io/dockercfg") {
    CheckJsonKey(secret, ".dockercfg");
  } else if (type == "kubernetes.io/dockerconfigjson") {
    CheckJsonKey(secret, ".dockerconfigjson");
  } else if (type == "kubernetes.io/basic-auth") {
    if (data.Find("username") != nullptr || data.Find("password") != nullptr) return;
    RequireKey(secret, "username");
    RequireKey(secret, "password");
  } else if (type == "kubernetes.io/ssh-auth") {
    const FieldPath at = secret.At("data");
    if (data.GetString("ssh-privatekey").empty()) secret.errors.Required(at.Key("ssh-privatekey"));
  } else if (type == "kubernetes.io/tls") {
    RequireKey(secret, "tls.crt");
    RequireKey(secret, "tls.key");
  }
}

// What is created without type has one: an update that gives none keeps it.
void PrepareForUpdate(WriteContext& context, Value secret, const Value& old) {
  if (secret.GetString("type").empty()) secret.Set(context.arena, "type", Value::String(old.GetString("type")));
}

void CheckSameType(Scope& secret) {
  const std::string_view type = secret.String("type");
  if (type != secret.old->GetString("type")) secret.errors.Invalid(secret.At("type"), type, "field is immutable");
}

void CheckKept(Scope& secret) { CheckImmutableData(secret, {{.name = "data"}}); }

void Warn(WriteContext& context, const Value& secret, const Value*) {
  if (secret.GetString("type") != "kubernetes.io/tls") return;
  const Value data = secret.Get("data");
  std::string why = WhyNoKeyPair(Decoded(data.Get("tls.crt")), Decoded(data.Get("tls.key")));
  if (!why.empty()) context.warnings.push_back(std::move(why));
}

constexpr Rule kRules[] = {Call(CheckKeys), Call(CheckType)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate), Call(CheckSameType), Call(CheckKept),
    Call(CheckObjectMeta),       Call(CheckKeys),     Call(CheckType),
};

}  // namespace

constinit const registry::StrategyTable kSecrets = {
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
        },
};

}  // namespace resources::core
