// WatchBody: one watch as the connection pulls it: the state at its start where that is asked for, then events as they
// are logged, with bookmarks and an end. A cursor, a timer and the selectors are all that an idle one holds (below 1
// KiB).
//
// Threads: made and used on the connection's thread; woken from any. Ends: at its deadline, by an ERROR event where the
// asked version is gone, and cleanly when it fell behind the retained history.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/error.h"
#include "api/selector.h"
#include "base/executor.h"
#include "exchange/exchange.h"
#include "handlers/scope.h"
#include "handlers/watch_frame.h"
#include "registry/registry.h"

namespace handlers {

struct WatchPlan {
  registry::ResourceRef resource;
  WatchFrame::Form form;
  store::WatchOptions options;
  api::LabelSelector labels;
  api::FieldSelector fields;
  std::optional<registry::ListView> initial;  // given as ADDED before anything else
  std::optional<api::Error> error;            // the only event
  bool bookmarks = false;
  bool marks_initial_end = false;
  std::chrono::milliseconds timeout{0};  // until the end
};

// The services and the executor outlive the body.
std::unique_ptr<exchange::BodySource> MakeWatchBody(const Dependencies& services, base::Executor& executor,
                                                    WatchPlan plan);

}  // namespace handlers
