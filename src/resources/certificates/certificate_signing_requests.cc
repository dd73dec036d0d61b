#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "api/quote.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/certificates/x509_checks.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "schema/text_forms.h"

namespace resources::certificates {
namespace {

using registry::Arena;
using registry::WriteContext;

constexpr std::string_view kLegacySigner = "kubernetes.io/legacy-unknown";
constexpr int64_t kLeastSeconds = 600;
constexpr std::string_view kVerdicts[] = {"Approved", "Denied"};
constexpr std::string_view kFinalTypes[] = {"Approved", "Denied", "Failed"};
constexpr std::array<std::string_view, 1> kTrue = {"True"};
constexpr std::array<std::string_view, 3> kStatuses = {"False", "True", "Unknown"};
constexpr std::array<std::string_view, 23> kUsages = {"any",
                                                      "cert sign",
                                                      "client auth",
                                                      "code signing",
                                                      "content commitment",
                                                      "crl sign",
                                                      "data encipherment",
                                                      "decipher only",
                                                      "digital signature",
                                                      "email protection",
                                                      "encipher only",
                                                      "ipsec end system",
                                                      "ipsec tunnel",
                                                      "ipsec user",
                                                      "key agreement",
                                                      "key encipherment",
                                                      "microsoft sgc",
                                                      "netscape sgc",
                                                      "ocsp signing",
                                                      "s/mime",
                                                      "server auth",
                                                      "signing",
                                                      "timestamping"};

bool IsUsage(std::string_view usage) { return std::ranges::find(kUsages, usage) != kUsages.end(); }

// ---- who asks

Value Strings(Arena& arena, const std::vector<std::string>& texts) {
  const Value list = Value::Array(arena, static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) list.Append(arena, Value::Copy(arena, text));
  return list;
}

// Who asks is what the server knows, whatever the request says. These are the last fields of the spec.
void FillInUser(Value spec, const api::User& user, Arena& arena) {
  for (std::string_view field : {"username", "uid", "groups", "extra"}) spec.Remove(field);
  if (!user.name.empty()) spec.Add(arena, "username", Value::Copy(arena, user.name));
  if (!user.uid.empty()) spec.Add(arena, "uid", Value::Copy(arena, user.uid));
  if (!user.groups.empty()) spec.Add(arena, "groups", Strings(arena, user.groups));
  if (user.extra.empty()) return;
  const Value extra = Value::Object(arena, static_cast<uint32_t>(user.extra.size()));
  for (const auto& [key, texts] : user.extra) {
    extra.Add(arena, Value::Copy(arena, key).AsString(), Strings(arena, texts));
  }
  spec.Add(arena, "extra", extra);
}

void PrepareForCreate(WriteContext& context, Value request) {
  if (request.Find("spec") == nullptr) request.Add(context.arena, "spec", Value::Object(context.arena, 4));
  FillInUser(request.Get("spec"), context.request.user, context.arena);
}

// ---- what an update may change

void KeepMember(Value object, const Value& old, std::string_view member, Arena& arena) {
  if (const Value* before = old.Find(member)) {
    object.Set(arena, member, *before);
  } else {
    object.Remove(member);
  }
}

std::vector<Value> ConditionsOf(const Value& request, std::string_view type) {
  std::vector<Value> found;
  for (const Value& condition : request.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") == type) found.push_back(condition);
  }
  return found;
}

// Verdicts stay as they were; one more or one less stays to be refused.
void KeepVerdicts(const Value& request, const Value& old) {
  for (std::string_view type : kVerdicts) {
    const std::vector<Value> before = ConditionsOf(old, type);
    if (before.size() != ConditionsOf(request, type).size()) continue;
    size_t next = 0;
    for (Value& condition : request.Get({"status", "conditions"}).items()) {
      if (condition.GetString("type") == type) condition = before[next++];
    }
  }
}

constexpr std::string_view kConditionOrder[] = {"type",    "status",         "reason",
                                                "message", "lastUpdateTime", "lastTransitionTime"};

// A condition without times gets those of now; one that was there keeps when it began.
void FillInTimes(const Value& request, const Value& old, WriteContext& context) {
  std::map<std::pair<std::string_view, std::string_view>, Value> began;  // by type and status, of several the first
  for (const Value& former : old.Get({"status", "conditions"}).items()) {
    if (former.GetString("lastTransitionTime").empty()) continue;
    began.emplace(std::pair(former.GetString("type"), former.GetString("status")), former.Get("lastTransitionTime"));
  }
  for (Value& condition : request.Get({"status", "conditions"}).items()) {
    const auto set = [&](std::string_view field, Value time) {
      registry::SetInOrder(condition, context.arena, kConditionOrder, field, time);
    };
    if (condition.GetString("lastUpdateTime").empty()) set("lastUpdateTime", Value::String(context.now));
    if (!condition.GetString("lastTransitionTime").empty()) continue;
    const auto former = began.find({condition.GetString("type"), condition.GetString("status")});
    set("lastTransitionTime", former == began.end() ? Value::String(context.now) : former->second);
  }
}

void PrepareForUpdate(WriteContext& context, Value request, const Value& old) {
  Arena& arena = context.arena;
  KeepMember(request, old, "spec", arena);
  if (context.subresource == "status") {
    KeepVerdicts(request, old);
    FillInTimes(request, old, context);
  } else if (context.subresource == "approval") {
    FillInTimes(request, old, context);
    const Value conditions = request.Get({"status", "conditions"});
    const Value certificate = old.Get({"status", "certificate"});
    const Value status = Value::Object(arena, 2);
    if (!conditions.is_null()) status.Add(arena, "conditions", conditions);
    if (!certificate.is_null()) status.Add(arena, "certificate", certificate);
    request.Remove("status");
    request.Add(arena, "status", status);
  }
}

// ---- rules

std::string Decoded(std::string_view base64) {
  std::string bytes;
  (void)schema::DecodeBase64(base64, bytes);  // a canonical tree's is good
  return bytes;
}

bool HasUnknownUsage(const Value& usages) {
  return std::ranges::any_of(usages.items(), [](const Value& usage) { return !IsUsage(usage.AsString()); });
}

bool HasDuplicate(const Value& list, std::string_view key) { return TextsOf(list, key).size() < list.size(); }

// What is stored already may stay.
void CheckUsages(Scope& request) {
  const FieldPath spec = request.At("spec");
  const FieldPath path = spec.Child("usages");
  const Value usages = request.Get({"spec", "usages"});
  const Value before = request.old == nullptr ? Value() : request.old->Get({"spec", "usages"});
  if (usages.empty()) request.errors.Required(path);
  if (!HasUnknownUsage(before)) {
    for (uint32_t i = 0; i < usages.size(); ++i) {
      if (!IsUsage(usages[i].AsString())) request.errors.NotSupported(path.Index(i), usages[i].AsString(), kUsages);
    }
  }
  if (HasDuplicate(before, "")) return;
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < usages.size(); ++i) {
    if (!seen.insert(usages[i].AsString()).second) request.errors.Duplicate(path.Index(i), usages[i]);
  }
}

void CheckRequest(Scope& request) {
  const FieldPath spec = request.At("spec");
  const std::string pem = Decoded(request.Get("spec").GetString("request"));
  if (const std::string complaint = RequestComplaint(pem); !complaint.empty()) {
    const bool sent = request.Get("spec").Find("request") != nullptr;
    request.errors.InvalidAs(spec.Child("request"), sent && pem.empty() ? "[]byte{}" : PrintBytes(pem), complaint);
  }
}

void CheckSigner(Scope& request) {
  const FieldPath spec = request.At("spec");
  const std::string_view signer = request.Get("spec").GetString("signerName");
  const bool was_legacy = request.old != nullptr && request.old->Get("spec").GetString("signerName") == kLegacySigner;
  if (signer == kLegacySigner && !was_legacy) {
    request.errors.Invalid(spec.Child("signerName"), signer,
                           "the legacy signerName is not allowed via this API version");
  } else {
    CheckSignerName(request.errors, spec.Child("signerName"), signer);
  }
  const Value seconds = request.Get({"spec", "expirationSeconds"});
  if (seconds.is_int() && seconds.AsInt() < kLeastSeconds) {
    request.errors.Invalid(spec.Child("expirationSeconds"), seconds.AsInt(),
                           "may not specify a duration less than 600 seconds (10 minutes)");
  }
}

void CheckConditionStatus(Errors& errors, const FieldPath& path, const Value& condition) {
  const std::string_view status = condition.GetString("status");
  const bool final = std::ranges::find(kFinalTypes, condition.GetString("type")) != std::end(kFinalTypes);
  const auto allowed = final ? std::span<const std::string_view>(kTrue) : std::span<const std::string_view>(kStatuses);
  if (status.empty()) return errors.Required(path.Child("status"));
  if (std::ranges::find(allowed, status) == allowed.end()) errors.NotSupported(path.Child("status"), status, allowed);
}

void CheckConditions(Scope& request) {
  const Value conditions = request.Get({"status", "conditions"});
  const Value before = request.old == nullptr ? Value() : request.old->Get({"status", "conditions"});
  const auto had = [&](std::string_view type) {
    return std::ranges::any_of(before.items(), [&](const Value& item) { return item.GetString("type") == type; });
  };
  const bool untyped = had(""), both = had("Approved") && had("Denied"), repeated = HasDuplicate(before, "type");
  const FieldPath status = request.At("status");
  const FieldPath list = status.Child("conditions");
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const FieldPath item = list.Index(i);
    const FieldPath path = item.Child("type");
    const std::string_view type = conditions[i].GetString("type");
    if (type.empty() && !untyped) request.errors.Required(path);
    CheckConditionStatus(request.errors, item, conditions[i]);
    const bool excluded =
        (type == "Approved" && seen.contains("Denied")) || (type == "Denied" && seen.contains("Approved"));
    if (excluded && !both) {
      request.errors.Invalid(path, type, "Approved and Denied conditions are mutually exclusive");
    }
    if (!seen.insert(type).second && !repeated) request.errors.Duplicate(path, type);
  }
}

