// What validating and mutating webhook configurations demand alike. Pure; any thread.
#pragma once

#include "resources/rules/rules.h"

namespace resources::admissionregistration {

// Over a configuration of webhooks that validate, and of those that change. On update, what was stored may stay so.
void CheckValidatingWebhooks(Scope& configuration);
void CheckMutatingWebhooks(Scope& configuration);

}  // namespace resources::admissionregistration
