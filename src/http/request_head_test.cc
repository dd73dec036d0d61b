#include "http/request_head.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http {
namespace {

struct TargetCase {
  const char* name;
  std::string target;
  bool ok;
  std::string path, query, authority;
};

TEST(ParseTargetTest, SplitsAsGoDoes) {
  const std::vector<TargetCase> cases = {
      {"origin form", "/api/v1?watch=1&x=%zz", true, "/api/v1", "watch=1&x=%zz", ""},
      {"escapes stay", "/a%2Fb/%61", true, "/a%2Fb/%61", "", ""},
      {"absolute form", "http://host:1/p?q", true, "/p", "q", "host:1"},
      {"absolute without path", "https://host", true, "", "", "host"},
      {"user information", "http://u:p@host/", true, "/", "", "host"},
      {"asterisk", "*", true, "*", "", ""},
      {"dots stay", "/../a/./b", true, "/../a/./b", "", ""},
      {"second question mark", "/a?b?c", true, "/a", "b?c", ""},
      {"bad escape", "/a%zz", false, "", "", ""},
      {"cut escape", "/a%2", false, "", "", ""},
      {"no slash", "api", false, "", "", ""},
      {"empty", "", false, "", "", ""},
      {"control", "/a\x01", false, "", "", ""},
      {"delete", "/a\x7f", false, "", "", ""},
  };
  for (const TargetCase& c : cases) {
    exchange::Request request;
    EXPECT_EQ(ParseTarget(c.target, request), c.ok) << c.name;
    if (!c.ok) continue;
    EXPECT_EQ(request.path, c.path) << c.name;
    EXPECT_EQ(request.raw_query, c.query) << c.name;
    EXPECT_EQ(request.authority, c.authority) << c.name;
  }
}

struct HeadCase {
  const char* name;
  std::string head;
  int status;  // 0: accepted
  std::string text;
};

TEST(ParseRequestHeadTest, RefusesWhatGoRefusesInItsWords) {
  const std::vector<HeadCase> cases = {
      {"plain", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 0, ""},
      {"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", 0, ""},
      {"any method token", "BREW! / HTTP/1.1\r\nHost: a\r\n\r\n", 0, ""},
      {"HTTP/1.0 needs no host", "GET / HTTP/1.0\r\n\r\n", 0, ""},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400, "missing required Host header"},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, ""},
      {"bad host", "GET / HTTP/1.1\r\nHost: a\\b\r\n\r\n", 400, "malformed Host header"},
      {"space in a name", "GET / HTTP/1.1\r\nHost: a\r\nx y: 1\r\n\r\n", 400, "invalid header name"},
      {"bad byte in a name", "GET / HTTP/1.1\r\nHost: a\r\nx(: 1\r\n\r\n", 400, ""},
      {"no colon", "GET / HTTP/1.1\r\nHost: a\r\nxy\r\n\r\n", 400, ""},
      {"control in a value", "GET / HTTP/1.1\r\nHost: a\r\nx: \x02\r\n\r\n", 400, ""},
      {"starts with a fold", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400, ""},
      {"two words", "GET /\r\nHost: a\r\n\r\n", 400, ""},
      {"four words", "GET / x HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""},
      {"bad method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""},
      {"bad version", "GET / HTTP/1.x\r\nHost: a\r\n\r\n", 400, ""},
      {"other version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "unsupported protocol version"},
      {"bad escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""},
      {"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501,
       "Unsupported transfer encoding"},
      {"two codings", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       501, "Unsupported transfer encoding"},
      {"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, ""},
      {"one length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 0, ""},
      {"negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400, ""},
      {"signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400, ""},
      {"huge length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400, ""},
  };
  for (const HeadCase& c : cases) {
    RequestHead head;
    auto error = ParseRequestHead(c.head, head);
    EXPECT_EQ(error ? error->status : 0, c.status) << c.name;
    if (error) EXPECT_EQ(error->text, c.text) << c.name;
  }
}

TEST(ParseRequestHeadTest, ReadsFieldsAndFraming) {
  RequestHead head;
  auto error = ParseRequestHead(
      "POST /a?b=c HTTP/1.1\r\nHost: h:1\r\nX-Long:  one\r\n  two\r\nContent-Length: 7\r\nConnection: x, Close\r\n"
      "Expect: 100-continue\r\n\r\n",
      head);
  ASSERT_FALSE(error);
  EXPECT_EQ(head.request.method, "POST");
  EXPECT_EQ(head.request.authority, "h:1");
  EXPECT_FALSE(head.request.headers.Has("host"));
  EXPECT_EQ(head.request.headers.Get("x-long"), "one two");
  EXPECT_EQ(head.content_length, 7);
  EXPECT_TRUE(head.close);
  EXPECT_TRUE(head.expects_continue);
}

TEST(ParseRequestHeadTest, ChunksWinOverALength) {
  RequestHead head;
  auto error =
      ParseRequestHead("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 7\r\nTransfer-Encoding: Chunked\r\n\r\n", head);
  ASSERT_FALSE(error);
  EXPECT_TRUE(head.chunked);
  EXPECT_FALSE(head.content_length);
}

TEST(ParseRequestHeadTest, VersionOneZeroClosesUnlessAsked) {
  RequestHead closes, stays;
  ASSERT_FALSE(ParseRequestHead("GET / HTTP/1.0\r\n\r\n", closes));
  ASSERT_FALSE(ParseRequestHead("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", stays));
  EXPECT_TRUE(closes.close);
  EXPECT_FALSE(stays.close);
  EXPECT_TRUE(stays.keep_alive_10);
}

TEST(FindHeadEndTest, FindsTheEndHoweverTheBytesCome) {
  for (const std::string& head :
       {std::string("GET / HTTP/1.1\r\na: b\r\n\r\n"), std::string("GET / HTTP/1.1\na: b\n\n")}) {
    std::string bytes = head + "rest";
    size_t scanned = 0;
    for (size_t size = 0; size < head.size(); ++size) {
      EXPECT_EQ(FindHeadEnd(std::string_view(bytes).substr(0, size), scanned), std::string_view::npos) << size;
    }
    EXPECT_EQ(FindHeadEnd(bytes, scanned), head.size());
  }
}

TEST(PlausibleStartTest, OnlyAWholeFirstLineIsJudged) {
  EXPECT_TRUE(PlausibleStart("\x16\x03garbage"));
  EXPECT_FALSE(PlausibleStart("\x16\x03garbage\n"));
  EXPECT_TRUE(PlausibleStart("GET / HTTP/1.1\r\nHo"));
}

}  // namespace
}  // namespace http
