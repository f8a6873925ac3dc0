// Names near to one that was misspelled or half remembered, for who lists several to choose from (Nearest finds the one
// that is meant).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rx {

/// Those of `names` that `name` may mean, `most` of them at the most: first what Nearest takes for a misspelling, the
/// nearest first; then, in their order, those that begin as it does, or have the words between the dots and underscores
/// of its last part, or of whose own last part it has the words. Of words capitals and small letters are the same.
std::vector<std::string> nearNames(std::string_view name, const std::vector<std::string>& names, size_t most);

}  // namespace rx
