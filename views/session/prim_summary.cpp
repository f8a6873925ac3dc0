#include "views/session/prim_summary.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/kernel_work.h"
#include "core/script/print.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

constexpr size_t kMostRows = 200;

QString shapeText(const Array<tir::PrimExpr>& dims) {
  QStringList parts;
  for (const tir::PrimExpr& dim : dims) parts << QString::fromStdString(script::printPrimExpr(dim));
  return views::shapeText(parts);
}

/// Bytes of a buffer whose shape is known, else -1.
qint64 bytesOf(const tir::Buffer& buffer) {
  qint64 bytes = std::max<qint64>(1, buffer.dtype.bytes());
  for (const tir::PrimExpr& dim : buffer.shape) {
    const auto* extent = as<tir::IntImm>(dim);
    if (!extent || extent->value < 0 || __builtin_mul_overflow(bytes, extent->value, &bytes)) return -1;
  }
  return bytes;
}

QString textOf(const analysis::Times& times, qint64 operations) {
  qint64 all = 0;
  if (times.overflow || __builtin_mul_overflow(qint64{times.number}, operations, &all))
    return QStringLiteral("very often");
  QStringList parts;
  for (const tir::PrimExpr& extent : times.extents) parts << QString::fromStdString(script::printPrimExpr(extent));
  if (times.inWhile) parts << QStringLiteral("passes of the loop");
  if (all != 1 || parts.isEmpty()) parts.prepend(grouped(all));
  return parts.join(QStringLiteral(" × "));
}

/// A buffer of a symbolic size as so many times a byte.
analysis::Operation timesAByte(const tir::Buffer& buffer) {
  analysis::Operation size;
  size.times.number = std::max<qint64>(1, buffer.dtype.bytes());
  for (const tir::PrimExpr& dim : buffer.shape) size.times.multiply(dim);
  size.count = std::exchange(size.times.number, 1);
  return size;
}

/// What is done equally often is one term of a sum; empty where there are more than one reads.
QString sumOf(const std::vector<analysis::Operation>& all) {
  constexpr size_t kMostTerms = 3;
  std::vector<analysis::Operation> terms;
  for (const analysis::Operation& each : all) {
    const auto same = std::ranges::find(terms, each.times, &analysis::Operation::times);
    analysis::Operation& term = same == terms.end() ? terms.emplace_back() : *same;
    term.times = each.times;
    term.count += each.count;
  }
  if (terms.size() > kMostTerms) return {};
  QStringList texts;
  for (const analysis::Operation& each : terms) texts << textOf(each.times, each.count);
  return texts.join(QStringLiteral(" + "));
}

class Summary {
 public:
  explicit Summary(const tir::PrimFunc& function) : function_(function) {}

  PrimSummary run() {
    const analysis::KernelWork work = analysis::workOf(function_);
    for (const analysis::BufferUse& use : work.buffers) {
      const tir::Buffer& buffer = *use.buffer;
      result_.buffers.push_back({qtText(buffer.name.view()), shapeText(buffer.shape),
                                 QString::fromStdString(buffer.dtype.str()), qtText(buffer.scope()), bytesOf(buffer),
                                 bytesOf(buffer) < 0 ? sumOf({timesAByte(buffer)}) : QString(), use.param,
                                 use.read || use.handedOn, use.written});
    }
    addOperations(work);
    addFlops(work);
    addBytes(work);
    waiting_.push_back({function_.body.get(), 0});
    while (!waiting_.empty()) {
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      statement(next);
    }
    return std::move(result_);
  }

 private:
  struct Waiting {
    const tir::StmtNode* statement;
    int depth;
  };

  /// By their names, and in the order of the text below that.
  void addOperations(const analysis::KernelWork& work) {
    std::map<std::string, QStringList> times;
    for (const analysis::Operation& each : work.operations) times[each.name] << textOf(each.times, each.count);
    for (const auto& [name, texts] : times)
      for (const QString& text : texts) result_.operations.push_back({QString::fromStdString(name), text});
  }

  void addFlops(const analysis::KernelWork& work) {
    if (const auto flops = analysis::flopsOf(work, {})) {
      result_.flops = *flops;
      return;
    }
    std::vector<analysis::Operation> flops;
    for (analysis::Operation each : work.operations) {
      each.count *= each.flops;
      if (each.flops != 0) flops.push_back(std::move(each));
    }
    result_.symbolicFlops = sumOf(flops);
  }

