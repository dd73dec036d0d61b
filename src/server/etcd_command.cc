#include <charconv>
#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/logging.h"
#include "base/text.h"
#include "http/io_threads.h"
#include "http/server.h"
#include "server/commands.h"
#include "server/etcd_face.h"
#include "server/lifecycle.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

// "http://address:port[,...]": the first one.
base::Result<http::ServerOptions> ListenOn(std::string_view urls) {
  std::string_view url = urls.substr(0, urls.find(','));
  constexpr std::string_view kScheme = "http://";
  size_t colon = url.rfind(':');
  int port = -1;
  if (url.starts_with(kScheme) && colon >= kScheme.size()) {
    std::string_view digits = url.substr(colon + 1);
    if (digits.ends_with('/')) digits.remove_suffix(1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size()) port = -1;
  }
  if (port < 0 || port > 65535) {
    return base::Fail(Code::kInvalid, Cat("--listen-client-urls ", urls, ": http://ADDRESS:PORT is served"));
  }
  http::ServerOptions options;
  options.bind_address = url.substr(kScheme.size(), colon - kScheme.size());
  if (options.bind_address.starts_with('['))
    options.bind_address = options.bind_address.substr(1, options.bind_address.size() - 2);
  if (options.bind_address == "localhost") options.bind_address = "127.0.0.1";
  options.port = static_cast<uint16_t>(port);
  options.tls = false;
  return options;
}

base::Result<std::string> DataDirectory(const FlagValues& flags) {
  std::string directory(flags.Text("data-dir"));
  if (!flags.IsSet("data-dir")) directory = Cat(flags.Text("name"), ".etcd");
  if (base::Result<> made = base::MakeDirectories(directory); !made) return std::unexpected(made.error());
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(directory, error);
  if (error) return base::Fail(Code::kIo, Cat("mkdir ", directory, ": ", error.message()));
  return (whole / "fairlead").string();
}

base::Result<> Serve(const FlagValues& flags, base::Logger& logger) {
  base::Result<http::ServerOptions> options = ListenOn(flags.Text("listen-client-urls"));
  if (!options) return std::unexpected(options.error());
  base::Result<std::string> directory = DataDirectory(flags);
  if (!directory) return std::unexpected(directory.error());
  base::Result<std::unique_ptr<http::IoThreads>> io = http::IoThreads::Start(1);
  if (!io) return std::unexpected(io.error());
  EtcdFace face(*directory, !flags.Bool("unsafe-no-fsync"));
  base::Result<std::unique_ptr<http::Server>> server = http::Server::Start(*options, face, **io);
  if (!server) return std::unexpected(server.error());
  logger.Info("serving client requests",
              {{"address", Cat(options->bind_address, ":", (*server)->port())}, {"directory", *directory}});
  WaitForSignal();
  (*server)->Stop(std::chrono::milliseconds(500));
  return {};
}

}  // namespace

int RunEtcd(Arguments arguments) {
  base::Result<FlagValues> flags =
      FlagValues::Parse({.program = "etcd", .known = EtcdFlags(), .single_dash = true}, arguments);
  if (!flags) {
    std::fprintf(stderr, "%s\n", flags.error().message.c_str());
    return 2;
  }
  if (flags->IsSet("help")) {
    std::printf(
        "The store of Fairlead's kube-apiserver: it remembers where the objects are.\n\nUsage:\n  etcd [flags]\n%s",
        FlagHelp(EtcdFlags()).c_str());
    return 0;
  }
  if (flags->Bool("version")) {
    std::printf("etcd Version: 3.5.16\nGit SHA: Not provided (Fairlead)\nGo Version: none\nGo OS/Arch: linux/amd64\n");
    return 0;
  }
  base::Logger logger(2, base::SystemClock());
  if (base::Result<> served = Serve(*flags, logger); !served) {
    logger.Error("command failed", {{"err", served.error().message}});
    logger.Flush();
    return 1;
  }
  return 0;
}

}  // namespace server
