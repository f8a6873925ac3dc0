// The threads of a device's kernel that a run was stepped into.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace rx::views {

struct KernelThreadRow {
  int id = 0;
  QString name;   // "blockIdx (0, 0, 0), threadIdx (3, 0, 0)"
  QString state;  // "ready", "waits", "done", "failed"
  int line = 0;   // of the kernel's text, one-based
  QString text;   // of that line
};

struct KernelValueRow {
  QString where;  // "variable", "of the thread", "of the group", "of the device"
  QString name;
  QString text;
};

// A line of the kernel's text.
struct KernelLineRow {
  int line = 0;     // one-based
  int threads = 0;  // that run it next
  QString text;
};

struct KernelThreads {
  QString kernel;              // empty: the run is in none
  qint64 source = 0;           // what the engine knows its text by
  QStringList lines;           // of its text
  int launch = 0;              // of the kernels that the function starts
  std::vector<qint64> group;   // of its groups, the one whose threads these are: x, y, z
  std::vector<qint64> groups;  // how many there are along each axis
  int current = 0;             // id of the thread that was stepped last, or chosen since
  std::vector<KernelThreadRow> threads;
  std::vector<KernelValueRow> values;  // that the current one sees
  QStringList races;

  // Nothing but the text, which the engine says once.
  void forget() {
    KernelThreads empty;
    empty.source = source;
    empty.lines.swap(lines);
    *this = std::move(empty);
  }
};

}  // namespace rx::views
