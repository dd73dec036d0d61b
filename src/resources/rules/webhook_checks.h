// Where a webhook is called and what it says it reads: rules that admission webhooks and conversion webhooks share.
// Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/errors.h"

namespace resources {

// Over a client configuration at `path` with `url` or `service`, exactly one of them.
void CheckWebhookClient(Errors& errors, const FieldPath& path, const Value& client);

// The versions of reviews that a webhook reads. `missing` is said where there are none; with `must_know_one`, one of
// them is one that this server sends.
void CheckReviewVersions(Errors& errors, const FieldPath& path, const Value& versions, std::string_view missing,
                         bool must_know_one);
// Whether one of `versions` is one that this server sends.
bool HasKnownReviewVersion(const Value& versions);

}  // namespace resources
