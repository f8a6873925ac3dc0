// Loops that add products up, as one instruction. A loop over instructions takes many times as long as the sums
// themselves; the loops are compiled as well, for what the instruction leaves to them.
#include <algorithm>
#include <utility>

#include "core/arith/inequalities.h"
#include "core/arith/linear.h"
#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/lower/loop_nest.h"
#include "core/lower/zero_division.h"

namespace rx::interpret {

using namespace tir;

namespace {

struct Nest : lower::LoopNest {
  const BufferStore* store = nullptr;
  const BufferLoad *left = nullptr, *right = nullptr;
  std::optional<float> begin = {};
  std::vector<const Var*> beginsBy = {};  ///< the variables that are in their first step where an element begins

  size_t indexOf(const Node* var) const {
    const auto hit =
        std::find_if(loops.begin(), loops.end(), [&](const auto& loop) { return loop->loopVar.get() == var; });
    return static_cast<size_t>(hit - loops.begin());
  }
};

bool isPlain(const BufferRef& buffer, const PrimExpr& predicate) {
  return buffer->dtype == DataType::Float(32) && !predicate;
}

const BufferLoad* plainLoad(const PrimExpr& e) {
  const auto* load = as<BufferLoad>(e);
  return load && load->dtype == DataType::Float(32) && isPlain(load->buffer, load->predicate) ? load : nullptr;
}

bool isSame(const BufferLoad& load, const BufferStore& store) {
  return load.buffer == store.buffer &&
         std::equal(load.indices.begin(), load.indices.end(), store.indices.begin(), store.indices.end(),
                    [](const PrimExpr& a, const PrimExpr& b) { return structuralEqual(a, b); });
}

/// out = out + left * right.
bool readSum(const BufferStore& store, Nest& nest) {
  const auto* sum = as<Add>(store.value);
  if (!sum || !isPlain(store.buffer, store.predicate)) return false;
  const bool isFirst = plainLoad(sum->a) != nullptr;
  const auto* before = plainLoad(isFirst ? sum->a : sum->b);
  const auto* product = as<Mul>(isFirst ? sum->b : sum->a);
  if (!before || !product || !isSame(*before, store)) return false;
  nest.store = &store;
  nest.left = plainLoad(product->a);
  nest.right = plainLoad(product->b);
  return nest.left && nest.right;
}

/// if all of some loops are in their first step: out = a number.
bool readBegin(const IfThenElse& branch, Nest& nest) {
  const auto* store = as<BufferStore>(branch.thenCase);
  const auto* number = store ? as<FloatImm>(store->value) : nullptr;
  if (!number || branch.elseCase || !isPlain(store->buffer, store->predicate)) return false;
  nest.begin = static_cast<float>(number->value);
  std::vector<PrimExpr> waiting{branch.condition};
  while (!waiting.empty()) {
    const PrimExpr test = waiting.back();
    waiting.pop_back();
    if (const auto* both = as<And>(test)) {
      waiting.insert(waiting.end(), {both->a, both->b});
      continue;
    }
    const auto* equal = as<EQ>(test);
    const auto* var = equal ? as<Var>(equal->a) : nullptr;
    const auto* first = equal ? as<IntImm>(equal->b) : nullptr;
    const auto* once = equal ? as<IntImm>(equal->a) : nullptr;  // of a loop that is none any more
    if (first && once && first->value == once->value) continue;
    const size_t loop = nest.indexOf(var);
    if (!first || loop == nest.loops.size()) return false;
    if (as<IntImm>(nest.loops[loop]->min)->value != first->value) return false;
    nest.beginsBy.push_back(var);
  }
  return true;
}

std::optional<Nest> nestOf(const For& outermost) {
  Nest nest{lower::loopNest(Ref<For>(&outermost))};
  for (const Ref<For>& loop : nest.loops) {
    if (loop->step || !isa<IntImm>(loop->min) || loop->loopVar->dtype.lanes > 1) return std::nullopt;
  }
  const auto* both = as<SeqStmt>(nest.body);
  if (both && both->seq.size() != 2) return std::nullopt;
  const auto* sum = as<BufferStore>(both ? both->seq[1] : nest.body);
  if (!sum || !readSum(*sum, nest)) return std::nullopt;
  if (!both) return nest;
  const auto* begin = as<IfThenElse>(both->seq[0]);
  if (!begin || !readBegin(*begin, nest)) return std::nullopt;
  const auto& store = *as<BufferStore>(begin->thenCase);
  const BufferLoad place(store.buffer, store.indices, store.buffer->dtype);
  return isSame(place, *sum) ? std::optional(nest) : std::nullopt;
}

/// Whether a number is the same in each step, and can be had where there is none.
bool stays(const PrimExpr& number, const Nest& nest) {
  bool same = true;
  walkOnce(*number, Into::All, [&](const Node& node) {
    const auto* binary = as<BinaryNode>(&node);
    const bool mayFail = isa<BufferLoad>(&node) || isa<Call>(&node) || (binary && lower::mayDivideByZero(*binary));
    same = same && !mayFail && nest.indexOf(&node) == nest.loops.size();
    return same;
  });
  return same;
}

/// What the variables of the loops add to an index, each step of each; nothing where that changes from step to step.
std::optional<std::vector<int64_t>> stepsOf(PrimExpr index, const Nest& nest) {
  if (!arith::isIndexType(index->dtype)) return std::nullopt;
  std::vector<int64_t> steps;
  for (const Ref<For>& loop : nest.loops) {
    const auto linear = arith::linearIn(index, loop->loopVar.get());
    if (!linear) return std::nullopt;
    steps.push_back(linear->first);
    index = linear->second;
  }
  return stays(index, nest) ? std::optional(std::move(steps)) : std::nullopt;
}

std::optional<std::vector<std::vector<int64_t>>> stepsOf(const Array<PrimExpr>& indices, const Nest& nest) {
  std::vector<std::vector<int64_t>> out;
  for (const PrimExpr& index : indices) {
    auto steps = stepsOf(index, nest);
    if (!steps) return std::nullopt;
    out.push_back(std::move(*steps));
  }
  return out;
}

/// An element begins once: in the first step of every loop that stays at it.
bool beginsOnce(const Nest& nest, const ProductSum::Operand& out) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    const auto& by = nest.beginsBy;
    const bool named = std::find(by.begin(), by.end(), nest.loops[i]->loopVar.get()) != by.end();
    const auto* extent = as<IntImm>(nest.loops[i]->extent);
    const bool isOne = extent && extent->value == 1;
    if (!isOne && named == out.moves(i)) return false;
  }
  return true;
}

}  // namespace

