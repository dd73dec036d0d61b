#include "http/compress.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <variant>
#include <vector>

#include "http/memory_carrier.h"

namespace http {
namespace {

using exchange::BodySource;
using testing::Feed;
using testing::FeedSource;
using testing::SizedSource;

constexpr size_t kThreshold = 128 << 10;

TEST(TakesGzipTest, OnlyTheBareTokenCounts) {
  const std::pair<const char*, bool> cases[] = {
      {"gzip", true}, {"deflate, gzip", true}, {" gzip ,br", true}, {"gzip;q=1", false},       {"GZIP", false},
      {"", false},    {"x-gzip", false},       {"*", false},        {"gzip;q=0.5, gzip", true}};
  for (const auto& [field, takes] : cases) EXPECT_EQ(TakesGzip(field), takes) << field;
}

std::string Gunzip(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  char room[65536];
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(room);
    stream.avail_out = sizeof room;
    result = inflate(&stream, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR) break;
    plain.append(room, sizeof room - stream.avail_out);
  }
  inflateEnd(&stream);
  return plain;
}

exchange::Request Asking(std::string encodings) {
  exchange::Request request;
  request.headers.Add("accept-encoding", std::move(encodings));
  return request;
}

void CompressLarge(const exchange::Request& request, exchange::Response& response) {
  response.compression = exchange::Compression::kWhenLarge;
  Compress(request, response);
}

// All that a source gives until it ends or waits.
std::string Drain(BodySource& source, BodySource::State& state) {
  std::string all;
  std::vector<base::Slice> slices;
  do {
    slices.clear();
    state = source.Pull(16384, slices);
    for (const base::Slice& slice : slices) all += slice.data;
  } while (state == BodySource::State::kMore);
  return all;
}

exchange::Response Whole(size_t size) {
  exchange::Response response;
  std::string body;
  while (body.size() < size) body += "item " + std::to_string(body.size()) + "\n";
  body.resize(size);
  response.body =
      std::vector<base::Slice>{base::Slice::Own(body.substr(0, size / 2)), base::Slice::Own(body.substr(size / 2))};
  return response;
}

TEST(CompressTest, AWholeBodyPastTheThresholdIsPacked) {
  exchange::Response response = Whole(kThreshold + 1), same = Whole(kThreshold + 1);
  CompressLarge(Asking("gzip"), response);
  EXPECT_EQ(response.headers.Get("content-encoding"), "gzip");
  EXPECT_EQ(response.headers.Get("vary"), "Accept-Encoding");
  BodySource::State state;
  std::string packed = Drain(*std::get<std::unique_ptr<BodySource>>(response.body), state);
  EXPECT_EQ(state, BodySource::State::kEnd);
  std::string plain;
  for (const base::Slice& slice : std::get<0>(same.body)) plain += slice.data;
  EXPECT_EQ(Gunzip(packed), plain);
}

TEST(CompressTest, AtTheThresholdOrUnaskedItIsNot) {
  exchange::Response at = Whole(kThreshold), unasked = Whole(2 * kThreshold);
  CompressLarge(Asking("gzip"), at);
  CompressLarge(Asking("gzip;q=1"), unasked);
  EXPECT_FALSE(at.headers.Has("content-encoding"));
  EXPECT_FALSE(unasked.headers.Has("content-encoding"));
  EXPECT_TRUE(std::holds_alternative<std::vector<base::Slice>>(unasked.body));
}

TEST(CompressTest, ALargeStreamIsPackedAsItDrains) {
  exchange::Response response;
  response.body = std::make_unique<SizedSource>(10 << 20);
  CompressLarge(Asking("gzip"), response);
  EXPECT_EQ(response.headers.Get("content-encoding"), "gzip");
  BodySource::State state;
  EXPECT_EQ(Gunzip(Drain(*std::get<std::unique_ptr<BodySource>>(response.body), state)), std::string(10 << 20, 'z'));
}

TEST(CompressTest, ASmallStreamBecomesAWholeBody) {
  exchange::Response response;
  response.body = std::make_unique<SizedSource>(5000);
  CompressLarge(Asking("gzip"), response);
  EXPECT_FALSE(response.headers.Has("content-encoding"));
  ASSERT_TRUE(std::holds_alternative<std::vector<base::Slice>>(response.body));
}

TEST(CompressTest, AStreamThatWaitsEarlyGoesOutAsItIs) {
  auto feed = std::make_shared<Feed>();
  feed->Send("first");
  exchange::Response response;
  response.body = std::make_unique<FeedSource>(feed);
  CompressLarge(Asking("gzip"), response);
  EXPECT_FALSE(response.headers.Has("content-encoding"));
  feed->Send("second");  // before the connection gave its waker
  int woken = 0;
  BodySource& source = *std::get<std::unique_ptr<BodySource>>(response.body);
  source.SetWaker([&woken] { ++woken; });
  EXPECT_EQ(woken, 1);
  BodySource::State state;
  EXPECT_EQ(Drain(source, state), "firstsecond");
  EXPECT_EQ(state, BodySource::State::kWait);
  feed->End();
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(Drain(source, state), "");
  EXPECT_EQ(state, BodySource::State::kEnd);
}

TEST(CompressTest, APackedStreamThatWaitsHoldsNothingBack) {
  auto feed = std::make_shared<Feed>();
  feed->Send(std::string(kThreshold + 1, 'a'));
  exchange::Response response;
  response.body = std::make_unique<FeedSource>(feed);
  CompressLarge(Asking("gzip"), response);
  BodySource& source = *std::get<std::unique_ptr<BodySource>>(response.body);
  source.SetWaker([] {});
  BodySource::State state;
  std::string packed = Drain(source, state);
  EXPECT_EQ(state, BodySource::State::kWait);
  EXPECT_EQ(Gunzip(packed).size(), kThreshold + 1);
  feed->End();
  packed += Drain(source, state);
  EXPECT_EQ(state, BodySource::State::kEnd);
  EXPECT_EQ(Gunzip(packed).size(), kThreshold + 1);
}

TEST(CompressTest, AStreamThatFailsStillFails) {
  auto feed = std::make_shared<Feed>();
  feed->Send(std::string(kThreshold + 1, 'a'));
  feed->End(BodySource::State::kFail);
  exchange::Response response;
  response.body = std::make_unique<FeedSource>(feed);
  CompressLarge(Asking("gzip"), response);
  BodySource::State state;
  Drain(*std::get<std::unique_ptr<BodySource>>(response.body), state);
  EXPECT_EQ(state, BodySource::State::kFail);
}

TEST(CompressTest, SmallAnswersToo) {
  for (const auto& [asked, packed] : {std::pair("gzip", true), {"br, gzip;q=0", true}, {"GZIP", false}, {"*", false}}) {
    exchange::Response response{.compression = exchange::Compression::kWhenTaken};
    response.body = std::vector<base::Slice>{base::Slice::Own("few words")};
    Compress(Asking(asked), response);
    EXPECT_EQ(response.headers.Get("content-encoding"), packed ? "gzip" : "") << asked;
    EXPECT_FALSE(response.headers.Has("vary"));
    if (!packed) continue;
    BodySource::State state;
    EXPECT_EQ(Gunzip(Drain(*std::get<std::unique_ptr<BodySource>>(response.body), state)), "few words");
  }
}

}  // namespace
}  // namespace http
