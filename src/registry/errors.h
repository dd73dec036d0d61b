// The one map from what the store says (base::Error) to what the API answers (api::Error), and the texts that belong to
// storing rather than to a kind. Called by the registry's verbs; pure functions, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/error.h"
#include "base/result.h"
#include "store/store.h"

namespace registry {

// `operation` is the word of timeouts: "get", "list", "create", "update", "delete".
api::Error FromStore(const base::Error& error, api::GroupResource resource, std::string_view name,
                     std::string_view operation);

// A write that names another resourceVersion than the stored one.
api::Error StaleVersion(api::GroupResource resource, std::string_view name);
// A precondition on uid or resourceVersion that the stored object fails inside an update. `key` as in the store.
api::Error FailedPrecondition(api::GroupResource resource, std::string_view name, std::string_view key,
                              std::string_view field, std::string_view wanted, std::string_view found);

// 504: the version did not come in time. 0 seconds say nothing about a retry.
api::Error TooLargeVersion(uint64_t wanted, store::Revision current, int retry_after_seconds);
// 500: Exact reads of a version that is not written yet.
api::Error FutureRevision();
// 410 of lists, and of continue tokens; the latter carry a token that goes on at the newest state.
api::Error ExpiredList();
api::Error ExpiredContinue(std::string continue_token);

// 500: objects that the store of the real server would refuse for their size.
api::Error RequestTooLarge();
api::Error MessageTooLarge(size_t size);

}  // namespace registry