std::optional<size_t> Compiler::productSum(const For& loop) {
  if (isStepped() || inProductSum_) return std::nullopt;
  const std::optional<Nest> nest = nestOf(loop);
  if (!nest) return std::nullopt;
  const auto out = stepsOf(nest->store->indices, *nest);
  const auto left = stepsOf(nest->left->indices, *nest), right = stepsOf(nest->right->indices, *nest);
  if (!out || !left || !right) return std::nullopt;
  ProductSum sum{{}, {0, {}, *out}, {0, {}, *left}, {0, {}, *right}, nest->begin};
  if (nest->begin && !beginsOnce(*nest, sum.out)) return std::nullopt;
  const auto knowsSteps = [&](const Ref<For>& each) { return stays(each->extent, *nest); };
  if (!std::all_of(nest->loops.begin(), nest->loops.end(), knowsSteps)) return std::nullopt;
  for (const Ref<For>& each : nest->loops) {
    sum.extents.push_back(converted(each->extent, each->loopVar->dtype));
  }
  for (const Ref<For>& each : nest->loops) variables_[each->loopVar.get()] = {constant(as<IntImm>(each->min)->value)};
  const auto place = [&](const BufferRef& buffer, const Array<PrimExpr>& indices, ProductSum::Operand& operand) {
    operand.buffer = bufferSlot(buffer);
    for (const PrimExpr& index : indices) operand.first.push_back(expr(index));
  };
  place(nest->store->buffer, nest->store->indices, sum.out);
  place(nest->left->buffer, nest->left->indices, sum.left);
  place(nest->right->buffer, nest->right->indices, sum.right);
  for (const Ref<For>& each : nest->loops) variables_.erase(each->loopVar.get());
  const uint32_t done = give({.code = Code::SumProducts, .imm = numberOf(program_.productSums, std::move(sum))});
  return emit({.code = Code::JumpIf, .a = done});
}

void Compiler::loop(const For& each) {
  const std::optional<size_t> done = productSum(each);
  const bool around = std::exchange(inProductSum_, inProductSum_ || done);
  // Every kind of loop may run in order: parallel and vectorized steps do not depend on each other.
  countedLoop(each.loopVar, each.min, each.extent, each.body);
  inProductSum_ = around;
  if (done) patch(*done);
}

}  // namespace rx::interpret
