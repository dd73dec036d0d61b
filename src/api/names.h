// What names, labels and path segments may look like, with the texts that say why one may not. Called by request
// parsing, selectors and every object validation. Pure functions, any thread; each returns no text for a good value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace api {

using Complaints = std::vector<std::string>;

// A name as one segment of a path: not `.` or `..`, no `/` and no `%`. As a prefix of a generated name, `.` and `..`
// may stand.
Complaints CheckPathSegment(std::string_view name, bool prefix = false);

Complaints CheckDns1123Label(std::string_view value);
Complaints CheckDns1123Subdomain(std::string_view value);
Complaints CheckDns1123SubdomainWithUnderscore(std::string_view value);
Complaints CheckDns1035Label(std::string_view value);
Complaints CheckWildcardDns1123Subdomain(std::string_view value);
Complaints CheckQualifiedName(std::string_view value);  // label and annotation keys, finalizers
Complaints CheckLabelValue(std::string_view value);
Complaints CheckCIdentifier(std::string_view value);
Complaints CheckPortName(std::string_view value);
Complaints CheckConfigMapKey(std::string_view value);
Complaints CheckEnvVarName(std::string_view value);
Complaints CheckRelaxedEnvVarName(std::string_view value);
Complaints CheckHttpHeaderName(std::string_view value);
Complaints CheckPercent(std::string_view value);

// The rule of a kind's object names; `prefix` is true for generateName, whose last dash is allowed.
Complaints CheckNameIsDnsSubdomain(std::string_view name, bool prefix);
Complaints CheckNameIsDnsLabel(std::string_view name, bool prefix);
Complaints CheckNameIsDns1035Label(std::string_view name, bool prefix);

// "must be no more than N characters", "must be between LO and HI, inclusive".
std::string MaxLengthText(size_t length);
std::string InclusiveRangeText(long long low, long long high);
// "MESSAGE (e.g. 'A',  or 'B', regex used for validation is 'REGEX')".
std::string RegexText(std::string_view message, std::string_view regex, const std::vector<std::string_view>& examples);

// Complaints as one text, "; " between them.
std::string JoinComplaints(const Complaints& complaints);

}  // namespace api
