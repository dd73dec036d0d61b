#include "http/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "http/memory_carrier.h"

namespace http {
namespace {

using testing::EchoHandler;
using ::testing::HasSubstr;
using testing::MemoryCarrier;
using testing::Taken;

// The client's end, by nghttp2 too; what it sees of each stream is kept.
class Client {
 public:
  struct Answer {
    std::map<std::string, std::string> fields;
    std::string body;
    bool ended = false, closed = false;
    uint32_t error = 0;
  };

  explicit Client(MemoryCarrier& server) : server_(server) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* self) {
          Of(self).answers[frame->hd.stream_id].fields[Text(name, name_size)] = Text(value, value_size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
          Of(self).answers[id].body += Text(data, size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
          if (frame->hd.type == NGHTTP2_GOAWAY) Of(self).goaway = static_cast<int>(frame->goaway.error_code);
          if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
            for (size_t i = 0; i < frame->settings.niv; ++i) {
              Of(self).settings[frame->settings.iv[i].settings_id] = frame->settings.iv[i].value;
            }
          }
          if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) Of(self).answers[frame->hd.stream_id].ended = true;
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, int32_t id, uint32_t error, void* self) {
          Of(self).answers[id].closed = true;
          Of(self).answers[id].error = error;
          return 0;
        });
    nghttp2_option* options = nullptr;
    nghttp2_option_new(&options);
    nghttp2_option_set_no_auto_window_update(options, 1);
    nghttp2_session_client_new2(&session_, callbacks, this, options);
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~Client() { nghttp2_session_del(session_); }

