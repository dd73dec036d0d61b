// CBOR: no bytes break the readers, with a schema and without, and what is read comes back the same after being
// written.
#include <cstdint>
#include <cstdlib>

#include "schema/cbor.h"
#include "value/cbor.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  value::Arena arena;
  static const schema::Type* const kPod = schema::FindKind("", "v1", "Pod");
  std::string unknown, written;
  (void)schema::ReadCborKind(bytes, arena);
  (void)schema::ReadCbor(*kPod, bytes, arena, &unknown);
  auto read = schema::ReadCborObject(bytes, arena);
  if (!read) return 0;
  value::WriteCbor(*read, written);
  auto again = schema::ReadCborObject(written, arena);
  if (!again || !value::Equal(*read, *again)) std::abort();
  return 0;
}
