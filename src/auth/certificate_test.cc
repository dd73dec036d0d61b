// Certificates made on the spot: who is signed by the authority, and who only says so.
#include "auth/certificate.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <fstream>

#include "auth/request_header.h"

namespace auth {
namespace {

class TestClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return now; }
  std::chrono::steady_clock::time_point Monotonic() const override { return monotonic; }
  std::chrono::steady_clock::time_point monotonic{};
  std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
};

class NowhereExecutor final : public base::Executor {
 public:
  void Post(base::Work) override {}
  std::unique_ptr<base::Timer> PostAfter(std::chrono::milliseconds, base::Work) override { return nullptr; }
};

struct Issued {
  EVP_PKEY* key;
  X509* certificate = X509_new();
  explicit Issued(bool rsa) : key(rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256")) {}
  Issued(const Issued&) = delete;
  Issued& operator=(const Issued&) = delete;
  ~Issued() {
    EVP_PKEY_free(key);
    X509_free(certificate);
  }
  std::string Der() const {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(certificate, &bytes);
    std::string der(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
    return der;
  }
  std::string Pem() const {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, certificate);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string pem(data, static_cast<size_t>(size));
    BIO_free(bio);
    return pem;
  }
};

struct Subject {
  std::string name;
  std::vector<std::string> organizations;
  bool authority = false;
  const char* usage = "clientAuth";
  int hours = 24;                       // of validity
  const EVP_MD* digest = EVP_sha256();  // of the signature
  bool rsa = false;                     // the key
};

// A certificate for `subject`, signed by `issuer` (null: by itself).
std::unique_ptr<Issued> Issue(const Subject& subject, const Issued* issuer) {
  static long serial = 0;
  auto issued = std::make_unique<Issued>(subject.rsa);
  X509* certificate = issued->certificate;
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), subject.hours * 3600L);
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto add = [name](const char* field, const std::string& text) {
    X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text.data()),
                               static_cast<int>(text.size()), -1, 0);
  };
  for (const std::string& organization : subject.organizations) add("O", organization);
  if (!subject.name.empty()) add("CN", subject.name);
  X509_set_issuer_name(certificate, issuer ? X509_get_subject_name(issuer->certificate) : name);
  X509_set_pubkey(certificate, issued->key);
  const auto extend = [certificate](int kind, const char* text) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, text);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  };
  extend(NID_basic_constraints, subject.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  if (!subject.authority) extend(NID_ext_key_usage, subject.usage);
  X509_sign(certificate, issuer ? issuer->key : issued->key, subject.digest);
  return issued;
}

class CertificateTest : public testing::Test {
 protected:
  Identity Ask(std::vector<std::string> chain) {
    exchange::Request request;
    auto peer = std::make_shared<exchange::Peer>();
    peer->certificates = std::move(chain);
    request.peer = std::move(peer);
    NowhereExecutor executor;
    exchange::Exchange exchange(std::move(request), executor);
    return certificates_->Authenticate(exchange);
  }

  TestClock clock_;
  std::unique_ptr<Issued> root_ = Issue({.name = "root", .authority = true}, nullptr);
  std::unique_ptr<ClientCertificates> certificates_ =
      std::move(ClientCertificates::Make("# authorities\n" + root_->Pem(), clock_).value());
};

TEST_F(CertificateTest, NamesTheUserAndItsGroups) {
  const auto ann = Issue({.name = "ann", .organizations = {"dev", "ops"}}, root_.get());
  for (int i = 0; i < 2; ++i) {  // the second time from the cache
    const Identity identity = Ask({ann->Der()});
    ASSERT_EQ(identity.outcome, Identity::Outcome::kUser);
    EXPECT_EQ(identity.user->name, "ann");
    EXPECT_EQ(identity.user->groups, (std::vector<std::string>{"dev", "ops", "system:authenticated"}));
    const auto& id = identity.user->extra.at("authentication.kubernetes.io/credential-id");
    EXPECT_TRUE(id[0].starts_with("X509SHA256=")) << id[0];
    EXPECT_EQ(id[0].size(), 11u + 64u);
  }
  EXPECT_EQ(Ask({}).outcome, Identity::Outcome::kAbsent);
}

TEST_F(CertificateTest, UsesTheIntermediatesThatTheClientSends) {
  const auto middle = Issue({.name = "middle", .authority = true}, root_.get());
  const auto ann = Issue({.name = "ann"}, middle.get());
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({ann->Der(), middle->Der()}).outcome, Identity::Outcome::kUser);
}

TEST_F(CertificateTest, RejectsWhatTheAuthorityDidNotSignForClients) {
  const auto stranger = Issue({.name = "root", .authority = true}, nullptr);
  EXPECT_EQ(Ask({Issue({.name = "ann"}, stranger.get())->Der()}).outcome, Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({Issue({.name = "ann"}, nullptr)->Der()}).outcome, Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({Issue({.name = "ann", .usage = "serverAuth"}, root_.get())->Der()}).outcome,
            Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({"no certificate"}).outcome, Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({Issue({.organizations = {"dev"}}, root_.get())->Der()}).outcome, Identity::Outcome::kAbsent);
}

TEST_F(CertificateTest, AnExpiredCertificateNamesNobodyAnyMore) {
  const auto ann = Issue({.name = "ann"}, root_.get());
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kUser);
  clock_.now += std::chrono::hours(25);
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kRejected);
}

