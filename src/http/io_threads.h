// IoThreads: the I/O threads of a process, each with its event loop, and the deputy of those that block for a moment.
// Made first and destroyed last by whoever wires a server: every executor lives as long as this object, and servers on
// several ports may share it.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "http/event_loop.h"
#include "http/standby_loop.h"

namespace http {

class IoThreads {
 public:
  // Starts `count` threads (at least one). `on_failure`: EventLoop::Create.
  static base::Result<std::unique_ptr<IoThreads>> Start(int count, const EventLoop::OnFailure& on_failure = nullptr);
  // Ends the loops after their present round and joins the threads. Servers on them have been stopped.
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  int size() const { return static_cast<int>(loops_.size()); }
  base::Executor& executor(int index) { return *loops_[index]; }
  EventLoop& loop(int index) { return *loops_[index]; }

 private:
  IoThreads() = default;

  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::unique_ptr<StandbyLoop> deputy_;
  std::vector<std::thread> threads_;
};

}  // namespace http
