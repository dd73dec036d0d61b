// ChunkedDecoder: a body in chunked transfer coding, taken as it comes. Used by the HTTP/1 session on foreign bytes.
// Bounds: a line of a chunk's size and the trailers are limited; nothing is held but one line's first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace http {

class ChunkedDecoder {
 public:
  enum class Result {
    kData,      // `data` is a part of the body
    kNeedMore,  // all bytes are taken
    kDone,      // the body and its trailers are over; the bytes that are left belong to the next request
    kBroken,    // error() says how
  };
  // Takes from the front of `bytes`.
  Result Next(std::string_view& bytes, std::string_view& data);
  std::string_view error() const { return error_; }  // in the words of Go's net/http, which clients get to see

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer, kDone };
  bool TakeLine(std::string_view& bytes);
  Result TakeDataEnd(std::string_view& bytes);
  bool ReadSize();
  bool Broken(std::string_view error);

  State state_ = State::kSize;
  uint64_t left_ = 0;  // of the present chunk
  std::string line_;   // as far as it is there
  bool line_whole_ = false;
  std::string_view error_;
  size_t overhead_ = 0;  // bytes of size lines and trailers so far, against how much data they brought
};

}  // namespace http
