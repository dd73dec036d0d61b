#include "handlers/watch_frame.h"

#include <utility>

#include "api/status.h"
#include "base/text.h"
#include "handlers/documents.h"
#include "handlers/protobuf.h"
#include "handlers/respond.h"
#include "handlers/table.h"
#include "handlers/views.h"
#include "schema/encode.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

using value::Value;

const schema::Type* MetaType(std::string_view kind) {
  return schema::FindType(base::Cat("io.k8s.apimachinery.pkg.apis.meta.v1.", kind));
}

// A map of two members within its own tag; `object` is a whole item, tag and all.
void AppendCborFrame(std::string_view type, std::string_view object, std::string& out) {
  out += "\xd9\xd9\xf7\xa2\x44type";
  out += static_cast<char>(0x40 + type.size());  // types are shorter than 24 bytes
  out += type;
  out += "\x46object";
  out += object;
}

void AppendJsonFrame(std::string_view type, std::string_view object, std::string& out) {
  base::Append(out, "{\"type\":\"", type, "\",\"object\":", object, "}\n");
}

}  // namespace

void WatchFrame::Frame(std::string_view type, std::string_view object, std::string& out) const {
  switch (form_.output.encoding) {
    case Encoding::kProtobuf:
      protobuf::AppendWatchFrame(type, object, out);
      break;
    case Encoding::kCbor:
      AppendCborFrame(type, object, out);
      break;
    default:
      AppendJsonFrame(type, object, out);
  }
}

store::EncodingId WatchFrame::Id(std::string_view type, bool with_columns) const {
  // What tells the forms of one event apart: version, encoding, view, its version, columns, included object, event
  // type.
  uint32_t bits = static_cast<uint32_t>(form_.output.encoding) | static_cast<uint32_t>(form_.output.view) << 2 |
                  uint32_t{form_.output.beta_view} << 4 | uint32_t{with_columns} << 5 |
                  static_cast<uint32_t>(form_.include) << 6 | uint32_t{static_cast<uint8_t>(type[0])} << 8;
  return store::EncodingId{bits ^ (stored_->version_hash() << 16)};
}

std::string WatchFrame::TableText(const store::Cell& cell, bool with_columns) const {
  std::string now = NowText(clock_), text;
  Table table(*stored_, form_.output.view_version(), form_.include, now);
  table.AppendStart(ListMetaJson(base::Cat(cell.modified().value())), with_columns, text);
  value::Arena arena(cell.bytes().size() * 4);
  text += '[';
  table.AppendRow(cell, arena, text);
  text += "]}";
  return text;
}

std::string WatchFrame::ObjectText(const store::Cell& cell, bool with_columns) const {
  const Output& output = form_.output;
  std::string json;
  switch (output.view) {
    case View::kTable:
      json = TableText(cell, with_columns);
      break;
    case View::kObject:
      if (output.encoding == Encoding::kProtobuf) return stored_->Envelope(cell);
      stored_->AppendJson(cell, json);
      break;
    default:
      json = base::Cat("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"", output.view_version(),
                       "\",\"metadata\":", stored_->Metadata(cell), "}");
  }
  return Encoded(json);
}

std::string WatchFrame::Encoded(std::string_view json) const {
  if (form_.output.encoding == Encoding::kJson) return std::string(json);
  const registry::Resource& resource = stored_->resource();
  bool is_partial = form_.output.view == View::kPartialObject;
  Document document{.json = {base::Slice::Static(json)},
                    .type = is_partial ? MetaType("PartialObjectMetadata") : resource.type,
                    .api_version = is_partial ? std::string(form_.output.view_version()) : resource.group_version(),
                    .kind = is_partial ? "PartialObjectMetadata" : std::string_view(resource.kind)};
  auto bytes = Encode({.encoding = form_.output.encoding}, document);
  return bytes ? std::move(*bytes) : std::string();
}

