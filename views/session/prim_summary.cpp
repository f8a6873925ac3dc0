#include "views/session/prim_summary.h"

#include <QStringList>
#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/ir/reflect.h"
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

/// How often something runs: a number times the symbolic extents of the loops around it.
struct Times {
  qint64 number = 1;
  QStringList symbols;
  bool overflow = false;

  void multiply(const tir::PrimExpr& extent) {
    if (const auto* known = as<tir::IntImm>(extent)) {
      overflow = overflow || __builtin_mul_overflow(number, known->value, &number);
    } else {
      symbols << QString::fromStdString(script::printPrimExpr(extent));
    }
  }
  QString text(qint64 operations) const {
    qint64 all = 0;
    if (overflow || __builtin_mul_overflow(number, operations, &all)) return QStringLiteral("very often");
    QStringList parts = symbols;
    if (all != 1 || parts.isEmpty()) parts.prepend(grouped(all));
    return parts.join(QStringLiteral(" × "));
  }
};

/// The arithmetic that is counted, by kind of node; everything else is free.
struct OperationRow {
  Kind kind;
  const char* name;
  bool arithmetic = true;  ///< of floating-point numbers it is one of the operations that FLOP counts
};
constexpr OperationRow kOperations[] = {
    {Kind::tir_Add, "add"},
    {Kind::tir_Sub, "subtract"},
    {Kind::tir_Mul, "multiply"},
    {Kind::tir_Div, "divide"},
    {Kind::tir_Min, "min"},
    {Kind::tir_Max, "max"},
    {Kind::tir_Select, "select", false},
    {Kind::tir_Cast, "cast", false},
    {Kind::tir_FloorDiv, "floor divide"},
    {Kind::tir_FloorMod, "floor mod"},
};

class Summary {
 public:
  explicit Summary(const tir::PrimFunc& function) : function_(function) {}

  PrimSummary run() {
    for (size_t i = 0; i < function_.params.size(); ++i)
      if (i < function_.buffers.size() && function_.buffers[i]) addBuffer(function_.buffers[i].get(), true);
    work_.push_back({function_.body.get(), {}, 0});
    while (!work_.empty()) {
      const Work next = std::move(work_.back());
      work_.pop_back();
      if (next.statement) statement(next);
    }
    for (const auto& [name, counts] : counts_)
      for (const auto& [symbols, count] : counts) result_.operations.push_back({name, count.first.text(count.second)});
    addFlops();
    result_.bytesMoved = 0;
    for (const PrimBufferRow& buffer : result_.buffers) {
      if (!buffer.param || (!buffer.read && !buffer.written)) continue;
      result_.bytesMoved = buffer.bytes < 0 || result_.bytesMoved < 0
                               ? -1
                               : result_.bytesMoved + buffer.bytes * (int{buffer.read} + int{buffer.written});
    }
    return std::move(result_);
  }

 private:
  struct Work {
    const tir::StmtNode* statement;
    Times times;
    int depth;
  };

  void addFlops() {
    constexpr qsizetype kMostTerms = 3;
    QStringList terms;
    double known = 0;
    bool symbolic = false;
    for (const auto& [key, count] : flops_) {
      symbolic = symbolic || !count.first.symbols.isEmpty() || count.first.overflow;
      known += static_cast<double>(count.first.number) * static_cast<double>(count.second);
      terms << count.first.text(count.second);
    }
    if (!symbolic) result_.flops = known;
    if (symbolic && terms.size() <= kMostTerms) result_.symbolicFlops = terms.join(QStringLiteral(" + "));
  }

  PrimBufferRow* addBuffer(const tir::Buffer* buffer, bool param) {
    const auto [at, fresh] = buffers_.emplace(buffer, result_.buffers.size());
    if (fresh)
      result_.buffers.push_back({qtText(buffer->name.view()), shapeText(buffer->shape),
                                 QString::fromStdString(buffer->dtype.str()), qtText(buffer->scope()), bytesOf(*buffer),
                                 param, false, false});
    return &result_.buffers[at->second];
  }

  void push(const tir::Stmt& statement, const Times& times, int depth) {
    if (statement) work_.push_back({statement.get(), times, depth});
  }