  int32_t Send(const std::string& method, const std::string& path, std::string body = "",
               std::vector<std::pair<std::string, std::string>> more = {}) {
    std::vector<std::pair<std::string, std::string>> fields = {
        {":method", method}, {":scheme", "https"}, {":authority", "h:1"}, {":path", path}};
    fields.insert(fields.end(), more.begin(), more.end());
    std::vector<nghttp2_nv> wire;
    wire.reserve(fields.size());
    for (auto& [name, value] : fields) {
      wire.push_back({reinterpret_cast<uint8_t*>(name.data()), reinterpret_cast<uint8_t*>(value.data()), name.size(),
                      value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    if (body.empty()) return nghttp2_submit_request(session_, nullptr, wire.data(), wire.size(), nullptr, nullptr);
    nghttp2_data_provider source{
        .source = {.ptr = bodies_.emplace_back(std::make_unique<std::string>(std::move(body))).get()},
        .read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                            nghttp2_data_source* from, void*) -> ssize_t {
          auto* rest = static_cast<std::string*>(from->ptr);
          size_t size = std::min(length, rest->size());
          std::copy_n(rest->data(), size, out);
          rest->erase(0, size);
          if (rest->empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
          return static_cast<ssize_t>(size);
        }};
    return nghttp2_submit_request(session_, nullptr, wire.data(), wire.size(), &source, nullptr);
  }

  // Passes bytes both ways until both are silent.
  void Talk(size_t room = SIZE_MAX) {
    for (bool moved = true; moved;) {
      std::string out;
      const uint8_t* bytes = nullptr;
      for (ssize_t size; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) out += Text(bytes, size);
      std::string in = server_.Exchange(out, room);
      if (!in.empty()) nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(in.data()), in.size());
      moved = !out.empty() || !in.empty();
    }
  }

  // Gives the server leave to send `bytes` more on the stream and the connection.
  void Consume(int32_t id, size_t bytes) { nghttp2_session_consume(session_, id, bytes); }
  void Reset(int32_t id) { nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL); }
  nghttp2_session* session() { return session_; }

  std::map<int32_t, Answer> answers;
  std::map<int32_t, uint32_t> settings;
  int goaway = -1;

 private:
  static Client& Of(void* self) { return *static_cast<Client*>(self); }
  static std::string Text(const uint8_t* bytes, size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

  MemoryCarrier& server_;
  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<std::string>> bodies_;  // as far as they are not sent
};

class Http2SessionTest : public ::testing::Test {
 protected:
  static Limits SmallLimits() {
    Limits limits;
    limits.header_bytes = 5000;
    limits.body_bytes = 100000;
    limits.flood_burst = 100;
    limits.flood_per_second = 0;
    return limits;
  }
  const Client::Answer& Get(const std::string& path) {
    int32_t id = client_.Send("GET", path);
    client_.Talk();
    return client_.answers[id];
  }

  EchoHandler handler_;
  Service service_{SmallLimits(), handler_};
  MemoryCarrier carrier_{service_, &MakeHttp2Session};
  Client client_{carrier_};
};

TEST_F(Http2SessionTest, AnswersARequest) {
  const Client::Answer& answer = Get("/echo?a=b");
  EXPECT_EQ(answer.fields.at(":status"), "200");
  EXPECT_EQ(answer.fields.at("content-type"), "text/plain");
  EXPECT_EQ(answer.fields.at("content-length"), std::to_string(answer.body.size()));
  EXPECT_TRUE(answer.fields.contains("date"));
  EXPECT_EQ(answer.body, "GET /echo?a=b at h:1 with 0 certificates 0");
  EXPECT_TRUE(answer.closed);
  EXPECT_EQ(answer.error, NGHTTP2_NO_ERROR);
}

TEST_F(Http2SessionTest, TellsItsSettings) {
  client_.Talk();
  EXPECT_EQ(client_.settings[NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS], 100);
  EXPECT_EQ(client_.settings[NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE], 256 << 10);
  EXPECT_EQ(client_.settings[NGHTTP2_SETTINGS_MAX_FRAME_SIZE], 256 << 10);
  EXPECT_EQ(client_.settings[NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE], 5000 + 320);
  EXPECT_EQ(nghttp2_session_get_remote_window_size(client_.session()), 100 * (256 << 10));
}

TEST_F(Http2SessionTest, ReadsBodiesUpToTheLimit) {
  int32_t fits = client_.Send("PUT", "/echo", std::string(100000, 'b'));
  int32_t too_large = client_.Send("PUT", "/echo", std::string(100001, 'b'));
  client_.Talk();
  EXPECT_THAT(client_.answers[fits].body, HasSubstr("with 100000 cert"));
  EXPECT_THAT(client_.answers[too_large].body, HasSubstr("with 0 too large"));
  EXPECT_THAT(Get("/a").body, "ok");
  EXPECT_EQ(Taken(service_), 0);
}

TEST_F(Http2SessionTest, ALargeBodyIsAnsweredBeforeItsEndAndStopped) {
  int32_t id = client_.Send("PUT", "/echo", std::string(5 << 20, 'b'));
  client_.Talk();
  EXPECT_THAT(client_.answers[id].body, HasSubstr("too large"));
  EXPECT_TRUE(client_.answers[id].closed);
  EXPECT_EQ(client_.answers[id].error, NGHTTP2_NO_ERROR);
  EXPECT_EQ(Get("/a").body, "ok");
}

TEST_F(Http2SessionTest, BodiesOfAllRequestsTogetherAreBounded) {
  Limits limits = SmallLimits();
  limits.early_body_bytes = 0;
  limits.all_bodies_bytes = 1000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  Client client(carrier);
  int32_t id = client.Send("PUT", "/echo", std::string(1001, 'b'));
  client.Talk();
  EXPECT_EQ(client.answers[id].fields[":status"], "429");
  EXPECT_EQ(client.answers[id].fields["retry-after"], "1");
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http2SessionTest, AHeaderListPastTheLimitIs431) {
  int32_t id = client_.Send("GET", "/a", "", {{"x", std::string(5200, 'x')}});
  client_.Talk();
  EXPECT_EQ(client_.answers[id].fields[":status"], "431");
  EXPECT_EQ(Get("/a").body, "ok");
}

TEST_F(Http2SessionTest, LargeHeadsCountAsBodiesDo) {
  Limits limits = SmallLimits();
  limits.header_bytes = 1 << 20;
  limits.early_bytes = 50000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  Client client(carrier);
  std::vector<std::pair<std::string, std::string>> fields;
  for (int i = 0; i < 8; ++i) fields.emplace_back("x", std::string(5000, 'x'));
  int32_t fits = client.Send("GET", "/a", "", fields);
  client.Talk();
  EXPECT_EQ(client.answers[fits].body, "ok");
  for (int i = 0; i < 4; ++i) fields.emplace_back("x", std::string(5000, 'x'));
  int32_t does_not = client.Send("GET", "/a", "", fields);
  client.Talk();
  EXPECT_EQ(client.answers[does_not].fields[":status"], "429");
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http2SessionTest, HeadAndNoContentHaveNoBody) {
  int32_t head = client_.Send("HEAD", "/size/10");
  int32_t empty = client_.Send("GET", "/empty");
  client_.Talk();
  EXPECT_EQ(client_.answers[head].fields["content-length"], "10");
  EXPECT_EQ(client_.answers[head].body, "");
  EXPECT_TRUE(client_.answers[head].closed);
  EXPECT_EQ(client_.answers[empty].fields[":status"], "204");
  EXPECT_FALSE(client_.answers[empty].fields.contains("content-length"));
  EXPECT_TRUE(client_.answers[empty].closed);
}

TEST_F(Http2SessionTest, ABadTargetBreaksItsStreamOnly) {
  const Client::Answer& bad = Get("/a%zz");
  EXPECT_TRUE(bad.closed);
  EXPECT_EQ(bad.error, NGHTTP2_PROTOCOL_ERROR);
  EXPECT_EQ(Get("/a").body, "ok");
}

TEST_F(Http2SessionTest, AnExceptionIs500AndHarmsNobody) {
  EXPECT_EQ(Get("/throw").fields.at(":status"), "500");
  EXPECT_EQ(Get("/a").body, "ok");
  EXPECT_EQ(service_.calls, 0);
}

TEST_F(Http2SessionTest, AWatchGivesItsHeadAtOnceAndEachEventWhenItComes) {
  const Client::Answer& watch = Get("/watch/w");
  EXPECT_EQ(watch.fields.at(":status"), "200");
  EXPECT_FALSE(watch.ended);
  handler_.feed("w")->Send("event");
  client_.Talk();
  EXPECT_EQ(watch.body, "event");
  handler_.feed("w")->End();
  client_.Talk();
  EXPECT_TRUE(watch.ended);
  EXPECT_EQ(watch.error, NGHTTP2_NO_ERROR);
}

TEST_F(Http2SessionTest, AWatchKeepsNothingOfItsRequest) {
  int32_t watch = client_.Send("POST", "/watch/w", "body");
  client_.Talk();
  EXPECT_EQ(Taken(service_), 0);
  handler_.feed("w")->Send("event");
  client_.Talk();
  EXPECT_EQ(client_.answers[watch].body, "event");
}

TEST_F(Http2SessionTest, ASourceThatFailsResetsItsStream) {
  const Client::Answer& watch = Get("/watch/w");
  handler_.feed("w")->End(exchange::BodySource::State::kFail);
  client_.Talk();
  EXPECT_TRUE(watch.closed);
  EXPECT_FALSE(watch.ended);
  EXPECT_EQ(watch.error, NGHTTP2_INTERNAL_ERROR);
}

// A client that does not read one stream has the others answered, and costs the server one pull.
TEST_F(Http2SessionTest, ASlowStreamStopsNobody) {
  int32_t slow = client_.Send("GET", "/stream/10000000");
  client_.Talk();
  EXPECT_EQ(client_.answers[slow].body.size(), 65535);
  // The connection's window is used up as well: what arrived is consumed there, but not on the stream.
  nghttp2_session_consume_connection(client_.session(), 65535);
  int32_t other = client_.Send("GET", "/size/1000");
  client_.Talk();
  EXPECT_EQ(client_.answers[other].body.size(), 1000);
  client_.Consume(slow, 65535);
  client_.Talk();
  EXPECT_GT(client_.answers[slow].body.size(), 100000);
}

TEST_F(Http2SessionTest, ACancelledWatchLetsGoOfItsSource) {
  int32_t id = client_.Send("GET", "/watch/w");
  client_.Talk();
  EXPECT_TRUE(handler_.feed("w")->attached());
  nghttp2_submit_rst_stream(client_.session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  client_.Talk();
  EXPECT_FALSE(handler_.feed("w")->attached());
  handler_.feed("w")->Send("nobody hears this");
  EXPECT_EQ(Get("/a").body, "ok");
}

TEST_F(Http2SessionTest, ACancelledRequestIsAbandoned) {
  int32_t id = client_.Send("GET", "/park/p");
  client_.Talk();
  nghttp2_submit_rst_stream(client_.session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  client_.Talk();
  EXPECT_EQ(service_.calls, 1);
  handler_.Release("p");
  client_.Talk();
  EXPECT_EQ(service_.calls, 0);
  EXPECT_EQ(handler_.abandoned(), 1);
}

TEST_F(Http2SessionTest, DrainEndsWatchesAndLetsRequestsEnd) {
  int32_t watch = client_.Send("GET", "/watch/w");
  int32_t parked = client_.Send("GET", "/park/p");
  client_.Talk();
  carrier_.session().Drain();
  client_.Talk();
  EXPECT_EQ(client_.goaway, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(client_.answers[watch].ended);
  EXPECT_FALSE(carrier_.session().finished());
  handler_.Release("p");
  client_.Talk();
  EXPECT_EQ(client_.answers[parked].body, "released");
  EXPECT_TRUE(carrier_.session().finished());
}

TEST_F(Http2SessionTest, AnAnswerThatClosesTheConnectionLetsTheOthersEnd) {
  int32_t watch = client_.Send("GET", "/watch/w");
  EXPECT_EQ(Get("/close").body, "ok");
  EXPECT_EQ(client_.goaway, NGHTTP2_NO_ERROR);
  handler_.feed("w")->Send("event");
  client_.Talk();
  EXPECT_EQ(client_.answers[watch].body, "event");
  EXPECT_FALSE(carrier_.session().finished());
  handler_.feed("w")->End();
  client_.Talk();
  EXPECT_TRUE(carrier_.session().finished());
}

TEST_F(Http2SessionTest, RapidResetIsStopped) {
  for (int i = 0; i < 150 && client_.goaway < 0; ++i) {
    int32_t id = client_.Send("GET", "/park/p" + std::to_string(i));
    client_.Talk();
    nghttp2_submit_rst_stream(client_.session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    client_.Talk();
  }
  EXPECT_EQ(client_.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(carrier_.session().finished());
  EXPECT_LE(service_.calls, 101);
  for (int i = 0; i < 150; ++i) handler_.Release("p" + std::to_string(i));
}

TEST_F(Http2SessionTest, RunningHandlersOfCancelledStreamsStillCount) {
  Limits limits = SmallLimits();
  limits.streams = 10;
  limits.flood_burst = 1000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  Client client(carrier);
  int refused = 0;
  for (int i = 0; i < 50; ++i) {
    int32_t id = client.Send("GET", "/park/p" + std::to_string(i));
    client.Talk();
    refused += client.answers[id].error == NGHTTP2_REFUSED_STREAM;
    nghttp2_submit_rst_stream(client.session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    client.Talk();
  }
  EXPECT_EQ(service.calls, 20);
  EXPECT_EQ(refused, 30);
  for (int i = 0; i < 50; ++i) handler_.Release("p" + std::to_string(i));
  client.Talk();
  EXPECT_EQ(service.calls, 0);
}

// A frame of the client, by hand.
std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, const std::string& payload) {
  std::string frame;
  for (int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame + payload;
}

const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(NGHTTP2_SETTINGS, 0, 0, "");
// :method GET, :scheme https, :path / of the static table, :authority h.
const std::string kGet("\x82\x87\x84\x41\x01h", 6);

struct Flood {
  const char* name;
  std::string first, repeated;
};

TEST_F(Http2SessionTest, FloodsEndTheConnection) {
  const std::vector<Flood> floods = {
      {"ping", "", Frame(NGHTTP2_PING, 0, 0, "12345678")},
      {"settings", "", Frame(NGHTTP2_SETTINGS, 0, 0, "")},
      {"priority", "", Frame(NGHTTP2_PRIORITY, 0, 1, std::string("\0\0\0\0\x10", 5))},
      {"empty data", Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kGet), Frame(NGHTTP2_DATA, 0, 1, "")},
      {"continuations", Frame(NGHTTP2_HEADERS, 0, 1, kGet), Frame(NGHTTP2_CONTINUATION, 0, 1, "")},
  };
  const std::string calm{0, 0, 0, NGHTTP2_ENHANCE_YOUR_CALM};
  for (const Flood& flood : floods) {
    MemoryCarrier carrier(service_, &MakeHttp2Session);
    std::string out = carrier.Exchange(kPreface + flood.first);
    int sent = 0;
    for (; sent < 1000 && !carrier.session().finished(); ++sent) out = carrier.Exchange(flood.repeated);
    EXPECT_TRUE(carrier.session().finished()) << flood.name;
    EXPECT_LE(sent, 150) << flood.name;
    EXPECT_THAT(out, HasSubstr(calm)) << flood.name;
  }
}

TEST_F(Http2SessionTest, OrdinaryUseIsNoFlood) {
  for (int i = 0; i < 500; ++i) {
    int32_t id = client_.Send("PUT", "/echo", "body");
    client_.Talk();
    ASSERT_TRUE(client_.answers[id].ended) << i;
    client_.Consume(id, client_.answers[id].body.size());
  }
  EXPECT_EQ(client_.goaway, -1);
}

TEST_F(Http2SessionTest, DeadlinesFollowWhatIsWaitedFor) {
  const Limits& limits = service_.limits;
  client_.Talk();
  EXPECT_LE(carrier_.session().deadline(), carrier_.loop().now() + limits.idle_timeout);
  Get("/watch/w");
  EXPECT_EQ(carrier_.session().deadline(), Session::TimePoint::max());
  MemoryCarrier other(service_, &MakeHttp2Session);
  // A head without its end.
  other.Exchange(kPreface + Frame(NGHTTP2_HEADERS, 0, 1, kGet));
  EXPECT_LE(other.session().deadline(), other.loop().now() + limits.header_timeout);
  other.Exchange(Frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, 1, ""));
  EXPECT_EQ(other.session().deadline(), Session::TimePoint::max());
  other.Exchange(Frame(NGHTTP2_RST_STREAM, 0, 1, std::string(4, '\0')));
  EXPECT_GT(other.session().deadline(), other.loop().now() + limits.body_timeout);
}

TEST_F(Http2SessionTest, ABodyThatIsLateIsNotWaitedFor) {
  const auto until = carrier_.loop().now() + service_.limits.body_timeout;
  carrier_.session().Receive(kPreface + Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kGet));
  carrier_.Exchange(Frame(NGHTTP2_DATA, 0, 1, "b"));  // a part buys no time
  carrier_.session().Expire(until);
  EXPECT_GT(Taken(service_), 0);
  carrier_.session().Expire(until + std::chrono::nanoseconds(1));
  EXPECT_EQ(Taken(service_), 0);
  EXPECT_THAT(carrier_.Flush(), HasSubstr("408 Request Timeout"));
}

TEST_F(Http2SessionTest, TheHeadOfALargeBodyIsJudgedBeforeTheBodyIsTaken) {
  Limits limits;
  limits.early_body_bytes = 1000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  Client client(carrier);
  int32_t small = client.Send("PUT", "/echo", std::string(1000, 'b'), {{"authorization", "bad"}});
  client.Talk();
  EXPECT_THAT(client.answers[small].body, HasSubstr("with 1000"));
  EXPECT_EQ(handler_.admitted(), 0);
  int32_t large = client.Send("PUT", "/echo", std::string(1001, 'b'), {{"authorization", "bad"}});
  client.Talk();
  EXPECT_EQ(client.answers[large].fields[":status"], "401");
  EXPECT_EQ(client.answers[large].body, "who are you");
  EXPECT_TRUE(client.answers[large].closed);
  EXPECT_EQ(handler_.admitted(), 1);
  int32_t known = client.Send("PUT", "/echo", std::string(1001, 'b'));
  client.Talk();
  EXPECT_THAT(client.answers[known].body, HasSubstr("with 1001"));
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http2SessionTest, HeadsThatWaitForBodiesAreCharged) {
  carrier_.Exchange(kPreface + Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kGet));
  const int64_t one = Taken(service_);
  EXPECT_GT(one, 0);
  carrier_.Exchange(Frame(NGHTTP2_HEADERS, 0, 3, kGet));  // without its end
  EXPECT_EQ(Taken(service_), 2 * one);
}

TEST_F(Http2SessionTest, AFieldNamedAgainAndAgainEndsTheConnection) {
  Limits limits;
  limits.header_bytes = 100000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  // A field of 4000 bytes into the dynamic table, which one byte names from then on.
  const std::string field = std::string("\x40\x01x\x7f\xa1\x1e", 6) + std::string(4000, 'v');
  std::string out = carrier.Exchange(
      kPreface + Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kGet + field + std::string(20, '\xbe')));
  EXPECT_FALSE(carrier.session().finished());
  out = carrier.Exchange(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 3, kGet + std::string(60, '\xbf')));
  EXPECT_THAT(out, HasSubstr(std::string{0, 0, 0, NGHTTP2_ENHANCE_YOUR_CALM}));
  EXPECT_TRUE(carrier.session().finished());
}

// The client acknowledges nothing, so it may open more streams than the server wants; each is reset, and it reads none
// of that.
TEST_F(Http2SessionTest, NothingIsTakenFromAClientThatDoesNotReadItsResets) {
  Limits limits;
  limits.queued_frames = 300;
  limits.flood_burst = 1000000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  carrier.session().Receive(kPreface);
  uint32_t id = 1;
  int sent = 0;
  for (; sent < 10000 && carrier.session().WantsInput(); ++sent, id += 2) {
    carrier.session().Receive(Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, id, kGet));
  }
  EXPECT_GE(sent, 300);
  EXPECT_LE(sent, 300 + 100 + 1);  // its settings and what they are answered with count too
  EXPECT_GT(carrier.Flush().size(), 0);
  EXPECT_TRUE(carrier.session().WantsInput());
}

TEST_F(Http2SessionTest, BrokenFramesAreAFlood) {
  const std::string upper("\x82\x87\x84\x41\x01h\x40\x01X\x01y", 11);  // a field's name in upper case
  for (const std::string& head : {kGet, upper}) {
    for (const int frames : {100, 101}) {  // at the limit and one past
      Limits limits = SmallLimits();
      limits.streams = 1;
      Service service(limits, handler_);
      MemoryCarrier carrier(service, &MakeHttp2Session);
      // The first stream is well and unfinished; the preface's settings are counted too.
      std::string input = kPreface + Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kGet);
      for (int i = 1; i < frames; ++i) {
        input += Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, static_cast<uint32_t>(1 + 2 * i), head);
      }
      std::string out = carrier.Exchange(input);
      EXPECT_EQ(carrier.session().finished(), frames > 100);
      if (frames > 100) EXPECT_THAT(out, HasSubstr(std::string{0, 0, 0, NGHTTP2_ENHANCE_YOUR_CALM}));
    }
  }
}

