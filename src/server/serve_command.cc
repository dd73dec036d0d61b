#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/logging.h"
#include "base/random.h"
#include "base/text.h"
#include "server/commands.h"
#include "server/kubeconfig.h"
#include "server/lifecycle.h"
#include "server/listen_address.h"
#include "server/options.h"
#include "server/serving_flags.h"
#include "server/signing_key_file.h"

namespace server {
namespace {

using base::Cat;
using base::Code;

// Where objects live that nobody gave a place.
std::string DefaultDirectory() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != 0) return Cat(data, "/fairlead");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) return Cat(home, "/.local/share/fairlead");
  return "/var/lib/fairlead";
}

struct Place {
  std::string directory, kubeconfig;
};

// What this program keeps in its data directory.
constexpr std::string_view kOwnEntries[] = {"admin-token", "service-account.key", "pki", "kubeconfig", "store"};

bool HoldsOnlyOurs(const std::string& directory) {
  std::error_code failure;
  for (std::filesystem::directory_iterator at(directory, failure); !failure && at != std::filesystem::end(at);
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (std::ranges::none_of(kOwnEntries,
                             [&](std::string_view own) { return name == own || name == Cat(own, ".new"); }))
      return false;
  }
  return !failure;
}

// Takes what earlier versions let everybody on the machine read back from them: what this program keeps in the
// directory, and the directory itself where it is the program's alone. (The store's own folder is the engine's to
// mend.) What cannot be mended is told.
void MendRights(const std::string& directory, std::vector<std::string>& warnings) {
  for (std::string_view name : kOwnEntries) {
    if (name == "store") continue;
    const std::string path = Cat(directory, "/", name);
    if (const base::Result<> mended = base::MakePrivate(path); !mended) {
      warnings.push_back(Cat("others may read ", path, ": ", mended.error().message));
    }
  }
  base::Result<> mended;
  if (!HoldsOnlyOurs(directory)) {
    if (base::IsPrivate(directory)) return;
    mended = base::Fail(Code::kInvalid, "it holds other files, too");
  } else {
    mended = base::MakePrivateAlone(directory);
  }
  if (!mended) warnings.push_back(Cat("others may enter ", directory, ": ", mended.error().message));
}

// What serve adds to the options that the flags stand for.
base::Result<Place> SetUp(const FlagValues& flags, Options& options, std::vector<std::string>& warnings) {
  Place place{.directory = std::string(flags.Text("data-dir")), .kubeconfig = std::string(flags.Text("kubeconfig"))};
  if (place.directory.empty()) place.directory = DefaultDirectory();
  if (place.kubeconfig.empty()) place.kubeconfig = place.directory + "/kubeconfig";
  if (base::Result<> made = base::MakeDirectories(place.directory); !made) return std::unexpected(made.error());
  MendRights(place.directory, warnings);
  if (base::Result<> set = SetListenAddress(flags, options); !set) return std::unexpected(set.error());
  std::string_view store = flags.Text("store");
  if (store != "memory" && store != "rocksdb") {
    return base::Fail(Code::kInvalid, Cat("--store ", store, ": there are memory and rocksdb"));
  }
  options.store = {.kind = store == "memory" ? StoreKind::kMemory : StoreKind::kRocksDb,
                   .directory = place.directory + "/store",
                   .sync = !flags.Bool("unsafe-no-fsync"),
                   .history = flags.Duration(RetentionFlag(flags))};
  // Nothing makes the accounts that pods would run as: the plugin runs only where it is asked for.
  const auto asks = [&](std::string_view flag) {
    const std::vector<std::string> plugins = flags.List(flag);
    return std::ranges::find(plugins, "ServiceAccount") != plugins.end();
  };
  if (!asks("enable-admission-plugins") && !asks("admission-control")) {
    std::erase(options.admission_plugins, "ServiceAccount");
  }
  if (!flags.IsSet("cert-dir")) options.certificate_directory = place.directory + "/pki";
  options.io_threads = static_cast<int>(flags.Int("io-threads"));
  const bool sync = options.store.kind != StoreKind::kMemory && options.store.sync;  // else nothing outlasts a crash
  base::Result<std::string> token = FindOrMakeToken(place.directory + "/admin-token", base::SystemRandom(), sync);
  if (!token) return std::unexpected(token.error());
  options.access.admin_token = *std::move(token);
  if (ServiceAccountOptions& accounts = options.service_accounts; accounts.issuers.empty()) {
    accounts.issuers = {"https://kubernetes.default.svc.cluster.local"};
    if (accounts.signing_key_file.empty()) {
      accounts.signing_key_file = place.directory + "/service-account.key";
      if (auto kept = KeepSigningKey(accounts.signing_key_file, sync); !kept) return std::unexpected(kept.error());
    }
    if (accounts.key_files.empty()) accounts.key_files = {accounts.signing_key_file};
  }
  return place;
}

int Complain(const base::Error& error) {
  std::fprintf(stderr, "Error: %s\n", error.message.c_str());
  return 1;
}

}  // namespace

int RunServe(Arguments arguments) {
  base::Result<FlagValues> flags = FlagValues::Parse({.program = "fairlead serve", .known = ServeFlags()}, arguments);
  if (!flags) return Complain(flags.error());
  if (flags->IsSet("help")) {
    std::printf("Start a server and say where its kubeconfig is.\n\nUsage:\n  fairlead serve [flags]\n%s",
                FlagHelp(ServeFlags(), /*first=*/true).c_str());
    return 0;
  }
  std::vector<std::string> warnings;
  base::Result<Options> options = OptionsOf(*flags, warnings);
  if (!options) return Complain(options.error());
  base::Result<Place> place = SetUp(*flags, *options, warnings);
  if (!place) return Complain(place.error());
  base::Logger logger(2, base::SystemClock(), static_cast<int>(flags->Int("v")));
  for (const std::string& warning : warnings) logger.Warning(warning);
  LifecycleHooks hooks;
  hooks.started = [&](Server& server) -> base::Result<> {
    std::string url = ServerUrl(options->bind_address, server.port());
    KubeconfigFacts facts{
        .server = url, .certificate_file = server.certificate_file(), .token = options->access.admin_token};
    if (base::Result<> written = WriteKubeconfig(place->kubeconfig, facts); !written) return written;
    std::printf("Fairlead serves %s\n  export KUBECONFIG=%s\n", url.c_str(), place->kubeconfig.c_str());
    std::fflush(stdout);
    return {};
  };
  return ServeUntilSignal(*options, logger, hooks);
}

}  // namespace server
