#include "http/chunked.h"

#include <algorithm>

namespace http {
namespace {

constexpr size_t kMaxLine = 4096;           // a size with its extensions, or a trailer
constexpr size_t kMaxOverhead = 16 * 1024;  // beyond what honest chunks need
constexpr size_t kMaxDigits = 16;
constexpr size_t kFreeOverhead = 16;  // a chunk's own

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool ChunkedDecoder::Broken(std::string_view error) {
  error_ = error;
  return false;
}

// Collects line_ up to its LF. False when the line is not whole yet, or error_ is set.
bool ChunkedDecoder::TakeLine(std::string_view& bytes) {
  if (line_whole_) {
    line_.clear();
    line_whole_ = false;
  }
  size_t end = bytes.find('\n');
  size_t part = end == std::string_view::npos ? bytes.size() : end;
  line_.append(bytes.substr(0, std::min(part, kMaxLine + 1)));
  bytes.remove_prefix(end == std::string_view::npos ? part : part + 1);
  if (line_.size() > kMaxLine) return Broken("header line too long");
  if (end == std::string_view::npos) return false;
  line_whole_ = true;
  overhead_ += line_.size() + 1;
  return true;
}

bool ChunkedDecoder::ReadSize() {
  // A line that other readers end elsewhere would let one request hide in another: CR and LF, together, nowhere else.
  size_t end = line_.find('\r');
  if (end == std::string::npos) return Broken("chunked line ends with bare LF");
  if (end + 1 != line_.size()) return Broken("invalid CR in chunked line");
  line_.pop_back();
  std::string_view digits = std::string_view(line_).substr(0, line_.find(';'));
  digits = digits.substr(0, digits.find_last_not_of(" \t") + 1);
  if (digits.empty()) return Broken("empty hex number for chunk length");
  left_ = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (HexValue(digits[i]) < 0) return Broken("invalid byte in chunk length");
    if (i == kMaxDigits) return Broken("http chunk length too large");
    left_ = left_ * 16 + static_cast<uint64_t>(HexValue(digits[i]));
  }
  // Extensions and tiny chunks cost more to read than they bring: a client that sends little else is cut off.
  overhead_ += 2;  // the end of the data
  overhead_ -= std::min<uint64_t>(overhead_, kFreeOverhead + 2 * std::min<uint64_t>(left_, kMaxOverhead));
  return overhead_ <= kMaxOverhead || Broken("chunked encoding contains too much non-data");
}

// The CR and LF after a chunk.
ChunkedDecoder::Result ChunkedDecoder::TakeDataEnd(std::string_view& bytes) {
  while (!bytes.empty()) {
    bool first = line_.empty();
    if (bytes[0] != (first ? '\r' : '\n')) {
      Broken("malformed chunked encoding");
      return Result::kBroken;
    }
    bytes.remove_prefix(1);
    if (!first) {
      line_.clear();
      state_ = State::kSize;
      return Result::kDone;
    }
    line_ = "\r";
  }
  return Result::kNeedMore;
}

ChunkedDecoder::Result ChunkedDecoder::Next(std::string_view& bytes, std::string_view& data) {
  while (state_ != State::kDone) {
    if (state_ == State::kData) {
      if (bytes.empty()) return Result::kNeedMore;
      data = bytes.substr(0, std::min<uint64_t>(left_, bytes.size()));
      bytes.remove_prefix(data.size());
      left_ -= data.size();
      if (left_ == 0) state_ = State::kDataEnd;
      return Result::kData;
    }
    if (state_ == State::kDataEnd) {
      if (Result result = TakeDataEnd(bytes); result != Result::kDone) return result;
      continue;
    }
    if (!TakeLine(bytes)) return error_.empty() ? Result::kNeedMore : Result::kBroken;
    if (state_ == State::kSize) {
      if (!ReadSize()) return Result::kBroken;
      state_ = left_ > 0 ? State::kData : State::kTrailer;
      line_.clear();
    } else {  // a trailer, of which nothing is made
      if (overhead_ > kMaxOverhead) {
        Broken("http: suspiciously long trailer after chunked body");
        return Result::kBroken;
      }
      if (line_.empty() || line_ == "\r") state_ = State::kDone;
    }
  }
  return Result::kDone;
}

}  // namespace http
