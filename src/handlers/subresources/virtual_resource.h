// What is posted to an endpoint that keeps nothing of it: a binding, an eviction, a review. Read as a create's body is,
// on the request's thread.
#pragma once

#include "api/error.h"
#include "exchange/exchange.h"
#include "handlers/body.h"
#include "handlers/negotiation.h"
#include "handlers/options.h"
#include "handlers/scope.h"
#include "value/value.h"

namespace handlers {

struct VirtualResource {
  Output output;
  WriteParameters parameters;
  value::Value object;  // canonical; in the arena and the request's body
};

struct VirtualResourceRules {
  // Fills in what the type's defaults say; null: it has none.
  void (*set_defaults)(const value::Value& object, value::Arena& arena) = nullptr;
  bool keeps_system_fields = false;  // the uid and times that are sent mean something
};

// The body as a CREATE of it begins: its fields are its writer's, and admission may change it. Errors in the order in
// which the real server finds them.
base::Task<api::Result<VirtualResource>> ReadVirtualResource(const Scope& scope, const BodyKind& wanted,
                                                             value::Arena& arena, VirtualResourceRules rules = {});

// Whether it is admitted, once it has been found to be sound.
base::Task<api::Result<>> AdmitVirtualResource(const Scope& scope, const VirtualResource& posted, value::Arena& arena);

// Whether the connection that the request asks for is admitted.
base::Task<api::Result<>> AdmitConnect(const Scope& scope, value::Arena& arena);

// The Status that says that it was done.
exchange::Response RespondDone(const Output& output);

}  // namespace handlers
