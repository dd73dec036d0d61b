#include "http/standby_loop.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "http/event_loop.h"
#include "http/system_failure.h"

namespace http {
namespace {

constexpr int kLook = 100;  // ms; so late may the timers of a loop be whose thread is away

}  // namespace

base::Result<std::unique_ptr<StandbyLoop>> StandbyLoop::Start(std::vector<EventLoop*> loops) {
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return SystemFailure("epoll_create1");
  const int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<StandbyLoop> deputy(new StandbyLoop(epoll_fd, event_fd, std::move(loops)));
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  if (event_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) != 0) {
    return SystemFailure("eventfd");
  }
  for (EventLoop* loop : deputy->loops_) {
    epoll_event nothing{.events = 0, .data = {.ptr = loop}};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, loop->epoll_fd(), &nothing) != 0) {
      return SystemFailure("epoll_ctl");
    }
  }
  deputy->thread_ = std::thread([&deputy = *deputy] { deputy.Run(); });
  pthread_setname_np(deputy->thread_.native_handle(), "io-deputy");
  return deputy;
}

StandbyLoop::StandbyLoop(int epoll_fd, int event_fd, std::vector<EventLoop*> loops)
    : epoll_fd_(epoll_fd), event_fd_(event_fd), loops_(std::move(loops)) {}

StandbyLoop::~StandbyLoop() {
  if (thread_.joinable()) {
    stopped_ = true;
    eventfd_write(event_fd_, 1);
    thread_.join();
  }
  if (event_fd_ >= 0) close(event_fd_);
  close(epoll_fd_);
}

void StandbyLoop::Arm(EventLoop& loop, uint32_t events) {
  epoll_event event{.events = events, .data = {.ptr = &loop}};
  epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, loop.epoll_fd(), &event);
}

void StandbyLoop::Attend(EventLoop& loop) {
  Arm(loop, EPOLLIN | EPOLLONESHOT);  // where the loop has something to do already, it wakes the deputy now
  attends_.store(true, std::memory_order_seq_cst);
  if (!watching_.exchange(true, std::memory_order_seq_cst)) eventfd_write(event_fd_, 1);
}

void StandbyLoop::Dismiss(EventLoop& loop) { Arm(loop, 0); }

void StandbyLoop::Serve(EventLoop& loop) {
  if (loop.RunForItsThread()) Arm(loop, EPOLLIN | EPOLLONESHOT);
}

void StandbyLoop::Run() {
  while (!stopped_) {
    epoll_event event;
    const bool watching = watching_.load(std::memory_order_seq_cst);
    const int count = epoll_wait(epoll_fd_, &event, 1, watching ? kLook : -1);
    if (count > 0) {
      if (event.data.ptr != nullptr) Serve(*static_cast<EventLoop*>(event.data.ptr));
      continue;
    }
    bool away = false;
    for (EventLoop* loop : loops_) away = loop->RunForItsThread() || away;
    // Nobody went since the last look: the next one to go wakes the deputy.
    if (attends_.exchange(false, std::memory_order_seq_cst) || away) continue;
    watching_.store(false, std::memory_order_seq_cst);
    if (attends_.load(std::memory_order_seq_cst)) watching_.store(true, std::memory_order_seq_cst);
  }
}

}  // namespace http
