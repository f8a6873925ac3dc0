// The fixed-width font of IR, registers and numbers: the desktop's, or the one of the settings.
#pragma once

#include <QFont>

namespace rx::views {

/// The fixed-width font at the size of `base`.
QFont fixedFont(const QFont& base);
/// Takes another family from now on, for the whole application; an empty name goes back to the desktop's.
void setFixedFamily(const QString& family);

}  // namespace rx::views
