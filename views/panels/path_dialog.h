// A file or folder that a panel asks for, while all else goes on.
#pragma once

#include <QFileDialog>
#include <functional>

namespace rx::views {

/// Asks for an existing one, from `folder` on; `filter` is as QFileDialog has it, empty for all. `chosen` is called
/// with the path, unless who asks is gone by then or nothing is chosen.
void askForPath(QWidget* parent, const QString& title, const QString& folder, QFileDialog::FileMode mode,
                const QString& filter, std::function<void(const QString& path)> chosen);

}  // namespace rx::views
