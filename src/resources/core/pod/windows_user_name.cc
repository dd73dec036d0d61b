#include "resources/core/pod/windows_user_name.h"

#include <algorithm>

#include "base/text.h"

namespace resources::core {
namespace {

constexpr size_t kDomainBytesUnder = 256;
constexpr size_t kMaxUserBytes = 104;
constexpr size_t kMaxNetBiosCharacters = 15;
constexpr size_t kMaxLabel = 63;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Characters, as UTF-8 has them.
size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

bool IsNetBiosName(std::string_view domain) {
  return !domain.empty() && domain.front() != '.' && domain.find_first_of("\\/:*?\"<>|") == domain.npos &&
         Characters(domain) <= kMaxNetBiosCharacters;
}

bool IsDnsLabel(std::string_view label) {
  return !label.empty() && label.size() <= kMaxLabel && base::IsAlnum(label.front()) && base::IsAlnum(label.back()) &&
         std::ranges::all_of(label, [](char c) { return base::IsAlnum(c) || c == '-'; });
}

bool IsDnsName(std::string_view domain) {
  while (true) {
    const size_t dot = std::min(domain.find('.'), domain.size());
    if (!IsDnsLabel(domain.substr(0, dot))) return false;
    if (dot == domain.size()) return true;
    domain.remove_prefix(dot + 1);
  }
}

void CheckDomain(Errors& errors, const FieldPath& path, std::string_view name, std::string_view domain) {
  if (domain.size() >= kDomainBytesUnder) {
    errors.Invalid(path, name, "runAsUserName's Domain length must be under 256 characters");
  }
  if (!IsNetBiosName(domain) && !IsDnsName(domain)) {
    errors.Invalid(path, name, "runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
}

void CheckUser(Errors& errors, const FieldPath& path, std::string_view name, std::string_view user) {
  if (user.empty()) {
    errors.Invalid(path, name, "runAsUserName's User cannot be empty");
  } else if (user.size() > kMaxUserBytes) {
    errors.Invalid(path, name, "runAsUserName's User length must not be longer than 104 characters");
  }
  if (!user.empty() && user.find_first_not_of(". ") == user.npos) {
    errors.Invalid(path, name, "runAsUserName's User cannot contain only periods or spaces");
  }
  if (user.find_first_of("\"/\\:;|=,+*?<>@[]") != user.npos) {
    errors.Invalid(path, name, R"(runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[])");
  }
}

}  // namespace

void CheckWindowsUserName(Errors& errors, const FieldPath& path, std::string_view name) {
  if (name.empty()) return errors.Invalid(path, name, "runAsUserName cannot be an empty string");
  if (std::ranges::any_of(name, IsControl)) {
    return errors.Invalid(path, name, "runAsUserName cannot contain control characters");
  }
  if (std::ranges::count(name, '\\') > 1) {
    return errors.Invalid(path, name, "runAsUserName cannot contain more than one backslash");
  }
  const size_t backslash = name.find('\\');
  if (backslash != name.npos) CheckDomain(errors, path, name, name.substr(0, backslash));
  CheckUser(errors, path, name, backslash == name.npos ? name : name.substr(backslash + 1));
}

}  // namespace resources::core
