// Frames of an HTTP/2 connection after its preface, in pieces whose sizes the input chooses.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/memory_carrier.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using http::testing::EchoHandler;
  using http::testing::MemoryCarrier;
  if (size == 0) return 0;
  http::Limits limits;
  limits.header_bytes = 4096;
  limits.body_bytes = 1000;
  limits.flood_burst = 50;
  EchoHandler handler;
  http::Service service(limits, handler);
  {
    MemoryCarrier carrier(service, &http::MakeHttp2Session);
    carrier.Exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
    size_t piece = data[0] == 0 ? input.size() : data[0];
    while (!input.empty() && !carrier.session().finished()) {
      carrier.Exchange(input.substr(0, piece), /*room=*/1 << 20);
      input.remove_prefix(std::min(piece, input.size()));
    }
    carrier.session().Drain();
    carrier.Flush(/*room=*/1 << 20);
    handler.ReleaseAll();
    carrier.Flush(/*room=*/1 << 20);
  }
  if (http::testing::Taken(service) != 0) __builtin_trap();
  return 0;
}
