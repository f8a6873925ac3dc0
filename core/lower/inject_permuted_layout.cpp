// InjectPermutedLayout: in marked blocks the columns of shared memory are
// permuted row by row, so that threads which read one column after another meet
// in no memory bank.
#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/scoped_rewriter.h"
#include "core/lower/thread_scope.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kMark = "permuted_layout";
/// Elements that move as one.
constexpr int64_t kVector = 8;

bool isMarked(const Block& block) {
  const NodeRef mark = ir::attrOf(block.annotations, kMark);
  if (const auto* text = as<ir::StrAttr>(mark)) return !text->value.empty();
  return mark && ir::intAttrOf(block.annotations, kMark, 0) != 0;
}

/// Intrinsics that take an address in shared memory, and an offset to it as
/// their last argument or none.
struct AddressRow {
  std::string_view name;
  size_t address;
  std::optional<size_t> offset;
};
constexpr AddressRow kAddresses[] = {
    {"ptx_ldmatrix_legacy", 5, 6},
    {"mma_store_legacy", 2, std::nullopt},
};

class Permuter : public ScopedRewriter {
 public:
  explicit Permuter(const PrimFunc& function) : ScopedRewriter(function) {
    for (const BufferRef& buffer : function.buffers) {
      if (buffer) buffers_[buffer->data.get()] = buffer;
    }
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* block = as<Block>(statement)) return within(*block, statement);
    const Stmt made = ScopedRewriter::visit(statement);
    const auto* store = as<BufferStore>(made);
    if (!store || !concerns(*store->buffer)) return made;
    auto* copy = new BufferStore(*store);
    const Stmt result(copy);
    copy->indices = permuted(*store->buffer, store->indices, store->span);
    return result;
  }

  NodeRef leave(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node); load && concerns(*load->buffer)) {
      auto* copy = new BufferLoad(*load);
      const NodeRef result(copy);
      copy->indices = permuted(*load->buffer, load->indices, load->span);
      return result;
    }
    for (const AddressRow& row : kAddresses) {
      const Call* call = permute_ ? asCallOf(node, row.name) : nullptr;
      if (call && call->args.size() > row.offset.value_or(row.address)) return moved(*call, row);
    }
    return nullptr;
  }

 private:
  bool concerns(const Buffer& buffer) const {
    return permute_ && buffer.shape.size() >= 2 && storageRank(buffer.scope()) == StorageRank::Shared;
  }

  Stmt within(const Block& block, const Stmt& statement) {
    for (const BufferRef& buffer : block.allocBuffers) buffers_[buffer->data.get()] = buffer;
    for (const auto& match : block.matchBuffers) buffers_[match->buffer->data.get()] = match->buffer;
    if (!isMarked(block)) return ScopedRewriter::visit(statement);
    const bool outer = permute_;
    permute_ = true;
    const Stmt made = ScopedRewriter::visit(statement);
    permute_ = outer;
    auto* copy = new Block(*as<Block>(made));
    copy->annotations = ir::withoutAttr(copy->annotations, kMark);
    return Stmt(copy);
  }

  /// The number of columns; nothing where the shape can not be permuted.
  std::optional<int64_t> columns(const Buffer& buffer, Span span) {
    const size_t rank = buffer.shape.size();
    const auto width = rank < 2 ? std::nullopt : asInt(buffer.shape[rank - 1]);
    const auto height = rank < 2 ? std::nullopt : asInt(buffer.shape[rank - 2]);
    if (width && (*width % 64 == 0 || (*width % 32 == 0 && height && *height % 2 == 0))) return width;
    refuse("lower.permuted-layout",
           fmt::format("the columns of {} are a multiple of 64, or of 32 with "
                       "an even number of rows",
                       buffer.name.view()),
           span);
    return std::nullopt;
  }

  /// The column of a row: 64 columns are permuted with the number of the row,
  /// 32 with half of it.
  PrimExpr column(const PrimExpr& row, const PrimExpr& column, int64_t columns) {
    auto number = [&](int64_t value) { return arith::constantInt(column->dtype, value); };
    const PrimExpr group = arith::floorDiv(column, number(kVector)), inner = arith::floorMod(column, number(kVector));
    PrimExpr pattern = arith::floorMod(row, arith::constantInt(row->dtype, 8));
    if (columns % 64 != 0) pattern = arith::floorDiv(pattern, arith::constantInt(row->dtype, 2));
    const auto knownGroup = asInt(group), knownPattern = asInt(pattern);
    const PrimExpr swapped = knownGroup && knownPattern
                                 ? number(*knownGroup ^ *knownPattern)
                                 : intrinsic(group->dtype, "bitwise_xor", {group, arith::cast(group->dtype, pattern)});
    return analyzer.simplify(arith::add(arith::mul(swapped, number(kVector)), inner));
  }

  Array<PrimExpr> permuted(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    const auto width = columns(buffer, span);
    if (!width || indices.size() < 2) return indices;
    std::vector<PrimExpr> made = indices.vector();
    made.back() = column(made[made.size() - 2], made.back(), *width);
    return Array<PrimExpr>(std::move(made));
  }

  /// The call with its offset put into the address.
  NodeRef moved(const Call& call, const AddressRow& row) {
    const Call* address = asCallOf(call.args[row.address], "tvm_access_ptr");
    const auto* pointer = address && address->args.size() == 5 ? as<Var>(address->args[1]) : nullptr;
    const auto buffer = pointer ? buffers_.find(pointer) : buffers_.end();
    if (buffer == buffers_.end()) {
      refuse("lower.permuted-layout",
             "the address is a T.tvm_access_ptr of a buffer that a block "
             "allocates",
             call.span);
      return NodeRef(&call);
    }
    const auto width = columns(*buffer->second, call.span);
    if (!width) return NodeRef(&call);
    PrimExpr offset = address->args[2];
    if (row.offset) offset = arith::add(offset, call.args[*row.offset]);
    const PrimExpr by = arith::constantInt(offset->dtype, *width);
    const PrimExpr line = arith::floorDiv(offset, by);
    const PrimExpr place = column(line, arith::floorMod(offset, by), *width);
    std::vector<PrimExpr> to = address->args.vector(), args = call.args.vector();
    to[2] = analyzer.simplify(arith::add(arith::mul(line, by), place));
    auto* access = new Call(*address);
    args[row.address] = PrimExpr(access);
    access->args = Array<PrimExpr>(std::move(to));
    if (row.offset) args[*row.offset] = arith::constantInt(args[*row.offset]->dtype, 0);
    auto* made = new Call(call);
    const NodeRef result(made);
    made->args = Array<PrimExpr>(std::move(args));
    return result;
  }

  std::unordered_map<const Var*, BufferRef> buffers_;
  bool permute_ = false;
};

}  // namespace

Result<PrimFuncRef> injectPermutedLayout(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Permuter(*func).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
