// Bytes of an HTTP/1 connection, in pieces whose sizes the input chooses.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/memory_carrier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using http::testing::EchoHandler;
  using http::testing::MemoryCarrier;
  if (size == 0) return 0;
  http::Limits limits;
  limits.header_bytes = 4096;
  limits.body_bytes = 1000;
  EchoHandler handler;
  http::Service service(limits, handler);
  {
    MemoryCarrier carrier(service, &http::MakeHttp1Session);
    std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
    size_t piece = data[0] == 0 ? input.size() : data[0];
    while (!input.empty() && !carrier.session().finished() && carrier.session().WantsInput()) {
      carrier.Exchange(input.substr(0, piece), /*room=*/1 << 20);
      input.remove_prefix(std::min(piece, input.size()));
    }
    carrier.session().InputEnded();
    carrier.Flush(/*room=*/1 << 20);
    handler.ReleaseAll();
    carrier.Flush(/*room=*/1 << 20);
  }
  if (http::testing::Taken(service) != 0) __builtin_trap();
  return 0;
}
