// Fields of past versions of deployments and daemon sets that are kept as annotations in this one. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "value/value.h"

namespace resources::apps {

// The revision that the deployment is to be rolled back to, if its annotation names one.
std::optional<int64_t> RollbackRevision(const value::Value& deployment);
// Writes that annotation as a number is written, and leaves it out where it is empty.
void NormaliseRollback(const value::Value& deployment, value::Arena& arena);

// How often the daemon set's template was changed; 0 where its annotation does not say.
int64_t TemplateGeneration(const value::Value& daemon_set);
void SetTemplateGeneration(const value::Value& daemon_set, int64_t generation, value::Arena& arena);

}  // namespace resources::apps