std::string_view CertificateOf(const Value& request) { return request.Get("status").GetString("certificate"); }

void CheckCertificate(Scope& request) {
  const std::string_view certificate = CertificateOf(request.object);
  if (request.old != nullptr) {
    const std::string_view before = CertificateOf(*request.old);
    if (certificate == before || !CertificatesComplaint(Decoded(before)).empty()) return;
  }
  const std::string complaint = CertificatesComplaint(Decoded(certificate));
  if (complaint.empty()) return;
  const FieldPath status = request.At("status");
  request.errors.Invalid(status.Child("certificate"), "<certificate data>", complaint);
}

// Verdicts and failures stay; verdicts are given through `approval` and the certificate through `status`.
void CheckChanges(Scope& request) {
  const std::string_view through = request.context.subresource;
  const FieldPath status = request.At("status");
  const FieldPath conditions = status.Child("conditions"), certificate = status.Child("certificate");
  const auto more = [&](std::string_view type) {
    return static_cast<int64_t>(ConditionsOf(request.object, type).size()) -
           static_cast<int64_t>(ConditionsOf(*request.old, type).size());
  };
  for (std::string_view type : kFinalTypes) {
    if (more(type) >= 0) continue;
    request.errors.Forbidden(conditions, base::Cat("updates may not remove a condition of type ", api::Quote(type)));
  }
  for (std::string_view type : kVerdicts) {
    if (through == "approval" || more(type) <= 0) continue;
    request.errors.Forbidden(conditions, base::Cat("updates may not add a condition of type ", api::Quote(type)));
  }
  const std::string_view before = CertificateOf(*request.old);
  if (CertificateOf(request.object) == before) return;
  if (through != "status") {
    request.errors.Forbidden(certificate, "updates may not set certificate content");
  } else if (!before.empty()) {
    request.errors.Forbidden(certificate, "updates may not modify existing certificate content");
  }
}

