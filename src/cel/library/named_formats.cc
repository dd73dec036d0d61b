#include "cel/library/named_formats.h"

#include <algorithm>
#include <iterator>

#include "api/names.h"
#include "api/url.h"
#include "api/value_formats.h"

namespace cel::library {
namespace {

using Complaints = std::vector<std::string>;

Complaints Unless(bool good, std::string_view complaint) {
  return good ? Complaints() : Complaints{std::string(complaint)};
}

Complaints ValidateUri(std::string_view text) {
  const auto url = api::ParseRequestUri(text);
  return url ? Complaints() : Complaints{url.error()};
}

constexpr NamedFormat kFormats[] = {
    {"byte", "byte", [](std::string_view t) { return Unless(api::HasFormat("byte", t), "invalid base64"); }, 84},
    {"date", "date", [](std::string_view t) { return Unless(api::HasFormat("date", t), "invalid date"); }, 71},
    {"datetime", "datetime",
     [](std::string_view t) { return Unless(api::HasFormat("datetime", t), "invalid datetime"); }, 71},
    {"dns1035Label", "DNS1035Label", [](std::string_view t) { return api::CheckNameIsDns1035Label(t, false); }, 30},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix",
     [](std::string_view t) { return api::CheckNameIsDns1035Label(t, true); }, 30},
    {"dns1123Label", "DNS1123Label", [](std::string_view t) { return api::CheckNameIsDnsLabel(t, false); }, 30},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", [](std::string_view t) { return api::CheckNameIsDnsLabel(t, true); },
     30},
    {"dns1123Subdomain", "DNS1123Subdomain", [](std::string_view t) { return api::CheckNameIsDnsSubdomain(t, false); },
     60},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix",
     [](std::string_view t) { return api::CheckNameIsDnsSubdomain(t, true); }, 60},
    {"labelValue", "LabelValue", [](std::string_view t) { return api::CheckLabelValue(t); }, 40},
    {"qualifiedName", "QualifiedName", [](std::string_view t) { return api::CheckQualifiedName(t); }, 60},
    {"uri", "URI", ValidateUri, 1103},
    {"uuid", "uuid",
     [](std::string_view t) { return Unless(api::HasFormat("uuid", t), "does not match the UUID format"); }, 70},
};

}  // namespace

const NamedFormat* FindFormat(std::string_view function) {
  const auto* found = std::ranges::find(kFormats, function, &NamedFormat::function);
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace cel::library
