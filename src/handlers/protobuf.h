// Protobuf: the few wire forms that handlers put around messages they have already: envelopes, lists, watch frames.
// Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace handlers::protobuf {

size_t VarintSize(uint64_t number);
void AppendVarint(uint64_t number, std::string& out);

// Length-delimited fields 1 and 2, by their tags.
inline constexpr char kFirst = 0x0a, kSecond = 0x12;
void AppendField(char tag, std::string_view bytes, std::string& out);
inline size_t FieldSize(size_t bytes) { return 1 + VarintSize(bytes) + bytes; }

// The envelope up to a message of `size` bytes, and what follows the message.
void AppendEnvelopeStart(std::string_view api_version, std::string_view kind, uint64_t size, std::string& out);
void AppendEnvelopeEnd(std::string& out);

// A WatchEvent in its frame; `object` is an envelope.
void AppendWatchFrame(std::string_view type, std::string_view object, std::string& out);

}  // namespace handlers::protobuf
