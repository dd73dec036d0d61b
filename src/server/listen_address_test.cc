#include "server/listen_address.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace server {
namespace {

// "address port", or the error.
std::string ListensAt(const std::vector<std::string_view>& arguments) {
  auto flags = FlagValues::Parse({.program = "fairlead serve", .known = ServeFlags()}, arguments);
  if (!flags) return flags.error().message;
  std::vector<std::string> warnings;
  base::Result<Options> options = OptionsOf(*flags, warnings);
  if (!options) return options.error().message;
  if (base::Result<> set = SetListenAddress(*flags, *options); !set) return set.error().message;
  return base::Cat(options->bind_address, " ", options->port);
}

TEST(ListenAddress, IsOfTheOneFlagOrTheOtherTwo) {
  EXPECT_EQ(ListensAt({}), "127.0.0.1 6443");
  EXPECT_EQ(ListensAt({"--listen=10.1.2.3:80"}), "10.1.2.3 80");
  EXPECT_EQ(ListensAt({"--listen=:80"}), "0.0.0.0 80");
  EXPECT_EQ(ListensAt({"--listen=[::1]:0"}), "::1 0");
  EXPECT_EQ(ListensAt({"--secure-port=7443"}), "127.0.0.1 7443");
  EXPECT_EQ(ListensAt({"--bind-address=::"}), ":: 6443");
  EXPECT_EQ(ListensAt({"--bind-address=10.1.2.3", "--secure-port=7443"}), "10.1.2.3 7443");
}

TEST(ListenAddress, SaysWhatIsWrong) {
  EXPECT_EQ(ListensAt({"--listen=80"}), "--listen 80 is no ADDRESS:PORT");
  EXPECT_EQ(ListensAt({"--listen=:65536"}), "--listen :65536 is no ADDRESS:PORT");
  EXPECT_EQ(ListensAt({"--listen=:80", "--secure-port=81"}),
            "--listen says what --bind-address and --secure-port say: give one or the other");
}

TEST(ListenAddress, IsReachedFromThisMachine) {
  EXPECT_EQ(ServerUrl("0.0.0.0", 6443), "https://127.0.0.1:6443");
  EXPECT_EQ(ServerUrl("::1", 1), "https://[::1]:1");
}

}  // namespace
}  // namespace server
