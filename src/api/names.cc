#include "api/names.h"

#include <algorithm>

#include "base/text.h"

namespace api {
namespace {

constexpr size_t kLabelMax = 63;
constexpr size_t kSubdomainMax = 253;

constexpr std::string_view kQualifiedRegex = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainRegex = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kQualifiedRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

bool IsLowerAlnum(char c) { return base::IsDigit(c) || base::IsLower(c); }
bool IsAlnum(char c) { return base::IsAlnum(c); }

template <class Inner>
bool All(std::string_view value, Inner inner) {
  return std::all_of(value.begin(), value.end(), inner);
}

bool IsDnsLabelShape(std::string_view value) {
  return !value.empty() && IsLowerAlnum(value.front()) && IsLowerAlnum(value.back()) &&
         All(value, [](char c) { return IsLowerAlnum(c) || c == '-'; });
}

// A label that may begin with `_` and hold it.
bool IsUnderscoreLabelShape(std::string_view value) {
  if (!value.empty() && value.front() == '_') value.remove_prefix(1);
  return !value.empty() && IsLowerAlnum(value.front()) && IsLowerAlnum(value.back()) &&
         All(value, [](char c) { return IsLowerAlnum(c) || c == '-' || c == '_'; });
}

template <class IsLabel>
bool AllLabels(std::string_view value, IsLabel is_label) {
  while (true) {
    const size_t dot = value.find('.');
    if (!is_label(value.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    value.remove_prefix(dot + 1);
  }
}

bool IsSubdomainShape(std::string_view value) { return AllLabels(value, IsDnsLabelShape); }

bool IsQualifiedShape(std::string_view value) {
  return !value.empty() && IsAlnum(value.front()) && IsAlnum(value.back()) &&
         All(value, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

void AddDotComplaints(std::string_view value, Complaints& complaints) {
  if (value == ".") {
    complaints.push_back("must not be '.'");
  } else if (value == "..") {
    complaints.push_back("must not be '..'");
  } else if (value.starts_with("..")) {
    complaints.push_back("must not start with '..'");
  }
}

// A generated name gets more characters behind the prefix: its last dash is taken for a letter.
std::string MaskTrailingDash(std::string_view name, bool prefix) {
  if (!prefix || name.size() < 2 || name.back() != '-') return std::string(name);
  return base::Cat(name.substr(0, name.size() - 2), "a");
}

}  // namespace

std::string MaxLengthText(size_t length) { return base::Cat("must be no more than ", length, " characters"); }

std::string InclusiveRangeText(long long low, long long high) {
  return base::Cat("must be between ", low, " and ", high, ", inclusive");
}

std::string RegexText(std::string_view message, std::string_view regex, const std::vector<std::string_view>& examples) {
  if (examples.empty()) return base::Cat(message, " (regex used for validation is '", regex, "')");
  std::string text = base::Cat(message, " (e.g. ");
  for (size_t i = 0; i < examples.size(); ++i) base::Append(text, i > 0 ? " or '" : "'", examples[i], "', ");
  base::Append(text, "regex used for validation is '", regex, "')");
  return text;
}

std::string JoinComplaints(const Complaints& complaints) { return base::Join(complaints, "; "); }

Complaints CheckPathSegment(std::string_view name, bool prefix) {
  if (!prefix && (name == "." || name == "..")) return {base::Cat("may not be '", name, "'")};
  Complaints complaints;
  for (std::string_view illegal : {"/", "%"}) {
    if (name.contains(illegal)) complaints.push_back(base::Cat("may not contain '", illegal, "'"));
  }
  return complaints;
}

Complaints CheckDns1123Label(std::string_view value) {
  Complaints complaints;
  if (value.size() > kLabelMax) complaints.push_back(MaxLengthText(kLabelMax));
  if (IsDnsLabelShape(value)) return complaints;
  if (IsSubdomainShape(value)) {
    complaints.push_back("must not contain dots");
  } else {
    complaints.push_back(RegexText(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
        "with an alphanumeric character",
        kLabelRegex, {"my-name", "123-abc"}));
  }
  return complaints;
}

Complaints CheckDns1123Subdomain(std::string_view value) {
  Complaints complaints;
  if (value.size() > kSubdomainMax) complaints.push_back(MaxLengthText(kSubdomainMax));
  if (!IsSubdomainShape(value)) {
    complaints.push_back(RegexText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and end with an alphanumeric character",
        kSubdomainRegex, {"example.com"}));
  }
  return complaints;
}

Complaints CheckDns1123SubdomainWithUnderscore(std::string_view value) {
  Complaints complaints;
  if (value.size() > kSubdomainMax) complaints.push_back(MaxLengthText(kSubdomainMax));
  if (!AllLabels(value, IsUnderscoreLabelShape)) {
    complaints.push_back(RegexText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
        "start and end with an alphanumeric character",
        kSubdomainRegex, {"example.com"}));
  }
  return complaints;
}

Complaints CheckDns1035Label(std::string_view value) {
  Complaints complaints;
  if (value.size() > kLabelMax) complaints.push_back(MaxLengthText(kLabelMax));
  if (!IsDnsLabelShape(value) || !base::IsLower(value.front())) {
    complaints.push_back(RegexText(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return complaints;
}

Complaints CheckWildcardDns1123Subdomain(std::string_view value) {
  Complaints complaints;
  if (value.size() > kSubdomainMax) complaints.push_back(MaxLengthText(kSubdomainMax));
  if (!value.starts_with("*.") || !IsSubdomainShape(value.substr(2))) {
    complaints.push_back(RegexText(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of "
        "lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        base::Cat("\\*\\.", kSubdomainRegex), {"*.example.com"}));
  }
  return complaints;
}

Complaints CheckQualifiedName(std::string_view value) {
  Complaints complaints;
  std::string_view name = value;
  if (const size_t slash = value.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.contains('/')) {
      return {base::Cat("a qualified name ",
                        RegexText(kQualifiedRule, kQualifiedRegex, {"MyName", "my.name", "123-abc"}),
                        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')")};
    }
    if (prefix.empty()) {
      complaints.push_back("prefix part must be non-empty");
    } else {
      for (const std::string& text : CheckDns1123Subdomain(prefix)) complaints.push_back("prefix part " + text);
    }
  }
  if (name.empty()) {
    complaints.push_back("name part must be non-empty");
  } else if (name.size() > kLabelMax) {
    complaints.push_back("name part " + MaxLengthText(kLabelMax));
  }
  if (!IsQualifiedShape(name)) {
    complaints.push_back("name part " + RegexText(kQualifiedRule, kQualifiedRegex, {"MyName", "my.name", "123-abc"}));
  }
  return complaints;
}

Complaints CheckLabelValue(std::string_view value) {
  Complaints complaints;
  if (value.size() > kLabelMax) complaints.push_back(MaxLengthText(kLabelMax));
  if (!value.empty() && !IsQualifiedShape(value)) {
    complaints.push_back(RegexText(base::Cat("a valid label must be an empty string or ", kQualifiedRule.substr(5)),
                                   base::Cat("(", kQualifiedRegex, ")?"), {"MyValue", "my_value", "12345"}));
  }
  return complaints;
}

Complaints CheckCIdentifier(std::string_view value) {
  const bool good =
      !value.empty() && !base::IsDigit(value.front()) && All(value, [](char c) { return IsAlnum(c) || c == '_'; });
  if (good) return {};
  return {RegexText(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "
      "characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

Complaints CheckPortName(std::string_view value) {
  Complaints complaints;
  if (value.size() > 15) complaints.push_back(MaxLengthText(15));
  if (value.empty() || !All(value, [](char c) { return IsLowerAlnum(c) || c == '-'; })) {
    complaints.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (All(value, [](char c) { return !base::IsLower(c); })) {
    complaints.push_back("must contain at least one letter (a-z)");
  }
  if (value.contains("--")) complaints.push_back("must not contain consecutive hyphens");
  if (!value.empty() && (value.front() == '-' || value.back() == '-')) {
    complaints.push_back("must not begin or end with a hyphen");
  }
  return complaints;
}

Complaints CheckConfigMapKey(std::string_view value) {
  Complaints complaints;
  if (value.size() > kSubdomainMax) complaints.push_back(MaxLengthText(kSubdomainMax));
  if (value.empty() || !All(value, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; })) {
    complaints.push_back(RegexText("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                   "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  AddDotComplaints(value, complaints);
  return complaints;
}

Complaints CheckEnvVarName(std::string_view value) {
  Complaints complaints;
  const bool good = !value.empty() && !base::IsDigit(value.front()) &&
                    All(value, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!good) {
    complaints.push_back(RegexText(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must "
        "not start with a digit",
        "[-._a-zA-Z][-._a-zA-Z0-9]*", {"my.env-name", "MY_ENV.NAME", "MyEnvName1"}));
  }
  AddDotComplaints(value, complaints);
  return complaints;
}

Complaints CheckRelaxedEnvVarName(std::string_view value) {
  if (value.empty()) return {"environment variable name must be non-empty"};
  if (All(value, [](char c) { return (c >= 0x20 && c < 0x7f) && c != '='; })) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Complaints CheckHttpHeaderName(std::string_view value) {
  if (!value.empty() && All(value, [](char c) { return IsAlnum(c) || c == '-'; })) return {};
  return {RegexText("a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+",
                    {"X-Header-Name"})};
}

Complaints CheckPercent(std::string_view value) {
  if (value.size() > 1 && value.back() == '%' && All(value.substr(0, value.size() - 1), base::IsDigit)) return {};
  return {
      RegexText("a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", {"1%", "93%"})};
}

Complaints CheckNameIsDnsSubdomain(std::string_view name, bool prefix) {
  return CheckDns1123Subdomain(MaskTrailingDash(name, prefix));
}
Complaints CheckNameIsDnsLabel(std::string_view name, bool prefix) {
  return CheckDns1123Label(MaskTrailingDash(name, prefix));
}
Complaints CheckNameIsDns1035Label(std::string_view name, bool prefix) {
  return CheckDns1035Label(MaskTrailingDash(name, prefix));
}

}  // namespace api
