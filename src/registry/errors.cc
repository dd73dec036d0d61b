#include "registry/errors.h"

#include "base/text.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace registry {

using base::Cat;

api::Error FromStore(const base::Error& error, api::GroupResource resource, std::string_view name,
                     std::string_view operation) {
  switch (error.code) {
    case base::Code::kNotFound:
      return api::NotFound(resource, name);
    case base::Code::kConflict:
      return operation == "create" ? api::AlreadyExists(resource, name) : StaleVersion(resource, name);
    case base::Code::kCompacted:
      return ExpiredList();
    case base::Code::kFuture:
      return FutureRevision();
    case base::Code::kExhausted:
      return api::TooManyRequests("the store takes no more writes now, please try again later", 1);
    case base::Code::kUnavailable:
    case base::Code::kIo:
      return api::ServerTimeout(resource, operation, 2);
    case base::Code::kTimeout:
      return api::Timeout("request did not complete within requested timeout", 0);
    case base::Code::kCancelled:
      return api::ServiceUnavailable("the server is stopping");
    case base::Code::kInvalid:
    case base::Code::kCorrupt:
    case base::Code::kInternal:
      return api::Internal(error.message);
  }
  return api::Internal(error.message);
}

api::Error StaleVersion(api::GroupResource resource, std::string_view name) {
  return api::Conflict(resource, name,
                       "the object has been modified; please apply your changes to the latest version and try again");
}

api::Error FailedPrecondition(api::GroupResource resource, std::string_view name, std::string_view key,
                              std::string_view field, std::string_view wanted, std::string_view found) {
  return api::Conflict(resource, name,
                       Cat("StorageError: invalid object, Code: 4, Key: ", key,
                           ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ", field,
                           " in precondition: ", wanted, ", ", field, " in object meta: ", found));
}

api::Error OtherThanMeant(api::GroupResource kind, std::string_view name, std::string_view field,
                          std::string_view wanted, std::string_view found, std::string_view maybe) {
  return api::Conflict(kind, name,
                       Cat("the ", field, " in the precondition (", wanted, ") does not match the ", field,
                           " in record (", found, "). The object might have been ", maybe));
}

api::Error TooLargeVersion(uint64_t wanted, store::Revision current, int retry_after_seconds) {
  api::Error error =
      api::Timeout(Cat("Too large resource version: ", wanted, ", current: ", current.value()), retry_after_seconds);
  error.details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return error;
}

api::Error FutureRevision() { return api::Generic(500, "etcdserver: mvcc: required revision is a future revision"); }

api::Error ExpiredList() { return api::ResourceExpired("The resourceVersion for the provided list is too old."); }

api::Error ExpiredContinue(std::string continue_token) {
  api::Error error = api::ResourceExpired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list "
      "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
      "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
      "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
  error.continue_token = std::move(continue_token);
  return error;
}

namespace {

// The most objects that a list names.
constexpr size_t kMostCauses = 100;

std::string WhyUnreadable(const store::Cell& cell) {
  value::Arena arena;
  const base::Result<value::Value> document = value::ReadJson(cell.bytes(), arena);
  return document ? "the stored document is no object" : document.error().message;
}

std::string Undecodable(const store::Cell& cell) {
  return Cat("object not decodable revision=", cell.modified().value(), ": ", WhyUnreadable(cell));
}

std::string CorruptText(std::string_view key, const store::Cell& cell) {
  return Cat("StorageError: corrupt object, Code: 7, Key: /", key,
             ", ResourceVersion: 0, AdditionalErrorMsg: ", Undecodable(cell));
}

}  // namespace

api::Error CorruptObject(std::string_view key, const store::Cell& cell) {
  return api::Internal(CorruptText(key, cell));
}

api::Error CorruptObjectInUpdate(const store::Cell& cell) { return api::Generic(500, Undecodable(cell)); }

api::Error CorruptObjectsInList(api::GroupResource resource, std::string_view collection,
                                std::span<const store::CellRef> cells) {
  api::Error error{
      .code = 500,
      .reason = "StorageReadError",
      .message = Cat("failed to read one or more ", resource.text(), " from the storage"),
      .has_details = true,
      .details = {.name = "list", .group = std::string(resource.group), .kind = std::string(resource.resource)},
      .plain_text_type = {},
      .continue_token = {}};
  for (size_t i = 0; i < cells.size() && i < kMostCauses; ++i) {
    const std::string key = Cat("registry/", collection, "/", cells[i]->key());
    error.details.causes.push_back({"UnexpectedServerResponse", CorruptText(key, *cells[i]), Cat("/", key)});
  }
  if (cells.size() > kMostCauses) {
    error.details.causes.push_back({"FieldValueTooMany", "too many errors, the list is truncated", ""});
  }
  return error;
}

api::Error UndecodableObject(const store::Cell& cell) { return api::Generic(500, WhyUnreadable(cell)); }

api::Error NotCorrupt(api::GroupResource resource, std::string_view name) {
  // It names the resource in place of the kind.
  return api::Invalid(
      {resource.group, resource.resource}, name,
      api::FieldErrors{{api::FieldError::Type::kInvalid, "ignoreStoreReadErrorWithClusterBreakingPotential", "true",
                        "is exclusively used to delete corrupt object(s), try again by removing this "
                        "option"}});
}

api::Error RequestTooLarge() { return api::Generic(500, "etcdserver: request is too large"); }

api::Error MessageTooLarge(size_t size) {
  return api::Generic(500, Cat("rpc error: code = ResourceExhausted desc = trying to send message larger than max (",
                               size, " vs. 2097152)"));
}

}  // namespace registry