TEST_F(CertificateTest, AVerdictEndsWithTheFirstCertificateOfItsChain) {
  const auto middle = Issue({.name = "middle", .authority = true, .hours = 2}, root_.get());
  const auto ann = Issue({.name = "ann"}, middle.get());
  EXPECT_EQ(Ask({ann->Der(), middle->Der()}).outcome, Identity::Outcome::kUser);
  clock_.now += std::chrono::hours(1);
  EXPECT_EQ(Ask({ann->Der(), middle->Der()}).outcome, Identity::Outcome::kUser);
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kRejected);  // what was found was found of the whole chain
  clock_.now += std::chrono::hours(2);
  EXPECT_EQ(Ask({ann->Der(), middle->Der()}).outcome, Identity::Outcome::kRejected);
}

TEST_F(CertificateTest, ARefusalIsNotForEver) {
  const auto ann = Issue({.name = "ann"}, root_.get());
  clock_.now -= std::chrono::hours(2);  // before its time
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kRejected);
  clock_.now += std::chrono::hours(2);
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kUser);
}

TEST_F(CertificateTest, RefusesWeakSignatures) {
  for (const EVP_MD* weak : {EVP_sha1(), EVP_md5()}) {
    // What the file says is trusted for itself.
    const auto root = Issue({.name = "old root", .authority = true, .digest = weak, .rsa = true}, nullptr);
    certificates_ = std::move(ClientCertificates::Make(root->Pem(), clock_).value());
    EXPECT_EQ(Ask({Issue({.name = "ann"}, root.get())->Der()}).outcome, Identity::Outcome::kUser);
    EXPECT_EQ(Ask({Issue({.name = "ann", .digest = weak}, root.get())->Der()}).outcome, Identity::Outcome::kRejected);
    const auto middle = Issue({.name = "middle", .authority = true, .digest = weak}, root.get());
    const auto bob = Issue({.name = "bob"}, middle.get());
    EXPECT_EQ(Ask({bob->Der(), middle->Der()}).outcome, Identity::Outcome::kRejected);
  }
}

TEST_F(CertificateTest, FollowsTheFileOfAuthorities) {
  const std::string path = testing::TempDir() + "/authorities.pem";
  const auto write = [&](const std::string& text) {
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);
    clock_.monotonic += std::chrono::seconds(2);
  };
  write(root_->Pem());
  certificates_ = std::move(ClientCertificates::Load(path, clock_).value());
  const auto next = Issue({.name = "next root", .authority = true}, nullptr);
  const auto ann = Issue({.name = "ann"}, root_.get()), bob = Issue({.name = "bob"}, next.get());
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kUser);
  EXPECT_EQ(Ask({bob->Der()}).outcome, Identity::Outcome::kRejected);
  write(root_->Pem() + next->Pem());
  EXPECT_EQ(Ask({bob->Der()}).outcome, Identity::Outcome::kUser);
  write("half a certifi");  // the old ones stay
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kUser);
  write(next->Pem());
  EXPECT_EQ(Ask({ann->Der()}).outcome, Identity::Outcome::kRejected);
  EXPECT_EQ(Ask({bob->Der()}).outcome, Identity::Outcome::kUser);
  std::filesystem::remove(path);
}

TEST_F(CertificateTest, NeedsAnAuthority) {
  EXPECT_FALSE(ClientCertificates::Make("nothing", clock_).has_value());
  EXPECT_EQ(ClientCertificates::Load("/nonexistent", clock_).error().message,
            "open /nonexistent: no such file or directory");
}

TEST_F(CertificateTest, ProxiesSayWhoAsks) {
  const RequestHeaders proxies(std::move(certificates_), {.allowed_names = {"proxy"},
                                                          .user_headers = {"X-Remote-User"},
                                                          .uid_headers = {"X-Remote-Uid"},
                                                          .group_headers = {"X-Remote-Group"},
                                                          .extra_prefixes = {"X-Remote-Extra-"}});
  const auto ask = [&](std::vector<std::string> chain, std::vector<std::pair<std::string, std::string>> headers) {
    exchange::Request request;
    auto peer = std::make_shared<exchange::Peer>();
    peer->certificates = std::move(chain);
    request.peer = std::move(peer);
    for (auto& [name, value] : headers) request.headers.Add(name, value);
    NowhereExecutor executor;
    exchange::Exchange exchange(std::move(request), executor);
    return proxies.Authenticate(exchange);
  };
  const std::string proxy = Issue({.name = "proxy"}, root_.get())->Der();
  const Identity ann = ask({proxy}, {{"x-remote-user", "ann"},
                                     {"x-remote-uid", "7"},
                                     {"x-remote-group", "dev"},
                                     {"x-remote-group", "ops"},
                                     {"x-remote-extra-a%2fb", "c"}});
  ASSERT_EQ(ann.outcome, Identity::Outcome::kUser);
  EXPECT_EQ(ann.user->name, "ann");
  EXPECT_EQ(ann.user->uid, "7");
  EXPECT_EQ(ann.user->groups, (std::vector<std::string>{"dev", "ops", "system:authenticated"}));
  EXPECT_EQ(ann.user->extra.at("a/b"), std::vector<std::string>{"c"});
  EXPECT_EQ(ask({proxy}, {{"x-remote-group", "dev"}}).outcome, Identity::Outcome::kAbsent);
  EXPECT_EQ(ask({}, {{"x-remote-user", "ann"}}).outcome, Identity::Outcome::kAbsent);
  const std::string other = Issue({.name = "other"}, root_.get())->Der();
  EXPECT_EQ(ask({other}, {{"x-remote-user", "ann"}}).outcome, Identity::Outcome::kRejected);
  const std::string forged = Issue({.name = "proxy"}, nullptr)->Der();
  EXPECT_EQ(ask({forged}, {{"x-remote-user", "ann"}}).outcome, Identity::Outcome::kRejected);
}

}  // namespace
}  // namespace auth
