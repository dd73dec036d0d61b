// Expiry: the objects of one collection go some time after they were last written: events, which nobody else would
// remove. Made and started by the server.
//
// When an object was written is not stored. What is written while this runs is known by its revision: from time to time
// the newest one is noted with the hour, and once a note is old enough everything up to its revision may go. What was
// there before is read once, at the start: the latest of the times its metadata tells (creation, field managers)
// counts, so that a restart does not make objects live longer. Cost: a note a round; a walk over the collection's cells
// in rounds in which something may be due.
//
// Threads: a thread of its own, which removes what is due and ends in the destructor; Round() is for that thread, or
// for tests that do not start it. The store and the clock outlive it. Objects written meanwhile stay: a removal that
// meets another write is let be.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "store/store.h"

namespace registry {

class Expiry {
 public:
  // Objects of `collection` go once they are as old as `age`, and at most a sixtieth of it (and 30 s) later.
  Expiry(store::Store& store, store::CollectionId collection, std::chrono::milliseconds age, const base::Clock& clock);
  ~Expiry();
  Expiry(const Expiry&) = delete;
  Expiry& operator=(const Expiry&) = delete;

  void Start();
  // Removes what is due now; returns when all of it is gone.
  void Round();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Note {
    Time time;
    store::Revision revision;
  };
  // An object that was there before.
  struct Old {
    std::chrono::system_clock::time_point due;
    std::string key;
    store::Revision modified;
  };

  void ReadOld();
  std::vector<store::Write> DueOld();
  std::vector<store::Write> DueNoted(Time now);
  void Remove(std::vector<store::Write> removals);
  void Run();

  store::Store& store_;
  const store::CollectionId collection_;
  const std::chrono::milliseconds age_;
  const base::Clock& clock_;

  store::Revision first_{0};  // everything later is noted
  store::Revision done_{0};   // everything up to here is gone
  bool read_ = false;
  std::vector<Old> old_;  // latest first
  std::deque<Note> notes_;

  std::mutex mutex_;  // guards stopping_
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace registry
