// A run of the window as the command line program takes it.
#pragma once

#include <QStringList>

#include "views/models/debug_rows.h"

namespace rx::views {

class Document;

/// What stands behind `rxs run` for a run of the open module.
QStringList toolArguments(Document& document, const RunConfig& config);

}  // namespace rx::views
