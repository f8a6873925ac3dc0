// What rxs opt tells of the passes it runs: texts for standard error or a file of their own.
#pragma once

#include <string>
#include <vector>

#include "core/pass/runner.h"

namespace rx::cli {

struct OptReports {
  bool list = false;                    ///< one line a pass
  bool time = false;                    ///< where the time went
  bool diff = false;                    ///< what each pass changed
  bool explain = false;                 ///< where each binding of the result comes from
  bool remarks = false;                 ///< why passes left bindings as they are
  bool printChanged = false;            ///< the module after each pass that changed it
  std::vector<std::string> printAfter;  ///< the module after these passes; "all"
};

/// What is told while the passes run, after one of them: the difference and the module.
std::string stepReport(const OptReports& wanted, const pass::StepRecord& step, size_t number);

/// What is told at the end: the list, the times, where bindings come from.
std::string historyReport(const OptReports& wanted, const pass::History& history);

}  // namespace rx::cli
