// The findings of all who look at a module; what a run tells of again is one with it.
#pragma once

#include <optional>
#include <vector>

#include "views/models/problem.h"

namespace rx::views {

/// The source of what a run tells of.
inline const QString kOfRun = QStringLiteral("run");

class ProblemList {
 public:
  void clear() { assign({}); }
  void assign(std::vector<ProblemRow> rows);
  /// Puts what a source says now in place of what it said; whether that changes anything.
  bool set(const QString& source, const std::vector<ProblemRow>& rows);
  template <class Wanted>
  void eraseIf(Wanted wanted) {
    std::erase_if(all_, wanted);
    listed_.reset();
  }
  /// What is to be shown: of a fault that the run and another tell of the row that has its place in a file.
  const std::vector<ProblemRow>& rows() const;

 private:
  std::vector<ProblemRow> all_;
  mutable std::optional<std::vector<ProblemRow>> listed_;
};

}  // namespace rx::views
