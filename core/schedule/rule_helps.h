// What the rules that made a kernel are for.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rx::schedule {

/// Name and help, as their table has them, of the rules for processors that these texts (rulesThatMade) say.
std::vector<std::pair<std::string, std::string>> ruleHelps(std::span<const std::string> made);

}  // namespace rx::schedule
