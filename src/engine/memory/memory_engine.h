// The memory engine: a log that keeps nothing. For tests, and for servers whose objects may go with the process.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace engine {

// A sole writer that starts empty at revision 1.
std::unique_ptr<Engine> MakeMemoryEngine();

}  // namespace engine
