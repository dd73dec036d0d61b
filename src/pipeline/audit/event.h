// AuditEvent: one line of the audit log: audit.k8s.io/v1 Event, as kube-apiserver writes it. Filled by the audit
// stages, written by AuditLog. Plain data; belongs to one request.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/audit_record.h"
#include "exchange/exchange.h"
#include "pipeline/audit/policy.h"

namespace pipeline {

struct AuditEvent {
  using Time = std::chrono::system_clock::time_point;

  api::AuditLevel level = api::AuditLevel::kNone;
  AuditStageName stage = AuditStageName::kRequestReceived;
  std::string audit_id, request_uri, user_agent;
  api::User user;
  std::vector<std::string> source_ips;
  api::RequestInfo info;
  Time received, reached;

  int code = 0;               // of the answer; 0: there is none yet
  std::string status_object;  // members of an answer that is a Status, as JSON: `"status":"Failure","message":...`
  // Of answers whose status is not told by the answer itself.
  std::string status_message;

  std::string request_object, response_object;  // compact JSON; "" none
  std::shared_ptr<const api::AuditRecord> record;
  bool truncated = false;  // annotated as such, and without objects
};

// What the request itself says: everything but stage, times, answer and record.
AuditEvent EventOf(const exchange::Exchange& exchange, const api::User* user, api::AuditLevel level);

// The event as JSON with a line feed.
void AppendEventJson(const AuditEvent& event, std::string& out);
// The event in one line of text (--audit-log-format=legacy), with a line feed.
void AppendEventLegacy(const AuditEvent& event, std::string& out);

// Members of a Status that an event repeats, of the JSON of a Status; "" if it is none.
std::string StatusMembers(std::string_view json);
// `json` (an object, a list or a Table) without the managedFields of its objects, compact.
std::string WithoutManagedFields(std::string_view json);

}  // namespace pipeline
