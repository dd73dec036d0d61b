// WatchFrame: events in their wire forms: JSON lines, protobuf frames, CBOR items; objects whole, as rows or as
// metadata. One a watch; used on its connection's thread. Forms that cost more than copying are made once an event and
// shared by all watchers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "base/clock.h"
#include "base/slice.h"
#include "handlers/negotiation.h"
#include "handlers/options.h"
#include "handlers/stored_object.h"
#include "store/store.h"

namespace handlers {

// "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR".
class WatchFrame {
 public:
  struct Form {
    Output output;
    IncludeObject include = IncludeObject::kMetadata;
  };
  // `clock` and the resource outlive it.
  WatchFrame(const registry::Resource& resource, Form form, const base::Clock& clock)
      : stored_(std::make_unique<StoredObject>(resource, form.output.encoding)), form_(form), clock_(clock) {}

  // Of the cells that are appended from now on, where the resource's converter has to be waited for.
  void SetForms(ServedFormsRef forms) {
    stored_ = std::make_unique<StoredObject>(stored_->resource(), form_.output.encoding, false, std::move(forms));
  }

  // The list view that has no single objects: every event ends the stream.
  bool is_unencodable() const { return form_.output.view == View::kPartialObjectList; }

  // Appends `type` of the object in `cell`. `event` (may be null) is the change that has the cell as its state: its
  // cache is used.
  void Append(std::string_view type, const store::Cell& cell, const store::Event* event, std::string& out);
  void AppendBookmark(store::Revision revision, bool ends_initial_events, std::string& out);
  void AppendError(const api::Error& error, std::string& out);

 private:
  // Appends a frame around an object in the watch's encoding.
  void Frame(std::string_view type, std::string_view object, std::string& out) const;
  std::string ObjectText(const store::Cell& cell, bool with_columns) const;
  std::string Encoded(std::string_view json) const;
  std::string TableText(const store::Cell& cell, bool with_columns) const;
  std::string BookmarkText(store::Revision revision, bool ends_initial_events) const;
  std::string Blueprint() const;
  store::EncodingId Id(std::string_view type, bool with_columns) const;

  std::unique_ptr<StoredObject> stored_;
  Form form_;
  const base::Clock& clock_;
  bool columns_given_ = false;
};

}  // namespace handlers
