// The forms that fields of many types share, as FormatChecks for rule tables (rules.h) and for checks across fields:
// names, labels, addresses, quantities, selectors. Each is written once here; a resource's own file uses them by name.
// Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "resources/rules/rules.h"

namespace resources {

// Puts each complaint as an Invalid error of the string.
void PutComplaints(Errors& errors, const FieldPath& path, std::string_view text, const api::Complaints& complaints);

// A FormatCheck of a complaint function: Format("name", kForm<api::CheckDns1123Label>).
template <api::Complaints (*check)(std::string_view)>
void Form(Errors& errors, const FieldPath& path, std::string_view text) {
  PutComplaints(errors, path, text, check(text));
}
inline constexpr FormatCheck kDnsLabel = Form<api::CheckDns1123Label>;
inline constexpr FormatCheck kDnsSubdomain = Form<api::CheckDns1123Subdomain>;
inline constexpr FormatCheck kDns1035Label = Form<api::CheckDns1035Label>;
inline constexpr FormatCheck kQualifiedName = Form<api::CheckQualifiedName>;
inline constexpr FormatCheck kLabelValue = Form<api::CheckLabelValue>;
inline constexpr FormatCheck kPortName = Form<api::CheckPortName>;
inline constexpr FormatCheck kConfigMapKey = Form<api::CheckConfigMapKey>;

// An IPv4 or IPv6 address, the range of addresses of a prefix ("10.0.0.0/8"), as the real server takes them (leading
// zeros and all).
void CheckIp(Errors& errors, const FieldPath& path, std::string_view text);
void CheckCidr(Errors& errors, const FieldPath& path, std::string_view text);
// A DNS subdomain, a slash and a path ("acme.io/foo").
void CheckDomainPrefixedPath(Errors& errors, const FieldPath& path, std::string_view text);
// An address that is not of the kinds that reach no other machine: unspecified, loopback, link-local.
void CheckOrdinaryIp(Errors& errors, const FieldPath& path, std::string_view text);
// No address: the name of a host.
void CheckNotIp(Errors& errors, const FieldPath& path, std::string_view text);
// The texts of a list's items, or of one member of each: what is looked up for every item of another list.
std::set<std::string_view> TextsOf(const Value& items, std::string_view member = {});
// 1 to 65535.
void CheckPortNumber(Errors& errors, const FieldPath& path, int64_t port);
// A port by number or by name (an IANA service name).
void CheckPortNumberOrName(Errors& errors, const FieldPath& path, const Value& port);
// What a string that may not change was.
void CheckUnchanged(Errors& errors, const FieldPath& path, std::string_view now, std::string_view before);
void CheckNonNegative(Errors& errors, const FieldPath& path, int64_t number);
// The id of a user or a group: 0 to 2147483647.
void CheckUserOrGroupId(Errors& errors, const FieldPath& path, int64_t id);
// A path below where it is used: relative, and without `..`.
void CheckDescendingPath(Errors& errors, const FieldPath& path, std::string_view text);

// True for text that begins or ends with white space of any script.
bool HasSpaceAround(std::string_view text);
// Who signs certificates: "example.com/signer-name"; it has to be there.
void CheckSignerName(Errors& errors, const FieldPath& path, std::string_view text);
// Why `name` is no name of a trust bundle of `signer` ("": of none): it begins with the signer's.
api::Complaints CheckTrustBundleName(std::string_view name, std::string_view signer, bool prefix);

// Labels: keys are qualified names, values label values.
void CheckLabels(Errors& errors, const FieldPath& path, const Value& labels);
// Annotations: keys as labels' in lower case, 256 KiB in all.
void CheckAnnotations(Errors& errors, const FieldPath& path, const Value& annotations);

// The metadata of an object that is made of a template: labels and annotations, and nothing else.
void CheckTemplateMetadata(Errors& errors, const FieldPath& path, const Value& metadata);
// The name of a driver (of storage or devices): a DNS subdomain in any case, at most 63 bytes.
void CheckDriverName(Errors& errors, const FieldPath& path, std::string_view name);
// How error texts print a time, as Go does ("2024-01-02 03:04:05 +0000 UTC"); "" is the zero time.
std::string PrintTime(std::string_view rfc3339);

// A LabelSelector's matchLabels and matchExpressions.
struct LabelSelectorOptions {
  bool allow_invalid_values = false;  // label values in matchExpressions are not looked at
};
void CheckLabelSelector(Errors& errors, const FieldPath& path, const Value& selector,
                        LabelSelectorOptions options = {});
// True where the selector takes these labels. A selector that is empty takes everything, an absent one nothing.
bool SelectorMatches(const Value& selector, const Value& labels);

}  // namespace resources
