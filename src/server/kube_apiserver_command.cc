#include <cstdio>

#include "base/logging.h"
#include "base/text.h"
#include "handlers/endpoints/version.h"
#include "server/commands.h"
#include "server/etcd_link.h"
#include "server/lifecycle.h"
#include "server/options.h"

namespace server {
namespace {

using base::Code;

void PrintVersion(std::string_view form) {
  handlers::VersionInfo version = handlers::ServedVersion();
  if (form == "raw") {
    std::printf(
        "version.Info{Major:\"%s\", Minor:\"%s\", GitVersion:\"%s\", GitCommit:\"%s\", GitTreeState:\"%s\", "
        "BuildDate:\"%s\", GoVersion:\"%s\", Compiler:\"%s\", Platform:\"%s\"}\n",
        version.major.c_str(), version.minor.c_str(), version.git_version.c_str(), version.git_commit.c_str(),
        version.git_tree_state.c_str(), version.build_date.c_str(), version.go_version.c_str(),
        version.compiler.c_str(), version.platform.c_str());
  } else {
    std::printf("Kubernetes %s\n", version.git_version.c_str());
  }
}

// What must be given beside the flags that have sensible defaults.
base::Result<> CheckRequired(const FlagValues& flags) {
  std::vector<std::string> complaints;
  if (flags.List("etcd-servers").empty()) complaints.emplace_back("--etcd-servers must be specified");
  if (flags.List("service-account-issuer").empty())
    complaints.emplace_back("service-account-issuer is a required flag");
  if (flags.List("service-account-key-file").empty()) {
    complaints.emplace_back("either `--service-account-key-file` or `--service-account-signing-endpoint` must be set");
  }
  if (flags.Text("service-account-signing-key-file").empty()) {
    complaints.emplace_back("--service-account-signing-key-file and --service-account-issuer are required flags");
  }
  if (complaints.empty()) return {};
  return base::Fail(Code::kInvalid,
                    complaints.size() == 1 ? complaints[0] : base::Cat("[", base::Join(complaints, ", "), "]"));
}

int Fail(base::Logger& logger, const base::Error& error) {
  logger.Error("command failed", {{"err", error.message}});
  logger.Flush();
  return 1;
}

}  // namespace

int RunKubeApiserver(Arguments arguments) {
  base::Result<FlagValues> flags =
      FlagValues::Parse({.program = "kube-apiserver", .known = KubeApiserverFlags()}, arguments);
  if (!flags) {
    std::fprintf(stderr, "Error: %s\n", flags.error().message.c_str());
    return 1;
  }
  if (flags->IsSet("help")) {
    std::printf("The API server of Kubernetes %s, by Fairlead.\n\nUsage:\n  kube-apiserver [flags]\n%s",
                handlers::ServedVersion().git_version.c_str(), FlagHelp(KubeApiserverFlags()).c_str());
    return 0;
  }
  if (flags->IsSet("version")) {
    PrintVersion(flags->Text("version"));
    return 0;
  }
  base::Logger logger(2, base::SystemClock(), static_cast<int>(flags->Int("v")));
  std::vector<std::string> warnings;
  base::Result<Options> options = OptionsOf(*flags, warnings);
  for (const std::string& warning : warnings) logger.Warning(warning);
  if (!options) return Fail(logger, options.error());
  if (base::Result<> required = CheckRequired(*flags); !required) return Fail(logger, required.error());
  base::Result<std::unique_ptr<EtcdLink>> link = EtcdLink::Open(flags->List("etcd-servers"));
  if (!link) return Fail(logger, link.error());
  options->store = {.kind = StoreKind::kRocksDb,
                    .directory = (*link)->directory(),
                    .sync = (*link)->sync(),
                    .history = flags->Duration("etcd-compaction-interval").count() > 0
                                   ? flags->Duration("etcd-compaction-interval")
                                   : StoreOptions().history};
  LifecycleHooks hooks;
  hooks.started = [&](Server& server) -> base::Result<> {
    (*link)->OnCompact([&server](engine::Revision revision) { server.Compact(revision); });
    return {};
  };
  hooks.stopping = [&] { (*link)->OnCompact({}); };
  return ServeUntilSignal(*options, logger, hooks);
}

}  // namespace server
