// Where things are kept between runs that can be made anew.
#pragma once

#include <string>
#include <string_view>

namespace rx {

/// $XDG_CACHE_HOME/relaxscope/NAME of this user, else ~/.cache/relaxscope/NAME; empty where neither variable is set.
/// The folder may not be there.
std::string cacheFolder(std::string_view name);

}  // namespace rx
