// What `rxs bisect --json` says of the stages of a module, and `rxs run --against FILE --json` of one run beside arrays
// of a file: which values differ, by how much, and where that comes from.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

struct ComparedValue {
  QString function, binding;
  bool equal = false;   // bit for bit
  bool within = false;  // the limit
  QString absolute;     // largest difference, as it is shown
  QString relative;
  qint64 off = 0, count = 0;  // elements
  QString ownAbsolute;        // largest difference of what it makes of the reference's inputs; empty where not known
  QString cause;              // of one that is off: own, inherited, unknown; empty where nobody asked
  QString note;               // what else is known: shapes that differ, who overwrote an input
};

struct StageOutcome {
  int stage = 0;
  QString name;
  QString verdict;  // as rxs says: reference, equal, differs, …
  QString outcome;  // in words
  int run = 0;      // the how manieth run was of it, 0 for none
  std::vector<ComparedValue> values;
  bool isBad() const;
  /// The first that is off; null where none is.
  const ComparedValue* first() const;
};

struct BisectReport {
  QString error;  // why there is nothing else; empty where there is
  QString said;   // of a run beside a file: what came of it
  int reference = -1;
  int guilty = -1;  // stage; -1 where all compute the same
  QString outcome;  // of it, in words
  QString why;      // the reason, in words
  int runs = 0;     // that the search took
  std::vector<StageOutcome> stages;
  const StageOutcome* stage(int number) const;
};

/// Reads what rxs wrote; what is no such answer has an error.
BisectReport readBisectReport(const QByteArray& output);
/// What came of it, in a sentence.
QString bisectText(const BisectReport& report);
/// "own: overwritten before it was read", as a table has it.
QString causeText(const ComparedValue& value);

}  // namespace rx::views
