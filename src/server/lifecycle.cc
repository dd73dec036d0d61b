#include "server/lifecycle.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace server {
namespace {

constexpr int kKeptMemory = 1 << 20;  // bytes at the end of each of the allocator's heaps

constexpr mode_t kOfOthers = 077;

sigset_t EndSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

// Serves on while load balancers look elsewhere. True where a second signal came meanwhile.
bool Delay(std::chrono::nanoseconds delay) {
  sigset_t set = EndSignals();
  timespec time{.tv_sec = delay.count() / 1'000'000'000, .tv_nsec = delay.count() % 1'000'000'000};
  return sigtimedwait(&set, nullptr, &time) > 0;
}

}  // namespace

void PrepareProcess() {
  // A request's memory is as much as the one's before: giving it back to the system in between costs more than keeping
  // it. Idle threads keep no more than this.
  mallopt(M_TRIM_THRESHOLD, kKeptMemory);
  mallopt(M_TOP_PAD, kKeptMemory / 4);
  umask(kOfOthers);  // secrets are in most of what it writes
  sigset_t set = EndSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

void WaitForSignal() {
  sigset_t set = EndSignals();
  int signal_number = 0;
  sigwait(&set, &signal_number);
}

int ServeUntilSignal(const Options& options, base::Logger& logger, const LifecycleHooks& hooks) {
  base::Result<std::unique_ptr<Server>> server = Server::Start(options, logger);
  base::Result<> started;
  if (!server) started = std::unexpected(server.error());
  if (started && hooks.started) started = hooks.started(**server);
  if (!started) {
    logger.Error("command failed", {{"err", started.error().message}});
    logger.Flush();
    return 1;
  }
  logger.Info("Serving securely", {{"address", base::Cat(options.bind_address, ":", (*server)->port())}});
  malloc_trim(0);  // what starting needed and serving does not
  WaitForSignal();
  logger.Info("Stopping");
  if (hooks.stopping) hooks.stopping();
  (*server)->BeginStop();
  if (options.shutdown_delay.count() > 0 && Delay(options.shutdown_delay)) _exit(1);
  (*server)->Stop();
  server->reset();
  logger.Info("Stopped");
  logger.Flush();
  return 0;
}

}  // namespace server
