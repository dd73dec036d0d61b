#include "handlers/views.h"

#include <utility>

#include "absl/time/time.h"
#include "base/text.h"
#include "handlers/go_names.h"
#include "handlers/options.h"
#include "handlers/respond.h"
#include "handlers/stored_object.h"
#include "handlers/table.h"
#include "value/json_reader.h"

namespace handlers {

namespace {

const schema::Type* MetaType(std::string_view kind) {
  return schema::FindType(base::Cat("io.k8s.apimachinery.pkg.apis.meta.v1.", kind));
}

std::string JoinJson(const std::vector<base::Slice>& slices) {
  std::string json;
  for (const base::Slice& slice : slices) json += slice.data;
  return json;
}

StoredObject Stored(const Scope& scope, const Output& output, ServedFormsRef forms = nullptr) {
  return StoredObject(scope.resource, output.encoding, scope.subresource != nullptr, std::move(forms));
}

// `json` is the served object, `bytes` its stored form; "" where it has none.
api::Result<exchange::Response> RespondTable(const Scope& scope, const Output& output, int status,
                                             std::string_view json, std::string_view bytes,
                                             const registry::Printer* printer) {
  auto include = ParseIncludeObject(scope.query());
  if (!include) return std::unexpected(std::move(include.error()));
  const StoredObject stored = Stored(scope, output);
  value::Arena arena(json.size() * 8 + 1024);
  auto object = value::ReadJson(json, arena);
  if (!object) return api::Fail(api::Internal(std::move(object.error().message)));
  std::string now = NowText(scope.services.clock);
  Table table(stored, output.view_version(), *include, now, printer);
  std::string text;
  table.AppendStart(ListMetaJson(object->Get("metadata").GetString("resourceVersion")), true, text);
  text += '[';
  if (bytes.empty()) {
    table.AppendRow(*object, json, arena, text);
  } else {
    table.AppendStoredRow(bytes, json, arena, text);
  }
  text += "]}";
  return Respond(status, output, MakeDocument(std::move(text), nullptr, output.view_version(), "Table"));
}

// `json` holds slices of the served object, `bytes` is its stored form; "" where it has none.
api::Result<exchange::Response> RespondView(const Scope& scope, const Output& output, int status,
                                            std::vector<base::Slice> json, std::string_view bytes,
                                            const registry::Printer* printer = nullptr) {
  const registry::Resource& resource = scope.resource;
  switch (output.view) {
    case View::kObject:
      return Respond(status, output,
                     {.json = std::move(json),
                      .type = resource.type,
                      .api_version = resource.group_version(),
                      .kind = resource.kind});
    case View::kTable:
      return RespondTable(scope, output, status, JoinJson(json), bytes, printer);
    case View::kPartialObject: {
      const std::string metadata = bytes.empty() ? std::string(FindJsonMember(JoinJson(json), "metadata"))
                                                 : Stored(scope, output).Metadata(bytes);
      return Respond(status, output,
                     MakeDocument(base::Cat("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"",
                                            output.view_version(), "\",\"metadata\":", metadata, "}"),
                                  MetaType("PartialObjectMetadata"), output.view_version(), "PartialObjectMetadata"));
    }
    case View::kPartialObjectList:
    case View::kGroupDiscovery:
      break;
  }
  // What a subresource shows in place of the object.
  const bool other = scope.subresource != nullptr && !scope.subresource->returns_resource;
  return api::Fail(other ? NoObjectView(scope.subresource->group, scope.subresource->kind)
                         : NoObjectView(resource.group, resource.kind));
}

}  // namespace

api::Error NoObjectView(std::string_view group, std::string_view kind) {
  return api::NotAcceptable(
      base::Cat("you requested PartialObjectMetadataList, but the requested object is not a list (*",
                InternalGoName(group, kind), ")"));
}

api::Error NoListView(const registry::Resource& resource) {
  return api::NotAcceptable(base::Cat("you requested PartialObjectMetadata, but the requested object is a list (*",
                                      InternalGoName(resource.group, resource.list_kind), ")"));
}

std::string NowText(const base::Clock& clock) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(clock.Now()), absl::UTCTimeZone());
}

api::Result<exchange::Response> RespondStored(const Scope& scope, const Output& output, int status,
                                              const store::CellRef& cell, ServedFormsRef forms) {
  const StoredObject stored = Stored(scope, output, forms);
  // What is converted is all that is looked at.
  if (forms != nullptr) return RespondView(scope, output, status, stored.Json(cell), "");
  return RespondView(scope, output, status, stored.Json(cell), stored.Text(*cell));
}

api::Result<exchange::Response> RespondWritten(const Scope& scope, const Output& output, int status,
                                               const registry::WriteResult& written, ServedFormsRef forms) {
  if (written.served) return RespondView(scope, output, status, {written.bytes}, "");
  const StoredObject stored = Stored(scope, output, forms);
  if (forms != nullptr) return RespondView(scope, output, status, stored.Json(written.cell), "");
  const base::Slice text = stored.Text(written.bytes, written.needs_reencoding);
  return RespondView(scope, output, status, stored.Json(text), text.data);
}

api::Result<exchange::Response> RespondJson(const Scope& scope, const Output& output, int status, std::string json,
                                            const schema::Type* type, std::string_view api_version,
                                            std::string_view kind, const registry::Printer* printer) {
  if (output.view == View::kObject) {
    return Respond(status, output, MakeDocument(std::move(json), type, api_version, kind));
  }
  return RespondView(scope, output, status, {base::Slice::Own(std::move(json))}, "", printer);
}

}  // namespace handlers
