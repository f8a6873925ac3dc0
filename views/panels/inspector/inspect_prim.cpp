// TIR functions: buffers, loops, blocks, bytes moved, operations.
#include "views/models/numbers.h"
#include "views/panels/inspector/inspector_parts.h"
#include "views/panels/inspector/operator_work.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

void more(InspectionSection& section, size_t all) {
  if (all > kMostInspected) addRow(section, {}, {{text("and %1 more").arg(all - kMostInspected), InkRole::Grey}});
}

void addBuffers(Inspector& inspector, const PrimSummary& prim) {
  InspectionSection buffers{text("Buffers")};
  buffers.table = true;
  for (const PrimBufferRow& row : prim.buffers) {
    if (buffers.rows.size() == kMostInspected) break;
    const QString use = row.read && row.written ? text("read, written")
                        : row.written           ? text("written")
                        : row.read              ? text("read")
                                                : text("not used");
    addRow(buffers, {},
           {{row.name, InkRole::Code},
            {row.shape + QLatin1Char(' ') + shortDtype(row.dtype), InkRole::Code},
            {row.bytes < 0 ? row.symbolicBytes + QStringLiteral(" B") : bytesText(row.bytes), InkRole::Number},
            {row.param ? use : text("%1, local in %2").arg(use, row.scope), InkRole::Grey}});
  }
  more(buffers, prim.buffers.size());
  inspector.keep(std::move(buffers));
}

void addLoops(Inspector& inspector, const PrimSummary& prim) {
  InspectionSection loops{text("Loops")};
  loops.table = true;
  for (const PrimLoopRow& row : prim.loops) {
    if (loops.rows.size() == kMostInspected) break;
    addRow(loops, {},
           {{QString(row.depth * 2, QChar(0xa0)) + row.name, InkRole::Code},
            {row.extent, InkRole::Number},
            {row.kind, InkRole::Grey}});
  }
  more(loops, prim.loops.size());
  inspector.keep(std::move(loops));
}

void addBlocks(Inspector& inspector, const PrimSummary& prim) {
  InspectionSection blocks{text("Blocks")};
  blocks.table = true;
  for (const PrimBlockRow& row : prim.blocks) {
    if (blocks.rows.size() == kMostInspected) break;
    const QString flow =
        row.reads.isEmpty() ? text("writes %1").arg(row.writes) : text("%1 from %2").arg(row.writes, row.reads);
    addRow(blocks, {}, {{row.name, InkRole::Code}, {row.axes, InkRole::Grey}, {flow}});
  }
  more(blocks, prim.blocks.size());
  inspector.keep(std::move(blocks));
}

/// Whether a device runs it as it stands, and what keeps it from that.
void addBadge(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  if (!function.badge) return;
  const PrimBadge& badge = *function.badge;
  InspectionSection device{text("On %1").arg(badge.target)};
  addRow(device, text("badge"),
         {{badge.name, badge.ready ? InkRole::Good : InkRole::Warning},
          {badge.ready ? text("threads and memory are within its limits") : QString(), InkRole::Grey}});
  QString fix;
  for (const PrimBadge::Reason& reason : badge.reasons) {
    if (device.rows.size() > kMostInspected) break;
    std::vector<InspectionPiece> pieces{{reason.message, InkRole::Warning}};
    if (reason.line >= 0) pieces.push_back({text("line %1").arg(function.firstLine + reason.line), InkRole::Grey});
    addRow(device, {}, std::move(pieces));
    if (fix.isEmpty()) fix = reason.fix;
  }
  more(device, badge.reasons.size());
  if (!fix.isEmpty()) {
    device.link = {text("apply the default schedule here"), InkRole::Plain, QStringLiteral("run:pass.schedule")};
    addRow(device, {}, {{fix, InkRole::Grey}});
  }
  inspector.keep(std::move(device));
}

}  // namespace

QString primWorkText(const PrimSummary& prim) {
  if (prim.flops < 0) return prim.symbolicFlops.isEmpty() ? QString() : prim.symbolicFlops + QStringLiteral(" FLOP");
  QString work = operationsText(prim.flops);
  if (prim.bytesMoved > 0)
    work += text(", %1 a byte moved").arg(shortNumber(prim.flops / static_cast<double>(prim.bytesMoved), 3));
  return work;
}

void addPrimSummary(Inspector& inspector) {
  if (!inspector.function->prim) return;
  addBadge(inspector);
  const PrimSummary& prim = *inspector.function->prim;
  InspectionSection& work = inspector.section(text("Work of a call"));
  addRow(work, text("moves"),
         {{prim.bytesMoved >= 0           ? bytesText(prim.bytesMoved)
           : prim.symbolicBytes.isEmpty() ? text("a symbolic number of bytes")
                                          : prim.symbolicBytes + QStringLiteral(" B"),
           InkRole::Number},
          {text("its parameters, each once"), InkRole::Grey}});
  if (const QString computes = primWorkText(prim); !computes.isEmpty())
    addRow(work, text("computes"), {{computes, InkRole::Number}});
  for (const PrimOperationRow& row : prim.operations) {
    if (work.rows.size() == kMostInspected) break;
    addRow(work, row.name, {{row.times, InkRole::Number}});
  }
  addBuffers(inspector, prim);
  addLoops(inspector, prim);
  addBlocks(inspector, prim);
}

}  // namespace rx::views