  void addBytes(const analysis::KernelWork& work) {
    double all = 0;
    bool isKnown = true;
    std::vector<analysis::Operation> sizes;
    for (const analysis::BufferUse& use : work.buffers) {
      if (!use.param || (!use.read && !use.written && !use.handedOn)) continue;
      sizes.push_back(timesAByte(*use.buffer));
      if (use.read && use.written) sizes.back().count *= 2;
      const qint64 bytes = bytesOf(*use.buffer);
      isKnown = isKnown && bytes >= 0;
      if (isKnown) all += analysis::bytesMoved(use, static_cast<double>(bytes), {});
    }
    if (isKnown) {
      result_.bytesMoved = static_cast<qint64>(all);
    } else {
      result_.symbolicBytes = sumOf(sizes);
    }
  }

  void push(const tir::Stmt& statement, int depth) {
    if (statement) waiting_.push_back({statement.get(), depth});
  }

  void statement(const Waiting& at) {
    if (const auto* sequence = as<tir::SeqStmt>(at.statement)) {
      for (size_t i = sequence->seq.size(); i-- > 0;) push(sequence->seq[i], at.depth);
    } else if (const auto* loop = as<tir::For>(at.statement)) {
      addLoop(*loop, at.depth);
    } else if (const auto* realize = as<tir::BlockRealize>(at.statement)) {
      addBlock(*realize->block, at.depth);
    } else if (const auto* attr = as<tir::AttrStmt>(at.statement)) {
      push(attr->body, at.depth);
    } else if (const auto* branch = as<tir::IfThenElse>(at.statement)) {
      push(branch->elseCase, at.depth);
      push(branch->thenCase, at.depth);
    } else if (const auto* loop = as<tir::While>(at.statement)) {
      push(loop->body, at.depth);
    }
  }

  void addLoop(const tir::For& loop, int depth) {
    static constexpr const char* kKinds[] = {"serial", "parallel", "vectorized", "unrolled", "thread"};
    const bool thread = loop.threadBinding && !loop.threadBinding->threadTag.view().empty();
    if (result_.loops.size() < kMostRows)
      result_.loops.push_back({qtText(loop.loopVar->name.view()),
                               QString::fromStdString(script::printPrimExpr(loop.extent)),
                               thread ? qtText(loop.threadBinding->threadTag.view())
                                      : QString::fromLatin1(kKinds[static_cast<size_t>(loop.forKind)]),
                               depth});
    push(loop.body, depth + 1);
  }

  void addBlock(const tir::Block& block, int depth) {
    // The block around the whole function says nothing.
    const bool root = block.iterVars.empty() && depth == 0;
    if (!root && result_.blocks.size() < kMostRows) {
      QStringList spatial, reduction;
      for (const Ref<tir::IterVar>& axis : block.iterVars)
        (axis->iterType == tir::IterType::CommReduce ? reduction : spatial) << qtText(axis->var->name.view());
      QStringList axes;
      if (!spatial.isEmpty()) axes << QStringLiteral("spatial ") + spatial.join(QStringLiteral(", "));
      if (!reduction.isEmpty()) axes << QStringLiteral("reduction ") + reduction.join(QStringLiteral(", "));
      result_.blocks.push_back(
          {qtText(block.name.view()), axes.join(QStringLiteral("; ")), regions(block.reads), regions(block.writes)});
    }
    push(block.init, depth);
    push(block.body, depth);
  }

  static QString regions(const Array<Ref<tir::BufferRegion>>& all) {
    QStringList names;
    for (const Ref<tir::BufferRegion>& region : all) names << qtText(region->buffer->name.view());
    names.removeDuplicates();
    return names.join(QStringLiteral(", "));
  }

  const tir::PrimFunc& function_;
  PrimSummary result_;
  std::vector<Waiting> waiting_;
};

}  // namespace

std::shared_ptr<const PrimSummary> summaryOf(const tir::PrimFunc& function) {
  return std::make_shared<const PrimSummary>(Summary(function).run());
}

}  // namespace rx::views
