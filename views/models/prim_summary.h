// What a TIR function does, in short: its buffers, loops and blocks, what it moves and how much it computes.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

struct PrimBufferRow {
  QString name;
  QString shape;  // "(n, 512)"
  QString dtype;
  QString scope;          // "global", "shared"
  qint64 bytes = -1;      // -1 where the size is symbolic
  QString symbolicBytes;  // that size then: "128 × n"
  bool param = false;
  bool read = false;
  bool written = false;
};

struct PrimLoopRow {
  QString name;
  QString extent;
  QString kind;  // "serial", "parallel", "vectorized", "unrolled", "threadIdx.x"
  int depth = 0;
};

struct PrimBlockRow {
  QString name;
  QString axes;  // "spatial i, j; reduction k"
  QString reads;
  QString writes;
};

/// How often an operation runs: "add", "n * 512".
struct PrimOperationRow {
  QString name;
  QString times;
};

struct PrimSummary {
  std::vector<PrimBufferRow> buffers;
  std::vector<PrimLoopRow> loops;
  std::vector<PrimBlockRow> blocks;
  std::vector<PrimOperationRow> operations;
  double flops = -1;       // floating-point operations of a call; -1 where their number is symbolic
  QString symbolicFlops;   // that number then: "2 × n × 512 + n"; empty where it is known or too long to write
  qint64 bytesMoved = -1;  // of the parameters, each read or written once; -1 where a size is symbolic
  QString symbolicBytes;   // that number then: "132 × n + 512"; empty where it is known or too long to write
};

/// How far a kernel is from running on a device as it stands, before any code is made of it.
struct PrimBadge {
  /// What keeps it from the next badge.
  struct Reason {
    QString message;
    QString fix;
    int line = -1;  // lines below the first one of the function's text; -1 where it is the whole function
  };
  QString name;        // "unscheduled", "bound", "verified"
  QString target;      // that it is for: "cuda"
  bool ready = false;  // verified
  std::vector<Reason> reasons;
};

}  // namespace rx::views