// Whoever is told to calm down and does not read that is waited for shortly.
TEST_F(Http2SessionTest, AConnectionThatEndsIsNotHeldByItsClient) {
  carrier_.session().Receive(kPreface);
  EXPECT_EQ(carrier_.session().cutoff(), Session::TimePoint::max());
  for (int i = 0; i < 101; ++i) carrier_.session().Receive(Frame(NGHTTP2_PING, 0, 0, "12345678"));
  EXPECT_LE(carrier_.session().cutoff(), carrier_.loop().now() + service_.limits.farewell_timeout);
}

TEST_F(Http2SessionTest, AStreamWhoseWindowStaysClosedIsEnded) {
  using std::chrono::nanoseconds;
  int32_t list = client_.Send("GET", "/stream/1000000"), idle = client_.Send("GET", "/watch/idle"),
          waiting = client_.Send("GET", "/watch/waiting");
  client_.Talk();  // up to the 65535 bytes that a stream and the connection may have
  const auto until = carrier_.loop().now() + service_.limits.write_timeout;
  handler_.feed("waiting")->Send("event");
  client_.Talk();
  carrier_.session().Expire(until - std::chrono::seconds(1));
  client_.Talk();
  EXPECT_FALSE(client_.answers[list].closed);
  carrier_.session().Expire(carrier_.loop().now() + service_.limits.write_timeout + nanoseconds(1));
  client_.Talk();
  EXPECT_TRUE(client_.answers[list].closed);
  EXPECT_EQ(client_.answers[list].error, NGHTTP2_CANCEL);
  EXPECT_TRUE(client_.answers[waiting].closed);  // it had an event
  EXPECT_FALSE(handler_.feed("waiting")->attached());
  EXPECT_FALSE(client_.answers[idle].closed);  // nothing was there for it
  EXPECT_TRUE(handler_.feed("idle")->attached());
}

