// The looks at an object's metadata that a kind's own validation takes between its other checks, beyond the first one
// that the registry takes of every object: for kinds whose Behaviour says update_checks = kNone and whose update rules
// say where the real server looks again. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources {

// Over a whole object: its metadata as it is.
void CheckMetadataAgain(Scope& object);
// Over a whole object on update: what of its metadata may not change.
void CheckMetadataChange(Scope& object);

}  // namespace resources
