#include "api/error.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "api/quote.h"
#include "base/text.h"

namespace api {
namespace {

Error WithReason(int code, std::string_view reason, std::string message) {
  Error error;
  error.code = code;
  error.reason = reason;
  error.message = std::move(message);
  return error;
}

Error About(int code, std::string_view reason, std::string message, GroupResource resource, std::string_view name) {
  Error error = WithReason(code, reason, std::move(message));
  error.has_details = true;
  error.details.name = name;
  error.details.group = resource.group;
  error.details.kind = resource.resource;
  return error;
}

std::string WithGroup(std::string_view word, std::string_view group) {
  return group.empty() ? std::string(word) : base::Cat(word, ".", group);
}

// The texts of several errors as one: each different text once, in brackets if there is more than one.
std::string Join(const std::vector<std::string>& texts) {
  absl::flat_hash_set<std::string_view> seen;
  std::string joined;
  for (const std::string& text : texts) {
    if (!seen.insert(text).second) continue;
    if (!joined.empty()) joined += ", ";
    joined += text;
  }
  return seen.size() > 1 ? base::Cat("[", joined, "]") : joined;
}

std::string_view TypeText(FieldError::Type type) {
  switch (type) {
    case FieldError::Type::kNotFound:
      return "Not found";
    case FieldError::Type::kRequired:
      return "Required value";
    case FieldError::Type::kDuplicate:
      return "Duplicate value";
    case FieldError::Type::kInvalid:
      return "Invalid value";
    case FieldError::Type::kNotSupported:
      return "Unsupported value";
    case FieldError::Type::kForbidden:
      return "Forbidden";
    case FieldError::Type::kTooLong:
      return "Too long";
    case FieldError::Type::kTooMany:
      return "Too many";
    case FieldError::Type::kInternal:
      return "Internal error";
    case FieldError::Type::kTypeInvalid:
      return "Invalid value";
  }
  return "Invalid value";
}

std::string_view TypeReason(FieldError::Type type) {
  switch (type) {
    case FieldError::Type::kNotFound:
      return "FieldValueNotFound";
    case FieldError::Type::kRequired:
      return "FieldValueRequired";
    case FieldError::Type::kDuplicate:
      return "FieldValueDuplicate";
    case FieldError::Type::kInvalid:
      return "FieldValueInvalid";
    case FieldError::Type::kNotSupported:
      return "FieldValueNotSupported";
    case FieldError::Type::kForbidden:
      return "FieldValueForbidden";
    case FieldError::Type::kTooLong:
      return "FieldValueTooLong";
    case FieldError::Type::kTooMany:
      return "FieldValueTooMany";
    case FieldError::Type::kInternal:
      return "InternalError";
    case FieldError::Type::kTypeInvalid:
      return "FieldValueTypeInvalid";
  }
  return "FieldValueInvalid";
}

bool PrintsValue(FieldError::Type type) {
  return type != FieldError::Type::kRequired && type != FieldError::Type::kForbidden &&
         type != FieldError::Type::kTooLong && type != FieldError::Type::kInternal;
}

}  // namespace

std::string GroupResource::text() const { return WithGroup(resource, group); }
std::string GroupKind::text() const { return WithGroup(kind, group); }

Error NotFound(GroupResource resource, std::string_view name) {
  return About(404, "NotFound", base::Cat(resource.text(), " ", Quote(name), " not found"), resource, name);
}

Error AlreadyExists(GroupResource resource, std::string_view name) {
  return About(409, "AlreadyExists", base::Cat(resource.text(), " ", Quote(name), " already exists"), resource, name);
}

Error GenerateNameConflict(GroupResource resource, std::string_view name, int retry_after_seconds) {
  Error error = AlreadyExists(resource, name);
  error.message += ", the server was not able to generate a unique name for the object";
  error.details.retry_after_seconds = retry_after_seconds;
  return error;
}

Error Conflict(GroupResource resource, std::string_view name, std::string_view why) {
  return About(409, "Conflict",
               base::Cat("Operation cannot be fulfilled on ", resource.text(), " ", Quote(name), ": ", why), resource,
               name);
}

Error ApplyConflict(std::string message, std::vector<Cause> causes) {
  Error error = WithReason(409, "Conflict", std::move(message));
  error.has_details = true;
  error.details.causes = std::move(causes);
  return error;
}

Error Invalid(GroupKind kind, std::string_view name, std::vector<Cause> causes) {
  std::vector<std::string> texts;
  texts.reserve(causes.size());
  for (const Cause& cause : causes) {
    texts.push_back(base::Cat(cause.field, ": ", cause.message));
  }
  std::string message = base::Cat(kind.text(), " ", Quote(name), " is invalid");
  if (!texts.empty()) base::Append(message, ": ", Join(texts));
  Error error = About(422, "Invalid", std::move(message), {kind.group, kind.kind}, name);
  error.details.causes = std::move(causes);
  return error;
}

Error Invalid(GroupKind kind, std::string_view name, const FieldErrors& errors) {
  std::vector<Cause> causes;
  causes.reserve(errors.size());
  for (const FieldError& error : errors) causes.push_back(error.ToCause());
  return Invalid(kind, name, std::move(causes));
}

Error BadRequest(std::string message) { return WithReason(400, "BadRequest", std::move(message)); }

Error Unauthorized() { return WithReason(401, "Unauthorized", "Unauthorized"); }

Error Forbidden(std::string message, GroupResource resource, std::string_view name) {
  std::string text;
  if (resource.resource.empty() && resource.group.empty()) {
    text = base::Cat("forbidden: ", message);
  } else if (name.empty()) {
    text = base::Cat(resource.text(), " is forbidden: ", message);
  } else {
    text = base::Cat(resource.text(), " ", Quote(name), " is forbidden: ", message);
  }
  return About(403, "Forbidden", std::move(text), resource, name);
}

Error MethodNotSupported(GroupResource resource, std::string_view action) {
  return About(405, "MethodNotAllowed",
               base::Cat(action, " is not supported on resources of kind ", Quote(resource.text())), resource, "");
}

Error NotAcceptable(std::string message) { return WithReason(406, "NotAcceptable", std::move(message)); }

Error UnsupportedMediaType(std::string message) { return WithReason(415, "UnsupportedMediaType", std::move(message)); }

Error RequestEntityTooLarge(std::string message) {
  return WithReason(413, "RequestEntityTooLarge", base::Cat("Request entity too large: ", message));
}

Error ResourceExpired(std::string message) { return WithReason(410, "Expired", std::move(message)); }

Error Gone(std::string message) { return WithReason(410, "Gone", std::move(message)); }

Error Timeout(std::string message, int retry_after_seconds) {
  Error error = About(504, "Timeout", base::Cat("Timeout: ", message), {}, "");
  error.details.retry_after_seconds = retry_after_seconds;
  return error;
}

Error ServerTimeout(GroupResource resource, std::string_view operation, int retry_after_seconds) {
  Error error = About(500, "ServerTimeout",
                      base::Cat("The ", operation, " operation against ", resource.text(),
                                " could not be completed at this time, please try again."),
                      resource, operation);
  error.details.retry_after_seconds = retry_after_seconds;
  return error;
}

Error TooManyRequests(std::string message, int retry_after_seconds) {
  Error error = About(429, "TooManyRequests", std::move(message), {}, "");
  error.details.retry_after_seconds = retry_after_seconds;
  return error;
}

Error ServiceUnavailable(std::string message) { return WithReason(503, "ServiceUnavailable", std::move(message)); }

Error Internal(std::string message) {
  Error error = About(500, "InternalError", base::Cat("Internal error occurred: ", message), {}, "");
  error.details.causes.push_back({"", std::move(message), ""});
  return error;
}

Error Generic(int code, std::string message) { return WithReason(code, "", std::move(message)); }

Error UnknownResource(std::string_view verb, GroupResource resource, std::string_view name) {
  std::string message = "the server could not find the requested resource";
  if (!resource.resource.empty() || !resource.group.empty()) {
    base::Append(message, " (", base::ToLower(verb), " ", resource.text());
    if (!name.empty()) base::Append(message, " ", name);
    message += ")";
  }
  return About(404, "NotFound", std::move(message), resource, name);
}

Error PlainText(int code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message) + "\n";
  error.plain_text_type = "text/plain; charset=utf-8";
  return error;
}

