// What tuning measured: a line of JSON for each variant of a kernel, in a file that grows.
#pragma once

#include <string>
#include <vector>

#include "app/rxs/kernel_call.h"
#include "core/ir/attrs.h"
#include "core/schedule/choices.h"
#include "core/support/result.h"
#include "core/target/target.h"

namespace rx::cli {

/// A variant of a kernel that was measured.
struct Trial {
  std::string kernel;  ///< as it was called
  std::string key;     ///< schedule::kernelKey
  SizesByName sizes;   ///< of symbolic variables, with which it was measured
  schedule::Choices choices;
  double microseconds = 0;
};

class TunedKernels {
 public:
  /// The trials of a file that were measured by this version on this processor, with as many threads, for such a
  /// target; notes (tune.ignored) say which lines are damaged, and how many are of others. A file that is not there has
  /// none.
  static Result<TunedKernels> read(const std::string& path, const target::Target& target);

  const std::vector<Diagnostic>& notes() const { return notes_; }
  /// Null where it was not measured.
  const Trial* find(std::string_view key, const SizesByName& sizes, const schedule::Choices& choices) const;
  /// A kernel as rules make it, with the sizes that it was measured with last.
  const Trial* untuned(std::string_view key) const;
  /// The quickest variant of a kernel with these sizes; null where none was measured, or none is quicker by more than
  /// what measuring the same twice may differ by.
  const Trial* best(std::string_view key) const;
  /// What ApplySchedules(tuned=...) takes.
  ir::Attrs choices() const;

  /// Keeps a trial, and writes its line at the end of the file.
  Result<Unit> add(const std::string& path, const target::Target& target, Trial trial);

 private:
  std::vector<Trial> trials_;
  std::vector<Diagnostic> notes_;
  bool torn_ = false;  ///< the last line of the file has no end
};

}  // namespace rx::cli
