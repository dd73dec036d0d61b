#include "resources/core/pod/image_name.h"

#include <algorithm>

namespace resources {
namespace {

constexpr size_t kMaxPath = 255;
constexpr std::string_view kLibrary = "library/";

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

// Lower case letters and digits, between them one dot, one or two underscores, or dashes.
bool IsPathComponent(std::string_view s) {
  if (s.empty() || !(IsLower(s.front()) || IsDigit(s.front())) || !(IsLower(s.back()) || IsDigit(s.back())))
    return false;
  for (size_t i = 0; i < s.size();) {
    if (IsLower(s[i]) || IsDigit(s[i])) {
      ++i;
      continue;
    }
    size_t end = std::min(s.find_first_not_of(s[i], i), s.size());
    size_t run = end - i;
    bool separator = s[i] == '-' || (s[i] == '.' && run == 1) || (s[i] == '_' && run <= 2);
    if (!separator || (!IsLower(s[end]) && !IsDigit(s[end]))) return false;
    i = end;
  }
  return true;
}

bool IsHostName(std::string_view host) {
  while (true) {
    size_t dot = std::min(host.find('.'), host.size());
    std::string_view part = host.substr(0, dot);
    bool fits = !part.empty() && part.front() != '-' && part.back() != '-' &&
                std::ranges::all_of(part, [](char c) { return IsLetter(c) || IsDigit(c) || c == '-'; });
    if (!fits) return false;
    if (dot == host.size()) return true;
    host.remove_prefix(dot + 1);
  }
}

bool IsDomain(std::string_view domain) {
  size_t end = domain.size();
  if (domain.starts_with('[')) {
    end = domain.find(']');
    if (end == domain.npos) return false;
    ++end;
    if (!std::ranges::all_of(domain.substr(1, end - 2), [](char c) { return IsHex(c) || c == ':'; })) return false;
  } else {
    end = std::min(domain.find(':'), domain.size());
    if (!IsHostName(domain.substr(0, end))) return false;
  }
  if (end == domain.size()) return true;
  std::string_view port = domain.substr(end + 1);
  return domain[end] == ':' && !port.empty() && std::ranges::all_of(port, IsDigit);
}

bool IsTag(std::string_view tag) {
  return !tag.empty() && tag.size() <= 128 && IsWord(tag.front()) &&
         std::ranges::all_of(tag, [](char c) { return IsWord(c) || c == '.' || c == '-'; });
}

// Of an algorithm that is known, in its length, lower case.
bool IsDigest(std::string_view digest) {
  struct Algorithm {
    std::string_view prefix;
    size_t length;
  };
  constexpr Algorithm kAlgorithms[] = {{"sha256:", 64}, {"sha384:", 96}, {"sha512:", 128}};
  return std::ranges::any_of(kAlgorithms, [&](const Algorithm& algorithm) {
    if (!digest.starts_with(algorithm.prefix)) return false;
    const std::string_view hex = digest.substr(algorithm.prefix.size());
    return hex.size() == algorithm.length &&
           std::ranges::all_of(hex, [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
  });
}

bool IsName(std::string_view name) {
  bool identifier =
      name.size() == 64 && std::ranges::all_of(name, [](char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); });
  if (identifier) return false;
  bool of_docker = true;  // the domain of names that say none
  size_t slash = name.find('/');
  if (slash != name.npos) {
    std::string_view first = name.substr(0, slash);
    bool upper = std::ranges::any_of(first, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (first.find_first_of(".:") != first.npos || first == "localhost" || upper) {
      if (!IsDomain(first)) return false;
      name.remove_prefix(slash + 1);
      of_docker = first == "docker.io" || first == "index.docker.io";
    }
  }
  // There a single name is one of "library/".
  const size_t implied = of_docker && !name.contains('/') ? kLibrary.size() : 0;
  if (implied + name.size() > kMaxPath) return false;
  while (true) {
    size_t end = std::min(name.find('/'), name.size());
    if (!IsPathComponent(name.substr(0, end))) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view ImageTag(std::string_view image) {
  size_t at = image.find('@');
  bool has_digest = at != image.npos;
  if (has_digest && !IsDigest(image.substr(at + 1))) return {};
  std::string_view name = image.substr(0, at);
  size_t colon = name.rfind(':');
  bool has_tag = colon != name.npos && name.find('/', colon) == name.npos;
  std::string_view tag = has_tag ? name.substr(colon + 1) : std::string_view();
  if (has_tag && !IsTag(tag)) return {};
  if (!IsName(has_tag ? name.substr(0, colon) : name)) return {};
  return has_tag || has_digest ? tag : "latest";
}

}  // namespace resources
