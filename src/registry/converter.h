// Converter: between the stored form of a resource's objects and what one of its versions serves. Resources whose
// versions differ in apiVersion only have none: their stored bytes are served as they are.
//
// A conversion may fail, and may wait for another server: it is done for a whole batch before an answer's body starts.
// Converters of built-in kinds do neither (is_immediate): they are called on the spot, once an object. May hold state;
// immutable once its resource is published, any thread.
#pragma once

#include <span>

#include "api/error.h"
#include "api/request.h"
#include "base/executor.h"
#include "base/task.h"
#include "value/value.h"

namespace registry {

using value::Arena;
using value::Value;

class Converter {
 public:
  virtual ~Converter() = default;

  enum class To : uint8_t { kServed, kStored };
  // For whom, and where the task goes on.
  struct Request {
    api::RequestContext& context;
    base::Executor& executor;
  };

  // Whether Now() may be called.
  virtual bool is_immediate() const = 0;
  // The object in its other form: a tree of its own or sharing with `object`, which stays as it is; in `arena`.
  virtual Value Now(To to, Arena& arena, const Value& object) const = 0;
  // Puts the other form of each object in its place: all of them, or an error and none. An object is a canonical tree
  // with the kind and the apiVersion that it has, which of stored ones may be an earlier storage version's.
  virtual base::Task<api::Result<>> Convert(To to, Request request, std::span<Value> objects, Arena& arena) const = 0;
};

// One that neither waits nor fails.
class ImmediateConverter : public Converter {
 public:
  bool is_immediate() const final { return true; }
  base::Task<api::Result<>> Convert(To to, Request /*request*/, std::span<Value> objects, Arena& arena) const final {
    for (Value& object : objects) object = Now(to, arena, object);
    co_return api::Result<>();
  }
};

// One that has to be waited for.
class WaitingConverter : public Converter {
 public:
  bool is_immediate() const final { return false; }
  Value Now(To /*to*/, Arena& /*arena*/, const Value& /*object*/) const final { return {}; }
};

}  // namespace registry
