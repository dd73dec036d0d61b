#include "registry/errors.h"

#include "base/text.h"

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
                       Cat("StorageError: invalid object, Code: 4, Key: /registry/", key,
                           ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ", field,
                           " in precondition: ", wanted, ", ", field, " in object meta: ", found));
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

api::Error RequestTooLarge() { return api::Generic(500, "etcdserver: request is too large"); }

api::Error MessageTooLarge(size_t size) {
  return api::Generic(500, Cat("rpc error: code = ResourceExhausted desc = trying to send message larger than max (",
                               size, " vs. 2097152)"));
}

}  // namespace registry
