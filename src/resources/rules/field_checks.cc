#include "resources/rules/field_checks.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "value/member_index.h"

namespace resources {
namespace {

constexpr int64_t kMostAnnotationBytes = 256 * 1024;

// What stands between dots, up to the first that is not as it should be.
void CheckSignerLabels(Errors& errors, const FieldPath& path, std::string_view text,
                       api::Complaints (*check)(std::string_view)) {
  for (std::string_view rest = text;;) {
    const size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    const api::Complaints complaints = check(label);
    for (const std::string& complaint : complaints) {
      errors.Invalid(path, text, "validating label " + api::Quote(label) + ": " + complaint);
    }
    if (!complaints.empty() || dot == rest.npos) return;
    rest.remove_prefix(dot + 1);
  }
}

void CheckRequirement(Errors& errors, const FieldPath& path, const Value& requirement, LabelSelectorOptions options) {
  std::string_view op = requirement.GetString("operator");
  Value values = requirement.Get("values");
  FieldPath at_values = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(at_values, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      errors.Forbidden(at_values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    errors.Invalid(path.Child("operator"), op, "not a valid selector operator");
  }
  std::string_view key = requirement.GetString("key");
  PutComplaints(errors, path.Child("key"), key, api::CheckQualifiedName(key));
  if (options.allow_invalid_values) return;
  for (uint32_t i = 0; i < values.size(); ++i) {
    PutComplaints(errors, at_values.Index(i), values[i].AsString(), api::CheckLabelValue(values[i].AsString()));
  }
}

bool RequirementMatches(const Value& requirement, const Value& labels) {
  const Value* label = labels.Find(requirement.GetString("key"));
  std::string_view op = requirement.GetString("operator");
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  bool listed = label && std::ranges::any_of(requirement.Get("values").items(),
                                             [&](const Value& v) { return v.AsString() == label->AsString(); });
  return op == "In" ? listed : op == "NotIn" && !listed;
}

}  // namespace

void PutComplaints(Errors& errors, const FieldPath& path, std::string_view text, const api::Complaints& complaints) {
  for (const std::string& complaint : complaints) errors.Invalid(path, text, complaint);
}

void CheckIp(Errors& errors, const FieldPath& path, std::string_view text) {
  if (!api::IpAddress::ParseLoosely(text))
    errors.Invalid(path, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void CheckCidr(Errors& errors, const FieldPath& path, std::string_view text) {
  if (!api::IpPrefix::ParseLoosely(text))
    errors.Invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

void CheckOrdinaryIp(Errors& errors, const FieldPath& path, std::string_view text) {
  const auto address = api::IpAddress::ParseLoosely(text);
  if (!address) return errors.Invalid(path, text, "must be a valid IP address");
  if (address->IsUnspecified()) errors.Invalid(path, text, base::Cat("may not be unspecified (", text, ")"));
  if (address->IsLoopback()) errors.Invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (address->IsLinkLocalUnicast()) {
    errors.Invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  if (address->IsLinkLocalMulticast()) {
    errors.Invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void CheckNotIp(Errors& errors, const FieldPath& path, std::string_view text) {
  if (api::IpAddress::ParseLoosely(text)) errors.Invalid(path, text, "must be a DNS name, not an IP address");
}

void CheckDomainPrefixedPath(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.empty()) return errors.Required(path);
  const size_t slash = text.find('/');
  const std::string_view domain = text.substr(0, slash), rest = slash == text.npos ? "" : text.substr(slash + 1);
  if (domain.empty() || rest.empty()) {
    return errors.Invalid(path, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  PutComplaints(errors, path, domain, api::CheckDns1123Subdomain(domain));
  constexpr std::string_view kOthers = "/-._~%!$&'()*+,;=:";
  const auto fits = [&](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || kOthers.contains(c); };
  if (std::ranges::all_of(rest, fits)) return;
  errors.Invalid(path, rest, api::RegexText("Invalid path", R"([A-Za-z0-9/\-._~%!$&'()*+,;=:]+)", {}));
}

void CheckPortNumber(Errors& errors, const FieldPath& path, int64_t port) {
  if (port < 1 || port > 65535) errors.Invalid(path, port, api::InclusiveRangeText(1, 65535));
}

void CheckPortNumberOrName(Errors& errors, const FieldPath& path, const Value& port) {
  if (port.is_string()) {
    PutComplaints(errors, path, port.AsString(), api::CheckPortName(port.AsString()));
  } else {
    CheckPortNumber(errors, path, port.is_int() ? port.AsInt() : 0);
  }
}

void CheckUnchanged(Errors& errors, const FieldPath& path, std::string_view now, std::string_view before) {
  if (now != before) errors.Invalid(path, now, "field is immutable");
}

void CheckNonNegative(Errors& errors, const FieldPath& path, int64_t number) {
  if (number < 0) errors.Invalid(path, number, "must be greater than or equal to 0");
}

void CheckUserOrGroupId(Errors& errors, const FieldPath& path, int64_t id) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (id < 0 || id > kMost) errors.Invalid(path, id, api::InclusiveRangeText(0, kMost));
}

void CheckDescendingPath(Errors& errors, const FieldPath& path, std::string_view text) {
  if (text.starts_with('/')) errors.Invalid(path, text, "must be a relative path");
  std::string enclosed = "/";
  enclosed.append(text).append("/");
  if (enclosed.contains("/../")) errors.Invalid(path, text, "must not contain '..'");
}

bool HasSpaceAround(std::string_view text) {
  constexpr std::string_view kSpaces[] = {" ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085",
                                          "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                          "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028",
                                          "\u2029", "\u202f", "\u205f", "\u3000"};
  return std::ranges::any_of(kSpaces,
                             [&](std::string_view space) { return text.starts_with(space) || text.ends_with(space); });
}

api::Complaints CheckTrustBundleName(std::string_view name, std::string_view signer, bool prefix) {
  if (signer.empty()) {
    if (name.contains(':')) return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    return api::CheckNameIsDnsSubdomain(name, prefix);
  }
  std::string wanted = base::Cat(signer, ":");
  std::ranges::replace(wanted, '/', ':');
  if (!name.starts_with(wanted)) {
    return {base::Cat("ClusterTrustBundle for signerName ", signer, " must be named with prefix ", wanted)};
  }
  return api::CheckNameIsDnsSubdomain(name.substr(wanted.size()), prefix);
}

void CheckSignerName(Errors& errors, const FieldPath& path, std::string_view text) {
  constexpr int64_t kMostDomain = 253, kMostPath = 253 + 63 + 1;
  if (text.empty()) return errors.Required(path);
  const size_t slash = text.find('/');
  if (slash == text.npos || text.find('/', slash + 1) != text.npos) {
    return errors.Invalid(path, text,
                          "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  }
  const std::string_view domain = text.substr(0, slash), name = text.substr(slash + 1);
  if (static_cast<int64_t>(domain.size()) > kMostDomain) errors.TooLong(path, kMostDomain);
  CheckSignerLabels(errors, path, domain, [](std::string_view label) { return api::CheckDns1123Label(label); });
  if (!domain.contains('.'))
    errors.Invalid(path, domain, "should be a domain with at least two segments separated by dots");
  CheckSignerLabels(errors, path, name, [](std::string_view label) { return api::CheckDns1123Subdomain(label); });
  if (static_cast<int64_t>(text.size()) > kMostDomain + kMostPath + 1)
    errors.TooLong(path, kMostDomain + kMostPath + 1);
}

void CheckLabels(Errors& errors, const FieldPath& path, const Value& labels) {
  for (const value::Member& label : labels.members()) {
    PutComplaints(errors, path, label.key, api::CheckQualifiedName(label.key));
    PutComplaints(errors, path, label.value.AsString(), api::CheckLabelValue(label.value.AsString()));
  }
}

void CheckAnnotations(Errors& errors, const FieldPath& path, const Value& annotations) {
  int64_t bytes = 0;
  for (const value::Member& annotation : annotations.members()) {
    std::string lower(annotation.key);
    absl::AsciiStrToLower(&lower);
    PutComplaints(errors, path, annotation.key, api::CheckQualifiedName(lower));
    bytes += static_cast<int64_t>(annotation.key.size() + annotation.value.AsString().size());
  }
  if (bytes > kMostAnnotationBytes) errors.TooLong(path, kMostAnnotationBytes);
}

std::set<std::string_view> TextsOf(const Value& items, std::string_view member) {
  std::set<std::string_view> texts;
  for (const Value& item : items.items()) texts.insert(member.empty() ? item.AsString() : item.GetString(member));
  return texts;
}

void CheckTemplateMetadata(Errors& errors, const FieldPath& path, const Value& metadata) {
  // As Go lists and spells the fields.
  static constexpr std::pair<std::string_view, std::string_view> kOthers[] = {
      {"name", "name"},
      {"generateName", "generateName"},
      {"namespace", "namespace"},
      {"selfLink", "selfLink"},
      {"uid", "uID"},
      {"resourceVersion", "resourceVersion"},
      {"generation", "generation"},
      {"creationTimestamp", "creationTimestamp"},
      {"deletionTimestamp", "deletionTimestamp"},
      {"deletionGracePeriodSeconds", "deletionGracePeriodSeconds"},
      {"ownerReferences", "ownerReferences"},
      {"finalizers", "finalizers"},
      {"managedFields", "managedFields"},
  };
  CheckAnnotations(errors, path.Child("annotations"), metadata.Get("annotations"));
  CheckLabels(errors, path.Child("labels"), metadata.Get("labels"));
  for (const auto& [field, spelled] : kOthers) {
    const Value* set = metadata.Find(field);
    if (set != nullptr && !set->is_null()) errors.Forbidden(path.Child(spelled), "cannot be set");
  }
}

void CheckDriverName(Errors& errors, const FieldPath& path, std::string_view name) {
  constexpr int64_t kMostBytes = 63;
  if (name.empty()) errors.Required(path);
  if (static_cast<int64_t>(name.size()) > kMostBytes) errors.TooLong(path, kMostBytes);
  PutComplaints(errors, path, name, api::CheckDns1123Subdomain(base::ToLower(name)));
}

std::string PrintTime(std::string_view rfc3339) {
  if (rfc3339.empty()) return "0001-01-01 00:00:00 +0000 UTC";
  std::string text(rfc3339.substr(0, rfc3339.size() - 1));  // without the Z
  std::ranges::replace(text, 'T', ' ');
  if (text.contains('.')) {  // Go leaves out what is zero at the end
    text.resize(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text + " +0000 UTC";
}

void CheckLabelSelector(Errors& errors, const FieldPath& path, const Value& selector, LabelSelectorOptions options) {
  CheckLabels(errors, path.Child("matchLabels"), selector.Get("matchLabels"));
  Value requirements = selector.Get("matchExpressions");
  FieldPath list = path.Child("matchExpressions");
  for (uint32_t i = 0; i < requirements.size(); ++i) CheckRequirement(errors, list.Index(i), requirements[i], options);
}

bool SelectorMatches(const Value& selector, const Value& labels) {
  if (!selector.is_object()) return false;
  const value::MemberIndex by_key(labels);
  for (const value::Member& wanted : selector.Get("matchLabels").members()) {
    const Value* label = by_key.Find(wanted.key);
    if (!label || label->AsString() != wanted.value.AsString()) return false;
  }
  return std::ranges::all_of(selector.Get("matchExpressions").items(),
                             [&](const Value& requirement) { return RequirementMatches(requirement, labels); });
}

}  // namespace resources
