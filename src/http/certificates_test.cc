#include "http/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace http {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CertificatesTest : public ::testing::Test {
 protected:
  ~CertificatesTest() override { std::filesystem::remove_all(directory_); }
  std::string directory_ = [] {
    char name[] = "/tmp/fairlead-certificates-XXXXXX";
    return std::string(mkdtemp(name));
  }();
};

TEST_F(CertificatesTest, MakesOneThatIsGoodForItsHostsAndSignsItself) {
  auto files = FindOrMakeCertificate(directory_ + "/a/b", {"localhost", "kubernetes.default.svc", "127.0.0.1", "::1"});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->certificate, directory_ + "/a/b/apiserver.crt");
  EXPECT_EQ(files->key, directory_ + "/a/b/apiserver.key");
  struct stat facts{};
  ASSERT_EQ(stat(files->key.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);

  FILE* file = fopen(files->certificate.c_str(), "r");
  X509* certificate = PEM_read_X509(file, nullptr, nullptr, nullptr);
  fclose(file);
  ASSERT_NE(certificate, nullptr);
  for (const char* host : {"localhost", "kubernetes.default.svc"}) {
    EXPECT_EQ(X509_check_host(certificate, host, 0, 0, nullptr), 1) << host;
  }
  EXPECT_EQ(X509_check_host(certificate, "elsewhere", 0, 0, nullptr), 0);
  for (const char* address : {"127.0.0.1", "::1"}) EXPECT_EQ(X509_check_ip_asc(certificate, address, 0), 1) << address;
  EXPECT_EQ(X509_check_ip_asc(certificate, "127.0.0.2", 0), 0);
  EXPECT_EQ(X509_verify(certificate, X509_get0_pubkey(certificate)), 1);
  EXPECT_GT(X509_check_ca(certificate), 0);  // it can be its own root
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(certificate)), 0);
  EXPECT_GT(X509_cmp_current_time(X509_get0_notAfter(certificate)), 0);
  X509_free(certificate);
}

TEST_F(CertificatesTest, KeepsWhatIsThere) {
  auto first = FindOrMakeCertificate(directory_, {"localhost"});
  ASSERT_TRUE(first);
  std::string certificate = Contents(first->certificate), key = Contents(first->key);
  auto second = FindOrMakeCertificate(directory_, {"localhost", "other"});
  ASSERT_TRUE(second);
  EXPECT_EQ(Contents(second->certificate), certificate);
  EXPECT_EQ(Contents(second->key), key);
}

TEST_F(CertificatesTest, SaysWhereItCannotWrite) {
  std::ofstream(directory_ + "/file") << "x";
  auto files = FindOrMakeCertificate(directory_ + "/file/sub", {"localhost"});
  ASSERT_FALSE(files);
  EXPECT_THAT(files.error().message, ::testing::HasSubstr(directory_ + "/file/sub"));
}

TEST(ServerNamesTest, NamesWhatClientsCallTheServer) {
  auto names = ServerNames("192.0.2.1", "10.0.0.1");
  for (const char* name : {"localhost", "127.0.0.1", "192.0.2.1", "10.0.0.1", "kubernetes", "kubernetes.default",
                           "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}) {
    EXPECT_THAT(names, Contains(name));
  }
  EXPECT_THAT(ServerNames("0.0.0.0", ""), Each(Not("0.0.0.0")));
}

}  // namespace
}  // namespace http
