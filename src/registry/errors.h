// The one map from what the store says (base::Error) to what the API answers (api::Error), and the texts that belong to
// storing rather than to a kind. Called by the registry's verbs; pure functions, any thread.
#pragma once

#include <cstdint>
#include <span>
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
// A precondition on uid or resourceVersion that the stored object fails inside an update. `key` as the text shows it.
api::Error FailedPrecondition(api::GroupResource resource, std::string_view name, std::string_view key,
                              std::string_view field, std::string_view wanted, std::string_view found);

// The same of a deletion, which names the kind in place of the resource. `maybe`: what happened to the one that was
// meant ("modified").
api::Error OtherThanMeant(api::GroupResource kind, std::string_view name, std::string_view field,
                          std::string_view wanted, std::string_view found, std::string_view maybe);

// 504: the version did not come in time. 0 seconds say nothing about a retry.
api::Error TooLargeVersion(uint64_t wanted, store::Revision current, int retry_after_seconds);
// 500: Exact reads of a version that is not written yet.
api::Error FutureRevision();
// 410 of lists, and of continue tokens; the latter carry a token that goes on at the newest state.
api::Error ExpiredList();
api::Error ExpiredContinue(std::string continue_token);

// 500s of stored bytes that cannot be read as an object; `key` is the store's, below /registry/. Those of reads and
// deletions, of updates (which say less), and of lists, where all that are in the way are named.
api::Error CorruptObject(std::string_view key, const store::Cell& cell);
api::Error CorruptObjectInUpdate(const store::Cell& cell);
api::Error CorruptObjectsInList(api::GroupResource resource, std::string_view collection,
                                std::span<const store::CellRef> cells);
// The same where clients cannot do anything about them: all say only what is wrong with the bytes.
api::Error UndecodableObject(const store::Cell& cell);
// 422: a deletion for objects that cannot be read, of one that can, or that is not there.
api::Error NotCorrupt(api::GroupResource resource, std::string_view name);

// 500: objects that the store of the real server would refuse for their size.
api::Error RequestTooLarge();
api::Error MessageTooLarge(size_t size);

}  // namespace registry
