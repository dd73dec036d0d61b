#include "http/chunked.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http {
namespace {

struct Case {
  const char* name;
  std::string input;
  ChunkedDecoder::Result result;
  std::string data, rest;  // or the error
};

std::string Decode(std::string_view& bytes, ChunkedDecoder& decoder, ChunkedDecoder::Result& result) {
  std::string all;
  std::string_view data;
  while ((result = decoder.Next(bytes, data)) == ChunkedDecoder::Result::kData) all += data;
  return all;
}

const std::vector<Case>& Cases() {
  using Result = ChunkedDecoder::Result;
  static const std::vector<Case> cases = {
      {"two chunks", "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nnext", Result::kDone, "abc0123456789", "next"},
      {"trailers may end in bare line feeds", "0\r\nA: b\n\nnext", Result::kDone, "", "next"},
      {"bare line feed after a size", "3\nabc\r\n", Result::kBroken, "", "chunked line ends with bare LF"},
      {"carriage return in a size", "3\rx\r\n", Result::kBroken, "", "invalid CR in chunked line"},
      {"bare line feed after data", "3\r\nabc\n", Result::kBroken, "abc", "malformed chunked encoding"},
      {"extension", "3 ; a=b\r\nabc\r\n0\r\n\r\n", Result::kDone, "abc", ""},
      {"trailers", "0\r\nA: b\r\nC: d\r\n\r\nnext", Result::kDone, "", "next"},
      {"incomplete", "3\r\nab", Result::kNeedMore, "ab", ""},
      {"no size", "\r\n", Result::kBroken, "", "empty hex number for chunk length"},
      {"no digit", "x\r\n", Result::kBroken, "", "invalid byte in chunk length"},
      {"sign", "-1\r\n", Result::kBroken, "", "invalid byte in chunk length"},
      {"text after the size", "3 x\r\n", Result::kBroken, "", "invalid byte in chunk length"},
      {"data longer than its size", "3\r\nabcd\r\n", Result::kBroken, "abc", "malformed chunked encoding"},
      {"size of 16 digits", "0000000000000003\r\nabc\r\n0\r\n\r\n", Result::kDone, "abc", ""},
      {"size of 17 digits", "00000000000000003\r\n", Result::kBroken, "", "http chunk length too large"},
      {"line too long", "3;" + std::string(5000, 'x'), Result::kBroken, "", "header line too long"},
      {"trailers too long",
       "0\r\n" +
           [] {
             std::string trailers;
             for (int i = 0; i < 2000; ++i) trailers += "Name: value\r\n";
             return trailers;
           }(),
       Result::kBroken, "", "http: suspiciously long trailer after chunked body"},
  };
  return cases;
}

TEST(ChunkedDecoderTest, TakesBodiesApart) {
  for (const Case& c : Cases()) {
    ChunkedDecoder decoder;
    ChunkedDecoder::Result result;
    std::string_view bytes = c.input;
    EXPECT_EQ(Decode(bytes, decoder, result), c.data) << c.name;
    EXPECT_EQ(result, c.result) << c.name;
    if (result == ChunkedDecoder::Result::kDone) EXPECT_EQ(bytes, c.rest) << c.name;
    if (result == ChunkedDecoder::Result::kBroken) EXPECT_EQ(decoder.error(), c.rest) << c.name;
  }
}

TEST(ChunkedDecoderTest, DoesSoByteByByte) {
  for (const Case& c : Cases()) {
    ChunkedDecoder decoder;
    ChunkedDecoder::Result result = ChunkedDecoder::Result::kNeedMore;
    std::string data;
    size_t taken = 0;
    for (; taken < c.input.size() && result == ChunkedDecoder::Result::kNeedMore; ++taken) {
      std::string_view byte(&c.input[taken], 1);
      data += Decode(byte, decoder, result);
    }
    EXPECT_EQ(data, c.data) << c.name;
    EXPECT_EQ(result, c.result) << c.name;
    if (result == ChunkedDecoder::Result::kDone) EXPECT_EQ(c.input.substr(taken), c.rest) << c.name;
  }
}

TEST(ChunkedDecoderTest, ExtensionsMayNotOutweighTheData) {
  std::string honest, wasteful;
  for (int i = 0; i < 2000; ++i) honest += "1\r\nx\r\n";
  for (int i = 0; i < 2000; ++i) wasteful += "1;" + std::string(40, 'e') + "\r\nx\r\n";
  ChunkedDecoder first, second;
  ChunkedDecoder::Result result;
  std::string_view bytes = honest;
  EXPECT_EQ(Decode(bytes, first, result).size(), 2000);
  EXPECT_EQ(result, ChunkedDecoder::Result::kNeedMore);
  bytes = wasteful;
  Decode(bytes, second, result);
  EXPECT_EQ(result, ChunkedDecoder::Result::kBroken);
}

}  // namespace
}  // namespace http
