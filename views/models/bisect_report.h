// What `rxs bisect --json` says of the stages of a module, and `rxs run --against FILE --json` of one run beside arrays
// of a file: which values differ, by how much, and where that comes from.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

/// A value whose bytes were given to another before it was read.
struct OverwrittenValue {
  QString binding, by;  // whose it is; empty where nobody's was. Who wrote there
  qint64 storage = 0, offset = 0, bytes = 0;
  qint64 written = 0, changed = 0, until = 0;  // steps of the run: that wrote it, wrote over it, and read it
  qint64 element = 0;                          // the first that is another
  std::vector<QString> made;                   // elements from there on, as they were written
  std::vector<QString> read;                   // and as they were read
};

struct ComparedValue {
  QString function, binding;
  bool equal = false;   // bit for bit
  bool within = false;  // the limit
  QString absolute;     // largest difference, as it is shown
  QString relative;
  double scaled = 0;  // largest difference over 1 + |what was wanted|; over the limit where the value is off
  double limit = 0;
  qint64 off = 0, count = 0;  // elements
  QString ownAbsolute;        // largest difference of what it makes of the reference's inputs; empty where not known
  QString cause;              // of one that is off: own, inherited, unknown; empty where nobody asked
  QString note;               // what else is known: shapes that differ, who overwrote an input
  OverwrittenValue overwritten;
};

struct StageOutcome {
  int stage = 0;
  QString name;
  QString verdict;          // as rxs says: reference, equal, differs, …
  QString outcome;          // in words
  int run = 0;              // the how manieth run was of it, 0 for none
  double milliseconds = 0;  // that it took
  std::vector<ComparedValue> values;
  bool isBad() const;
  /// The first that is off; null where none is.
  const ComparedValue* first() const;
};

struct BisectReport {
  QString error;  // why there is nothing else; empty where there is
  QString said;   // of a run beside a file: what came of it
  int reference = -1;
  int guilty = -1;     // stage; -1 where all compute the same
  QString outcome;     // of it, in words
  QString why;         // the reason, in words
  QString reproducer;  // command that shows the same with little, where one was written
  int runs = 0;        // that the search took
  int total = 0;       // of stages; of these those that were looked at are there
  std::vector<StageOutcome> stages;
  const StageOutcome* stage(int number) const;
};

/// Reads what rxs wrote; what is no such answer has an error.
BisectReport readBisectReport(const QByteArray& output);
/// Adds the stage that `rxs bisect --json` tells in a line when it has looked at it, and that it is the guilty one
/// where the line says so; false where the line is none.
bool addBisectLine(const QByteArray& line, BisectReport* report);
/// How far it is, while it goes on: "3 of 17 stages looked at; the last, run 3 of stage 8 FuseOps, 41 ms: equal".
QString bisectProgressText(const BisectReport& report);
/// What came of it, in a sentence: the stage and how far off it is; why stands in the report.
QString bisectText(const BisectReport& report);
/// Of one that has a guilty stage: "found in 5 runs, 320 ms; 11 other stages were run after it".
QString foundText(const BisectReport& report);
/// "own: overwritten before it was read", as a table has it.
QString causeText(const ComparedValue& value);

}  // namespace rx::views
