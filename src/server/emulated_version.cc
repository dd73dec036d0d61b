#include "server/emulated_version.h"

#include <cstdint>
#include <map>
#include <string_view>

#include "base/text.h"
#include "value/quote.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

constexpr uint64_t kMajor = 1, kMinor = 32;

struct Version {
  std::vector<uint64_t> parts;  // two at least

  uint64_t patch() const { return parts.size() > 2 ? parts[2] : 0; }
  std::string text() const {
    std::string text;
    for (uint64_t part : parts) base::Append(text, text.empty() ? "" : ".", part);
    return text;
  }
};

// One number off the text.
base::Result<uint64_t> TakePart(std::string_view& rest, std::string_view whole, bool first) {
  size_t size = 0;
  uint64_t number = 0;
  bool fits = true;
  for (; size < rest.size() && base::IsDigit(rest[size]); ++size) {
    const auto digit = static_cast<uint64_t>(rest[size] - '0');
    fits &= number <= (UINT64_MAX - digit) / 10;
    number = number * 10 + digit;
  }
  const std::string part = value::Quote(rest.substr(0, size));
  if (first && size > 1 && rest[0] == '0') {
    return base::Fail(Code::kInvalid,
                      Cat("illegal zero-prefixed version component ", part, " in ", value::Quote(whole)));
  }
  if (!fits) {
    return base::Fail(Code::kInvalid, Cat("illegal non-numeric version component ", part, " in ", value::Quote(whole),
                                          ": strconv.ParseUint: parsing ", part, ": value out of range"));
  }
  rest.remove_prefix(size);
  return number;
}

// "1.32", with "v" before it, and anything behind.
base::Result<Version> ReadVersion(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && (rest[0] == ' ' || (rest[0] >= '\t' && rest[0] <= '\r' && rest[0] != '\v'))) {
    rest.remove_prefix(1);
  }
  if (rest.starts_with('v')) rest.remove_prefix(1);
  if (rest.empty() || !base::IsDigit(rest[0]) || rest.contains('\n')) {
    return base::Fail(Code::kInvalid, Cat("could not parse ", value::Quote(text), " as version"));
  }
  Version version;
  while (true) {
    const base::Result<uint64_t> part = TakePart(rest, text, version.parts.empty());
    if (!part) return std::unexpected(part.error());
    version.parts.push_back(*part);
    if (rest.size() < 2 || rest[0] != '.' || !base::IsDigit(rest[1])) break;
    rest.remove_prefix(1);
  }
  if (version.parts.size() < 2) {
    return base::Fail(Code::kInvalid, Cat("illegal version string ", value::Quote(text)));
  }
  return version;
}

}  // namespace

base::Result<EmulatedVersion> ReadEmulatedVersion(std::span<const std::string> values) {
  std::map<std::string, Version> by_component;
  for (std::string_view value : values) {
    if (value.empty()) continue;
    const size_t equals = value.find('=');
    const bool named = equals != std::string_view::npos;
    const std::string component(named ? base::TrimSpace(value.substr(0, equals)) : "kube");
    const auto version = ReadVersion(named ? base::TrimSpace(value.substr(equals + 1)) : value);
    if (!version) return std::unexpected(version.error());
    if (version->patch() != 0) {
      return base::Fail(Code::kInvalid, Cat("patch version not allowed, got: ", component, "=", version->text()));
    }
    const auto [known, is_new] = by_component.emplace(component, *version);
    if (!is_new) {
      return base::Fail(Code::kInvalid, Cat("duplicate version flag, ", component, "=", known->second.text(), " and ",
                                            component, "=", version->text()));
    }
  }
  EmulatedVersion emulated;
  for (const auto& [component, version] : by_component) {
    if (component != "kube") return base::Fail(Code::kInvalid, Cat("component not registered: ", component));
    emulated.is_own = version.parts[0] == kMajor && version.parts[1] == kMinor;
    if (emulated.is_own || (version.parts[0] == kMajor && version.parts[1] == kMinor - 1)) continue;
    emulated.complaints.push_back(Cat("emulation version ", version.text(), " is not between [", kMajor, ".",
                                      kMinor - 1, ", ", kMajor, ".", kMinor, ".0]"));
  }
  return emulated;
}

}  // namespace server
