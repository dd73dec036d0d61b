// Lifecycle: what a process around a Server does: limits, signals, stopping in order. Called by the commands in main.
#pragma once

#include <functional>

#include "base/logging.h"
#include "base/result.h"
#include "server/options.h"
#include "server/server.h"

namespace server {

// To be called first in main, before any thread: keeps SIGTERM and SIGINT for WaitForSignal, ignores SIGPIPE,
// allows as many open files as the system lets us, and lets nobody else read the files that the process makes.
void PrepareProcess();

// Sleeps until SIGTERM or SIGINT.
void WaitForSignal();

// What a command does around serving. Either may be empty.
struct LifecycleHooks {
  std::function<base::Result<>(Server&)> started;
  std::function<void()> stopping;  // before the server begins to stop: it is not to be touched after this
};

// Starts a server, serves until a signal comes, and stops: first /readyz fails for options.shutdown_delay, then running
// requests may end. A second signal during the delay ends the process at once. Returns the exit status.
int ServeUntilSignal(const Options& options, base::Logger& logger, const LifecycleHooks& hooks);

}  // namespace server
