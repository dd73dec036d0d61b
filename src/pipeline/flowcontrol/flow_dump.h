// The tables of /debug/api_priority_and_fairness/dump_*, as the real server prints them. Pure.
#pragma once

#include <string>
#include <vector>

#include "pipeline/flowcontrol/priority_levels.h"

namespace pipeline {

std::string DumpPriorityLevels(const std::vector<PriorityLevels::Level>& levels);
std::string DumpQueues(const std::vector<PriorityLevels::Level>& levels);
// `with_details`: who asks, and for what.
std::string DumpRequests(const std::vector<PriorityLevels::Level>& levels, bool with_details);

}  // namespace pipeline
