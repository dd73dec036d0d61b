#include "http/chunked.h"

#include <algorithm>

namespace http {
namespace {

constexpr size_t kMaxLine = 4096;           // a size with its extensions, or a trailer
constexpr size_t kMaxOverhead = 16 * 1024;  // beyond what honest chunks need
constexpr size_t kFreeOverhead = 16;        // a chunk's own

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

// Collects line_ up to its LF. False when the line is not whole yet or is too long (then line_ is longer than
// kMaxLine).
bool ChunkedDecoder::TakeLine(std::string_view& bytes) {
  if (line_whole_) {
    line_.clear();
    line_whole_ = false;
  }
  size_t end = bytes.find('\n');
  size_t part = end == std::string_view::npos ? bytes.size() : end;
  line_.append(bytes.substr(0, std::min(part, kMaxLine + 1)));
  bytes.remove_prefix(end == std::string_view::npos ? part : part + 1);
  if (end == std::string_view::npos || line_.size() > kMaxLine) return false;
  line_whole_ = true;
  overhead_ += line_.size() + 1;
  if (line_.ends_with('\r')) line_.pop_back();
  return true;
}

bool ChunkedDecoder::ReadSize() {
  size_t digits = 0;
  left_ = 0;
  for (; digits < line_.size() && HexValue(line_[digits]) >= 0; ++digits) {
    if (digits == 15) return false;
    left_ = left_ * 16 + static_cast<uint64_t>(HexValue(line_[digits]));
  }
  size_t after = line_.find_first_not_of(" \t", digits);
  if (digits == 0 || (after != std::string::npos && line_[after] != ';')) return false;
  // Extensions and tiny chunks cost more to read than they bring: a client that sends little else is cut off.
  overhead_ -= std::min<uint64_t>(overhead_, kFreeOverhead + 2 * left_);
  return overhead_ <= kMaxOverhead;
}

ChunkedDecoder::Result ChunkedDecoder::Next(std::string_view& bytes, std::string_view& data) {
  while (true) {
    switch (state_) {
      case State::kData:
        if (bytes.empty()) return Result::kNeedMore;
        data = bytes.substr(0, std::min<uint64_t>(left_, bytes.size()));
        bytes.remove_prefix(data.size());
        left_ -= data.size();
        if (left_ == 0) state_ = State::kDataEnd;
        return Result::kData;
      case State::kDone:
        return Result::kDone;
      default:
        break;
    }
    if (!TakeLine(bytes)) return line_.size() > kMaxLine ? Result::kBroken : Result::kNeedMore;
    switch (state_) {
      case State::kSize:
        if (!ReadSize()) return Result::kBroken;
        state_ = left_ > 0 ? State::kData : State::kTrailer;
        break;
      case State::kDataEnd:
        if (!line_.empty()) return Result::kBroken;
        state_ = State::kSize;
        break;
      default:  // a trailer, of which nothing is made
        if (overhead_ > kMaxOverhead) return Result::kBroken;
        if (line_.empty()) state_ = State::kDone;
        break;
    }
  }
}

}  // namespace http
