// LowerWarpMemory: memory that the threads of a warp share becomes registers.
// Each thread holds its share, and what a thread reads of another's comes by a
// shuffle.
//
// An element of warp memory is width * m * y + m * thread + x with 0 <= x < m:
// its thread holds it at m * y + x.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/function_target.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/pass_functions.h"
#include "core/lower/pointer_calls.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

/// How warp memory is dealt out to the threads of a warp.
struct Share {
  VarRef thread;
  int64_t width = 0;   ///< threads
  int64_t chunk = 0;   ///< neighbouring elements of one thread: m above
  int64_t groups = 0;  ///< chunks of one thread
};

/// Loop and thread variables of the whole body, by their ranges.
void bindRanges(const Stmt& body, arith::Canon& canon) {
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<For>(&node)) {
      canon.bind(loop->loopVar, loop->min, loop->extent);
    } else if (const auto* attribute = as<AttrStmt>(&node)) {
      const auto* axis = as<IterVar>(attribute->node);
      const bool threads = attribute->key == "thread_extent" || attribute->key == "virtual_thread";
      if (axis && threads) {
        canon.bind(axis->var, arith::constantInt(attribute->value->dtype, 0), attribute->value);
      }
    }
    return isa<StmtNode>(&node);
  });
}

/// Finds how the statements that use a piece of warp memory deal it out.
class ShareFinder {
 public:
  ShareFinder(const Buffer& buffer, int64_t warpSize, arith::Canon& canon)
      : buffer_(buffer), warpSize_(warpSize), canon_(canon) {}

  Result<Share> find(const Stmt& body) {
    walk(*body, Into::Parts, [&](const Node& node) {
      if (const auto* attribute = as<AttrStmt>(&node)) threads(*attribute);
      return isa<StmtNode>(&node);
    });
    if (!share_.thread) return refusal("no threadIdx.x is launched where it is used");
    walk(*body, Into::Parts, [&](const Node& node) {
      if (isa<Buffer>(&node)) return false;
      if (const auto* store = as<BufferStore>(&node); store && store->buffer->data == buffer_.data) {
        if (store->indices.size() == 1) place(store->indices[0]);
      } else if (const auto* call = as<Call>(&node)) {
        fill(*call);
      }
      return true;
    });
    if (!problem_.empty()) return refusal(problem_);
    if (share_.chunk == 0) return refusal("nothing is stored to it");
    int64_t size = buffer_.dtype.lanes;
    for (const PrimExpr& extent : buffer_.shape) size *= asInt(extent).value_or(0);
    if (size <= 0) return refusal("its size is not constant");
    const int64_t all = share_.width * share_.chunk;
    share_.groups = (size + all - 1) / all;
    return share_;
  }

 private:
  Failure refusal(const std::string& why) const {
    return fail("lower.warp-memory", fmt::format("the warp memory {}: {}", buffer_.name.view(), why));
  }

  void threads(const AttrStmt& attribute) {
    const auto* axis = as<IterVar>(attribute.node);
    if (!axis || attribute.key != "thread_extent" || axis->threadTag != "threadIdx.x") return;
    const int64_t extent = asInt(attribute.value).value_or(0);
    if (extent <= 0 || extent > warpSize_ || warpSize_ % extent != 0) {
      problem_ = fmt::format("the extent of threadIdx.x divides the size of a warp, which is {}", warpSize_);
    }
    if (share_.thread && share_.thread != axis->var) problem_ = "threadIdx.x is launched twice";
    share_.thread = axis->var;
    share_.width = std::max<int64_t>(extent, 1);
  }

  /// A place that is stored to says how far the places of two neighbouring
  /// threads are apart.
  void place(const PrimExpr& index) {
    const auto* ramp = as<Ramp>(index);
    if (ramp && asInt(ramp->stride) != 1) problem_ = "vectors are stored to places that follow one another";
    const PrimExpr base = ramp ? ramp->base : index;
    const arith::VarMap next{{share_.thread.get(), arith::add(share_.thread, arith::constantInt(base->dtype, 1))}};
    const auto step = asInt(canon_.simplify(arith::sub(arith::substitute(base, next), base)));
    if (!step || *step <= 0) {
      problem_ = "the place of a store grows by a constant from thread to thread";
    } else {
      take(*step);
    }
  }

  void take(int64_t chunk) {
    if (share_.chunk != 0 && share_.chunk != chunk) problem_ = "two stores deal it out in different ways";
    share_.chunk = chunk;
  }

  void fill(const Call& call) {
    const op::TirIntrinsic* row = calledIntrinsic(&call);
    if (!row || call.args.size() < 3) return;
    if (row->name.starts_with("mma_fill") && call.args[1] == buffer_.data) {
      take(asInt(call.args[0]).value_or(0));
    } else if (row->name.starts_with("ptx_ldmatrix") && call.args.size() > 4 && call.args[3] == buffer_.data) {
      place(call.args[4]);
    }
  }

  const Buffer& buffer_;
  const int64_t warpSize_;
  arith::Canon& canon_;
  Share share_;
  std::string problem_;
};

