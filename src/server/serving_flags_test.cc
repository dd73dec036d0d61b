#include "server/serving_flags.h"

#include <gtest/gtest.h>

namespace server {
namespace {

struct Taken {
  Options options;
  std::vector<std::string> complaints;
};

Taken Take(std::vector<std::string_view> arguments) {
  auto flags = FlagValues::Parse({.program = "kube-apiserver", .known = KubeApiserverFlags()}, arguments);
  Taken taken;
  if (!flags) {
    taken.complaints.push_back(flags.error().message);
    return taken;
  }
  taken.options.tls.cipher_suites = flags->List("tls-cipher-suites");
  taken.complaints = TakeServingFlags(*flags, taken.options);
  return taken;
}

TEST(ServingFlags, HaveHarmlessDefaults) {
  const Taken taken = Take({});
  EXPECT_TRUE(taken.complaints.empty());
  EXPECT_TRUE(taken.options.named_certificates.empty());
  EXPECT_TRUE(taken.options.connection_headers.empty());
  EXPECT_TRUE(taken.options.allowed_origins.empty());
  EXPECT_FALSE(taken.options.share_port);
  EXPECT_FALSE(taken.options.drain.send_retry_after);
  EXPECT_FALSE(taken.options.drain.refuse_watches);
}

TEST(ServingFlags, SetOptions) {
  const Taken taken =
      Take({"--tls-sni-cert-key=a.crt,a.key", "--tls-sni-cert-key=b.crt, b.key: *.x.io,y.io", "--permit-port-sharing",
            "--goaway-chance=0.02", "--strict-transport-security-directives=max-age=31536000,includeSubDomains",
            "--cors-allowed-origins=//a\\.io(:|$),^https://b\\.io$", "--shutdown-send-retry-after",
            "--shutdown-watch-termination-grace-period=10s"});
  EXPECT_TRUE(taken.complaints.empty());
  const auto& named = taken.options.named_certificates;
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].files.key, "a.key");
  EXPECT_TRUE(named[0].names.empty());
  EXPECT_EQ(named[1].files.certificate, "b.crt");
  EXPECT_EQ(named[1].files.key, "b.key");
  EXPECT_EQ(named[1].names, (std::vector<std::string>{"*.x.io", "y.io"}));
  EXPECT_TRUE(taken.options.share_port);
  EXPECT_EQ(taken.options.connection_headers.goaway_chance, 0.02);
  EXPECT_EQ(taken.options.connection_headers.strict_transport_security, "max-age=31536000; includeSubDomains");
  EXPECT_EQ(taken.options.allowed_origins.size(), 2u);
  EXPECT_TRUE(taken.options.drain.send_retry_after);
  EXPECT_TRUE(taken.options.drain.refuse_watches);
  EXPECT_EQ(taken.options.shutdown_watch_grace, std::chrono::seconds(10));
}

TEST(ServingFlags, AreHeldAgainstTheirRules) {
  for (const std::string_view wrong :
       {"--tls-sni-cert-key=a.crt", "--tls-sni-cert-key=a.crt,a.key:", "--goaway-chance=0.021", "--goaway-chance=-1",
        "--strict-transport-security-directives=maxage=1", "--strict-transport-security-directives=max-age=1=2",
        "--cors-allowed-origins=example.io", "--cors-allowed-origins=//(", "--tls-cipher-suites=TLS_AES_128_GCM_SHA256",
        "--shutdown-watch-termination-grace-period=-1s"}) {
    EXPECT_EQ(Take({wrong}).complaints.size(), 1u) << wrong;
  }
  EXPECT_EQ(Take({"--cors-allowed-origins=example.io"}).complaints[0],
            "--cors-allowed-origins has an invalid regular expression: regular expression does not pin to start/end of "
            "host in the origin header");
}

TEST(ServingFlags, HistoryIsKeptAsLongAsTheFirstOfItsNamesSays) {
  const auto kept = [](std::vector<std::string_view> arguments) {
    auto flags = FlagValues::Parse({.program = "fairlead", .known = ServeFlags()}, arguments);
    return flags ? flags->Duration(RetentionFlag(*flags)) : std::chrono::nanoseconds(-1);
  };
  EXPECT_EQ(kept({}), std::chrono::minutes(5));
  EXPECT_EQ(kept({"--history-retention=1m"}), std::chrono::minutes(1));
  EXPECT_EQ(kept({"--history=2m"}), std::chrono::minutes(2)) << "its former name";
  EXPECT_EQ(kept({"--etcd-compaction-interval=3m"}), std::chrono::minutes(3));
  EXPECT_EQ(kept({"--etcd-compaction-interval=3m", "--history=2m"}), std::chrono::minutes(2));
  EXPECT_EQ(kept({"--history=2m", "--history-retention=1m"}), std::chrono::minutes(1));
}

}  // namespace
}  // namespace server
