#include "handlers/list_body.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "handlers/protobuf.h"
#include "handlers/table.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/wire.h"
#include "value/json_reader.h"

namespace handlers {

namespace {

// Objects up to this size are copied into the chunk: cheaper than a slice of their own.
constexpr size_t kCopyBelow = 4096;

// A chunk in the making: text is gathered, large pieces stay where they are.
class Chunk {
 public:
  explicit Chunk(std::vector<base::Slice>& out) : out_(out) {}
  std::string& text() { return text_; }
  size_t size() const { return given_ + text_.size(); }
  void Append(std::string_view piece, const std::shared_ptr<const void>& owner) {
    if (piece.size() < kCopyBelow) {
      text_ += piece;
      return;
    }
    Flush();
    given_ += piece.size();
    out_.push_back({piece, owner});
  }
  void Flush() {
    if (text_.empty()) return;
    given_ += text_.size();
    out_.push_back(base::Slice::Own(std::exchange(text_, {})));
  }

 private:
  std::vector<base::Slice>& out_;
  std::string text_;
  size_t given_ = 0;
};

// What slices of a list point into.
struct Held {
  Held(registry::ResourceRef the_resource, registry::ListView list, const ListForm& form)
      : resource(std::move(the_resource)),
        view(std::move(list)),
        stored(*resource, form.output.encoding, false, form.forms) {}
  const registry::ResourceRef resource;
  registry::ListView view;
  StoredObject stored;
};

std::string MetaOf(const registry::ListView& view) {
  return ListMetaJson(base::Cat(view.revision().value()), view.continue_token(), view.remaining_item_count());
}

// A body that needs nobody: it always has more or is at its end.
class WalkingBody : public exchange::BodySource {
 public:
  WalkingBody(registry::ResourceRef resource, registry::ListView view, ListForm form)
      : held_(std::make_shared<Held>(std::move(resource), std::move(view), form)), form_(std::move(form)) {}

  void SetWaker(absl::AnyInvocable<void()>) override {}

  State Pull(size_t max_bytes, std::vector<base::Slice>& out) final {
    Chunk chunk(out);
    if (!std::exchange(started_, true)) Start(chunk);
    chunk.text().reserve(std::min<size_t>(max_bytes + kCopyBelow, 64 * 1024));
    while (chunk.size() < max_bytes) {
      const store::Cell* cell = held_->view.Next();
      if (cell == nullptr) {
        End(chunk);
        chunk.Flush();
        return State::kEnd;
      }
      Item(*cell, chunk);
      first_ = false;
    }
    chunk.Flush();
    return State::kMore;
  }

 protected:
  virtual void Start(Chunk& chunk) = 0;
  virtual void Item(const store::Cell& cell, Chunk& chunk) = 0;
  virtual void End(Chunk& chunk) = 0;

  registry::ListView& view() { return held_->view; }
  const StoredObject& stored() const { return held_->stored; }
  const std::shared_ptr<Held>& held() const { return held_; }
  bool first() const { return first_; }
  const ListForm& form() const { return form_; }

 private:
  std::shared_ptr<Held> held_;
  ListForm form_;
  bool started_ = false;
  bool first_ = true;
};

class ObjectsBody final : public WalkingBody {
 public:
  using WalkingBody::WalkingBody;

 private:
  void Start(Chunk& chunk) override {
    const registry::Resource& resource = stored().resource();
    std::string metadata = MetaOf(view());
    // Lists of custom resources always say it.
    if (resource.custom && view().continue_token().empty()) metadata.insert(1, "\"continue\":\"\",");
    base::Append(chunk.text(), "{\"kind\":\"", resource.list_kind, "\",\"apiVersion\":\"", resource.group_version(),
                 "\",\"metadata\":", metadata, ",\"items\":[");
  }
  void Item(const store::Cell& cell, Chunk& chunk) override {
    chunk.text() += first() ? "{" : ",{";
    if (const registry::Resource& resource = stored().resource(); resource.custom) {
      base::Append(chunk.text(), "\"apiVersion\":\"", resource.group_version(), "\",\"kind\":\"", resource.kind, "\",");
    }
    chunk.Append(stored().ItemTail(cell), held());
  }
  void End(Chunk& chunk) override { chunk.text() += "]}\n"; }
};

class PartialObjectsBody final : public WalkingBody {
 public:
  using WalkingBody::WalkingBody;

 private:
  void Start(Chunk& chunk) override {
    base::Append(chunk.text(), "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"",
                 form().output.view_version(), "\",\"metadata\":", MetaOf(view()), ",\"items\":");
  }
  void Item(const store::Cell& cell, Chunk& chunk) override {
    base::Append(chunk.text(), first() ? "[" : ",", "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"",
                 form().output.view_version(), "\",\"metadata\":");
    chunk.Append(stored().Metadata(cell), held());
    chunk.text() += '}';
  }
  void End(Chunk& chunk) override { chunk.text() += first() ? "null}\n" : "]}\n"; }
};

class TableBody final : public WalkingBody {
 public:
  TableBody(registry::ResourceRef resource, registry::ListView list, ListForm list_form)
      : WalkingBody(std::move(resource), std::move(list), std::move(list_form)),
        table_(stored(), form().output.view_version(), form().include, form().now) {}

