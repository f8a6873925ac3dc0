// Two runs of a function, made in two ways, binding by binding, as `rxs run --against --json` says.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "views/models/problem.h"

namespace rx::views {

struct RunComparison {
  /// Where the difference of a binding comes from, as core/debug/first_difference.h tells them apart.
  enum class Cause : uint8_t { Own, Inherited, Unknown };
  struct Difference {
    QString function, binding;
    QString callee;  // what gave the value; empty where it is not told
    QString what;    // "element (0, 3): [1.5] and [1.25]"
    Cause cause = Cause::Unknown;
  };
  QString error;                        // why nothing was compared; empty where it was
  qint64 agree = 0;                     // values that agree
  double most = 0;                      // how far these are apart at the most, over 1 + |value|
  QStringList absent;                   // bindings with a value in one of the runs alone
  std::vector<Difference> differences;  // in the order of the run; behind one that is not inherited nothing is compared

  /// The one that is not inherited; null where there is none.
  const Difference* first() const;
};

/// Reads what rxs wrote; what is no comparison has an error.
RunComparison readRunComparison(const QByteArray& json);
/// What came of it in a sentence or two; `other` is what the second run was made for.
QString runComparisonText(const RunComparison& compared, const QString& other);
/// A finding for each binding that differs.
std::vector<ProblemRow> runComparisonProblems(const RunComparison& compared, const QString& other,
                                              const QString& source);

/// Where the difference comes from that a finding is of; nothing where it is no such finding.
std::optional<RunComparison::Cause> causeOf(const ProblemRow& problem);
/// What such findings say of the bindings of a function in a stage, by variable: where their difference comes from. Of
/// one that differs for several reasons, its own difference counts.
using ComparedBindings = std::map<QString, RunComparison::Cause>;
ComparedBindings comparedIn(const std::vector<ProblemRow>& problems, const QString& function, int stage);
/// "own difference", "inherited", "difference"
QString causeText(RunComparison::Cause cause);

}  // namespace rx::views
