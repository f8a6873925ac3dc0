// The stages of one kernel as `rxs kernel --json` writes them, and which line of one is which of another.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>
#include <QStringList>
#include <memory>
#include <utility>
#include <vector>

namespace rx::views {

/// Lines, from 1, ascending.
using KernelLines = std::vector<int>;

struct KernelCounts {
  int instructions = 0;
  int spills = 0;
  int reloads = 0;
  int registers = 0;                           // different vector registers
  QString vectors;                             // the widest that are used: "zmm"; empty for none
  std::vector<std::pair<QString, int>> names;  // instructions, most of all first
};

/// What something takes of the ports of a processor in a turn of a loop, by their names: cycles, the busiest first.
using PortCycles = std::vector<std::pair<QString, double>>;

/// What a turn of a loop costs, as LLVM's analyser of machine code has it.
struct KernelTurn {
  double cycles = 0;
  QString limit;                                  // "port", "dispatch", "latency"
  QString said;                                   // the same in words
  QString table;                                  // whose ports stand in for those of the processor; empty: its own
  PortCycles ports;                               // of the whole turn
  std::vector<std::pair<int, PortCycles>> lines;  // ascending

  /// The ports of a line; null where it has no instruction.
  const PortCycles* at(int line) const;
};

struct KernelLoop {
  int first = 0, last = 0;  // lines
  int depth = 1;
  KernelCounts counts;                     // of machine code; empty in other texts
  std::shared_ptr<const KernelTurn> turn;  // of innermost ones of machine code, where it is known
  double measured = 0;                     // cycles that a turn took; 0 where nobody looked
  QString waits;                           // what for, where ports explain less than half of them
};

struct KernelStageText {
  QString stage;  // "asm": as the command line calls it
  QString title;  // "Assembly"
  QString made;   // by which pass; empty for what was imported
  int of = 0;     // number of the stage that it was made of; its own for the first
  QByteArray text;
  std::vector<KernelLines> from;  // by line, the first at 0: lines of that stage
  std::vector<KernelLines> to;    // by line of that stage: lines of this one
  std::vector<KernelLoop> loops;  // outer ones first

  /// The innermost loop around a line; null where there is none.
  const KernelLoop* loopAt(int line) const;
  int lineCount() const { return static_cast<int>(from.size()); }
};

struct KernelListing {
  QString name;
  QStringList rules;              // "matmul: host.Products"
  QHash<QString, QString> helps;  // what rules are for, by their names
  QString why;                    // which conditions of rules failed
  QStringList trace;              // the schedule by rules, a line a primitive
  struct PassedOver {
    QString rule, why;
  };
  std::vector<PassedOver> passedOver;  // rules that were asked and made none of it
  std::vector<KernelStageText> stages;
  bool hasMachine = false;
  KernelCounts counts;
  int vectorRegisters = 0;  // of the processor
  QString processor;        // whose ports turns of loops are told by; empty where nobody knows them
  QString noTurns;          // why then
  QStringList deviceFacts;  // what a device runs of it, as rxs says it
  /// Looks at a run of the kernel, by line of its machine code, the first at 0; empty where nobody looked.
  std::vector<int> samples;
  int samplesTaken = 0;    // those in other code counted
  double nanoseconds = 0;  // of a call then; 0 where nobody looked
  QString notSampled;      // why there are none, where they were asked for

  /// Lines of stage `to` that came from what a line of stage `from` came from, or became what it became.
  KernelLines linked(int from, int line, int to) const;
  /// What lines of a stage, the first at 0, have of the samples, in percent: where the lines are in machine code that
  /// they became. A line that several became counts for each.
  std::vector<double> shares(int stage) const;
  /// The text that schedules begin with: what rules, traces and tuning are given.
  int unscheduled() const;
  /// The last stage of that name; -1 where there is none.
  int stageNamed(const QString& stage) const;
};
using KernelListingPtr = std::shared_ptr<const KernelListing>;

/// What instructions of one name in a loop take of the port that they take most of, by their names.
PortCycles cyclesByName(const KernelListing& kernel, const KernelLoop& loop);
/// The same of the one port that is the busiest in a turn of the loop.
PortCycles busiestByName(const KernelListing& kernel, const KernelLoop& loop);
/// The names of a port in a turn without what all of them begin with: "SPRPort05" is "05" beside "SPRPort00".
QString shortPort(const KernelTurn& turn, const QString& port);

/// Null where the text is no listing; `problem` says why then: what rxs says of the kernel, where it refused it.
KernelListingPtr readKernel(const QByteArray& json, QString* problem);

}  // namespace rx::views
