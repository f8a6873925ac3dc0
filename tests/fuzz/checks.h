// What must hold for any input whatever, asked by the fuzz targets, by the replay of their findings and by the tests
// that cut and flip files. Each function gives an empty text when all is well, else what went wrong.
#pragma once

#include <string>
#include <string_view>

namespace rx::fuzz {

/// Text to units; those that are read are checked and printed in every dialect. Every diagnostic must have a rule, a
/// message and a place inside the text, every refused unit an error.
std::string checkText(std::string_view text);

/// What parses must print to a text that reads to an equal module, and printing that again must change nothing; but for
/// what speaks of variables outside of their scope.
std::string checkRoundTrip(std::string_view text);

/// JSON of a module: what is read must be written to a text that reads to an equal module.
std::string checkJson(std::string_view text);

/// The JSON of a metadata block, or a tensor blob.
std::string checkMetadata(std::string_view text);

using Check = std::string (*)(std::string_view);

/// The checks by the name of their fuzz target and of their folder in findings/.
struct NamedCheck {
  std::string_view name;
  Check check;
};
inline constexpr NamedCheck kChecks[] = {
    {"text", checkText}, {"round_trip", checkRoundTrip}, {"json", checkJson}, {"metadata", checkMetadata}};

}  // namespace rx::fuzz
