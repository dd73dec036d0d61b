// EtcdLink: what a kube-apiserver of this program has with the etcd of this program that --etcd-servers names. The etcd
// keeps no objects itself: it says in which directory they are, and passes on the wish to compact. The server holds the
// connection as long as it runs.
//
// Threads: made and destroyed on the wiring thread; a thread of its own reads what the etcd says and calls back.
// Errors: kInvalid for URLs, kUnavailable where nobody answers, or a real etcd does.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace server {

class EtcdLink {
 public:
  static constexpr int kOpenSeconds = 20;  // how long it tries: the etcd may be starting too

  // The first of `urls` that is reachable. Waits.
  static base::Result<std::unique_ptr<EtcdLink>> Open(const std::vector<std::string>& urls);
  ~EtcdLink();
  EtcdLink(const EtcdLink&) = delete;
  EtcdLink& operator=(const EtcdLink&) = delete;

  const std::string& directory() const { return directory_; }
  bool sync() const { return sync_; }

  // From now on calls `compact` when the etcd is told to; none before the first call and after one with an empty
  // function, when this has returned.
  void OnCompact(std::function<void(engine::Revision)> compact);

 private:
  explicit EtcdLink(int fd) : fd_(fd) {}
  base::Result<> ReadGreeting();
  bool ReadLine(std::string& line);
  void Listen();

  const int fd_;
  std::string received_;  // not read as lines yet
  std::string directory_;
  bool sync_ = true;
  std::mutex mutex_;
  std::function<void(engine::Revision)> compact_;  // guarded by mutex_
  std::thread listener_;
};

}  // namespace server
