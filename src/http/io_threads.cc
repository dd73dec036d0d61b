#include "http/io_threads.h"

#include <pthread.h>

#include <algorithm>
#include <string>
#include <utility>

namespace http {

base::Result<std::unique_ptr<IoThreads>> IoThreads::Start(int count, const EventLoop::OnFailure& on_failure) {
  std::unique_ptr<IoThreads> io(new IoThreads);
  for (int i = 0; i < std::max(count, 1); ++i) {
    auto loop = EventLoop::Create(on_failure);
    if (!loop) return std::unexpected(std::move(loop.error()));
    io->loops_.push_back(std::move(*loop));
  }
  std::vector<EventLoop*> loops;
  for (const auto& loop : io->loops_) loops.push_back(loop.get());
  auto deputy = StandbyLoop::Start(std::move(loops));
  if (!deputy) return std::unexpected(std::move(deputy.error()));
  io->deputy_ = std::move(*deputy);
  for (size_t i = 0; i < io->loops_.size(); ++i) {
    auto run = [&loop = *io->loops_[i], deputy = io->deputy_.get()] { loop.Run(deputy); };
    std::thread& thread = io->threads_.emplace_back(std::move(run));
    pthread_setname_np(thread.native_handle(), ("io-" + std::to_string(i)).c_str());
  }
  return io;
}

IoThreads::~IoThreads() {
  for (auto& loop : loops_) loop->Stop();
  for (auto& thread : threads_) thread.join();
}

}  // namespace http