TEST_F(Http2SessionTest, AnswersThatNobodyTakesAreBounded) {
  Limits limits;
  limits.address_answers_bytes = 500000;
  Service service(limits, handler_);
  MemoryCarrier carrier(service, &MakeHttp2Session);
  Client client(carrier);
  const int32_t one = client.Send("GET", "/size/200000"), two = client.Send("GET", "/size/200000");
  const int32_t packed = client.Send("GET", "/size/200000", {}, {{"accept-encoding", "gzip"}});
  const int32_t written = client.Send("POST", "/size/200000");
  client.Talk();  // up to the 65535 bytes that the connection may have
  EXPECT_FALSE(client.answers[one].closed || client.answers[two].closed);
  EXPECT_EQ(service.answers.taken(), 400000);
  EXPECT_EQ(client.answers[packed].fields[":status"], "429");
  EXPECT_EQ(client.answers[packed].fields["retry-after"], "1");
  EXPECT_TRUE(client.answers[written].closed);
  EXPECT_EQ(client.answers[written].error, NGHTTP2_INTERNAL_ERROR) << "it is not known to be done";
  client.Reset(one);
  client.Talk();
  EXPECT_EQ(service.answers.taken(), 200000);
  const int32_t three = client.Send("GET", "/size/200000");
  client.Talk();
  EXPECT_EQ(client.answers[three].fields[":status"], "200");
}

