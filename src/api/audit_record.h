// AuditRecord: what one audited request leaves for the audit log beside the facts of RequestContext. Made by the audit
// stage of the pipeline (pipeline/audit/audit_stage.h) where the log wants the request; stages, handlers and admission
// plugins add to it through RequestContext::audit, which is null for all others.
//
// Threads: the request's; it is handed to the log whole. Bounds: an annotation's value is what its writer bounds it to
// (as in the real server), bodies are those of the request and of its answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/request.h"

namespace api {

// How much of a request is wanted, as in audit.k8s.io/v1. Ordered.
enum class AuditLevel : uint8_t { kNone, kMetadata, kRequest, kRequestResponse };

struct AuditRecord {
  AuditLevel level = AuditLevel::kMetadata;
  bool omit_managed_fields = false;
  std::vector<std::pair<std::string, std::string>> annotations;  // distinct keys, in the order of their coming
  std::optional<User> impersonated;

  // Of the body that was decoded: completes what the path says of the object.
  std::string object_namespace, object_name, object_uid, object_version;
  std::string request_object;     // JSON, with kind and apiVersion; from level Request on
  bool request_is_patch = false;  // request_object is the bytes of a patch
  std::string response_object;    // JSON; where the answer that went out has another form
};

// Adds an annotation to the event of this request; does nothing where it is not audited. A key that is there keeps its
// value.
void AddAuditAnnotation(RequestContext& context, std::string_view key, std::string_view value);

}  // namespace api