 private:
  void Start(Chunk& chunk) override {
    if (table_.is_ranked()) Rank();
    table_.AppendStart(MetaOf(view()), true, chunk.text());
  }
  void Item(const store::Cell& next, Chunk& chunk) override {
    const store::Cell& cell = table_.is_ranked() ? *ranked_[given_++].second : next;
    chunk.text() += first() ? '[' : ',';
    value::Arena arena(cell.bytes().size() * 4);
    table_.AppendRow(cell, arena, chunk.text());
  }
  // Lists come by name.
  void Rank() {
    while (const store::Cell* cell = view().Next()) {
      value::Arena arena(cell->bytes().size() * 4);
      ranked_.emplace_back(table_.RankOf(*cell, arena), cell);
    }
    view().Rewind();
    std::ranges::stable_sort(ranked_, {}, [](const auto& row) { return row.first; });
  }
  void End(Chunk& chunk) override {
    chunk.text() += first() ? table_.NoRows() : "]";
    chunk.text() += "}\n";
  }

  Table table_;
  std::vector<std::pair<int64_t, const store::Cell*>> ranked_;  // cells of the view
  size_t given_ = 0;                                            // rows of `ranked_` that are written
};

// Every list's message: metadata is field 1, items is field 2. Only in v1beta1 PartialObjectMetadataList has them the
// other way round.
class ProtobufBody final : public WalkingBody {
 public:
  using WalkingBody::WalkingBody;

 private:
  bool is_partial() const { return form().output.view == View::kPartialObjectList; }
  bool ends_with_meta() const { return is_partial() && form().output.view_version() == "meta.k8s.io/v1beta1"; }

  // One item's message; `scratch` holds it where it is not kept with the cell.
  std::string_view Message(const store::Cell& cell, std::string& scratch) {
    if (!is_partial()) return stored().Message(cell);
    static const schema::Type* const type =
        schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata");
    scratch.clear();
    (void)schema::JsonToWire(*type, base::Cat("{\"metadata\":", stored().Metadata(cell), "}"),
                             scratch);  // stored: good JSON
    return scratch;
  }

  void Start(Chunk& chunk) override {
    static const schema::Type* const list_meta = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta");
    value::Arena arena;
    std::string meta_json = MetaOf(view()), scratch;
    if (auto tree = value::ReadJson(meta_json, arena)) {
      if (auto object = schema::Decode(*list_meta, *tree, arena, nullptr))
        schema::EncodeWire(*list_meta, *object, meta_);
    }
    uint64_t size = protobuf::FieldSize(meta_.size());
    while (const store::Cell* cell = view().Next()) size += protobuf::FieldSize(Message(*cell, scratch).size());
    view().Rewind();

    const registry::Resource& resource = stored().resource();
    std::string version = is_partial() ? std::string(form().output.view_version()) : resource.group_version();
    std::string_view kind = is_partial() ? "PartialObjectMetadataList" : std::string_view(resource.list_kind);
    protobuf::AppendEnvelopeStart(version, kind, size, chunk.text());
    if (!ends_with_meta()) protobuf::AppendField(protobuf::kFirst, meta_, chunk.text());
  }

  void Item(const store::Cell& cell, Chunk& chunk) override {
    std::string scratch;
    std::string_view message = Message(cell, scratch);
    chunk.text() += ends_with_meta() ? protobuf::kFirst : protobuf::kSecond;
    protobuf::AppendVarint(message.size(), chunk.text());
    if (is_partial()) {
      chunk.text() += message;
    } else {
      chunk.Append(message, held());
    }
  }

  void End(Chunk& chunk) override {
    if (ends_with_meta()) protobuf::AppendField(protobuf::kSecond, meta_, chunk.text());
    protobuf::AppendEnvelopeEnd(chunk.text());
  }

  std::string meta_;
};

}  // namespace

std::unique_ptr<exchange::BodySource> JsonListBody(registry::ResourceRef resource, registry::ListView view,
                                                   ListForm form) {
  switch (form.output.view) {
    case View::kTable:
      return std::make_unique<TableBody>(std::move(resource), std::move(view), std::move(form));
    case View::kPartialObjectList:
      return std::make_unique<PartialObjectsBody>(std::move(resource), std::move(view), std::move(form));
    default:
      return std::make_unique<ObjectsBody>(std::move(resource), std::move(view), std::move(form));
  }
}

std::unique_ptr<exchange::BodySource> ProtobufListBody(registry::ResourceRef resource, registry::ListView view,
                                                       ListForm form) {
  return std::make_unique<ProtobufBody>(std::move(resource), std::move(view), std::move(form));
}

std::vector<base::Slice> Drain(exchange::BodySource& body, size_t max_bytes, bool* ended) {
  std::vector<base::Slice> slices;
  *ended = body.Pull(max_bytes, slices) == exchange::BodySource::State::kEnd;
  return slices;
}

}  // namespace handlers
