// core/import: files of the outside. Here: folders of phase dumps, written by `rxs opt --dump` or by other tools
// (debug-phase0.py ... of MLC), read back as a pass history.
#pragma once

#include <optional>
#include <string>

#include "core/pass/runner.h"
#include "core/support/source.h"

namespace rx::import {

/// Writes every stage of a history to a folder (made when missing): `NN_PassName.py` in order and `history.json` with
/// what each step changed, its time, verdict and messages: a set of files (FileSetWriter). What an older history of
/// this folder had goes; files of these names that are none of a history are replaced.
Result<Unit> writeHistory(const pass::History& history, const std::string& folder);

/// A stage as it was found in a folder. Of one that could not be read there is its text, as far as its file has one,
/// and why.
struct DumpedStage {
  std::string name;  ///< the pass where history.json or a log tells it, else the file's name without ".py"
  std::string call;  ///< `FuseOps(fuse_opt_level=1)`; empty where nothing tells it
  std::string file;  ///< path; empty for a pass that failed when the folder was written
  std::optional<double> milliseconds;
  Ref<SourceFile> source;                     ///< null where the file has no text
  ir::Module module;                          ///< null where the stage could not be read
  std::vector<Diagnostic> diagnostics;        ///< of the reader; their spans point into `source`, file 0
  std::vector<pass::FunctionChange> changes;  ///< since the readable stage before
  int64_t nodes = 0;                          ///< bindings and statements
  bool refused() const { return !module; }
};

/// Reads a folder of stages: in the order of history.json, or else of the numbers in the file names (natural order):
/// files that are named as texts of a language, and .txt files in which a module stands. Of a file: the modules that
/// were printed to it (printed_stages.h). Fails where there is no stage at all; a stage that can not be read is a
/// refused one among the others.
Result<std::vector<DumpedStage>> readStages(const std::string& path, const CancelToken& cancel = {});

/// The file of one stage of a folder, by its number from 0, its name or its file's name.
Result<std::string> stageFile(const std::string& folder, const std::string& stage);

/// True of a folder with at least two texts that readStages would take for stages, and of a file that modules of one
/// name were printed to.
bool looksLikeHistory(const std::string& path);

}  // namespace rx::import
