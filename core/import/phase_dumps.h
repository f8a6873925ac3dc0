// core/import: files of the outside. Here: folders of phase dumps, written by `rxs opt --dump` or by other tools
// (debug-phase0.py ... of MLC), read back as a pass history.
#pragma once

#include <string>

#include "core/pass/runner.h"

namespace rx::import {

/// Writes every stage of a history to a folder (made when missing): `NN_PassName.py` in order and `history.json` with
/// what each step changed, its time, verdict and messages. Existing files of these names are replaced.
Result<Unit> writeHistory(const pass::History& history, const std::string& folder);

/// Reads a folder of stages: in the order of history.json, or else of the numbers in the file names (natural order).
/// A stage that can not be read fails with its diagnostics; nothing else is needed of the folder.
Result<pass::History> readHistory(const std::string& folder);

/// True when the folder holds at least two .py files that readHistory would take for stages.
bool looksLikeHistory(const std::string& folder);

}  // namespace rx::import
