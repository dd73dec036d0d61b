// FlowSchemas: which flow schema and priority level a request belongs to. One immutable state of both kinds, built from
// the stored objects and shared by all threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "base/string_map.h"
#include "value/value.h"

namespace pipeline {

struct PriorityLevel {
  std::string name, uid;
  bool exempt = false;  // never queued or refused
};

class FlowSchemas {
 public:
  class Builder;

  struct Flow {
    std::string_view schema_uid;
    const PriorityLevel* level = nullptr;
  };
  // The schema of the lowest precedence number that matches. No level: none does (there are no schemas).
  Flow Classify(const api::User& user, const api::RequestInfo& info) const;

 private:
  struct Subject {
    std::string kind, name, namespace_name;
    bool Matches(const api::User& user) const;
  };
  struct ResourceRule {
    std::vector<std::string> verbs, groups, resources, namespaces;
    bool cluster_scope = false;
    bool Matches(const api::RequestInfo& info) const;
  };
  struct UrlRule {
    std::vector<std::string> verbs, urls;
    bool Matches(const api::RequestInfo& info) const;
  };
  struct Rule {
    std::vector<Subject> subjects;
    std::vector<ResourceRule> resource_rules;
    std::vector<UrlRule> url_rules;
    bool Matches(const api::User& user, const api::RequestInfo& info) const;
  };
  struct Schema {
    std::string name, uid, level_name;
    int64_t precedence = 0;
    std::vector<Rule> rules;
    const PriorityLevel* level = nullptr;
  };
  static Rule ParseRule(const value::Value& rule);

  std::vector<Schema> schemas_;  // by precedence, then name
  base::StringMap<std::unique_ptr<const PriorityLevel>> levels_;
};

class FlowSchemas::Builder {
 public:
  void AddFlowSchema(const value::Value& schema);
  void AddPriorityLevel(const value::Value& level);
  // Schemas that name no level that exists are left out.
  std::shared_ptr<const FlowSchemas> Build() &&;

 private:
  std::shared_ptr<FlowSchemas> built_ = std::make_shared<FlowSchemas>();
};

}  // namespace pipeline
