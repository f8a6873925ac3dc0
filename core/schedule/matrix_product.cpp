#include "core/schedule/matrix_product.h"

#include <algorithm>
#include <utility>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;
using lower::int32;

PrimExpr wide(PrimExpr x) { return arith::cast(DataType::Int(64), std::move(x)); }

PrimExpr tilesOf(const PrimExpr& extent, int64_t each) {
  return arith::floorDiv(arith::add(wide(extent), intImm(each - 1)), intImm(each));
}

Stmt counted(int64_t extent, const std::function<Stmt(const PrimExpr&)>& body) {
  const auto var = make<Var>(Str("part"), DataType::Int(32));
  return make<For>(var, int32(0), int32(extent), ForKind::Serial, body(var));
}

PrimExpr elementName(DataType element) {
  return make<StringImm>(Str(element == DataType::BFloat16() ? "bf16" : "fp16"));
}

PrimExpr flatPlace(const BufferLoad& load) {
  PrimExpr flat = intImm(0);
  for (size_t i = 0; i < load.indices.size(); ++i)
    flat = arith::add(arith::mul(flat, wide(load.buffer->shape[i])), wide(load.indices[i]));
  return flat;
}

std::optional<Cells> Cells::of(Ref<Block> block, const Array<PrimExpr>& place) {
  if (block->init || !isa<BufferStore>(block->body) || !block->allocBuffers.empty() || !block->matchBuffers.empty() ||
      place.size() != 3)
    return std::nullopt;
  Cells made{std::move(block), {}};
  size_t used = 0;
  arith::Analyzer analyzer;
  for (size_t i = 0; i < 3; ++i) {
    PrimExpr fused = intImm(0);
    for (const auto& axis : made.block->iterVars) {
      if (!lower::uses(place[i], axis->var.get())) continue;
      made.axes[i].emplace_back(axis->var, axis->dom->extent);
      fused = arith::add(arith::mul(fused, axis->dom->extent), axis->var);
    }
    used += made.axes[i].size();
    if (!analyzer.canProve(arith::eq(wide(fused), wide(place[i])))) return std::nullopt;
  }
  const auto many = [](const Ref<IterVar>& axis) { return !arith::isOne(axis->dom->extent); };
  const auto count = static_cast<size_t>(std::ranges::count_if(made.block->iterVars, many));
  return used < count ? std::nullopt : std::optional(made);
}

Stmt Cells::at(const std::array<PrimExpr, 3>& place) const {
  arith::VarMap map;
  for (const auto& axis : block->iterVars) map[axis->var.get()] = arith::constantInt(axis->var->dtype, 0);
  for (size_t i = 0; i < 3; ++i) {
    PrimExpr left = place[i];
    for (size_t k = axes[i].size(); k-- > 0;) {
      const auto& [var, extent] = axes[i][k];
      const PrimExpr step = k == 0 ? left : arith::floorMod(left, wide(extent));
      if (k > 0) left = arith::floorDiv(left, wide(extent));
      map[var.get()] = arith::cast(var->dtype, step);
    }
  }
  return lower::substitute(block->body, map);
}

bool Cells::isLast(const PrimExpr& expr, size_t dimension) const {
  return !axes[dimension].empty() && expr == axes[dimension].back().first;
}

const BufferLoad* Cells::copied(size_t dimension, int64_t atOnce) const {
  const auto* load = as<BufferLoad>(store().value);
  if (!load || load->indices.empty() || axes[dimension].size() != 1) return nullptr;
  const Buffer& buffer = *load->buffer;
  const bool plain = buffer.strides.empty() && !load->predicate && buffer.dtype == store().buffer->dtype &&
                     (!buffer.elemOffset || asInt(buffer.elemOffset) == 0);
  const auto extent = asInt(axes[dimension].back().second), line = asInt(buffer.shape.back());
  // Elements that are copied at once are all there, or none of them.
  const bool inGroups = extent && *extent % atOnce == 0 && line && *line % atOnce == 0;
  return plain && inGroups && isLast(load->indices.back(), dimension) ? load : nullptr;
}

std::optional<std::array<int64_t, 3>> Cells::strides() const {
  const auto* load = as<BufferLoad>(store().value);
  if (!load) return std::nullopt;
  const PrimExpr flat = flatPlace(*load);
  arith::Analyzer analyzer;
  arith::VarMap zero;
  for (const auto& axis : block->iterVars) {
    analyzer.bind(axis->var, *axis->dom);
    zero[axis->var.get()] = arith::constantInt(axis->var->dtype, 0);
  }
  const auto valueAt = [&](const arith::VarMap& map) { return asInt(analyzer.simplify(arith::substitute(flat, map))); };
  std::array<int64_t, 3> strides{};
  PrimExpr sum = intImm(0);
  for (size_t i = 0; i < 3; ++i) {
    if (axes[i].empty()) continue;
    arith::VarMap step = zero;
    const VarRef& last = axes[i].back().first;
    step[last.get()] = arith::constantInt(last->dtype, 1);
    const auto found = valueAt(step);
    if (!found) return std::nullopt;
    strides[i] = *found;
    PrimExpr place = intImm(0);
    for (const auto& [var, extent] : axes[i]) place = arith::add(arith::mul(place, wide(extent)), wide(var));
    sum = arith::add(sum, arith::mul(place, intImm(strides[i])));
  }
  return valueAt(zero) == 0 && analyzer.canProveEqual(flat, sum) ? std::optional(strides) : std::nullopt;
}

