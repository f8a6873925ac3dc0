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

struct KernelThreads {
  QString kernel;   // empty: the run is in none
  int current = 0;  // id of the thread that was stepped last, or chosen since
  std::vector<KernelThreadRow> threads;
  std::vector<KernelValueRow> values;  // that the current one sees
  QStringList races;
};

}  // namespace rx::views