Error PlainNotFound() { return PlainText(404, "404 page not found"); }

namespace {

// What an error takes beside its texts: errors may be many and short.
constexpr size_t kBytesOfError = 32;

size_t BytesOf(const FieldError& error) {
  return kBytesOfError + error.field.size() + error.value.size() + error.detail.size();
}

void Cut(std::string& text, size_t most) {
  if (text.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  text.resize(most);
  text.shrink_to_fit();
  text += "...";
}

}  // namespace

void FieldErrors::push_back(FieldError error) {
  if (full()) return;
  for (std::string* text : {&error.field, &error.value, &error.detail}) Cut(*text, kMostBytes);
  bytes_ += BytesOf(error);
  list_.push_back(std::move(error));
}

void FieldErrors::pop_back() {
  bytes_ -= BytesOf(list_.back());
  list_.pop_back();
}

void FieldErrors::Append(FieldErrors more) { Append(std::move(more.list_)); }

void FieldErrors::Append(std::vector<FieldError> more) {
  for (FieldError& error : more) push_back(std::move(error));
}

std::string FieldError::Message() const {
  std::string text(TypeText(type));
  if (PrintsValue(type) && !omits_value) base::Append(text, ": ", value);
  if (!detail.empty()) base::Append(text, ": ", detail);
  return text;
}

Cause FieldError::ToCause() const { return {std::string(TypeReason(type)), Message(), field}; }

std::string JoinTexts(const FieldErrors& errors) {
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const FieldError& error : errors) {
    texts.push_back(base::Cat(error.field, ": ", error.Message()));
  }
  return Join(texts);
}

}  // namespace api
