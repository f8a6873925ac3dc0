// What the rules that made a kernel are for.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rx::schedule {

/// Of the rules whose names stand in these texts, of the host and of devices: name and help, as their tables have them.
std::vector<std::pair<std::string, std::string>> ruleHelps(const std::vector<std::string>& made);

}  // namespace rx::schedule
