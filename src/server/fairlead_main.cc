// The program. What it is depends on the name it is called by, as with busybox: `fairlead`, `kube-apiserver` or `etcd`.
#include <cstdio>
#include <string_view>
#include <vector>

#include "handlers/endpoints/version.h"
#include "server/commands.h"
#include "server/lifecycle.h"

namespace {

constexpr std::string_view kUsage =
    "Fairlead is the Kubernetes API server as one small program.\n"
    "\n"
    "Usage:\n"
    "  fairlead serve [flags]            start a server; says where its kubeconfig is\n"
    "  fairlead kube-apiserver [flags]   be kube-apiserver, with its flags (also by that program name)\n"
    "  fairlead etcd [flags]             be the etcd that kube-apiserver of this program asks (also by that name)\n"
    "  fairlead cel eval|check           try an expression of a policy or a definition, without a server\n"
    "  fairlead version\n"
    "\n"
    "Use \"fairlead COMMAND --help\" for the flags of a command.\n";

void Print(std::string_view text, std::FILE* to) { std::fwrite(text.data(), 1, text.size(), to); }

int RunFairlead(server::Arguments arguments) {
  std::string_view command = arguments.empty() ? "" : arguments[0];
  if (command == "serve") return server::RunServe(arguments.subspan(1));
  if (command == "kube-apiserver") return server::RunKubeApiserver(arguments.subspan(1));
  if (command == "etcd") return server::RunEtcd(arguments.subspan(1));
  if (command == "cel") return server::RunCel(arguments.subspan(1));
  if (command == "version" || command == "--version") {
    Print("Fairlead, serving the API of Kubernetes " + handlers::ServedVersion().git_version + "\n", stdout);
    return 0;
  }
  bool asked = command == "help" || command == "--help" || command == "-h";
  Print(kUsage, asked ? stdout : stderr);
  return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  server::PrepareProcess();
  std::vector<std::string_view> words(argv, argv + argc);
  std::string_view name = words.empty() ? "" : words[0].substr(words[0].rfind('/') + 1);
  server::Arguments arguments = std::span(words).subspan(words.empty() ? 0 : 1);
  if (name == "kube-apiserver") return server::RunKubeApiserver(arguments);
  if (name == "etcd") return server::RunEtcd(arguments);
  return RunFairlead(arguments);
}
