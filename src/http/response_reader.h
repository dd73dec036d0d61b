// ResponseReader: the answers that come on one HTTP/1 connection of a client, taken as they arrive. Foreign bytes: what
// Go's net/http refuses is refused with its words, and what could be read in two ways is refused, too.
//
// Threads: one. Bounds: a head has at most kMostHead bytes, all informational answers before it included; a body at
// most what Begin was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exchange/client.h"
#include "http/chunked.h"

namespace http {

class ResponseReader {
 public:
  static constexpr size_t kMostHead = 256 << 10;

  enum class State : uint8_t {
    kHead,    // the head is not whole
    kBody,    // it is, the body is not
    kDone,    // TakeAnswer() has it
    kBroken,  // error() says how
  };

  // Before each answer.
  void Begin(size_t most_body_bytes);
  // What has arrived. Bytes after the answer make the connection useless for others.
  State Take(std::string_view bytes);
  // The peer sends no more; `clean`: it said so (TLS's close_notify), so a body that ends with the connection is whole.
  State End(bool clean);

  State state() const { return state_; }
  bool untouched() const { return head_.empty() && state_ == State::kHead && !informed_; }  // nothing has arrived
  const std::string& error() const { return error_; }
  bool in_body() const { return in_body_; }  // where it broke, or stands
  bool keeps_connection() const { return keeps_connection_; }
  exchange::OutboundAnswer TakeAnswer() { return std::move(answer_); }

 private:
  enum class Framing : uint8_t { kNone, kLength, kChunked, kToEnd };
  State Fail(std::string error);
  State TakeHead(std::string_view& bytes);
  State TakeBody(std::string_view bytes);
  State TakeChunks(std::string_view& bytes);
  bool ReadHead(std::string_view head);
  bool ReadStatusLine(std::string_view line);
  bool ReadFields(std::string_view rest);
  bool ReadFraming();

  State state_ = State::kHead;
  size_t most_body_ = 0;
  std::string head_;
  size_t scanned_ = 0;
  bool informed_ = false;  // an informational answer was skipped
  size_t skipped_ = 0;
  int minor_ = 1;
  Framing framing_ = Framing::kNone;
  uint64_t left_ = 0;
  std::optional<ChunkedDecoder> chunks_;
  bool in_body_ = false, keeps_connection_ = false;
  std::string error_;
  exchange::OutboundAnswer answer_;
};

}  // namespace http
