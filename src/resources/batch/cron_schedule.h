// Schedules of cron jobs: five fields ("*/5 * * * mon-fri"), or a name for one ("@daily", "@every 1h30m"), after a time
// zone ("TZ=Europe/Oslo ..."). Only whether one can be read is asked: the server runs no jobs. Pure; any thread; linear
// in the text.
#pragma once

#include <string>
#include <string_view>

namespace resources::batch {

// What is wrong with the schedule, as the real server says it; "" of a good one.
std::string CheckCronSchedule(std::string_view schedule);

}  // namespace resources::batch