TEST_F(Http2SessionTest, AStreamThatIsTakenIsNotEnded) {
  int32_t list = client_.Send("GET", "/stream/1000000");
  client_.Talk();
  EXPECT_FALSE(client_.answers[list].closed);
  const auto first = carrier_.loop().now();
  while (carrier_.loop().now() == first) carrier_.Flush();
  client_.Consume(list, 40000);
  client_.Talk();
  carrier_.session().Expire(first + service_.limits.write_timeout + std::chrono::nanoseconds(1));
  client_.Talk();
  EXPECT_FALSE(client_.answers[list].closed);
  carrier_.session().Expire(carrier_.loop().now() + service_.limits.write_timeout + std::chrono::nanoseconds(1));
  client_.Talk();
  EXPECT_TRUE(client_.answers[list].closed);
}

TEST_F(Http2SessionTest, WithoutMemoryOnlyTheAnswerIsLost) {
  std::vector<std::string> failures;
  service_.on_failure = [&](std::string_view failure) { failures.emplace_back(failure); };
  for (const char* path : {"/starved/at-once", "/starved/later"}) {
    const Client::Answer& answer = Get(path);
    EXPECT_TRUE(answer.closed) << path;
    EXPECT_EQ(answer.error, NGHTTP2_INTERNAL_ERROR) << path;
  }
  EXPECT_EQ(failures, (std::vector<std::string>{"answer: std::bad_alloc", "body of an answer: std::bad_alloc"}));
  EXPECT_EQ(Get("/a").body, "ok");
}

// Valid starts, then random frames with random contents.
TEST_F(Http2SessionTest, RandomFramesHarmNobody) {
  std::mt19937 random(20261);
  for (int i = 0; i < 50000; ++i) {
    MemoryCarrier carrier(service_, &MakeHttp2Session);
    std::string input = i % 8 == 0 ? "" : kPreface;
    for (unsigned frames = random() % 8; frames > 0; --frames) {
      std::string payload = random() % 2 == 0 ? kGet : "";
      for (unsigned size = random() % 12; size > 0; --size) payload += static_cast<char>(random());
      input += Frame(random() % 11, random(), random() % 4, payload);
    }
    carrier.Exchange(input);
  }
  EXPECT_EQ(service_.calls, 0);
  EXPECT_EQ(Taken(service_), 0);
}

}  // namespace
}  // namespace http
