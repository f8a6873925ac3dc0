// The work of `rxs bisect`, each piece for a process of its own, since what it runs may end that: the stages, a run of
// one of them on the inputs, what its values are beside those of another, and where it went wrong. All of it stands in
// files of one folder. What a piece gives is JSON; "diagnostics" in it where it failed, as --json has them.
#pragma once

#include <nlohmann/json.hpp>

#include "app/rxs/input.h"
#include "app/rxs/run_values.h"
#include "core/pass/runner.h"

namespace rx::cli {

class StageRuns {
 public:
  using Json = nlohmann::ordered_json;

  struct Setup {
    InputOptions input;
    ValueArguments values;
    std::string passes;           ///< that make the stages of a module
    std::string target;           ///< they compile for; empty: this machine
    std::string mode;             ///< in which kernels are compiled
    std::string expect;           ///< arrays that the result is to be, empty for none
    std::optional<double> limit;  ///< as tensorError takes it
    double timeLimit = 0;         ///< seconds of a run, 0 for none
    std::string folder;           ///< for what the pieces leave each other
  };
  explicit StageRuns(Setup setup) : setup_(std::move(setup)) {}

  /// Makes the stages: {"stages": [{"name", "call", "file", "module": number for the other pieces, or "diagnostics" of
  /// one that is none; "ill_formed": diagnostics of one that is not well formed}]}.
  Json prepare() const;
  /// The call of the pass that was under way when prepare() ended; empty where none was.
  std::string passUnderWay() const;
  /// Runs a stage and records it: {} where it came to its end, with "expected": {"within", "what"} where that is known.
  Json run(size_t module) const;
  /// The stages that prepare() made, by their numbers.
  Result<pass::History> stages() const;
  /// The file that run() writes.
  std::string recordingOf(size_t module) const;
  /// Where the run of a stage stood when its process ended: {"instruction", "binding", "function", "given": [...]}.
  Json lastPlace(size_t module) const;
  /// The values of a run beside those of another: {"bindings": [{"function", "binding", "equal": bit for bit, "within",
  /// "max_absolute", "max_relative", "max_scaled", "limit", "off", "count", "what"}]}. Of stages that were read, whose
  /// bindings are only matched, none that is off while the result is not.
  Json compare(size_t module, size_t reference) const;
  /// The same of what is off, with "cause": "own", "inherited" or "unknown", "own_absolute": how far it is off what the
  /// reference makes of the inputs that it had, and "overwritten": {"binding", "by", "storage", "offset", "bytes",
  /// "written", "changed" and "until": the steps that wrote it, wrote over it, and read it, "made" and "read": the
  /// elements from the first that differs, "element", on} of an input that was.
  Json explain(size_t module, size_t reference) const;

 private:
  bool readsStages() const;  ///< from a folder or a log, not by passes
  Json stagesOfFolder() const;
  Json stagesOfPasses() const;
  Setup setup_;
};

}  // namespace rx::cli
