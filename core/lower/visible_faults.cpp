#include "core/lower/visible_faults.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/host_lowering.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scoped_rewriter.h"
#include "core/script/print.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Whether the bounds of the index are values that it has: a sum of loop variables, each once, and numbers.
class Attained {
 public:
  explicit Attained(const std::unordered_set<const Node*>& loops) : loops_(loops) {}
  bool holds(const PrimExpr& index) {
    std::vector<PrimExpr> open{index};
    while (!open.empty()) {
      const PrimExpr part = open.back();
      open.pop_back();
      const auto* binary = as<BinaryNode>(part);
      const bool sum = isa<Add>(part) || isa<Sub>(part);
      const bool scaled = isa<Mul>(part) && asInt(binary->b);
      if (sum || scaled) {
        open.push_back(binary->a);
        if (sum) open.push_back(binary->b);
      } else if (!asInt(part) && !(loops_.contains(part.get()) && seen_.insert(part.get()).second)) {
        return false;
      }
    }
    return true;
  }

 private:
  const std::unordered_set<const Node*>& loops_;
  std::unordered_set<const Node*> seen_;
};

class Finder : public ScopedRewriter {
 public:
  using ScopedRewriter::ScopedRewriter;
  std::vector<Diagnostic> found() && { return std::move(found_); }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* store = as<BufferStore>(statement)) look(*store->buffer, store->indices, store->span);
    if (const auto* loop = as<For>(statement)) {
      // A loop that may not run has no first and no last value.
      if (asInt(loop->extent).value_or(0) > 0 && asInt(loop->min)) loops_.insert(loop->loopVar.get());
    }
    const bool conditional = isa<IfThenElse>(statement) || isa<While>(statement);
    conditions_ += conditional;
    Stmt same = ScopedRewriter::visit(statement);
    conditions_ -= conditional;
    return same;
  }
  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (load && !load->predicate) look(*load->buffer, load->indices, load->span);
    const bool conditional =
        isa<Select>(node) || isa<And>(node) || isa<Or>(node) || asCallOf(node, "if_then_else") != nullptr;
    if (!conditional) return ScopedRewriter::enter(node);
    // What stands behind a condition may never be reached; it is not looked into.
    return node;
  }

 private:
  void look(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    for (size_t axis = 0; axis < indices.size() && axis < buffer.shape.size(); ++axis) {
      const auto extent = asInt(buffer.shape[axis]);
      if (!extent || conditions_ > 0 || indices[axis]->dtype.lanes != 1) continue;
      if (!Attained(loops_).holds(indices[axis])) continue;
      const arith::ConstIntBound bound = analyzer.constIntBound(indices[axis]);
      const bool before = bound.min < 0 && bound.min != arith::ConstIntBound::kNegInf;
      const bool behind = bound.max >= *extent && bound.max != arith::ConstIntBound::kPosInf;
      if (before || behind) warn(buffer, indices[axis], axis, before ? bound.min : bound.max, *extent, span);
    }
  }

  void warn(const Buffer& buffer, const PrimExpr& index, size_t axis, int64_t value, int64_t extent, Span span) {
    const std::string range = extent > 0 ? fmt::format(" is outside of 0..{}", extent - 1) : ", which has no elements";
    const std::string text = asInt(index) ? fmt::format("{}", value)
                                          : fmt::format("{}, which becomes {},", script::printNode(*index), value);
    Diagnostic warning = errorAt(
        span, "kernel.bounds", fmt::format("index {} of dimension {} of {}{}", text, axis, buffer.name.view(), range));
    warning.severity = Severity::Warning;
    found_.push_back(std::move(warning));
  }

  int conditions_ = 0;
  std::unordered_set<const Node*> loops_;
  std::vector<Diagnostic> found_;
};

}  // namespace

std::vector<Diagnostic> visibleFaults(const PrimFuncRef& function, const CancelToken& cancel) {
  const auto kernel = loweredForHost(function, HostForm::Loops, cancel);
  if (kernel) {
    Finder finder(*kernel->function);
    (void)finder.run(kernel->function->body);
    return std::move(finder).found();
  }
  std::vector<Diagnostic> pointers;
  for (Diagnostic problem : kernel.diagnostics()) {
    if (problem.rule != "tir.pointer-limit" && problem.rule != "tir.outside-call") continue;
    problem.severity = Severity::Warning;
    pointers.push_back(std::move(problem));
  }
  return pointers;
}

}  // namespace rx::lower
