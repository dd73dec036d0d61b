// The checks of metadata that a kind's own validation repeats after the registry's (registry/metadata_rules.h), as
// lines of its rule table: for kinds that check something else before or between. Their StrategyFacts::update_checks is
// kInRules. Over the whole object. Pure; any thread.
#pragma once

#include "registry/metadata_rules.h"
#include "resources/rules/rules.h"

namespace resources {

// As of any object, with the kind's rule for names.
void CheckObjectMeta(Scope& object);
// The same with a rule for names that knows the object: for a kind that leaves its metadata to its own rules alone
// (MetadataChecks::kNone).
void CheckObjectMeta(Scope& object, registry::NameRule rule);
// As of a change of Scope::old.
void CheckObjectMetaUpdate(Scope& object);

}  // namespace resources
