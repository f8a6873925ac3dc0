// What a person waits for in a large module, each time beside what is promised for it.
#pragma once

#include "watching.h"

namespace rx::views {

/// Opens a made-up module of one function with that many bindings in a real window and prints a row for each thing that
/// one does in it. From 100,000 bindings on only the longest event of the window's thread has a promise.
void benchLarge(Watching& application, int bindings);

/// The same for a run of about that many bindings in a small module, live and opened again from its recording.
void benchHistory(Watching& application, int steps);

/// The same for the commands in a file, one a line as in a script of the window, with the memory after each.
void benchLines(Watching& application, const QString& path);

}  // namespace rx::views
