#include "core/lower/product_loops.h"

#include <algorithm>

#include "core/arith/inequalities.h"
#include "core/arith/linear.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/lower/zero_division.h"

namespace rx::lower {

using namespace tir;

namespace {

using Operand = ProductLoops::Operand;

bool isPlain(const BufferRef& buffer, const PrimExpr& predicate) {
  return buffer->dtype == DataType::Float(32) && !predicate;
}

const BufferLoad* plainLoad(const PrimExpr& e) {
  const auto* load = as<BufferLoad>(e);
  return load && load->dtype == DataType::Float(32) && isPlain(load->buffer, load->predicate) ? load : nullptr;
}

class Recognizer {
 public:
  explicit Recognizer(const For& outermost) : nest_(loopNest(Ref<For>(&outermost))) {
    found_.loops = nest_.loops;
    for (const Ref<For>& loop : nest_.loops) vars_.push_back(loop->loopVar.get());
  }

  std::optional<ProductLoops> run() {
    for (const Ref<For>& loop : nest_.loops) {
      if (loop->step || !isa<IntImm>(loop->min) || loop->loopVar->dtype.lanes > 1) return std::nullopt;
    }
    const auto* both = as<SeqStmt>(nest_.body);
    if (both && both->seq.size() != 2) return std::nullopt;
    const auto* sum = as<BufferStore>(both ? both->seq[1] : nest_.body);
    const auto* begin = both ? as<IfThenElse>(both->seq[0]) : nullptr;
    if (!sum || !readSum(*sum) || (both && (!begin || !readBegin(*begin)))) return std::nullopt;
    const auto knowsSteps = [&](const Ref<For>& each) { return stays(each->extent); };
    if (!std::all_of(nest_.loops.begin(), nest_.loops.end(), knowsSteps)) return std::nullopt;
    return begin && !beginsOnce() ? std::nullopt : std::optional(std::move(found_));
  }

 private:
  size_t loopOf(const Node* var) const {
    return static_cast<size_t>(std::find(vars_.begin(), vars_.end(), var) - vars_.begin());
  }

  /// out = out + left * right.
  bool readSum(const BufferStore& store) {
    const auto* sum = as<Add>(store.value);
    if (!sum || !isPlain(store.buffer, store.predicate)) return false;
    const bool isFirst = plainLoad(sum->a) != nullptr;
    const auto* before = plainLoad(isFirst ? sum->a : sum->b);
    const auto* product = as<Mul>(isFirst ? sum->b : sum->a);
    const auto* left = product ? plainLoad(product->a) : nullptr;
    const auto* right = product ? plainLoad(product->b) : nullptr;
    return before && left && right && readOperand(store, found_.out) && isOut(*before) &&
           readOperand(*left, found_.left) && readOperand(*right, found_.right);
  }

  template <class Access>
  bool isOut(const Access& access) const {
    return access.buffer == found_.out.buffer &&
           std::equal(access.indices.begin(), access.indices.end(), found_.out.indices.begin(),
                      found_.out.indices.end(),
                      [](const PrimExpr& a, const PrimExpr& b) { return structuralEqual(a, b); });
  }

  template <class Access>
  bool readOperand(const Access& access, Operand& operand) const {
    operand = {access.buffer, access.indices, {}};
    for (const PrimExpr& index : access.indices) {
      auto linear = arith::isIndexType(index->dtype) ? arith::linearIn(index, vars_) : std::nullopt;
      if (!linear || !stays(linear->second)) return false;
      operand.steps.push_back(std::move(linear->first));
    }
    return true;
  }

  /// if all of some loops are in their first step: out = a number.
  bool readBegin(const IfThenElse& branch) {
    const auto* store = as<BufferStore>(branch.thenCase);
    const auto* number = store ? as<FloatImm>(store->value) : nullptr;
    if (!number || branch.elseCase || store->predicate || !isOut(*store)) return false;
    found_.begin = static_cast<float>(number->value);
    std::vector<PrimExpr> waiting{branch.condition};
    while (!waiting.empty()) {
      const PrimExpr test = waiting.back();
      waiting.pop_back();
      if (const auto* both = as<And>(test)) {
        waiting.insert(waiting.end(), {both->a, both->b});
        continue;
      }
      const auto* equal = as<EQ>(test);
      const auto* first = equal ? as<IntImm>(equal->b) : nullptr;
      const auto* once = equal ? as<IntImm>(equal->a) : nullptr;  // of a loop that is none any more
      if (first && once && first->value == once->value) continue;
      const size_t loop = equal ? loopOf(equal->a.get()) : vars_.size();
      if (!first || loop == vars_.size() || as<IntImm>(nest_.loops[loop]->min)->value != first->value) return false;
      beginsBy_.push_back(loop);
    }
    return true;
  }

  /// Whether a number is the same in each step, and can be had where there is none.
  bool stays(const PrimExpr& number) const {
    bool same = true;
    walkOnce(*number, Into::All, [&](const Node& node) {
      const auto* binary = as<BinaryNode>(&node);
      const bool mayFail = isa<BufferLoad>(&node) || isa<Call>(&node) || (binary && mayDivideByZero(*binary));
      same = same && !mayFail && loopOf(&node) == vars_.size();
      return same;
    });
    return same;
  }

  /// An element begins once: in the first step of every loop that stays at it.
  bool beginsOnce() const {
    for (size_t i = 0; i < vars_.size(); ++i) {
      const bool named = std::find(beginsBy_.begin(), beginsBy_.end(), i) != beginsBy_.end();
      const auto* extent = as<IntImm>(nest_.loops[i]->extent);
      const bool isOne = extent && extent->value == 1;
      if (!isOne && named == found_.out.moves(i)) return false;
    }
    return true;
  }

  LoopNest nest_;
  std::vector<const Var*> vars_;
  ProductLoops found_;
  std::vector<size_t> beginsBy_;  ///< the loops that are in their first step where an element begins
};

}  // namespace

bool ProductLoops::Operand::moves(size_t loop) const {
  return std::any_of(steps.begin(), steps.end(), [&](const auto& index) { return index[loop] != 0; });
}

std::optional<ProductLoops> productLoops(const For& outermost) { return Recognizer(outermost).run(); }

}  // namespace rx::lower