class WarpLowering : public CheckedRewriter {
 public:
  WarpLowering(int64_t warpSize, arith::Canon& canon) : warpSize_(warpSize), canon_(canon) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* list = as<SeqStmt>(statement)) {
      for (size_t i = 0; i < list->seq.size(); ++i) dealOut(*list, i);
      return parts(statement);
    }
    if (const auto* alloc = as<AllocBuffer>(statement)) {
      const auto found = pieces_.find(alloc->buffer->data.get());
      if (found != pieces_.end()) return make<AllocBuffer>(found->second.local, alloc->annotations);
    }
    const auto* store = as<BufferStore>(statement);
    const Piece* piece = store ? pieceOf(*store->buffer, store->indices) : nullptr;
    if (!piece) return parts(statement);
    auto* made = new BufferStore(*store);
    const Stmt result(made);
    made->value = rewrite(store->value);
    made->indices = {split(rewrite(store->indices[0]), piece->share).first};
    made->buffer = piece->local;
    return result;
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) {
      const Piece* piece = pieceOf(*load->buffer, load->indices);
      return piece ? read(*load, *piece) : nullptr;
    }
    for (const PointerCall& row : kPointerCalls) {
      if (const Call* call = asCallOf(node, row.name)) return pointers(*call, row);
    }
    if (const auto* var = as<Var>(node); var && pieces_.contains(var)) {
      refuse("lower.warp-memory", fmt::format("the address of the warp memory {} is taken", var->name.view()));
    }
    return nullptr;
  }

 private:
  struct Piece {
    Share share;
    BufferRef local;
  };

  /// What the statement allocates of warp memory, with the ones behind it as
  /// its users.
  void dealOut(const SeqStmt& list, size_t at) {
    const auto* alloc = as<AllocBuffer>(list.seq[at]);
    if (!alloc || alloc->buffer->scope() != "warp") return;
    const Stmt users = seq(list.seq.span().subspan(at + 1));
    const Result<Share> share = ShareFinder(*alloc->buffer, warpSize_, canon_).find(users);
    if (!share) {
      for (const Diagnostic& error : share.diagnostics()) refuse(error.rule, error.message, alloc->span);
      return;
    }
    const BufferRef local =
        newBuffer(alloc->buffer->name, alloc->buffer->dtype, {int32(share->groups * share->chunk)}, "local");
    pieces_[alloc->buffer->data.get()] = {*share, local};
  }

  const Piece* pieceOf(const Buffer& buffer, const Array<PrimExpr>& indices) {
    const auto found = pieces_.find(buffer.data.get());
    if (found == pieces_.end()) return nullptr;
    if (indices.size() == 1) return &found->second;
    refuse("lower.order", fmt::format("the buffer {} is not flat: FlattenBuffer comes first", buffer.name.view()));
    return nullptr;
  }

  NodeRef read(const BufferLoad& load, const Piece& piece) {
    const auto [place, thread] = split(rewrite(load.indices[0]), piece.share);
    if (uses(place, piece.share.thread.get())) {
      refuse("lower.warp-memory",
             fmt::format("which element of its share a thread gives away of {} "
                         "depends on the thread that asks",
                         load.buffer->name.view()),
             load.span);
    }
    auto* made = new BufferLoad(load);
    const PrimExpr own(made);
    made->indices = {place};
    made->buffer = piece.local;
    if (canon_.canProveEqual(thread, piece.share.thread)) return own;
    const PrimExpr mask = intrinsic(DataType::UInt(32), "tvm_warp_activemask", {});
    const DataType number = DataType::Int(32);
    return intrinsic(load.dtype, "tvm_warp_shuffle",
                     {mask, own, thread, intImm(piece.share.width, number), intImm(warpSize_, number)});
  }

  NodeRef pointers(const Call& call, const PointerCall& row) {
    std::vector<PrimExpr> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const bool pointer =
          std::find(row.pointers.begin(), row.pointers.end(), static_cast<int>(i)) != row.pointers.end();
      args.push_back(pointer && isa<Var>(call.args[i]) ? call.args[i] : rewrite(call.args[i]));
    }
    for (const int at : row.pointers) {
      const auto place = static_cast<size_t>(at);
      const auto* data = at >= 0 && place + 1 < args.size() ? as<Var>(args[place]) : nullptr;
      const auto found = data ? pieces_.find(data) : pieces_.end();
      if (found == pieces_.end()) continue;
      args[place] = found->second.local->data;
      args[place + 1] = split(args[place + 1], found->second.share).first;
    }
    auto* made = new Call(call);
    made->args = Array<PrimExpr>(std::move(args));
    return NodeRef(made);
  }

  /// Where a thread holds the element, and which thread does.
  std::pair<PrimExpr, PrimExpr> split(const PrimExpr& index, const Share& share) {
    if (const auto* ramp = as<Ramp>(index)) {
      const auto [place, thread] = split(ramp->base, share);
      return {make<Ramp>(place, arith::constantInt(place->dtype, 1), ramp->lanes, ramp->dtype), thread};
    }
    const PrimExpr chunk = arith::constantInt(index->dtype, share.chunk);
    const PrimExpr inner = canon_.simplify(arith::floorMod(index, chunk));
    if (share.groups == 1) return {inner, canon_.simplify(arith::floorDiv(index, chunk))};
    const PrimExpr all = arith::constantInt(index->dtype, share.chunk * share.width);
    const PrimExpr place = arith::add(arith::mul(arith::truncDiv(index, all), chunk), inner);
    const PrimExpr thread = arith::floorDiv(arith::floorMod(index, all), chunk);
    return {canon_.simplify(place), canon_.simplify(thread)};
  }

  const int64_t warpSize_;
  arith::Canon& canon_;
  std::unordered_map<const Var*, Piece> pieces_;
};

}  // namespace

Result<PrimFuncRef> lowerWarpMemory(const PrimFuncRef& func, Scope&) {
  RX_TRY(target, targetOf(*func));
  if (!target) return withoutTarget("the size of a warp is one of the target's");
  const int64_t warpSize = target->number("thread_warp_size").value_or(1);
  if (warpSize == 1) return func;
  arith::Canon canon;
  bindRanges(func->body, canon);
  RX_TRY(body, WarpLowering(warpSize, canon).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
