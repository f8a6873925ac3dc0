// What a run returned against the file that says what it should: read and compared off the UI thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "views/models/run_outcome.h"

namespace rx::views {

/// A returned tensor, written to a file by the engine.
struct SavedValue {
  QString name;  ///< "result[1]"
  QString path;  ///< .npy
};

struct ComparedResult {
  std::optional<ResultComparison> comparison;  ///< nothing where there is no file
  std::vector<double> likely;                  ///< see RunResult
  std::optional<std::vector<double>> expectedLikely;
};

/// The file with what a run with these inputs should return: expected.npz beside inputs.npz, expected_x.npz beside
/// inputs_x.npz; empty where there is none.
QString expectedBeside(const QString& inputsFile);

/// The same of a run: the first of its files beside which there is one. Nothing where a parameter takes another array
/// than the one of its name, or what no file gives is made: then another result is expected.
QString expectedFor(const RunConfig& config);

/// Compares in order, tensor with tensor, as `rxs run --expect` does. `expected` may be empty.
ComparedResult compareResult(const std::vector<SavedValue>& values, const QString& expected);

}  // namespace rx::views
