#include "http/http1_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <vector>

#include "http/memory_carrier.h"

namespace http {
namespace {

using testing::EchoHandler;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::MemoryCarrier;
using ::testing::StartsWith;
using testing::Taken;

// Answers with the date taken out.
std::string Undated(const std::string& answer) {
  return std::regex_replace(
      answer, std::regex("Date: [A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\r\n"), "");
}

std::string Ok(const std::string& body, const std::string& more = "") {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         more + "\r\n" + body;
}

std::string Refused(const std::string& status, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" + body;
}

class Http1SessionTest : public ::testing::Test {
 protected:
  static Limits SmallLimits() {
    Limits limits;
    limits.header_bytes = 1000;
    limits.body_bytes = 100;
    limits.discarded_bytes = 50;
    limits.all_bodies_bytes = 100000;
    return limits;
  }
  EchoHandler handler_;
  Service service_{SmallLimits(), handler_};
  MemoryCarrier carrier_{service_, &MakeHttp1Session};
};

struct Conversation {
  const char* name;
  std::string input, output;
  bool finished = false;
};

std::vector<Conversation> Conversations() {
  const std::string host = "Host: h\r\n";
  return {
      {"get", "GET /echo?a=b HTTP/1.1\r\nHost: h:1\r\n\r\n", Ok("GET /echo?a=b at h:1 with 0 certificates 0")},
      {"any method", "BREW /echo HTTP/1.1\r\n" + host + "\r\n", Ok("BREW /echo? at h with 0 certificates 0")},
      {"absolute form", "GET http://x/echo?q HTTP/1.1\r\n" + host + "\r\n",
       Ok("GET /echo?q at x with 0 certificates 0")},
      {"two in one", "GET /a HTTP/1.1\r\n" + host + "\r\nGET /echo HTTP/1.1\r\n" + host + "\r\n",
       Ok("ok") + Ok("GET /echo? at h with 0 certificates 0")},
      {"empty line after a POST", "POST /a HTTP/1.1\r\n" + host + "\r\n\r\nGET /a HTTP/1.1\r\n" + host + "\r\n",
       Ok("ok") + Ok("ok")},
      {"empty line after a GET", "GET /a HTTP/1.1\r\n" + host + "\r\n\r\nGET /a HTTP/1.1\r\n" + host + "\r\n",
       Ok("ok") + Refused("400 Bad Request", "400 Bad Request"), true},
      {"head", "HEAD /echo HTTP/1.1\r\n" + host + "\r\n",
       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 38\r\n\r\n"},
      {"no content", "GET /empty HTTP/1.1\r\n" + host + "\r\n",
       "HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n"},
      {"options of the server", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n",
       "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
      {"close", "GET /a HTTP/1.1\r\n" + host + "Connection: close\r\n\r\nGET /b HTTP/1.1\r\n\r\n",
       Ok("ok", "Connection: close\r\n"), true},
      {"1.0 closes", "GET /a HTTP/1.0\r\n\r\n",
       "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok", true},
      {"1.0 stays when asked", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"},
      {"1.0 gets a stream without chunks", "GET /stream/3 HTTP/1.0\r\n\r\n",
       "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nzzz", true},
      {"stream", "GET /stream/5 HTTP/1.1\r\n" + host + "\r\n",
       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nzzzzz\r\n0\r\n\r\n"},
      {"body", "PUT /echo HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhelloGET /a HTTP/1.1\r\n" + host + "\r\n",
       Ok("PUT /echo? at h with 5 certificates 0") + Ok("ok")},
      {"chunked body",
       "PUT /echo HTTP/1.1\r\n" + host +
           "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\nGET /a HTTP/1.1\r\n" +
           host + "\r\n",
       Ok("PUT /echo? at h with 5 certificates 0") + Ok("ok")},
      {"leave to go on", "PUT /echo HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
       "HTTP/1.1 100 Continue\r\n\r\n" + Ok("PUT /echo? at h with 2 certificates 0")},
      {"no leave for nothing", "PUT /echo HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 0\r\n\r\n",
       Ok("PUT /echo? at h with 0 certificates 0")},
      {"other expectation", "PUT /echo HTTP/1.1\r\n" + host + "Expect: more\r\n\r\n",
       "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", true},
      {"body at the limit", "PUT /echo HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n" + std::string(100, 'b'),
       Ok("PUT /echo? at h with 100 certificates 0")},
      {"body one past the limit",
       "PUT /echo HTTP/1.1\r\n" + host + "Content-Length: 101\r\n\r\n" + std::string(101, 'b') + "GET /a HTTP/1.1\r\n" +
           host + "\r\n",
       Ok("PUT /echo? at h with 0 too large certificates 0") + Ok("ok")},
      {"chunked body one past the limit",
       "PUT /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'b') +
           "\r\n0\r\n\r\nGET /a HTTP/1.1\r\n" + host + "\r\n",
       Ok("PUT /echo? at h with 0 too large certificates 0") + Ok("ok")},
      {"too large and waiting for leave",
       "PUT /echo HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 101\r\n\r\n",
       Ok("PUT /echo? at h with 0 too large certificates 0", "Connection: close\r\n"), true},
      {"exception", "GET /throw HTTP/1.1\r\n" + host + "\r\nGET /a HTTP/1.1\r\n" + host + "\r\n",
       "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: "
       "nosniff\r\nContent-Length: 22\r\n\r\nInternal Server Error\n" +
           Ok("ok")},
      {"bad escape", "GET /a%zz HTTP/1.1\r\n" + host + "\r\n", Refused("400 Bad Request", "400 Bad Request"), true},
      {"no host", "GET / HTTP/1.1\r\n\r\n",
       Refused("400 Bad Request: missing required Host header", "400 Bad Request: missing required Host header"), true},
      {"other version", "GET / HTTP/3.0\r\n" + host + "\r\n",
       Refused("505 HTTP Version Not Supported: unsupported protocol version",
               "505 HTTP Version Not Supported: unsupported protocol version"),
       true},
      {"other coding", "GET / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n",
       Refused("501 Not Implemented", "Unsupported transfer encoding"), true},
      {"broken chunk", "PUT /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
       Ok("PUT /echo? at h with invalid byte in chunk length certificates 0", "Connection: close\r\n"), true},
      {"garbage", "\x16\x03\x01\n", Refused("400 Bad Request", "400 Bad Request"), true},
      {"head too large", "GET / HTTP/1.1\r\nX: " + std::string(1000, 'x'),
       Refused("431 Request Header Fields Too Large", "431 Request Header Fields Too Large"), true},
  };
}

TEST_F(Http1SessionTest, AnswersWhatComesAtOnce) {
  for (const Conversation& c : Conversations()) {
    MemoryCarrier carrier(service_, &MakeHttp1Session);
    EXPECT_EQ(Undated(carrier.Exchange(c.input)), c.output) << c.name;
    EXPECT_EQ(carrier.session().finished(), c.finished) << c.name;
    EXPECT_EQ(service_.calls, 0) << c.name;
  }
  EXPECT_EQ(Taken(service_), 0);
}

TEST_F(Http1SessionTest, AnswersTheSameWhenBytesComeOneByOne) {
  for (const Conversation& c : Conversations()) {
    MemoryCarrier carrier(service_, &MakeHttp1Session);
    std::string output;
    for (char byte : c.input) output += carrier.Exchange({&byte, 1});
    EXPECT_EQ(Undated(output), c.output) << c.name;
    EXPECT_EQ(carrier.session().finished(), c.finished) << c.name;
  }
  EXPECT_EQ(Taken(service_), 0);
}

TEST_F(Http1SessionTest, AHeadAtTheLimitIsTakenOnePastItIsNot) {
  const std::string start = "GET /a HTTP/1.1\r\nHost: h\r\nX: ";
  std::string head = start + std::string(1000 - start.size() - 4, 'x') + "\r\n\r\n";
  ASSERT_EQ(head.size(), 1000);
  EXPECT_THAT(carrier_.Exchange(head), StartsWith("HTTP/1.1 200"));
  head.insert(start.size(), "x");
  EXPECT_THAT(carrier_.Exchange(head), StartsWith("HTTP/1.1 431"));
}

TEST_F(Http1SessionTest, ALargeBodyIsAnsweredBeforeItsEndAndThenCutOff) {
  std::string answer = carrier_.Exchange("PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 151\r\n\r\nfirst");
  EXPECT_THAT(answer, HasSubstr("too large"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(carrier_.session().finished());
  EXPECT_TRUE(carrier_.session().linger());
}

TEST_F(Http1SessionTest, ABodyThatEndsEarlyIsToldToItsHandler) {
  carrier_.Exchange("PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nfirst");
  carrier_.session().InputEnded();
  EXPECT_THAT(carrier_.Flush(), HasSubstr("with unexpected EOF"));
  EXPECT_TRUE(carrier_.session().finished());
}

TEST_F(Http1SessionTest, BodiesOfAllRequestsTogetherAreBounded) {
  Limits limits = SmallLimits();
  limits.early_body_bytes = 0;
  limits.all_bodies_bytes = 300;  // two heads and one body
  Service service(limits, handler_);
  MemoryCarrier first(service, &MakeHttp1Session), second(service, &MakeHttp1Session);
  const std::string head = "PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 90\r\n\r\n";
  EXPECT_EQ(first.Exchange(head + std::string(80, 'b')), "");
  EXPECT_THAT(second.Exchange(head + std::string(80, 'b')), StartsWith("HTTP/1.1 429 Too Many Requests\r\n"));
  EXPECT_THAT(first.Exchange(std::string(10, 'b')), HasSubstr("with 90"));
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http1SessionTest, AWatchGivesItsHeadAtOnceAndEachEventWhenItComes) {
  std::string head = carrier_.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(head, EndsWith("Transfer-Encoding: chunked\r\n\r\n"));
  handler_.feed("w")->Send("{\"type\":\"ADDED\"}\n");
  EXPECT_EQ(carrier_.Flush(), "11\r\n{\"type\":\"ADDED\"}\n\r\n");
  handler_.feed("w")->Send("a");
  handler_.feed("w")->Send("b");
  EXPECT_EQ(carrier_.Flush(), "2\r\nab\r\n");  // what is there together goes together
  handler_.feed("w")->End();
  EXPECT_EQ(carrier_.Flush(), "0\r\n\r\n");
  EXPECT_FALSE(carrier_.session().finished());
  EXPECT_THAT(carrier_.Exchange("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("ok"));
}

TEST_F(Http1SessionTest, AWatchKeepsNothingOfItsRequest) {
  carrier_.Exchange("POST /watch/w HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(Taken(service_), 0);
  handler_.feed("w")->Send("a");
  EXPECT_EQ(carrier_.Flush(), "1\r\na\r\n");
}

TEST_F(Http1SessionTest, AWatchThatFailsHasNoLastChunk) {
  carrier_.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  handler_.feed("w")->End(exchange::BodySource::State::kFail);
  EXPECT_EQ(carrier_.Flush(), "");
  EXPECT_TRUE(carrier_.session().finished());
}

TEST_F(Http1SessionTest, AStreamIsPulledOnlyAsItDrains) {
  carrier_.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  auto feed = handler_.feed("w");
  int pulls = feed->pulls();
  for (int i = 0; i < 10; ++i) feed->Send(std::string(1000, 'e'));
  carrier_.Flush(/*room=*/0);
  EXPECT_EQ(feed->pulls(), pulls);
  EXPECT_GE(carrier_.Flush().size(), 10000);
}

TEST_F(Http1SessionTest, DrainEndsWatchesCleanly) {
  carrier_.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  carrier_.session().Drain();
  EXPECT_EQ(carrier_.Flush(), "0\r\n\r\n");
  EXPECT_TRUE(carrier_.session().finished());
  EXPECT_FALSE(handler_.feed("w")->attached());
}

TEST_F(Http1SessionTest, DrainLetsARequestEndAndRestsNoLonger) {
  carrier_.Exchange("GET /park/p HTTP/1.1\r\nHost: h\r\n\r\n");
  carrier_.session().Drain();
  EXPECT_FALSE(carrier_.session().finished());
  handler_.Release("p");
  EXPECT_EQ(Undated(carrier_.Flush()), Ok("released", "Connection: close\r\n"));
  EXPECT_TRUE(carrier_.session().finished());

  MemoryCarrier idle(service_, &MakeHttp1Session);
  idle.session().Drain();
  EXPECT_TRUE(idle.session().finished());
}

TEST_F(Http1SessionTest, PipelinedInputIsBoundedWhileAnAnswerIsUnderWay) {
  carrier_.Exchange("GET /park/p HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(carrier_.session().WantsInput());
  std::string next = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", many;
  while (many.size() < service_.limits.pipelined_bytes) many += next;
  EXPECT_EQ(carrier_.Exchange(many), "");
  EXPECT_FALSE(carrier_.session().WantsInput());
  handler_.Release("p");
  std::string answers = carrier_.Flush();
  size_t count = 0;
  for (size_t at = 0; (at = answers.find("\r\n\r\nok", at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, many.size() / next.size());
  EXPECT_TRUE(carrier_.session().WantsInput());
}

TEST_F(Http1SessionTest, AClientThatLeavesIsToldToTheHandler) {
  {
    MemoryCarrier carrier(service_, &MakeHttp1Session);
    carrier.Exchange("GET /park/p HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(service_.calls, 1);
    handler_.Release("p");  // posted to the loop, but the session goes first
    carrier.session().InputEnded();
  }
  EXPECT_EQ(service_.calls, 0);
  EXPECT_EQ(handler_.abandoned(), 1);
}

TEST_F(Http1SessionTest, AWatchEndsWithItsClient) {
  carrier_.Exchange("GET /watch/w HTTP/1.1\r\nHost: h\r\n\r\n");
  carrier_.session().InputEnded();
  EXPECT_TRUE(carrier_.session().finished());
  EXPECT_FALSE(handler_.feed("w")->attached());
}

TEST_F(Http1SessionTest, DeadlinesFollowWhatIsWaitedFor) {
  const Limits& limits = service_.limits;
  auto now = [this] { return carrier_.loop().now(); };
  EXPECT_EQ(carrier_.session().deadline(), now() + limits.idle_timeout);
  carrier_.session().Receive("GET /");
  auto begun = now();
  EXPECT_EQ(carrier_.session().deadline(), begun + limits.header_timeout);
  carrier_.Flush();  // a round later
  carrier_.session().Receive("park/p HTTP/1.1\r\n");
  EXPECT_EQ(carrier_.session().deadline(), begun + limits.header_timeout);  // more of the head buys no time
  carrier_.session().Receive("Host: h\r\n\r\n");
  EXPECT_EQ(carrier_.session().deadline(), Session::TimePoint::max());
  handler_.Release("p");
  carrier_.Flush();
  EXPECT_LE(carrier_.session().deadline(), now() + limits.idle_timeout);
  EXPECT_GT(carrier_.session().deadline(), begun + limits.header_timeout);
  carrier_.session().Receive("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(carrier_.session().deadline(), now() + limits.body_timeout);
}

std::string Put(size_t size, const std::string& more = "") {
  return "PUT /echo HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(size) + "\r\n" + more + "\r\n";
}

TEST_F(Http1SessionTest, TheHeadOfALargeBodyIsJudgedBeforeTheBodyIsTaken) {
  Limits limits;
  limits.early_body_bytes = 1000;
  limits.discarded_bytes = 5000;
  Service service(limits, handler_);
  const std::string bad = "Authorization: bad\r\n";
  {  // small: taken, the handler will say what it says
    MemoryCarrier carrier(service, &MakeHttp1Session);
    EXPECT_THAT(carrier.Exchange(Put(800, bad) + std::string(800, 'b')), HasSubstr("with 800 "));
    EXPECT_EQ(handler_.admitted(), 0);
  }
  {  // at the limit and one past
    MemoryCarrier carrier(service, &MakeHttp1Session);
    EXPECT_THAT(carrier.Exchange(Put(1001, bad)), EndsWith("who are you"));
    EXPECT_EQ(handler_.admitted(), 1);
  }
  {  // a little more can be read on, and the connection is kept
    MemoryCarrier carrier(service, &MakeHttp1Session);
    EXPECT_THAT(carrier.Exchange(Put(5000, bad)), EndsWith("who are you"));
    EXPECT_FALSE(carrier.session().finished());
    EXPECT_EQ(Taken(service), 0);
    carrier.Exchange(std::string(5000, 'b'));
    EXPECT_THAT(carrier.Exchange("GET /a HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("ok"));
  }
  {  // much is not
    MemoryCarrier carrier(service, &MakeHttp1Session);
    std::string answer = carrier.Exchange(Put(5001, bad));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 Unauthorized\r\n"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_TRUE(carrier.session().finished());
  }
  {  // in chunks, as soon as they are too many
    MemoryCarrier carrier(service, &MakeHttp1Session);
    const std::string chunk = "1f4\r\n" + std::string(500, 'b') + "\r\n";
    EXPECT_EQ(
        carrier.Exchange("PUT /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n" + bad + "\r\n" + chunk), "");
    EXPECT_THAT(carrier.Exchange(chunk + chunk), EndsWith("who are you"));
    EXPECT_EQ(Taken(service), 0);
    for (int i = 0; i < 12; ++i) carrier.Exchange(chunk);
    EXPECT_TRUE(carrier.session().finished());
  }
  {  // who is known may
    MemoryCarrier carrier(service, &MakeHttp1Session);
    EXPECT_EQ(carrier.Exchange(Put(6000)), "");
    EXPECT_THAT(carrier.Exchange(std::string(6000, 'b')), HasSubstr("with 6000 "));
  }
}

TEST_F(Http1SessionTest, LeaveToSendABodyIsGivenToWhoMay) {
  EXPECT_EQ(carrier_.Exchange(Put(5, "Expect: 100-continue\r\n")), "HTTP/1.1 100 Continue\r\n\r\n");
  MemoryCarrier other(service_, &MakeHttp1Session);
  std::string answer = other.Exchange(Put(5, "Expect: 100-continue\r\nAuthorization: bad\r\n"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 401 Unauthorized\r\n"));
  EXPECT_TRUE(other.session().finished());
}

TEST_F(Http1SessionTest, NobodyTakesTheBudgetOfTheOthers) {
  Limits limits;
  limits.early_body_bytes = 0;
  limits.user_bodies_bytes = 1000;
  limits.all_bodies_bytes = 1700;
  Service service(limits, handler_);
  MemoryCarrier first(service, &MakeHttp1Session), second(service, &MakeHttp1Session),
      third(service, &MakeHttp1Session);
  EXPECT_EQ(first.Exchange(Put(600, "User: ann\r\n") + std::string(599, 'b')), "");
  EXPECT_THAT(second.Exchange(Put(600, "User: ann\r\n") + std::string(599, 'b')), StartsWith("HTTP/1.1 429 "));
  EXPECT_EQ(third.Exchange(Put(600, "User: bob\r\n") + std::string(599, 'b')), "");
  MemoryCarrier fourth(service, &MakeHttp1Session);  // all that there is
  EXPECT_THAT(fourth.Exchange(Put(600, "User: eve\r\n") + std::string(599, 'b')), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(first.Exchange("b"), HasSubstr("with 600 "));
  EXPECT_THAT(third.Exchange("b"), HasSubstr("with 600 "));
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http1SessionTest, WithoutRoomForStrangersAHeadIsJudgedAtOnce) {
  Limits limits;
  limits.early_share_bytes = 300;
  Service service(limits, handler_);
  MemoryCarrier stranger(service, &MakeHttp1Session), known(service, &MakeHttp1Session);
  EXPECT_EQ(stranger.Exchange(Put(200) + std::string(150, 'b')), "");
  EXPECT_EQ(handler_.admitted(), 0);
  EXPECT_EQ(known.Exchange(Put(200) + std::string(150, 'b')), "");
  EXPECT_EQ(handler_.admitted(), 1);
  EXPECT_THAT(known.Exchange(std::string(50, 'b')), HasSubstr("with 200 "));
  MemoryCarrier refused(service, &MakeHttp1Session);
  EXPECT_THAT(refused.Exchange(Put(200, "Authorization: bad\r\n") + std::string(150, 'b')), EndsWith("who are you"));
}

TEST_F(Http1SessionTest, UnfinishedHeadsAreChargedFromTheirFirstByte) {
  Limits limits;
  limits.early_bytes = 100;
  Service service(limits, handler_);
  {
    MemoryCarrier first(service, &MakeHttp1Session), second(service, &MakeHttp1Session);
    EXPECT_EQ(first.Exchange("GET /" + std::string(55, 'a')), "");
    EXPECT_EQ(Taken(service), 60);
    EXPECT_EQ(second.Exchange("GET /" + std::string(35, 'a')), "");  // at the limit
    EXPECT_EQ(Taken(service), 100);
    EXPECT_THAT(second.Exchange("a"), StartsWith("HTTP/1.1 429 "));
    EXPECT_THAT(first.Exchange(""), "");
  }
  EXPECT_EQ(Taken(service), 0);
}

// Taking a line or a head apart again for each packet would take minutes here.
TEST_F(Http1SessionTest, AHeadInSmallPacketsIsReadOnce) {
  Service service(Limits{}, handler_);
  MemoryCarrier carrier(service, &MakeHttp1Session);
  carrier.session().Receive("GET /");
  for (int i = 0; i < 300000; ++i) carrier.session().Receive("a");
  carrier.session().Receive(std::string(400000, 'a') + "?b HTTP/1.1\r\nHost: h\r\nX: ");
  for (int i = 0; i < 300000; ++i) carrier.session().Receive("x");
  EXPECT_THAT(carrier.Exchange("\r\n\r\n"), EndsWith("ok"));
  EXPECT_EQ(Taken(service), 0);
}

TEST_F(Http1SessionTest, MoreOfABodyBuysNoTime) {
  const Limits& limits = service_.limits;
  carrier_.session().Receive(Put(9));
  const auto begun = carrier_.loop().now();
  carrier_.Flush();  // a round later
  carrier_.session().Receive("b");
  EXPECT_EQ(carrier_.session().deadline(), begun + limits.body_timeout);
  carrier_.session().Expire(begun + limits.body_timeout);
  EXPECT_FALSE(carrier_.session().finished());
  carrier_.session().Expire(begun + limits.body_timeout + std::chrono::nanoseconds(1));
  EXPECT_THAT(carrier_.Flush(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_TRUE(carrier_.session().finished());
}

TEST_F(Http1SessionTest, WithoutMemoryOnlyTheAnswerIsLost) {
  std::vector<std::string> failures;
  service_.on_failure = [&](std::string_view failure) { failures.emplace_back(failure); };
  for (const char* path : {"/starved/at-once", "/starved/later"}) {
    MemoryCarrier carrier(service_, &MakeHttp1Session);
    carrier.Exchange("GET " + std::string(path) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_TRUE(carrier.session().finished()) << path;
  }
  EXPECT_EQ(failures, (std::vector<std::string>{"answer: std::bad_alloc", "body of an answer: std::bad_alloc"}));
  EXPECT_EQ(service_.calls, 0);
}

// Random bytes, half of them in the shape of requests, in random pieces.
TEST_F(Http1SessionTest, RandomBytesHarmNobody) {
  std::mt19937 random(20260);
  const std::string_view words[] = {
      "GET ", "/echo",   " HTTP/1.1",           "\r\n",      "\r\n\r\n",  "Host: h\r\n", "\n", "Content-Length: ",
      "5",    "chunked", "Transfer-Encoding: ", "0\r\n\r\n", "/stream/9", "PUT "};
  for (int i = 0; i < 50000; ++i) {
    MemoryCarrier carrier(service_, &MakeHttp1Session);
    for (unsigned pieces = random() % 6; pieces > 0 && !carrier.session().finished(); --pieces) {
      std::string input;
      for (unsigned parts = random() % 12; parts > 0; --parts) {
        if (i % 2 == 0) input += words[random() % std::size(words)];
        if (random() % 3 == 0) input += static_cast<char>(random());
      }
      carrier.Exchange(input);
    }
  }
  EXPECT_EQ(service_.calls, 0);
  EXPECT_EQ(Taken(service_), 0);
}

}  // namespace
}  // namespace http
