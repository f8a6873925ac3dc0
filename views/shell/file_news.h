// What the window says of a file that changes while it is open.
#pragma once

#include "views/shell/cards/toast.h"
#include "views/shell/desk.h"

namespace rx::views {

/// Whether a changed file is read again at once: it is a module, nothing runs that was made of it, and no fix that is
/// not written to it would be lost.
bool readsByItself(const Desk& desk);
/// What has become of the file, and the way on; nothing to say where it is again what was read.
ToastContent fileNews(const Desk& desk);
/// The same for the title: "changed on disk"; empty while the file is what was read.
QString fileMark(const Desk& desk);

}  // namespace rx::views