constexpr Rule kRules[] = {
    Call(CheckRequest), Call(CheckUsages), Call(CheckSigner), Call(CheckConditions), Call(CheckCertificate),
};

api::FieldErrors ValidateChange(WriteContext& context, const Value& object, const Value& old) {
  static constexpr Rule kWhole[] = {Call(CheckObjectMeta)};
  static constexpr Rule kChanges[] = {Call(CheckChanges), Call(CheckObjectMetaUpdate)};
  Errors errors;
  Check(context, kWhole, FieldPath(), object, &old, errors);
  Check(context, kRules, FieldPath(), object, &old, errors);
  Check(context, kChanges, FieldPath(), object, &old, errors);
  return std::move(errors).Take();
}

// Those of the API's paths aside, which the registry looks at.
api::Complaints CheckName(std::string_view, bool) { return {}; }

constexpr std::string_view kOwnResets[] = {"spec", "status"};
constexpr std::string_view kStatusResets[] = {"spec", "status.conditions"};
constexpr std::string_view kApprovalResets[] = {"spec", "status.certificate"};
constexpr registry::ResetPaths kResets[] = {{"", kOwnResets}, {"status", kStatusResets}, {"approval", kApprovalResets}};

}  // namespace

constinit const registry::StrategyTable kCertificateSigningRequests = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateChange,
    .facts =
        {
            .check_name = CheckName,
            .update_checks = registry::MetadataChecks::kInRules,
            .resets = kResets,
            .also_writes_status = "approval",
        },
};

}  // namespace resources::certificates
