// api::Error: an answer that is no success, as the API says it: status code, reason, message, details with causes.
// Everything from `schema` up returns these; handlers turn one into a Status object in the negotiated media type.
#pragma once

#include <cstdint>
#include <expected>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace api {

struct Cause {
  std::string reason;  // FieldValueInvalid, ...
  std::string message;
  std::string field;  // "spec.containers[0].name"
};

struct StatusDetails {
  std::string name, group, kind, uid;
  std::vector<Cause> causes;
  int32_t retry_after_seconds = 0;
};

struct Error {
  int code = 500;      // HTTP status
  std::string reason;  // metav1.StatusReason; "" is left out
  std::string message;
  bool has_details = false;  // `details: {}` and no details are different answers
  StatusDetails details;
  // Non-empty: the answer is this text with this content type in place of a Status object (text/plain 404 of unknown
  // paths).
  std::string plain_text_type;
  // ListMeta.continue of an expired list's 410.
  std::string continue_token;
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(Error error) { return std::unexpected(std::move(error)); }

// The group and the plural of what an error speaks about.
struct GroupResource {
  std::string_view group, resource;
  std::string text() const;  // "deployments.apps", "pods"
};
struct GroupKind {
  std::string_view group, kind;
  std::string text() const;  // "Deployment.apps", "Pod"
};

// One constructor for each reason, with the real server's text.
Error NotFound(GroupResource resource, std::string_view name);
Error AlreadyExists(GroupResource resource, std::string_view name);
Error GenerateNameConflict(GroupResource resource, std::string_view name, int retry_after_seconds);
Error Conflict(GroupResource resource, std::string_view name, std::string_view why);
Error ApplyConflict(std::string message, std::vector<Cause> causes);
Error Invalid(GroupKind kind, std::string_view name, std::vector<Cause> causes);  // causes in order; joins their texts
Error BadRequest(std::string message);
Error Unauthorized();
Error Forbidden(std::string message, GroupResource resource, std::string_view name);
Error MethodNotSupported(GroupResource resource, std::string_view action);
Error NotAcceptable(std::string message);
Error UnsupportedMediaType(std::string message);
Error RequestEntityTooLarge(std::string message);
Error ResourceExpired(std::string message);                                                        // 410 Expired
Error Gone(std::string message);                                                                   // 410 Gone
Error Timeout(std::string message, int retry_after_seconds);                                       // 504
Error ServerTimeout(GroupResource resource, std::string_view operation, int retry_after_seconds);  // 500
Error TooManyRequests(std::string message, int retry_after_seconds);
Error ServiceUnavailable(std::string message);
Error Internal(std::string message);           // 500, reason InternalError, with a cause
Error Generic(int code, std::string message);  // a bare status with no reason
// What the server says of a path, verb or version nobody serves ("the server could not find the requested resource").
Error UnknownResource(std::string_view verb, GroupResource resource, std::string_view name);
Error PlainText(int code, std::string message);  // text/plain; adds a line feed
Error PlainNotFound();                           // text/plain "404 page not found"

// Aggregates, as field.ErrorList does: texts of one field error.
struct FieldError {
  enum class Type {
    kNotFound,
    kRequired,
    kDuplicate,
    kInvalid,
    kNotSupported,
    kForbidden,
    kTooLong,
    kTooMany,
    kInternal,
    kTypeInvalid
  };
  Type type = Type::kInvalid;
  std::string field;  // dotted path with indexes; the root is "<nil>"
  std::string value;  // as printed; nothing of it is where the type says all (required, forbidden, too long, internal)
  std::string detail;
  bool omits_value = false;     // the text goes on with the detail: the value is a whole structure
  std::string Message() const;  // without the field: `Invalid value: "x": detail`
  Cause ToCause() const;
};

// Field errors in the order in which they were found, up to where their texts come to kMostBytes: each of many may
// quote what is long, and the answer says all of it twice. Those after are dropped, as is the end of a text that goes
// past it. What costs more than its own text to find asks full() first.
class FieldErrors {
 public:
  using value_type = FieldError;
  static constexpr size_t kMostBytes = 1 << 20;

  FieldErrors() = default;
  FieldErrors(std::initializer_list<FieldError> errors) { Append(std::vector<FieldError>(errors)); }

  void push_back(FieldError error);
  void pop_back();
  void Append(FieldErrors more);
  void Append(std::vector<FieldError> more);

  std::vector<FieldError> Take() && { return std::move(list_); }

  bool full() const { return bytes_ >= kMostBytes; }
  size_t bytes() const { return bytes_; }
  size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  const FieldError& operator[](size_t index) const { return list_[index]; }
  const FieldError& back() const { return list_.back(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<FieldError> list_;
  size_t bytes_ = 0;  // of texts, and some for each error
};
Error Invalid(GroupKind kind, std::string_view name, const FieldErrors& errors);

// All of `errors` in one line, "field: text" each; different texts once, in brackets if there are several. "" for none.
std::string JoinTexts(const FieldErrors& errors);

}  // namespace api
