// AuditPolicy: which requests are audited and how much of each, as `kind: Policy` of audit.k8s.io/v1 says it
// (--audit-policy-file). Parsed once at start, then immutable and shared by all threads.
//
// Errors: texts of kube-apiserver. What strict decoding minds (unknown and duplicate fields) is a warning there and
// here. Cost: a request is held against the rules in order until one matches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/audit_record.h"
#include "api/request.h"
#include "base/result.h"

namespace pipeline {

// In the order of a request's life. A set of them is a mask of 1 << stage.
enum class AuditStageName : uint8_t { kRequestReceived, kResponseStarted, kResponseComplete, kPanic };
std::string_view TextOf(AuditStageName stage);
std::string_view TextOf(api::AuditLevel level);

class AuditPolicy {
 public:
  static constexpr size_t kMostBytes = 4 << 20;

  // What is to be done with one request.
  struct Choice {
    api::AuditLevel level = api::AuditLevel::kNone;
    uint8_t omitted_stages = 0;
    bool omit_managed_fields = false;

    bool Omits(AuditStageName stage) const { return (omitted_stages >> static_cast<int>(stage) & 1) != 0; }
  };

  // `warnings`: what was found and does not matter enough.
  static base::Result<AuditPolicy> Parse(std::string_view yaml, std::vector<std::string>& warnings);
  // The file's; the error begins "loading audit policy file: ".
  static base::Result<AuditPolicy> Load(const std::string& path, std::vector<std::string>& warnings);

  // `user` null: nobody is known, which no rule about users matches.
  Choice Choose(const api::User* user, const api::RequestInfo& info) const;

 private:
  struct GroupResources {
    std::string group;
    std::vector<std::string> resources, names;
  };
  struct Rule {
    api::AuditLevel level = api::AuditLevel::kNone;
    std::vector<std::string> users, groups, verbs, namespaces, urls;
    std::vector<GroupResources> resources;
    uint8_t omitted_stages = 0;
    std::optional<bool> omit_managed_fields;

    bool Matches(const api::User* user, const api::RequestInfo& info) const;
    bool MatchesResource(const api::RequestInfo& info) const;
  };
  class Reader;

  std::vector<Rule> rules_;
  uint8_t omitted_stages_ = 0;
  bool omit_managed_fields_ = false;
};

}  // namespace pipeline
