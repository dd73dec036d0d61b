// StandbyLoop: one thread that runs the rounds of event loops whose own threads are doing something that blocks. It wakes
// only when there is something to do on such a loop. Made by IoThreads; its loops outlive it.
//
// Threads: Attend and Dismiss on the loop's own thread.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"

namespace http {

class EventLoop;

class StandbyLoop {
 public:
  // kIo where the system gives no descriptors.
  static base::Result<std::unique_ptr<StandbyLoop>> Start(std::vector<EventLoop*> loops);
  ~StandbyLoop();
  StandbyLoop(const StandbyLoop&) = delete;
  StandbyLoop& operator=(const StandbyLoop&) = delete;

  // The loop's rounds may be run by the deputy from now on.
  void Attend(EventLoop& loop);
  // They are not any more: the loop's thread has taken them back.
  void Dismiss(EventLoop& loop);

 private:
  StandbyLoop(int epoll_fd, int event_fd, std::vector<EventLoop*> loops);
  void Run();
  void Arm(EventLoop& loop, uint32_t events);
  // Of a loop whose thread is still away.
  void Serve(EventLoop& loop);

  const int epoll_fd_;  // holds the epoll descriptors of the loops, each armed while it is attended
  const int event_fd_;
  const std::vector<EventLoop*> loops_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> attends_ = false;   // somebody went away since the deputy looked
  std::atomic<bool> watching_ = false;  // it looks at the timers of loops from time to time
  std::thread thread_;
};

}  // namespace http
