// Names near to one that was mistyped.
#pragma once

#include <QStringList>

namespace rx::views {

/// Those of the names that differ from the typed one by at most two letters, or begin with it; nearest first.
QStringList nearNames(const QString& typed, const QStringList& names);

}  // namespace rx::views
