// FlowSchemas: which flow schema and priority level a request belongs to. One immutable state of both kinds, built from
// the stored objects and shared by all threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"
#include "base/string_map.h"
#include "value/value.h"

namespace pipeline {

class LevelState;

// A priority level as it is configured.
struct PriorityLevel {
  std::string name, uid;
  bool exempt = false;  // never queued or refused
  // Of one that is limited: whether requests that have no seat wait in queues, or are refused.
  bool queues_requests = false;
  int queues = 0, hand_size = 1, queue_length = 1;
  // Its share of the server's seats, of which how many percent others may borrow, and how many percent of it it may
  // borrow itself (none: as many as there are).
  int64_t shares = 0, lendable_percent = 0;
  std::optional<int64_t> borrowing_percent;
  std::shared_ptr<LevelState> state;  // what runs and waits in it; set by PriorityLevels before schemas are published
};

class FlowSchemas {
 public:
  class Builder;

  struct Flow {
    std::string_view schema, schema_uid;
    const PriorityLevel* level = nullptr;
    std::string_view distinguisher;  // what tells the schema's flows apart: the user, the namespace, or ""
  };
  // The schema of the lowest precedence number that matches. No level: none does (there are no schemas). Views point
  // into this and into the arguments.
  Flow Classify(const api::User& user, const api::RequestInfo& info) const;
  // By name. Changed only before they are published.
  base::StringMap<std::unique_ptr<PriorityLevel>>& levels() { return levels_; }

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
    enum class Flows : uint8_t { kOne, kByUser, kByNamespace } flows = Flows::kOne;
    std::vector<Rule> rules;
    const PriorityLevel* level = nullptr;
  };
  static Rule ParseRule(const value::Value& rule);

  std::vector<Schema> schemas_;  // by precedence, then name
  base::StringMap<std::unique_ptr<PriorityLevel>> levels_;
};

class FlowSchemas::Builder {
 public:
  void AddFlowSchema(const value::Value& schema);
  void AddPriorityLevel(const value::Value& level);
  // Schemas that name no level that exists are left out.
  std::shared_ptr<FlowSchemas> Build() &&;

 private:
  std::shared_ptr<FlowSchemas> built_ = std::make_shared<FlowSchemas>();
};

}  // namespace pipeline
