// Query parameters and DeleteOptions of the verbs, parsed and checked as the API's option types are. Called by the verb
// files, any thread; results borrow the texts of the Query (or of the decoded body) they were made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/error.h"
#include "api/request.h"
#include "api/selector.h"
#include "registry/registry.h"
#include "value/value.h"

namespace handlers {

// ListOptions: of list, watch and deletecollection.
struct ListParameters {
  api::LabelSelector labels;
  api::FieldSelector fields;
  bool watch = false;
  bool bookmarks = false;
  std::string_view resource_version, resource_version_match, continue_token;
  std::optional<int64_t> timeout_seconds;
  int64_t limit = 0;
  std::optional<bool>
      send_initial_events;  // also set where the API gives it its default: a watch list at no version or at "0"

  // A watch that begins with the whole state and marks its end.
  bool is_watch_list() const { return send_initial_events.value_or(false) && bookmarks; }
};

// 400 for what cannot be read, 422 for combinations that are forbidden. Without `watch_lists` no watch may ask for the
// state.
api::Result<ListParameters> ParseListParameters(const api::Query& query, bool watch_lists = true);

// CreateOptions, UpdateOptions, PatchOptions.
struct WriteParameters {
  bool dry_run = false;
  std::string_view field_manager;
  std::string_view field_validation;  // Ignore, Warn or Strict
  std::optional<bool> force;          // patches only
};
enum class WriteKind { kCreate, kUpdate, kPatch, kApply };
api::Result<WriteParameters> ParseWriteParameters(const api::Query& query, WriteKind kind);

// DeleteOptions of the query, used when there is no body.
// `unsafe_deletion`: whether ignoreStoreReadErrorWithClusterBreakingPotential means anything.
api::Result<registry::DeleteOptions> ParseDeleteParameters(const api::Query& query, bool unsafe_deletion);
// DeleteOptions of a decoded body.
api::Result<registry::DeleteOptions> ReadDeleteOptions(const value::Value& body, bool unsafe_deletion);

// What of the object a Table row carries.
enum class IncludeObject { kNone, kMetadata, kObject };
api::Result<IncludeObject> ParseIncludeObject(const api::Query& query);

// Booleans in queries: anything but "0" and "false" is true.
bool ParseQueryBool(std::string_view text);

// strconv.ParseInt with its error text.
api::Result<int64_t> ParseQueryInt(std::string_view text);

// Who is recorded as the writer: the given manager, else the User-Agent up to its first '/', printable characters only.
std::string FieldManagerOrUserAgent(std::string_view manager, std::string_view user_agent);

}  // namespace handlers
