// LoggedEngine: an engine that tells the log when the one under it fails, and when that works again: without it an
// operator would see writes refused and no line that says why. Made by the server around the engine that it opened.
//
// Threads and errors as Engine. Bounds: one line of failures in kFailureLines, with how many there were; lines that
// everything works again follow such a line only.
#pragma once

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/logging.h"
#include "engine/engine.h"

namespace engine {

inline constexpr std::chrono::seconds kFailureLines(10);

// `logger` and `clock` outlive the engine.
std::unique_ptr<Engine> MakeLoggedEngine(std::unique_ptr<Engine> engine, base::Logger& logger,
                                         const base::Clock& clock);

}  // namespace engine
