// The memory that a stage plans for a function: which buffer lies in which piece of it, from the call that writes it to
// the last one that reads it. Before the planning every buffer is a piece of its own.
#pragma once

#include <QString>
#include <vector>

#include "views/models/known_sizes.h"
#include "views/models/stage_index.h"

namespace rx::views {

struct PlannedPiece {
  int ordinal = -1;  // of the binding that allocates it
  QString name;
  qint64 bytes = -1;      // -1 where the size is symbolic or unknown
  QString size;           // the same as text
  bool returned = false;  // the caller gets what lies in it
};

struct PlannedBuffer {
  int ordinal = -1;  // of the call that writes it
  QString name;      // what people know its value by
  OpKind kind = OpKind::Other;
  int piece = 0;  // index in MemoryPlan::pieces
  int first = 0;  // moments: of the call that writes it, and of the last that reads it
  int last = 0;
  qint64 bytes = -1;
  bool returned = false;  // it lies in a piece that the caller gets
};

struct MemoryPlan {
  std::vector<int> moments;  // ordinals of the calls that write, in order; the end comes behind them
  std::vector<PlannedPiece> pieces;
  std::vector<PlannedBuffer> buffers;
  std::vector<int> callOf;  // by ordinal: the binding itself, or the call that writes what it allocates or names
  // Of temporaries, which the function needs while it runs; arguments and what it returns stand apart. Bytes of all
  // buffers, of the pieces that the stage plans for them (whichever pieces are shown), and of the buffers that are
  // alive at the moment `peak`; -1 where a size is not known.
  int temporaries = 0;
  int storages = 0;
  qint64 asked = -1;
  qint64 held = -1;
  qint64 alive = -1;
  int peak = -1;
  // "264 n + 16 n² B"; empty where no symbol is in it.
  QString askedText;
  QString heldText;
  qint64 returned = -1;  // bytes of the pieces that the caller gets; -1 where not known
};

/// "s4" for "storage4", "s0" for the first one, as people number them; other names as they are.
QString shortStorage(const QString& name);

/// Temporaries that are alive at a moment, the largest first: indices of MemoryPlan::buffers.
std::vector<int> aliveAt(const MemoryPlan& plan, int moment);

/// Which pieces there are: those of the stage, or one for each buffer, as it was before memory was planned.
enum class Planned : uint8_t { After, Before };

/// Empty where no call of the function writes into a buffer. Sizes that depend on symbols are known where `sizes` has
/// these.
MemoryPlan memoryPlanOf(const FunctionRow& function, const SymbolSizes& sizes = {}, Planned planned = Planned::After);

}  // namespace rx::views
