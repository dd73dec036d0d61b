// Scanning stays inside the text, whatever it is.
#include <cstdlib>

#include "registry/json_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = text.find('\n');
  const std::string_view path = text.substr(0, cut);
  const std::string_view json = cut == std::string_view::npos ? std::string_view() : text.substr(cut + 1);
  const auto inside = [&](std::string_view part) {
    if (!part.empty() && (part.data() < json.data() || part.data() + part.size() > json.data() + json.size()))
      std::abort();
  };
  inside(registry::FindJson(json, path));
  inside(registry::SeekJson(json, path));
  registry::MemberScan scan(json);
  std::string_view key, value;
  while (scan.Next(key, value)) {
    inside(key);
    inside(value);
    inside(registry::PlainText(value));
  }
  return 0;
}