  /// What has statements below it pushes them; the rest is expressions.
  void statement(const Work& at) {
    const tir::StmtNode* node = at.statement;
    if (const auto* sequence = as<tir::SeqStmt>(node)) {
      for (size_t i = sequence->seq.size(); i-- > 0;) push(sequence->seq[i], at.times, at.depth);
    } else if (const auto* loop = as<tir::For>(node)) {
      addLoop(*loop, at);
    } else if (const auto* realize = as<tir::BlockRealize>(node)) {
      addBlock(*realize->block, at);
    } else if (const auto* attr = as<tir::AttrStmt>(node)) {
      push(attr->body, at.times, at.depth);
    } else if (const auto* branch = as<tir::IfThenElse>(node)) {
      expression(branch->condition.get(), at.times);
      push(branch->elseCase, at.times, at.depth);
      push(branch->thenCase, at.times, at.depth);
    } else if (const auto* loop = as<tir::While>(node)) {
      Times times = at.times;
      times.symbols << QStringLiteral("passes of the loop");
      push(loop->body, times, at.depth);
    } else {
      if (const auto* store = as<tir::BufferStore>(node)) addBuffer(store->buffer.get(), false)->written = true;
      leaf(node, at.times);
    }
  }

  void addLoop(const tir::For& loop, const Work& at) {
    static constexpr const char* kKinds[] = {"serial", "parallel", "vectorized", "unrolled", "thread"};
    Times times = at.times;
    times.multiply(loop.extent);
    const bool thread = loop.threadBinding && !loop.threadBinding->threadTag.view().empty();
    if (result_.loops.size() < kMostRows)
      result_.loops.push_back({qtText(loop.loopVar->name.view()),
                               QString::fromStdString(script::printPrimExpr(loop.extent)),
                               thread ? qtText(loop.threadBinding->threadTag.view())
                                      : QString::fromLatin1(kKinds[static_cast<size_t>(loop.forKind)]),
                               at.depth});
    push(loop.body, times, at.depth + 1);
  }

  void addBlock(const tir::Block& block, const Work& at) {
    for (const tir::BufferRef& buffer : block.allocBuffers) addBuffer(buffer.get(), false);
    // The block around the whole function says nothing.
    const bool root = block.iterVars.empty() && at.depth == 0;
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
    push(block.init, Times(), at.depth);
    push(block.body, at.times, at.depth);
  }

  static QString regions(const Array<Ref<tir::BufferRegion>>& all) {
    QStringList names;
    for (const Ref<tir::BufferRegion>& region : all) names << qtText(region->buffer->name.view());
    names.removeDuplicates();
    return names.join(QStringLiteral(", "));
  }

  /// Buffers that are read, and the arithmetic on numbers that are not indices.
  void leaf(const Node* node, const Times& times) {
    if (const auto* store = as<tir::BufferStore>(node)) return expression(store->value.get(), times);
    if (const auto* bind = as<tir::Bind>(node)) return expression(bind->value.get(), times);
    if (const auto* evaluate = as<tir::Evaluate>(node)) return expression(evaluate->value.get(), times);
    if (const auto* alloc = as<tir::AllocBuffer>(node)) addBuffer(alloc->buffer.get(), false);
    if (const auto* decl = as<tir::DeclBuffer>(node)) addBuffer(decl->buffer.get(), false);
  }

  void expression(const Node* root, const Times& times) {
    if (!root) return;
    walk(*root, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<tir::BufferLoad>(&node)) {
        addBuffer(load->buffer.get(), false)->read = true;
        return false;  // the arithmetic of indices is not the function's work
      }
      for (const OperationRow& row : kOperations)
        if (node.kind() == row.kind) count(QString::fromLatin1(row.name), times, row.arithmetic && isFloat(node));
      if (const auto* call = as<tir::Call>(&node))
        if (const auto* op = as<relax::Op>(call->op))
          count(qtText(op->name.view()).section('.', -1), times, call->dtype.isFloat());
      return true;
    });
  }

  static bool isFloat(const Node& node) { return static_cast<const tir::ExprNode&>(node).dtype.isFloat(); }

  void count(const QString& name, const Times& times, bool flop) {
    const QString key = times.symbols.join('*') + QLatin1Char('*') + QString::number(times.number);
    const auto add = [&times](std::pair<Times, qint64>& entry) {
      entry.first = times;
      ++entry.second;
    };
    add(counts_[name][key]);
    if (flop) add(flops_[key]);
  }

  const tir::PrimFunc& function_;
  PrimSummary result_;
  std::vector<Work> work_;
  std::unordered_map<const tir::Buffer*, size_t> buffers_;
  std::map<QString, std::map<QString, std::pair<Times, qint64>>> counts_;
  std::map<QString, std::pair<Times, qint64>> flops_;
};

}  // namespace

std::shared_ptr<const PrimSummary> summaryOf(const tir::PrimFunc& function) {
  return std::make_shared<const PrimSummary>(Summary(function).run());
}

}  // namespace rx::views
