// Managed fields: who owns which fields of an object (metadata.managedFields), kept up to date by every write. The
// registry calls TrackUpdate for creates, updates and patches; the apply handler calls Apply (apply.h), which works on
// the same Managers.
//
// Entries are parsed only when a write changes something they may own; untouched ones go back as the text they came in.
// Pure; any thread; everything lives in the arena of the request.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "apply/compare.h"
#include "base/result.h"

namespace apply {

// One entry of managedFields. Identity: name, operation, subresource, and for updates the apiVersion.
struct Manager {
  std::string_view name;
  bool applied = false;  // operation Apply, else Update
  std::string_view api_version;
  std::string_view subresource;
  std::string_view time;           // RFC 3339, whole seconds; "" none
  Value fields_json;               // as it came, where EncodeFieldsV1 writes it so; or null
  const FieldSet* came = nullptr;  // what fields_json says: it is written again where `fields` became another set
  const FieldSet* fields = nullptr;
  bool parsed = false;

  bool SameIdentity(const Manager& other) const;
};

class Managers {
 public:
  // The entries of an object's metadata.managedFields; kInvalid when one of them cannot be understood.
  static base::Result<Managers> Decode(Arena& arena, const Value& managed_fields);
  // As metadata.managedFields: applies first, then by time, name, version, subresource. Null when there are none.
  Value Encode(Arena& arena);

  bool empty() const { return list_.empty(); }
  std::vector<Manager>& list() { return list_; }
  Manager* Find(const Manager& identity);
  // The manager's fields; parses them at the first call. An entry whose fields cannot be read is empty.
  const FieldSet* Fields(Arena& arena, Manager& manager);
  static void SetFields(Manager& manager, const FieldSet* fields);
  void DropEmpty();

 private:
  std::vector<Manager> list_;
};

// An object of one version of its type in another one, for entries that were made in that version. nullopt: the version
// is gone, and so is the entry.
struct VersionedObject {
  const schema::Type* type;
  Value object;
};
using ConvertTo =
    absl::FunctionRef<std::optional<VersionedObject>(const Value& object, std::string_view from, std::string_view to)>;

// Who writes, and how.
struct Writer {
  std::string_view manager;      // "" is unknown
  std::string_view api_version;  // of the request
  std::string_view subresource;
  std::string_view now;                    // RFC 3339, whole seconds
  const FieldSet* reset_fields = nullptr;  // what this endpoint resets: nobody owns these through it
};

// The tree without metadata.managedFields, which are no fields of themselves. Shares the rest.
Value WithoutManagedFields(Arena& arena, const Value& object);

// True for managedFields by which a client asks for a reset: an empty list, or one entry that says nothing.
bool IsReset(const Value& managed_fields);

// Tracks a write that is no apply: gives the managedFields of `updated` (to be set in its metadata; null: none). `live`
// is the object before (an empty object of the type on create), both canonical, of writer.api_version. What the client
// sent in updated.metadata.managedFields counts where it may: it is looked at before it is replaced. Never fails: where
// ownership cannot be told (a list item without its key), it is cleared.
Value TrackUpdate(Arena& arena, const schema::Type& type, const Value& live, const Value& updated, const Writer& writer,
                  bool creating, ConvertTo convert);

// The shared step of updates and applies: takes from every manager but `self` what changed between `live` and
// `updated`. `conflicts`, where given, receives what would be taken of each (index into managers.list()) and nothing is
// changed.
struct Conflict {
  size_t manager;
  const FieldSet* fields;
};
base::Result<Comparison> TakeChanged(Arena& arena, const schema::Type& type, const Value& live, const Value& updated,
                                     Reading reading, Managers& managers, const Manager& self, const Writer& writer,
                                     ConvertTo convert, std::vector<Conflict>* conflicts);

// `set` without the metadata that nobody owns (name, uid, resourceVersion...).
const FieldSet* StripMetadata(Arena& arena, const FieldSet* set);

// At most ten update entries: the oldest are merged into one named ancient-changes for each version.
void CapUpdateManagers(Arena& arena, Managers& managers);

}  // namespace apply
