#include "auth/json_web_token.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "value/base64_url.h"

namespace auth {
namespace {

// A new key, as the PEM of what is private or public of it.
struct MadeKey {
  explicit MadeKey(SigningKey made) : key(std::move(made)) {}
  static MadeKey Rsa() { return MadeKey(SigningKey(EVP_RSA_gen(2048))); }
  static MadeKey Curve(const char* name) { return MadeKey(SigningKey(EVP_EC_gen(name))); }

  std::string Pem(bool is_private) const {
    BIO* bio = BIO_new(BIO_s_mem());
    if (is_private) {
      PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    } else {
      PEM_write_bio_PUBKEY(bio, key.get());
    }
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string pem(data, static_cast<size_t>(size));
    BIO_free_all(bio);
    return pem;
  }

  SigningKey key;
};

std::string Checked(const TokenKeys& keys, std::string_view text) {
  value::Arena arena;
  const auto token = ParseWebToken(text, arena);
  if (!token) return "no token";
  const auto checked = keys.Check(*token);
  return checked ? "good" : checked.error();
}

TEST(WebTokens, AreCheckedByThePublicPartOfWhatSignedThem) {
  const MadeKey keys[] = {MadeKey::Rsa(), MadeKey::Curve("P-256"), MadeKey::Curve("P-384"), MadeKey::Curve("P-521")};
  const std::string_view algorithms[] = {"RS256", "ES256", "ES384", "ES512"};
  const auto all = TokenKeys::Parse({keys[0].Pem(false) + keys[1].Pem(false), keys[2].Pem(true), keys[3].Pem(false)});
  ASSERT_TRUE(all);
  for (size_t i = 0; i < std::size(keys); ++i) {
    const auto signer = TokenSigner::Parse(keys[i].Pem(true));
    ASSERT_TRUE(signer) << algorithms[i];
    const std::string token = (*signer)->Sign(R"({"iss":"me"})");
    EXPECT_EQ(Checked(**all, token), "good") << algorithms[i];
    value::Arena arena;
    const auto parsed = ParseWebToken(token, arena);
    EXPECT_EQ(parsed->header.GetString("alg"), algorithms[i]);
    EXPECT_EQ(parsed->claims.GetString("iss"), "me");
    const auto others = TokenKeys::Parse({keys[(i + 1) % std::size(keys)].Pem(false)});
    EXPECT_EQ(Checked(**others, token), "invalid signature, no keys found");
  }
}

TEST(WebTokens, AreRefusedInTheRealServersWords) {
  const MadeKey key = MadeKey::Rsa();
  const auto keys = TokenKeys::Parse({key.Pem(false)});
  const std::string token = (*TokenSigner::Parse(key.Pem(true)))->Sign(R"({"iss":"me"})");
  const size_t first = token.find('.'), last = token.rfind('.');
  const std::string claims = token.substr(first, last - first), signature = token.substr(last);
  const auto with_header = [&](std::string_view header) { return value::EncodeBase64Url(header) + claims + signature; };
  const std::string bad = "square/go-jose: error in cryptographic primitive";
  struct {
    std::string name, token, expected;
  } cases[] = {
      {"as it is", token, "good"},
      {"two parts", token.substr(0, last), "no token"},
      {"four parts", token + ".", "no token"},
      {"padded", token + "=", "no token"},
      {"no JSON", with_header("zzz"), "no token"},
      {"other claims", token.substr(0, first + 1) + value::EncodeBase64Url(R"({"iss":"you"})") + signature, bad},
      {"no signature", token.substr(0, last + 1), bad},
      {"no key id", with_header(R"({"alg":"RS256"})"), bad},
      {"another key id", with_header(R"({"alg":"RS256","kid":"x"})"), "invalid signature, no keys found"},
      {"no algorithm", with_header(R"({"alg":"none"})"), bad},
      {"a shared secret", with_header(R"({"alg":"HS256"})"), bad},
      {"a curve", with_header(R"({"alg":"ES256"})"), bad},
      {"something critical", with_header(R"({"alg":"RS256","crit":["x"]})"), bad},
  };
  for (const auto& c : cases) EXPECT_EQ(Checked(**keys, c.token), c.expected) << c.name;
}

TEST(TokenSigner, NeedsAPrivateKey) {
  EXPECT_FALSE(TokenSigner::Parse("").has_value());
  EXPECT_FALSE(TokenSigner::Parse(MadeKey::Rsa().Pem(false)).has_value());
  EXPECT_FALSE(TokenSigner::Parse(MadeKey::Curve("P-256").Pem(false)).has_value());
  EXPECT_FALSE(TokenKeys::Parse({"no key"}).has_value());
}

}  // namespace
}  // namespace auth
