// Apply: server-side apply of a configuration to a live object. Called by the patch handler inside an update. Pure; any thread.
#pragma once

#include "api/error.h"
#include "apply/managed_fields.h"

namespace apply {

struct Applied {
  Value object;          // live with the configuration merged in, what the applier gave up pruned, managedFields in place: a document to decode
  bool changed = false;  // anything but managedFields differs from live
};

struct ApplyOptions {
  bool force = false;
  std::string_view kind;  // "apps/v1, Kind=Deployment": as errors name it
};

// `live` (canonical; an empty object when it is to be created) and `config` (the document as sent) are of `type` and writer.api_version.
// Errors: 500 with the real server's text for a configuration that does not fit the schema and for a live object with list items that nothing identifies,
// 400 where the configuration carries managedFields, 409 with causes for conflicts. Entries of managedFields that Go cannot read come back in the object:
// it does not decode.
api::Result<Applied> Apply(Arena& arena, const schema::Type& type, const Value& live, const Value& config, const Writer& writer,
                           const ApplyOptions& options, ConvertTo convert);

}  // namespace apply
