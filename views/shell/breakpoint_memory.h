// Breakpoints, watches and the pipeline belong to a module: they go with it and come back with it, in this session and in the next.
#pragma once

#include "views/shell/desk.h"

namespace rx::views {

/// Keeps the breakpoints and watches that are set now for a module, known by its file and name, and its pipeline where
/// that is not the default one.
void keepBreakpoints(Desk& desk, const QString& module);
/// Sets those that were kept for a module in place of those that are set, and the default pipeline where none was kept:
/// an edited one may name functions and bindings of the module that it was made for.
void bringBackBreakpoints(Desk& desk, const QString& module);

}  // namespace rx::views
