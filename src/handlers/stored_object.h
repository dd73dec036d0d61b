// StoredObject: how the cells of one resource look to readers: served JSON, its parts, protobuf, the decoded tree. The
// common read, JSON of the stored version, costs nothing: the cell's own bytes are the answer. Made per request (or
// watch) on the stack, cheap; refers to the Resource. Views returned hold as long as the cell.
//
// Stored bytes begin `{"kind":"K","apiVersion":"GV"`: what differs between versions of a resource, and between an
// object and a list item, is that prefix alone, unless the resource has a conversion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "base/slice.h"
#include "handlers/negotiation.h"
#include "handlers/served_forms.h"
#include "registry/resource.h"
#include "store/store.h"
#include "value/value.h"

namespace handlers {

class StoredObject {
 public:
  // `encoding` is what the JSON will become: for protobuf and CBOR, which can show bytes that are no UTF-8, these stay
  // escaped in it (value::WriteJson), for others they are replaced; for protobuf, which shows empty strings of bytes,
  // these stay as well. `of_subresource`: with what only subresources show (registry::Strategy::HiddenMember).
  // `forms`: of all cells that it is asked about, where the resource's converter has to be waited for.
  explicit StoredObject(const registry::Resource& resource, Encoding encoding = Encoding::kJson,
                        bool of_subresource = false, ServedFormsRef forms = nullptr);

  const registry::Resource& resource() const { return resource_; }
  // `{"kind":"K","apiVersion":"GV"` as served.
  const std::string& served_prefix() const { return served_prefix_; }

  // Everything after the prefix: `,"metadata":{...},...}`.
  std::string_view Tail(const store::Cell& cell) const;
  // As an item of a list, without kind and apiVersion: Tail without its comma, after an opening brace that the caller
  // writes.
  std::string_view ItemTail(const store::Cell& cell) const { return Tail(cell).substr(1); }
  // Appends the served JSON to `out`.
  void AppendJson(const store::Cell& cell, std::string& out) const;
  // The served JSON in slices that keep the cell.
  std::vector<base::Slice> Json(const store::CellRef& cell) const;
  // The same for a stored form that is no cell (a dry run's result), of Text().
  std::vector<base::Slice> Json(const base::Slice& stored) const;

  // The stored form as clients may see it in `encoding`: the stored bytes themselves, unless they are marked, as
  // `escaped` says (store::Body::needs_reencoding). What else is said of stored text here is meant of this.
  std::string_view Text(const store::Cell& cell) const;
  base::Slice Text(base::Slice stored, bool escaped) const;

  // `{...}` of metadata, as views that are made of metadata alone show it: as the stored version says it, without what
  // the real server's own form of the kind keeps in fields.
  std::string_view Metadata(const store::Cell& cell) const;
  // The same of a stored form that is no cell, of Text().
  std::string Metadata(std::string_view stored) const;

  // The protobuf message (no envelope), made once a cell. Only where resource.type has a wire form.
  std::string_view Message(const store::Cell& cell) const;

  // The same in its envelope: a whole protobuf document.
  std::string Envelope(const store::Cell& cell) const;

  // Tells served versions of one collection apart, in the ids of cached forms.
  uint32_t version_hash() const { return version_hash_; }

  // The canonical tree of the served version.
  value::Value Decode(std::string_view stored, value::Arena& arena) const;
  value::Value Decode(const store::Cell& cell, value::Arena& arena) const;
  value::Value Decode(const registry::WriteResult& written, value::Arena& arena) const;
  // The canonical tree that the cells of a row are made of: the stored version's where that is of the same group, since
  // it may say more than the one that is served.
  value::Value DecodeForRow(std::string_view stored, value::Arena& arena) const;
  value::Value DecodeForRow(const store::Cell& cell, value::Arena& arena) const;

 private:
  bool keeps_bytes() const { return encoding_ == Encoding::kProtobuf || encoding_ == Encoding::kCbor; }
  bool IsServedAsStored() const { return resource_.converter == nullptr; }
  std::string Convert(std::string_view stored) const;
  value::Value DecodeServed(std::string_view json, value::Arena& arena) const;
  std::string AsSeen(std::string_view marked) const;
  value::Value DecodeAsStored(std::string_view stored, value::Arena& arena) const;
  std::string_view StoredMetadata(std::string_view stored) const;
  std::string WithoutHiddenAnnotation(std::string_view metadata) const;
  std::string_view TailOf(std::string_view stored) const;
  // Of a form of `cell`.
  store::EncodingId Id(uint32_t form, const store::Cell& cell) const;

  const registry::Resource& resource_;
  Encoding encoding_;
  bool of_subresource_;
  const ServedFormsRef forms_;
  std::string served_prefix_;
  bool same_prefix_ = false;
  size_t stored_prefix_size_ = 0;
  std::string_view hidden_annotation_;  // "" none
  uint32_t version_hash_ = 0;
};

// The text of member `key` of the JSON object `json` (valid JSON, as the store keeps it), or "". Does not look into
// other members.
std::string_view FindJsonMember(std::string_view json, std::string_view key);

}  // namespace handlers
