// The values of a folder that `rxs run --trace` wrote: what the list of them and the Values panel show.
#pragma once

#include <QString>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

/// One value that a step of that run made.
struct TracedRow {
  QString file;  ///< its .npy, a name without folders
  int step = 0;
  QString function;
  QString binding;         ///< of the imported module
  QString made;            ///< by what: "call matmul %6, %1, %8"
  bool allocated = false;  ///< memory that nothing wrote yet: its numbers mean nothing
  ValueSummary value;      ///< its reference is negative: it is no engine's
};

/// A folder, and which of its values is looked at.
struct TracedValues {
  QString folder;  ///< empty where none is open
  std::vector<TracedRow> rows;
  int shown = -1;  ///< the row whose tensor the Values panel shows, -1 where that shows the selected binding
  QString error;   ///< why the last folder was refused, in a sentence
  const TracedRow* row() const {
    return shown >= 0 && shown < static_cast<int>(rows.size()) ? &rows[static_cast<size_t>(shown)] : nullptr;
  }
};

}  // namespace rx::views