namespace {

/// Whether the block adds up products of an element of either buffer that it reads, from zero on.
bool isSumOfProducts(const Block& block) {
  const PrimExpr product = summand(block);
  const auto* factors = product ? as<Mul>(product) : nullptr;
  const auto* start = block.init ? as<BufferStore>(block.init) : nullptr;
  if (!factors || !start || !arith::isZero(start->value) || block.reads.size() != 2) return false;
  const auto reads = [](const PrimExpr& factor, const Buffer& buffer) {
    const auto* cast = as<tir::Cast>(factor);
    const auto* load = as<BufferLoad>(cast ? cast->value : factor);
    return load && load->buffer.get() == &buffer;
  };
  const Buffer &a = *block.reads[0]->buffer, &b = *block.reads[1]->buffer;
  return (reads(factors->a, a) && reads(factors->b, b)) || (reads(factors->a, b) && reads(factors->b, a));
}

/// The place of the buffer that the block reads; nothing where it reads several.
Array<PrimExpr> placeRead(const Block& block, const Buffer& buffer) {
  Array<PrimExpr> found;
  bool one = true;
  walk(*block.body, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || load->buffer.get() != &buffer) return true;
    one = one && (found.empty() || arith::sameExprs(found, load->indices));
    found = load->indices;
    return true;
  });
  return one ? found : Array<PrimExpr>();
}

Array<PrimExpr> placeWritten(const Block& block) {
  const auto* store = as<BufferStore>(block.body);
  return store ? store->indices : Array<PrimExpr>();
}

Stmt under(const char* tag, const VarRef& var, const PrimExpr& extent, const Stmt& body) {
  auto axis = make<IterVar>(make<Range>(int32(0), extent), var, IterType::ThreadIndex, Str(tag));
  return make<AttrStmt>(NodeRef(axis), Str("thread_extent"), extent, body);
}

}  // namespace

Result<MatrixProduct> MatrixProduct::of(const Schedule& schedule, BlockRef block, std::string_view primitive) {
  const auto no = [&](std::string_view why) { return refuse(primitive, schedule.name(block), why); };
  const Ref<Block> main = schedule.get(block);
  if (!isSumOfProducts(*main) || main->iterVars.size() != 4)
    return no("it adds up something else than products of two elements, over batches, rows, columns and sums");
  const BufferRef sums = main->writes[0]->buffer;
  const BlockScope scope(*schedule.get(schedule.root()));
  const auto a = scope.onlyWriter(*main->reads[0]->buffer), b = scope.onlyWriter(*main->reads[1]->buffer);
  const auto after = scope.consumers(*main);
  if (!a || !b || after.size() != 1 || scope.blocks().size() != 4)
    return no("a stage before or after the product can not be a part of it");
  const auto left = Cells::of(a->block, placeWritten(*a->block)), right = Cells::of(b->block, placeWritten(*b->block));
  const auto result = Cells::of(after.front()->block, placeRead(*after.front()->block, *sums));
  if (!left || !right || !result) return no("what leads to the product, or follows from it, is no single store");
  const DataType element = left->store().buffer->dtype;
  if (element.bits != 16 || !element.isFloat() || right->store().buffer->dtype != element)
    return no("its operands are no floats of 16 bits");
  if (sums->dtype != DataType::Float(32) && sums->dtype != element)
    return no("its sums are neither float32 nor what its operands are");
  const auto extent = [&](size_t axis) { return main->iterVars[axis]->dom->extent; };
  return MatrixProduct{*left, *right, *result, sums, {extent(0), extent(1), extent(2), extent(3)}, element};
}

Stmt MatrixProduct::stored(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
                           const PrimExpr& sum) const {
  const Stmt placed = result.at({batch, row, column});
  const NodeRef made = rewriteNodes(placed, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
    const auto* load = as<BufferLoad>(node.get());
    return load && load->buffer == sums ? NodeRef(arith::cast(load->dtype, sum)) : node;
  });
  const PrimExpr inside = arith::logicalAnd(arith::lt(row, wide(extents[1])), arith::lt(column, wide(extents[2])));
  return make<IfThenElse>(inside, cast<StmtNode>(made), Stmt());
}

Stmt MatrixProduct::kernel(int64_t rows, int64_t columns, int64_t threads, Array<BufferRef> buffers,
                           const std::function<Stmt(const PrimExpr& batch, const PrimExpr& row, const PrimExpr& column,
                                                    const PrimExpr& thread)>& body) const {
  const auto group = make<Var>(Str("group"), DataType::Int(32)), batch = make<Var>(Str("batch"), DataType::Int(32));
  const auto thread = make<Var>(Str("thread"), DataType::Int(32));
  const PrimExpr across = tilesOf(extents[2], columns);
  const PrimExpr groups = arith::mul(tilesOf(extents[1], rows), across);
  Block memory;
  memory.name = Str("memory");
  memory.allocBuffers = std::move(buffers);
  memory.body = body(wide(batch), arith::mul(arith::floorDiv(wide(group), across), intImm(rows)),
                     arith::mul(arith::floorMod(wide(group), across), intImm(columns)), thread);
  Stmt made = make<BlockRealize>(Array<PrimExpr>(), boolImm(true), make<Block>(memory));
  made = under("threadIdx.x", thread, int32(threads), made);
  made = under("blockIdx.y", batch, arith::cast(DataType::Int(32), wide(extents[0])), made);
  return under("blockIdx.x", group, arith::cast(DataType::Int(32), groups), made);
}

void replaceAll(Schedule& schedule, Stmt kernel) {
  const Ref<Block> root = changed(*schedule.get(schedule.root()), [&](Block& whole) {
    whole.allocBuffers = {};
    whole.body = std::move(kernel);
  });
  schedule.commit(make<BlockRealize>(Array<PrimExpr>(), boolImm(true), root));
}

}  // namespace rx::schedule
