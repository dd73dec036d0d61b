#include "admission/webhooks/admission_review.h"

#include <utility>

#include "api/group_version.h"
#include "api/quote.h"
#include "base/text.h"
#include "schema/text_forms.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr std::string_view kGroup = "admission.k8s.io";
constexpr std::string_view kKind = "AdmissionReview";
constexpr size_t kMostWarnings = 100;
constexpr size_t kMostAnnotations = 100;
constexpr size_t kMostCauses = 100;

std::string_view JsonWord(const Value& v) {
  if (v.is_object()) return "object";
  if (v.is_array()) return "array";
  if (v.is_string()) return "string";
  return v.is_bool() ? "bool" : "number";
}

std::unexpected<ReviewFault> Unreadable(std::string message) {
  return std::unexpected(ReviewFault{.message = std::move(message), .unreadable = true});
}

std::unexpected<ReviewFault> Wrong(std::string message) {
  return std::unexpected(ReviewFault{.message = std::move(message)});
}

std::string WrongType(const Value& v, std::string_view field, std::string_view type) {
  return Cat("json: cannot unmarshal ", JsonWord(v), " into Go struct field ", field, " of type ", type);
}

// The document of `text`, JSON or YAML.
std::expected<Value, ReviewFault> ReadDocument(std::string_view text, Arena& arena) {
  constexpr std::string_view kPrefix = "couldn't get version/kind; json parse error: ";
  constexpr std::string_view kTarget =
      R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
  if (text.empty()) return Unreadable("0-length response with status code: 200 and content type: application/json");
  const bool is_json = base::TrimSpace(text).starts_with('{');
  const auto read = is_json ? value::ReadJson(text, arena) : value::ReadYaml(text, arena);
  if (!read) return Unreadable(Cat(kPrefix, read.error().message));
  if (!read->is_object() && !read->is_null()) {
    return Unreadable(Cat(kPrefix, "json: cannot unmarshal ", JsonWord(*read), " into Go value of type ", kTarget));
  }
  for (const std::string_view field : {"apiVersion", "kind"}) {
    const Value v = read->Get(field);
    if (v.is_null() || v.is_string()) continue;
    return Unreadable(Cat(kPrefix, WrongType(v, Cat(".", field), "string")));
  }
  return *read;
}

// Whether a document with that version and kind can be read as a review of `version`.
std::expected<void, ReviewFault> CheckKind(const Value& document, std::string_view version) {
  const std::string expected = Cat(kGroup, "/", version);
  std::string_view api_version = document.GetString("apiVersion"), kind = document.GetString("kind");
  if (api_version.empty()) api_version = expected;
  if (kind.empty()) kind = kKind;
  if (api_version == expected && kind == kKind) return {};
  const std::string_view other = version == "v1" ? "v1beta1" : "v1";
  if (api_version == Cat(kGroup, "/", other) && kind == kKind) {
    return Unreadable(
        Cat("converting (", other, ".AdmissionReview) to (", version, ".AdmissionReview): unknown conversion"));
  }
  return Unreadable(Cat("no kind ", api::Quote(kind), " is registered for version ", api::Quote(api_version),
                        " in scheme \"pkg/runtime/scheme.go:100\""));
}

// The members of a review's response, each of its type.
class ResponseFields {
 public:
  explicit ResponseFields(const Value& response) : response_(response) {}
  const std::string& error() const { return error_; }

  std::string_view Text(std::string_view field) {
    const Value v = Typed(field, "string", [](const Value& found) { return found.is_string(); });
    return v.is_string() ? v.AsString() : std::string_view();
  }
  bool Has(std::string_view field) const { return !response_.Get(field).is_null(); }
  bool Bool(std::string_view field) {
    const Value v = Typed(field, "bool", [](const Value& found) { return found.is_bool(); });
    return v.is_bool() && v.AsBool();
  }
  Value Struct(std::string_view field, std::string_view type) {
    return Typed(field, type, [](const Value& found) { return found.is_object(); });
  }
  Value List(std::string_view field, std::string_view type) {
    return Typed(field, type, [](const Value& found) { return found.is_array(); });
  }
  void Complain(const Value& v, std::string_view field, std::string_view type) {
    if (error_.empty()) error_ = WrongType(v, Cat("AdmissionResponse.response.", field), type);
  }

 private:
  template <class Fits>
  Value Typed(std::string_view field, std::string_view type, Fits fits) {
    const Value v = response_.Get(field);
    if (v.is_null() || fits(v)) return v;
    Complain(v, field, type);
    return {};
  }

  const Value response_;
  std::string error_;
};

