// ListBody: a list answer written while the connection takes it: the snapshot is walked chunk by chunk, objects go out
// as the bytes they are stored in. Memory is one chunk, whatever the list's length. Made by List and DeleteCollection;
// used on the connection's thread, owns its ListView
// and keeps the resource. Slices given out keep what they point into.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"
#include "exchange/exchange.h"
#include "handlers/negotiation.h"
#include "handlers/options.h"
#include "handlers/stored_object.h"
#include "registry/registry.h"

namespace handlers {

struct ListForm {
  Output output;
  IncludeObject include = IncludeObject::kMetadata;  // of tables
  std::string now;                                   // of tables: what ages are counted from
  ServedFormsRef forms;                              // of all objects, where they have to be waited for
};

// The list as JSON (any view), ending with a line feed.
std::unique_ptr<exchange::BodySource> JsonListBody(registry::ResourceRef resource, registry::ListView view,
                                                   ListForm form);
// The list as a protobuf envelope: objects or PartialObjectMetadata. Walks the list once before, to know its length.
std::unique_ptr<exchange::BodySource> ProtobufListBody(registry::ResourceRef resource, registry::ListView view,
                                                       ListForm form);

// Everything that `body`, which never waits, gives.
std::vector<base::Slice> Drain(exchange::BodySource& body, size_t max_bytes, bool* ended);

}  // namespace handlers
