// What must hold for any input whatever, asked by the fuzz targets, by the replay of their findings and by the tests
// that cut and flip files. Each function gives an empty text when all is well, else what went wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace rx::fuzz {

/// Empty when each has a rule, a message and a place in one of the texts (or none).
std::string checkDiagnostics(const std::vector<Diagnostic>& diagnostics, const SourceList& sources);

/// Text to units; those that are read are checked and printed in every dialect. Every diagnostic must have a rule, a
/// message and a place inside the text, every refused unit an error.
std::string checkText(std::string_view text);

/// What parses must print to a text that reads to an equal module, and printing that again must change nothing; but for
/// what speaks of variables outside of their scope.
std::string checkRoundTrip(std::string_view text);

/// The same of the text of Relay: what is read is checked, printed, and reads to an equal module.
std::string checkRelay(std::string_view text);

/// JSON of a module: what is read must be written to a text that reads to an equal module.
std::string checkJson(std::string_view text);

/// The JSON of a metadata block, or a tensor blob.
std::string checkMetadata(std::string_view text);

/// An executable of the virtual machine: what is read is written to the same program again, and runs within its budgets
/// to a result or a fault that has a rule.
std::string checkExecutable(std::string_view bytes);

/// Weights and inputs, in any of the formats of arrays: what is read lies within the file.
std::string checkArrays(std::string_view bytes);

/// A recording of a run: whatever is read of it can be looked at, at every step, and not all of it has to be there.
std::string checkTrace(std::string_view bytes);

/// A client of the debug engine. JSON texts, one a line, are requests of a session, which each get an answer at the
/// most and end within seconds; anything else is the stream of bytes below them.
std::string checkDap(std::string_view text);

/// The bytes choose a well-typed module, passes and arguments (random_module.h). Each pass leaves a well-formed module;
/// before and after them the interpreter and the compiled program give the same.
std::string checkPasses(std::string_view bytes);

/// The text of a module, a zero byte, and damage to the bytes that its stages travel to the engine as. Damaged ones are
/// refused, or are stages that can be written, checked and compiled with their kernels, or refused then.
std::string checkIrBytes(std::string_view input);

/// The bytes choose a kernel and primitives of schedules with what they take. Whatever is not refused computes the
/// same, and its trace, read and applied again, makes the same kernel.
std::string checkSchedule(std::string_view bytes);

using Check = std::string (*)(std::string_view);

/// The checks by the name of their fuzz target and of their folder in findings/.
struct NamedCheck {
  std::string_view name;
  Check check;
};
inline constexpr NamedCheck kChecks[] = {
    {"text", checkText},     {"round_trip", checkRoundTrip}, {"relay", checkRelay},
    {"json", checkJson},     {"metadata", checkMetadata},    {"executable", checkExecutable},
    {"arrays", checkArrays}, {"trace", checkTrace},          {"dap", checkDap},
    {"passes", checkPasses}, {"ir_bytes", checkIrBytes},     {"schedule", checkSchedule}};

}  // namespace rx::fuzz
