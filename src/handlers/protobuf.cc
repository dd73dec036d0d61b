#include "handlers/protobuf.h"

namespace handlers::protobuf {

size_t VarintSize(uint64_t number) {
  size_t size = 1;
  for (; number >= 0x80; number >>= 7) ++size;
  return size;
}

void AppendVarint(uint64_t number, std::string& out) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void AppendField(char tag, std::string_view bytes, std::string& out) {
  out += tag;
  AppendVarint(bytes.size(), out);
  out += bytes;
}

void AppendEnvelopeStart(std::string_view api_version, std::string_view kind, uint64_t size, std::string& out) {
  out.append("k8s\0", 4);
  out += kFirst;
  AppendVarint(FieldSize(api_version.size()) + FieldSize(kind.size()), out);
  AppendField(kFirst, api_version, out);
  AppendField(kSecond, kind, out);
  out += kSecond;
  AppendVarint(size, out);
}

// contentEncoding and contentType, both empty.
void AppendEnvelopeEnd(std::string& out) { out.append("\x1a\0\x22\0", 4); }

void AppendWatchFrame(std::string_view type, std::string_view object, std::string& out) {
  uint64_t size = FieldSize(type.size()) + FieldSize(FieldSize(object.size()));
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  AppendField(kFirst, type, out);
  out += kSecond;
  AppendVarint(FieldSize(object.size()), out);
  AppendField(kFirst, object, out);
}

}  // namespace handlers::protobuf
