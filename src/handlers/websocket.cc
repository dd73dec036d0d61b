#include "handlers/websocket.h"

#include <openssl/sha.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

// Frames are whole messages, unmasked: first byte FIN and opcode.
constexpr char kText = '\x81', kBinary = '\x82';
constexpr std::string_view kNormalClose{"\x88\x02\x03\xe8", 4};

void AppendFrame(char opcode, std::string_view message, std::string& out) {
  out += opcode;
  if (message.size() < 126) {
    out += static_cast<char>(message.size());
  } else {
    int bytes = message.size() <= 0xFFFF ? 2 : 8;
    out += bytes == 2 ? '\x7e' : '\x7f';
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out += static_cast<char>(uint64_t{message.size()} >> shift);
  }
  out += message;
}

// A watch's events as frames. The inner stream gives whole events in each slice.
class FramedBody final : public exchange::BodySource {
 public:
  FramedBody(Encoding encoding, std::unique_ptr<exchange::BodySource> events)
      : encoding_(encoding), events_(std::move(events)) {}

  void SetWaker(absl::AnyInvocable<void()> wake) override { events_->SetWaker(std::move(wake)); }

  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    std::vector<base::Slice> slices;
    State state = events_->Pull(max_bytes, slices);
    std::string frames;
    for (const base::Slice& slice : slices) AppendEvents(slice.data, frames);
    if (state == State::kEnd) frames += kNormalClose;
    if (!frames.empty()) out.push_back(base::Slice::Own(std::move(frames)));
    return state;
  }

 private:
  void AppendEvents(std::string_view events, std::string& frames) const {
    while (!events.empty()) {
      size_t skipped = encoding_ == Encoding::kProtobuf ? 4 : 0;
      size_t size = EventSize(events);
      AppendFrame(encoding_ == Encoding::kJson ? kText : kBinary, events.substr(skipped, size - skipped), frames);
      events.remove_prefix(size);
    }
  }

  // Of the first event, with its own frame where it has one.
  size_t EventSize(std::string_view events) const {
    if (encoding_ == Encoding::kJson) {
      size_t end = events.find('\n');
      return end == std::string_view::npos ? events.size() : end + 1;
    }
    if (encoding_ != Encoding::kProtobuf || events.size() < 4) return events.size();
    size_t length = 0;
    for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<uint8_t>(events[i]);
    return std::min(events.size(), length + 4);
  }

  const Encoding encoding_;
  std::unique_ptr<exchange::BodySource> events_;
};

// A failed handshake: a bare status line and, for some, a word.
exchange::Response Refuse(int status, std::string text) {
  exchange::Response response;
  response.status = status;
  response.is_taken_over = true;
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  return response;
}

std::string AcceptKey(std::string_view key) {
  std::string text = base::Cat(key, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string encoded;
  value::AppendBase64(encoded, {reinterpret_cast<const char*>(digest), sizeof digest});
  return encoded;
}

bool ListsToken(std::string_view list, std::string_view token) {
  while (true) {
    size_t comma = list.find(',');
    if (base::EqualsIgnoreCase(base::TrimSpace(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool IsWebSocketRequest(const exchange::Request& request) {
  if (!base::EqualsIgnoreCase(request.headers.Get("upgrade"), "websocket")) return false;
  for (std::string_view connection : request.headers.All("connection")) {
    if (ListsToken(connection, "upgrade")) return true;
  }
  return false;
}

exchange::Response UpgradeToWebSocket(const exchange::Request& request, Encoding encoding,
                                      std::unique_ptr<exchange::BodySource> stream) {
  const exchange::Headers& headers = request.headers;
  std::string_view key = headers.Get("sec-websocket-key"), protocol = headers.Get("sec-websocket-protocol");
  if (key.empty()) return Refuse(400, "mismatch challenge/response");
  if (headers.Get("sec-websocket-version") != "13") {
    exchange::Response refused = Refuse(400, "missing or bad WebSocket Version");
    refused.headers.Add("sec-websocket-version", "13");
    return refused;
  }
  if (headers.Get("origin").empty()) return Refuse(403, "");
  if (protocol.find(',') != std::string_view::npos) return Refuse(400, "");

  exchange::Response response;
  response.status = 101;
  response.is_watch = true;
  response.is_taken_over = true;
  response.headers.Add("upgrade", "websocket");
  response.headers.Add("connection", "Upgrade");
  response.headers.Add("sec-websocket-accept", AcceptKey(key));
  if (!protocol.empty()) response.headers.Add("sec-websocket-protocol", std::string(base::TrimSpace(protocol)));
  response.body = std::make_unique<FramedBody>(encoding, std::move(stream));
  return response;
}

}  // namespace handlers
