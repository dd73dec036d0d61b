// The rule log: which rules a run broke and which it kept, for the table of tools/rule_coverage.py. It is there in the
// `coverage` preset alone (FAIRLEAD_RULE_LOG); in every other build its calls are empty and cost nothing.
//
// The process writes what it noted when it exits, to the file that the environment variable FAIRLEAD_RULE_LOG names
// (%p is the process's number), a line each, addresses relative to the program's image:
//   error ADDRESS COUNT            errors that the call at ADDRESS led to
//   row ADDRESS KEPT BROKEN        how often the row of a table that lies at ADDRESS was kept and broken
// Threads: any; one lock.
#pragma once

#include <cstdint>
#include <vector>

namespace registry {

#ifdef FAIRLEAD_RULE_LOG

inline constexpr bool kRulesAreLogged = true;

// A field error is put into a list: notes every call on the stack that led here.
void NoteError();
// The row of a table that lies at `row` was held against an object that it concerns.
void NoteRow(const void* row, bool broken);

// What was noted since the last call, each thing once, as numbers that differ for different things: for programs that
// look for objects with new effects.
std::vector<uint64_t> TakeNotes();

#else

inline constexpr bool kRulesAreLogged = false;
inline void NoteError() {}
inline void NoteRow(const void*, bool) {}

#endif

}  // namespace registry
