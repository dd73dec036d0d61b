#include "base/text.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "schema/encode.h"
#include "value/json_writer.h"

namespace resources::apps {
namespace {

// The state that was put away: any object.
void CheckData(Scope& revision) {
  const Value* data = revision.object.Find("data");
  if (data == nullptr || data->is_null()) {
    revision.errors.Required(revision.At("data"), "data is mandatory");
  } else if (!data->is_object()) {
    revision.errors.Required(revision.At("data"), "data must be a valid JSON object");
  }
}

constexpr Rule kRules[] = {
    NonNegative("revision"),
    Call(CheckData),
};

// As error texts show raw JSON: byte by byte.
std::string PrintRaw(const Value& data) {
  const std::string json = data.source().empty() ? value::ToJson(data) : std::string(data.source());
  std::string bytes;
  for (const char c : json) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    bytes += bytes.empty() ? "0x" : ", 0x";
    if (byte >= 16) bytes += kDigits[byte / 16];
    bytes += kDigits[byte % 16];
  }
  return base::Cat("runtime.RawExtension{Raw:[]uint8{", bytes, "}, Object:runtime.Object(nil)}");
}

// As the store keeps it: white space counts, and what a patch has written anew has none.
std::string StoredText(const Value& data) {
  std::string text;
  schema::AppendRawExtension(data, text);
  return text;
}

// The text of the data stays, not only what it says.
void CheckDataStays(Scope& revision) {
  const Value now = revision.Get("data"), was = revision.old->Get("data");
  if (StoredText(now) == StoredText(was)) return;
  revision.errors.InvalidAs(revision.At("data"), PrintRaw(now), "field is immutable");
}

constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate),
    Call(CheckObjectMeta),
    NonNegative("revision"),
    Call(CheckDataStays),
};

}  // namespace

constinit const registry::StrategyTable kControllerRevisions = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
        },
};

}  // namespace resources::apps
