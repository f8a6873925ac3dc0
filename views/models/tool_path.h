// Where the command line program is.
#pragma once

#include <QString>

namespace rx::views {

/// Path of `rxs`: RELAXSCOPE_RXS, else beside this program or in ../bin, else from PATH; empty when there is none.
QString toolPath();

}  // namespace rx::views
