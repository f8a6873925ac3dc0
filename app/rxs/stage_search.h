// The search of `rxs bisect` for the first stage that computes something else: a binary search, then the stages that it
// left out.
#pragma once

#include <functional>
#include <optional>

#include "app/rxs/confined.h"
#include "app/rxs/stage_runs.h"

namespace rx::cli {

/// What became of a stage.
enum class Verdict : uint8_t {
  NotRun,
  Reference,
  Equal,   ///< every value has the same bits
  Within,  ///< no value is off by more than the limit
  Differs,
  Failed,   ///< the run ended with a fault, or its process did
  Refused,  ///< there is no module to run
};
const char* verdictName(Verdict verdict);

struct StageRow {
  std::string name, call;
  std::string file;              ///< of a folder of stages
  std::optional<size_t> module;  ///< its number for StageRuns
  Verdict verdict = Verdict::NotRun;
  int run = 0;                                             ///< the how manieth run was of it, 0 for none
  double milliseconds = 0;                                 ///< that run took
  StageRuns::Json bindings = StageRuns::Json::array();     ///< as StageRuns::compare and explain give them
  StageRuns::Json diagnostics = StageRuns::Json::array();  ///< why it failed or was refused
  StageRuns::Json illFormed = StageRuns::Json::array();
  std::string died;       ///< of what its process ended
  StageRuns::Json place;  ///< where that was, see StageRuns::lastPlace
  StageRuns::Json expected;
  bool isBad() const {
    return verdict == Verdict::Differs || verdict == Verdict::Failed || verdict == Verdict::Refused;
  }
  /// The first of the bindings that is off; null where none is.
  const StageRuns::Json* first() const;
};

class StageSearch {
 public:
  /// `confined`: what the processes of the stages are held to; `ended` is told of each stage that was looked at, and
  /// `found` that the search has found the guilty one and explained it, before those that it left out are looked at.
  StageSearch(const StageRuns& work, std::optional<ConfinedOutputs> confined,
              std::function<void(const StageRow&, size_t stage)> ended, std::function<void()> found)
      : work_(work), confined_(std::move(confined)), ended_(std::move(ended)), found_(std::move(found)) {}
  /// Makes the stages, finds the reference (the first that runs to its end) and the first bad stage behind it, and
  /// explains that; with `all`, looks at those that the search left out too. Diagnostics in JSON where there is nothing
  /// to search in.
  StageRuns::Json find(bool all);

  const std::vector<StageRow>& rows() const { return rows_; }
  std::optional<size_t> reference() const { return reference_; }
  /// The first bad stage.
  std::optional<size_t> guilty() const { return guilty_; }
  /// Runs that the binary search took.
  int runsOfSearch() const { return runsOfSearch_; }

 private:
  StageRuns::Json makeRows();
  bool runs(size_t stage);
  bool look(size_t stage);
  bool findReference();
  void search();
  void explain();
  std::optional<size_t> firstBad() const;

  const StageRuns& work_;
  std::optional<ConfinedOutputs> confined_;
  std::function<void(const StageRow&, size_t)> ended_;
  std::function<void()> found_;
  std::vector<StageRow> rows_;
  std::optional<size_t> reference_, guilty_;
  int runs_ = 0, runsOfSearch_ = 0;
};

}  // namespace rx::cli