std::expected<ReviewAnswer, ReviewFault> ReadResponse(ResponseFields& fields, std::string_view& uid) {
  ReviewAnswer answer;
  uid = fields.Text("uid");
  answer.allowed = fields.Bool("allowed");
  answer.status = fields.Struct("status", "v1.Status");
  const std::string_view patch = fields.Text("patch");
  if (auto decoded = schema::DecodeBase64(patch, answer.patch); !decoded) return Unreadable(decoded.error());
  answer.patch_type = fields.Text("patchType");
  const Value annotations = fields.Struct("auditAnnotations", "map[string]string");
  for (const value::Member& annotation : annotations.members()) {
    if (!annotation.value.is_string()) {
      fields.Complain(annotation.value, "auditAnnotations", "string");
    } else if (answer.audit_annotations.size() < kMostAnnotations) {
      answer.audit_annotations.emplace_back(annotation.key, annotation.value.AsString());
    }
  }
  for (const Value& warning : fields.List("warnings", "[]string").items()) {
    if (!warning.is_string()) {
      if (!warning.is_null()) fields.Complain(warning, "warnings", "string");
    } else if (answer.warnings.size() < kMostWarnings) {
      answer.warnings.emplace_back(warning.AsString());
    }
  }
  if (!fields.error().empty()) return Unreadable(fields.error());
  return answer;
}

std::string_view PatchFault(const ReviewAnswer& answer, bool has_type, bool mutating) {
  if (!mutating) {
    if (!answer.patch.empty()) return "validating webhook may not return response.patch";
    return has_type ? "validating webhook may not return response.patchType" : "";
  }
  if (!answer.patch.empty() && !has_type) return "webhook returned response.patch but not response.patchType";
  if (answer.patch.empty() && has_type) return "webhook returned response.patchType but not response.patch";
  return has_type && answer.patch_type.empty() ? R"(webhook returned invalid response.patchType of "")" : "";
}

}  // namespace

std::string WriteReview(const ReviewRequest& review) {
  std::string json =
      Cat(R"({"kind":"AdmissionReview","apiVersion":")", kGroup, "/", review.version, R"(","request":{"uid":)");
  value::AppendJsonString(json, review.uid);
  for (const value::Member& member : review.request.members()) {
    if (member.key == "dryRun") {
      json += R"(,"object":)";
      json += value::ToJson(review.object);
      json += R"(,"oldObject":)";
      json += value::ToJson(review.old_object);
    }
    json += ',';
    value::AppendJsonString(json, member.key);
    json += ':';
    json += value::ToJson(member.value);
  }
  json += "}}";
  return json;
}

std::expected<ReviewAnswer, ReviewFault> ReadReview(std::string_view text, std::string_view version,
                                                    std::string_view uid, bool mutating, Arena& arena) {
  const auto document = ReadDocument(text, arena);
  if (!document) return std::unexpected(document.error());
  if (auto kind = CheckKind(*document, version); !kind) return std::unexpected(kind.error());
  const Value response = document->Get("response");
  if (response.is_null()) return Wrong("webhook response was absent");
  if (!response.is_object()) {
    return Unreadable(WrongType(response, "AdmissionReview.response", Cat(version, ".AdmissionResponse")));
  }
  ResponseFields fields(response);
  std::string_view answered_uid;
  auto answer = ReadResponse(fields, answered_uid);
  if (!answer) return answer;
  if (version == "v1beta1") {  // of which less was asked
    if (!mutating) answer->patch.clear();
    answer->patch_type = answer->patch.empty() ? "" : "JSONPatch";
    return answer;
  }
  if (answered_uid != uid) {
    return Wrong(Cat("expected response.uid=", api::Quote(uid), ", got ", api::Quote(answered_uid)));
  }
  const std::string_view api_version = document->GetString("apiVersion"), kind = document->GetString("kind");
  if (api_version.empty() || kind.empty()) {
    const std::string_view shown = api_version.empty() ? "/" : api_version;
    return Wrong(
        Cat("expected webhook response of ", kGroup, "/v1, Kind=AdmissionReview, got ", shown, ", Kind=", kind));
  }
  if (const auto fault = PatchFault(*answer, fields.Has("patchType"), mutating); !fault.empty()) {
    return Wrong(std::string(fault));
  }
  return answer;
}

api::Error RefusalBy(std::string_view webhook, const Value& status) {
  api::Error error;
  const Value code = status.Get("code"), details = status.Get("details");
  error.code = code.is_int() && code.AsInt() >= 400 && code.AsInt() < 1000 ? static_cast<int>(code.AsInt()) : 400;
  error.reason = status.GetString("reason");
  error.message = Cat("admission webhook ", api::Quote(webhook), " denied the request");
  const std::string_view message = status.GetString("message");
  const std::string_view why = message.empty() ? std::string_view(error.reason) : message;
  error.message += why.empty() ? " without explanation" : Cat(": ", why);
  if (!details.is_object()) return error;
  error.has_details = true;
  error.details.name = details.GetString("name");
  error.details.group = details.GetString("group");
  error.details.kind = details.GetString("kind");
  error.details.uid = details.GetString("uid");
  const Value seconds = details.Get("retryAfterSeconds");
  if (seconds.is_int()) error.details.retry_after_seconds = static_cast<int32_t>(seconds.AsInt());
  for (const Value& cause : details.Get("causes").items()) {
    if (error.details.causes.size() == kMostCauses) break;
    error.details.causes.push_back({.reason = std::string(cause.GetString("reason")),
                                    .message = std::string(cause.GetString("message")),
                                    .field = std::string(cause.GetString("field"))});
  }
  return error;
}

}  // namespace admission
