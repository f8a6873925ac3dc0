// What a dialog shows, as text: for scripts, which can then say what a user would read there.
#pragma once

#include <QString>

class QWidget;

namespace rx::views {

/// The words of its labels and buttons, what stands in its fields, and its tables with a row a line, cells separated by
/// tabs; in the order in which they were made. What is hidden is left out.
QString dialogText(const QWidget& dialog);

}  // namespace rx::views
