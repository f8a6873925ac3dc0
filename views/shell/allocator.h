// How memory is kept by the programs that show a window.
#pragma once

#include <QString>

namespace rx::views {

/// The settings of the allocator, for reports of faults. Where they are linked they hold: what is free goes back to the
/// system within a second or so, and not only while something else is allocated.
QString allocatorSettings();

}  // namespace rx::views