void WatchFrame::Append(std::string_view type, const store::Cell& cell, const store::Event* event, std::string& out) {
  bool is_plain = form_.output.encoding == Encoding::kJson && form_.output.view == View::kObject;
  if (is_plain) {
    base::Append(out, "{\"type\":\"", type, "\",\"object\":", stored_->served_prefix(), stored_->Tail(cell), "}\n");
    return;
  }
  bool with_columns = form_.output.view == View::kTable && !std::exchange(columns_given_, true);
  auto make = [&] {
    std::string frame;
    Frame(type, ObjectText(cell, with_columns), frame);
    return frame;
  };
  if (event == nullptr) {
    out += make();
  } else {
    out += event->Encoding(Id(type, with_columns), make);
  }
}

// The empty list of the watch's kind, encoded: what a client builds its list of.
std::string WatchFrame::Blueprint() const {
  const registry::Resource& resource = stored_->resource();
  bool is_partial = form_.output.view == View::kPartialObject;
  std::string version = is_partial ? std::string(form_.output.view_version()) : resource.group_version();
  std::string_view kind = is_partial ? "PartialObjectMetadataList" : std::string_view(resource.list_kind);
  std::string json =
      base::Cat("{\"kind\":\"", kind, "\",\"apiVersion\":\"", version, "\",\"metadata\":{},\"items\":null}");
  Document document{.json = {base::Slice::Own(std::move(json))},
                    .type = is_partial ? MetaType("PartialObjectMetadataList") : resource.list_type,
                    .api_version = version,
                    .kind = kind};
  auto bytes = Encode({.encoding = form_.output.encoding}, document);
  std::string text;
  if (bytes) value::AppendBase64(text, *bytes);
  return text;
}

std::string WatchFrame::BookmarkText(store::Revision revision, bool ends_initial_events) const {
  value::Arena arena;
  const registry::Resource& resource = stored_->resource();
  bool is_partial = form_.output.view == View::kPartialObject;
  Value metadata = Value::Object(arena, 2);
  metadata.Add(arena, "resourceVersion", Value::Copy(arena, base::Cat(revision.value())));
  if (ends_initial_events) {
    Value annotations = Value::Object(arena, 2);
    annotations.Add(arena, "k8s.io/initial-events-end", Value::String("true"));
    annotations.Add(arena, "kubernetes.io/initial-events-list-blueprint", Value::Copy(arena, Blueprint()));
    metadata.Add(arena, "annotations", annotations);
  }
  Value object = Value::Object(arena, 3);
  object.Add(arena, "kind", is_partial ? Value::String("PartialObjectMetadata") : Value::String(resource.kind));
  object.Add(arena, "apiVersion",
             Value::Copy(arena, is_partial ? form_.output.view_version() : resource.group_version()));
  object.Add(arena, "metadata", metadata);
  // What is scaled has a number of replicas, in the real server's own form even where nothing is set.
  if (!is_partial && resource.type != nullptr && resource.FindSubresource("scale") != nullptr) {
    Value spec = Value::Object(arena, 1);
    spec.Add(arena, "replicas", Value::Int(0));
    object.Add(arena, "spec", spec);
  }
  const schema::Type* type = is_partial ? MetaType("PartialObjectMetadata") : resource.type;
  std::string json;
  if (type != nullptr) {
    schema::EncodeJson(*type, object, json);
  } else {
    value::WriteJson(object, json);
  }
  if (form_.output.view != View::kTable) return json;

  std::string now = NowText(clock_), text;
  Table table(*stored_, form_.output.view_version(), form_.include, now);
  table.AppendStart(ListMetaJson(base::Cat(revision.value())), !columns_given_, text);
  text += '[';
  table.AppendRow(object, json, arena, text);
  return text += "]}";
}

void WatchFrame::AppendBookmark(store::Revision revision, bool ends_initial_events, std::string& out) {
  Frame("BOOKMARK", Encoded(BookmarkText(revision, ends_initial_events)), out);
  columns_given_ = true;
}

void WatchFrame::AppendError(const api::Error& error, std::string& out) {
  Document document = MakeDocument(api::StatusJson(error), MetaType("Status"), "v1", "Status");
  if (form_.output.encoding == Encoding::kJson) return Frame("ERROR", document.json[0].data, out);
  if (auto bytes = Encode({.encoding = form_.output.encoding}, document)) Frame("ERROR", *bytes, out);
}

}  // namespace handlers
