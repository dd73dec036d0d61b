// Foreign bytes as a server's answer, in pieces: the first byte says how long they are.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "http/response_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostBody = 4096;
  if (size < 2) return 0;
  const size_t piece = 1 + data[0] % 64;
  std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  http::ResponseReader reader;
  reader.Begin(kMostBody);
  while (!bytes.empty()) {
    const size_t part = std::min(piece, bytes.size());
    reader.Take(bytes.substr(0, part));
    bytes.remove_prefix(part);
  }
  reader.End(data[0] >= 128);
  if (reader.state() == http::ResponseReader::State::kBroken && reader.error().empty()) __builtin_trap();
  if (reader.state() != http::ResponseReader::State::kDone) return 0;
  const exchange::OutboundAnswer answer = reader.TakeAnswer();
  if (answer.body.size() > kMostBody || answer.status < 200) __builtin_trap();
  return 0;
}
