#include "http/response_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "http/request_head.h"
#include "value/quote.h"

namespace http {
namespace {

using base::Cat;

constexpr std::string_view kTooLarge = "http: response body is too large";
constexpr size_t kShown = 120;  // of a line that cannot be read

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::string Lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), Lower);
  return lower;
}

std::string_view Trim(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::string_view TakeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Quoted(std::string_view text) { return value::Quote(text.substr(0, kShown)); }

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void ResponseReader::Begin(size_t most_body_bytes) {
  *this = ResponseReader();
  most_body_ = most_body_bytes;
}

ResponseReader::State ResponseReader::Fail(std::string error) {
  error_ = std::move(error);
  keeps_connection_ = false;
  return state_ = State::kBroken;
}

ResponseReader::State ResponseReader::Take(std::string_view bytes) {
  while (state_ == State::kHead && !bytes.empty()) {
    if (TakeHead(bytes) == State::kBroken) return state_;
  }
  if (state_ == State::kBody)
    TakeBody(bytes);
  else if (state_ == State::kDone && !bytes.empty())
    keeps_connection_ = false;
  return state_;
}

// Up to the end of the head; what is after it stays in `bytes`.
ResponseReader::State ResponseReader::TakeHead(std::string_view& bytes) {
  const size_t before = head_.size();
  head_ += bytes.substr(0, kMostHead + 1 - std::min(before, kMostHead));
  const size_t size = FindHeadEnd(head_, scanned_);
  if (size == std::string_view::npos) {
    bytes = {};
    if (head_.size() + skipped_ <= kMostHead) return state_;
    return Fail("net/http: HTTP/1.x transport connection broken: net/http: server response headers are too large");
  }
  bytes.remove_prefix(size - before);
  skipped_ += size;
  const std::string head = std::exchange(head_, {}).substr(0, size);
  scanned_ = 0;
  answer_ = {};
  if (!ReadHead(head)) return state_;
  if (answer_.status >= 100 && answer_.status < 200) {
    informed_ = true;
    if (answer_.status == 101) return Fail("net/http: the server switched protocols unasked");
    return skipped_ <= kMostHead ? state_ : Fail("net/http: too many 1xx informational responses");
  }
  in_body_ = true;
  state_ = framing_ == Framing::kNone || (framing_ == Framing::kLength && left_ == 0) ? State::kDone : State::kBody;
  return state_;
}

bool ResponseReader::ReadHead(std::string_view head) {
  std::string_view rest = head;
  if (!ReadStatusLine(TakeLine(rest)) || !ReadFields(rest)) return false;
  return ReadFraming();
}

bool ResponseReader::ReadStatusLine(std::string_view line) {
  const auto broken = [&](std::string_view what, std::string_view shown) {
    Fail(Cat("net/http: HTTP/1.x transport connection broken: malformed HTTP ", what, " ", Quoted(shown)));
    return false;
  };
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return broken("response", line);
  const std::string_view version = line.substr(0, space), rest = Trim(line.substr(space + 1));
  const std::string_view code = rest.substr(0, rest.find(' '));
  if (code.size() != 3 || !IsDigits(code) || code[0] == '0') return broken("status code", code);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return broken("version", version);
  minor_ = version.back() - '0';
  std::from_chars(code.data(), code.data() + code.size(), answer_.status);
  return true;
}

bool ResponseReader::ReadFields(std::string_view rest) {
  const auto broken = [&](std::string_view line) {
    Fail(Cat("net/http: HTTP/1.x transport connection broken: malformed MIME header line: ", line.substr(0, kShown)));
    return false;
  };
  while (!rest.empty()) {
    const std::string_view line = TakeLine(rest);
    if (line.empty()) break;
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return broken(line);
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!IsFieldValue(value)) return broken(line.substr(0, colon));
    answer_.headers.Add(Lowered(line.substr(0, colon)), std::string(value));
  }
  return true;
}

bool ResponseReader::ReadFraming() {
  const auto fail = [&](std::string_view why) {
    Fail(Cat("net/http: HTTP/1.x transport connection broken: ", why));
    return false;
  };
  const exchange::Headers& headers = answer_.headers;
  std::string connection;
  for (const std::string_view value : headers.All("connection")) base::Append(connection, ",", Lowered(value));
  const bool closes = connection.find("close") != std::string::npos;
  const bool keeps = minor_ == 1 || connection.find("keep-alive") != std::string::npos;
  keeps_connection_ = keeps && !closes;
  framing_ = Framing::kToEnd;
  const auto codings = headers.All("transfer-encoding");
  const auto lengths = headers.All("content-length");
  if (!codings.empty()) {
    if (codings.size() > 1 || Lowered(codings[0]) != "chunked") {
      return fail(Cat("unsupported transfer encoding: ", Quoted(codings[0])));
    }
    if (!lengths.empty()) return fail("http: both a length and chunks are sent");
    framing_ = Framing::kChunked;
    chunks_.emplace();
  } else if (!lengths.empty()) {
    const bool one = std::ranges::all_of(lengths, [&](std::string_view each) { return each == lengths[0]; });
    const auto read = std::from_chars(lengths[0].data(), lengths[0].data() + lengths[0].size(), left_);
    if (!one || !IsDigits(lengths[0]) || read.ec != std::errc()) {
      return fail(Cat("bad Content-Length ", Quoted(lengths[0])));
    }
    framing_ = Framing::kLength;
  }
  if (answer_.status == 204 || answer_.status == 304) framing_ = Framing::kNone;
  if (framing_ == Framing::kToEnd) keeps_connection_ = false;
  if (framing_ == Framing::kLength && left_ > most_body_) {
    in_body_ = true;
    Fail(std::string(kTooLarge));
    return false;
  }
  return true;
}

ResponseReader::State ResponseReader::TakeBody(std::string_view bytes) {
  if (framing_ == Framing::kChunked) return TakeChunks(bytes);
  const std::string_view part =
      framing_ == Framing::kLength ? bytes.substr(0, std::min<uint64_t>(left_, bytes.size())) : bytes;
  if (answer_.body.size() + part.size() > most_body_) return Fail(std::string(kTooLarge));
  answer_.body += part;
  if (framing_ == Framing::kToEnd) return state_;
  left_ -= part.size();
  if (left_ > 0) return state_;
  if (part.size() < bytes.size()) keeps_connection_ = false;
  return state_ = State::kDone;
}

ResponseReader::State ResponseReader::TakeChunks(std::string_view& bytes) {
  while (true) {
    std::string_view data;
    switch (chunks_->Next(bytes, data)) {
      case ChunkedDecoder::Result::kData:
        if (answer_.body.size() + data.size() > most_body_) return Fail(std::string(kTooLarge));
        answer_.body += data;
        break;
      case ChunkedDecoder::Result::kNeedMore:
        return state_;
      case ChunkedDecoder::Result::kDone:
        if (!bytes.empty()) keeps_connection_ = false;
        return state_ = State::kDone;
      case ChunkedDecoder::Result::kBroken:
        return Fail(std::string(chunks_->error()));
    }
  }
}

ResponseReader::State ResponseReader::End(bool clean) {
  if (state_ == State::kHead) return Fail(untouched() ? "EOF" : "unexpected EOF");
  if (state_ != State::kBody) return state_;
  keeps_connection_ = false;
  if (framing_ == Framing::kToEnd && clean) return state_ = State::kDone;
  return Fail("unexpected EOF");
}

}  // namespace http
