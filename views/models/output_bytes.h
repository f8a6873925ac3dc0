// Files that the window writes: as all programs here write theirs (core/support/output_file.h), so that links are
// followed, a mode stays, devices and FIFOs are written into, and nobody sees a part.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

namespace rx::views {

/// The answer is empty, or why the bytes are not there. On the window's own thread nobody waits for a FIFO: one that
/// nobody reads is refused, and into one whose reader is slow it is written on behind the answer.
QString writeOutput(const QString& path, const QByteArray& bytes);
/// The same with all that a file holds.
QString copyOutput(QFile& from, const QString& path);

}  // namespace rx::views
