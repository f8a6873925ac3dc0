#include "core/lower/bank_padding.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rank_promotion.h"
#include "core/lower/rewriter.h"
#include "core/lower/thread_scope.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr int64_t kWarp = 32, kBanks = 32, kBankBits = 32;

/// scale * i for i below extent. The patterns of an index are independent: it is their sum.
struct Pattern {
  int64_t extent, scale;
};
using Patterns = std::vector<Pattern>;

/// Reads an index over threads as patterns, operands first.
class PatternReader {
 public:
  explicit PatternReader(const LoopExtents& threads) : threads_(threads) {}

  /// Nothing where the index has another form.
  std::optional<Patterns> read(const PrimExpr& index) {
    walkPostOrder(*index, Into::Parts, [&](const Node& node) {
      if (known_) take(node);
    });
    if (!known_ || isa<IntImm>(index)) return std::nullopt;
    return values_.back();
  }

 private:
  void take(const Node& node) {
    if (const auto* var = as<Var>(&node)) {
      const auto extent = threads_.find(var);
      known_ = extent != threads_.end();
      if (known_) values_.push_back(extent->second > 1 ? Patterns{{extent->second, 1}} : Patterns());
    } else if (isa<IntImm>(&node)) {
      values_.emplace_back();
    } else if (isa<Add>(&node)) {
      join();
    } else if (isa<Mul>(&node) || isa<FloorDiv>(&node) || isa<FloorMod>(&node)) {
      const auto by = asInt(as<BinaryNode>(&node)->b);
      values_.pop_back();
      known_ = by && *by > 0;
      if (known_) scale(node.kind(), *by);
    } else {
      known_ = false;
    }
  }

  /// The sum of the last two; patterns that continue each other become one.
  void join() {
    const Patterns right = std::move(values_.back());
    values_.pop_back();
    Patterns all = std::move(values_.back());
    all.insert(all.end(), right.begin(), right.end());
    Patterns made;
    for (const Pattern& pattern : all) {
      if (made.empty()) made.push_back(pattern);
      Pattern& last = made.back();
      if (pattern.extent * pattern.scale == last.scale) last = {last.extent * pattern.extent, pattern.scale};
    }
    values_.back() = std::move(made);
  }

  void scale(Kind kind, int64_t by) {
    Patterns made;
    for (const auto& [extent, scale] : values_.back()) {
      if (kind == Kind::tir_Mul) {
        made.push_back({extent, scale * by});
      } else if (kind == Kind::tir_FloorMod) {
        if (scale >= by) continue;
        known_ = known_ && by % scale == 0;
        made.push_back({std::min(extent, by / scale), scale});
      } else if (scale >= by) {
        known_ = known_ && scale % by == 0;
        made.push_back({extent, scale / by});
      } else if (scale * extent > by) {
        known_ = known_ && scale * extent % by == 0;
        made.push_back({scale * extent / by, 1});
      }
    }
    values_.back() = std::move(made);
  }

  const LoopExtents& threads_;
  std::vector<Patterns> values_;
  bool known_ = true;
};

/// The indices of all threads, in their order.
std::vector<int64_t> placesOf(const Patterns& patterns) {
  int64_t count = 1;
  for (const Pattern& pattern : patterns) count *= pattern.extent;
  std::vector<int64_t> places;
  for (int64_t thread = 0; thread < count; ++thread) {
    int64_t place = 0, rest = thread;
    for (size_t i = patterns.size(); i-- > 0;) {
      place += rest % patterns[i].extent * patterns[i].scale;
      rest /= patterns[i].extent;
    }
    places.push_back(place);
  }
  return places;
}

/// The part of a block of threads that is one warp, the first of it.
ThreadExtents warpOf(const ThreadExtents& threads) {
  ThreadExtents warp;
  int64_t count = 1;
  for (const std::string_view tag : {"threadIdx.x", "threadIdx.y", "threadIdx.z"}) {
    const auto found = threads.find(tag);
    const int64_t extent = found == threads.end() ? 1 : found->second;
    warp[std::string(tag)] = std::min(extent, kWarp / count);
    if (count * extent >= kWarp) break;
    count *= extent;
  }
  return warp;
}

}  // namespace

/// Walks over a copy as its first warp runs it, each loop at its beginning.
class WarpAccesses {
 public:
  WarpAccesses(BankPadding& padding, std::span<const Ref<For>> around, const ThreadExtents& threads)
      : padding_(padding), warp_(warpOf(threads)) {
    for (const Ref<For>& loop : around) values_[loop->loopVar.get()] = loop->min;
  }

  void visit(const Stmt& statement) {
    if (statement) withStack([&] { dispatch(statement); });
  }

 private:
  void dispatch(const Stmt& statement) {
    if (const auto* list = as<SeqStmt>(statement)) {
      for (const Stmt& part : list->seq) visit(part);
    } else if (const auto* loop = as<For>(statement)) {
      loopBody(*loop);
    } else if (const auto* branch = as<IfThenElse>(statement)) {
      visit(branch->thenCase);
      visit(branch->elseCase);
    } else if (const auto* attribute = as<AttrStmt>(statement)) {
      visit(attribute->body);
    } else if (const auto* realize = as<BlockRealize>(statement)) {
      tiles(*realize->block);
    } else if (const auto* store = as<BufferStore>(statement)) {
      stored(*store);
    }
  }

  void loopBody(const For& loop) {
    const Var* var = loop.loopVar.get();
    if (loop.forKind == ForKind::ThreadBinding) {
      const auto extent = warp_.find(loop.threadBinding->threadTag.view());
      threads_[var] = extent == warp_.end() ? 1 : extent->second;
    } else {
      values_[var] = loop.min;
    }
    const For* outer = vector_;
    if (loop.forKind == ForKind::Vectorized) vector_ = &loop;
    visit(loop.body);
    vector_ = outer;
    if (loop.forKind != ForKind::ThreadBinding) values_.erase(var);
  }

  void stored(const BufferStore& store) {
    access(store.buffer, store.indices.span());
    const bool shared = storageRank(store.buffer->scope()) == StorageRank::Shared;
    if (shared && vector_ && !store.indices.empty() && isContiguous(store.indices.span().back())) {
      padding_.atLeast(store.buffer, asInt(vector_->extent).value_or(1));
    }
    walk(*store.value, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<BufferLoad>(&node)) access(load->buffer, load->indices.span());
      return !isa<Buffer>(&node);
    });
  }

  /// Whether neighbours in a vector are neighbours in memory, as far as is known.
  bool isContiguous(const PrimExpr& index) {
    const PrimExpr zero = arith::constantInt(index->dtype, 0), one = arith::constantInt(index->dtype, 1);
    const Var* var = vector_->loopVar.get();
    const PrimExpr step = arith::sub(arith::substitute(index, {{var, one}}), arith::substitute(index, {{var, zero}}));
    return !analyzer_.canProve(arith::ne(arith::substitute(step, values_), one));
  }

  /// An instruction moves a tile: its elements are accessed at once.
  void tiles(const Block& block) {
    const auto* evaluate = as<Evaluate>(block.body);
    if (!evaluate) return;
    if (!asCallOf(evaluate->value, "tvm_load_matrix_sync") && !asCallOf(evaluate->value, "tvm_store_matrix_sync"))
      return;
    for (const Ref<MatchBufferRegion>& match : block.matchBuffers) {
      std::vector<PrimExpr> indices;
      for (const Ref<Range>& range : match->source->region) {
        const auto var = make<Var>(Str("region"), range->min->dtype);
        threads_[var.get()] = asInt(range->extent).value_or(1);
        indices.push_back(arith::add(range->min, var));
      }
      access(match->source->buffer, indices);
    }
  }

  void access(const BufferRef& buffer, std::span<const PrimExpr> indices) {
    if (storageRank(buffer->scope()) != StorageRank::Shared || indices.empty()) return;
    BankPadding::Places places;
    bool known = true;
    for (const PrimExpr& index : indices) {
      const PrimExpr place = analyzer_.simplify(arith::substitute(index, values_));
      const auto patterns = PatternReader(threads_).read(place);
      known = known && (patterns || isa<IntImm>(place));
      places.push_back(known && patterns ? placesOf(*patterns) : std::vector<int64_t>());
    }
    padding_.accesses_[buffer.get()].push_back(std::move(places));
  }

  BankPadding& padding_;
  const ThreadExtents warp_;
  arith::VarMap values_;  ///< of loop variables
  LoopExtents threads_;
  const For* vector_ = nullptr;
  arith::Analyzer analyzer_;
};

void BankPadding::take(const Stmt& body, std::span<const Ref<For>> around, const ThreadExtents& threads) {
  WarpAccesses(*this, around, threads).visit(body);
}

void BankPadding::atLeast(const BufferRef& buffer, int64_t elements) {
  int64_t& least = least_.try_emplace(buffer.get(), 1).first->second;
  least = std::max(least, elements);
}

namespace {

/// The most threads that meet in one bank, where rows begin `stride` elements apart.
int64_t conflicts(std::span<const std::vector<int64_t>> rows, std::span<const std::vector<int64_t>> lower,
                  int64_t stride, int64_t bits) {
  int64_t most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    int64_t bank[kBanks] = {};
    for (const int64_t row : rows[i]) {
      for (const int64_t place : lower[i]) ++bank[(row * stride + place) * bits / kBankBits % kBanks];
    }
    most = std::max(most, *std::max_element(std::begin(bank), std::end(bank)));
  }
  return most;
}

}  // namespace

BufferRef BankPadding::padded(const BufferRef& buffer) const {
  const auto found = accesses_.find(buffer.get());
  const size_t rank = buffer->shape.size();
  if (found == accesses_.end() || rank == 0) return buffer;
  const std::vector<Places>& accesses = found->second;
  const auto known = least_.find(buffer.get());
  const int64_t least = known == least_.end() ? 1 : known->second;
  const int64_t bits = buffer->dtype.bits, round = kBanks * kBankBits / bits;

  // From the last dimension outwards; `lower` holds the places of each access in the dimensions that are done.
  std::vector<std::vector<int64_t>> lower;
  for (const Places& places : accesses) lower.push_back(places[rank - 1]);
  std::vector<PrimExpr> strides{intImm(1, DataType::Int(32))};
  int64_t stride = 1;
  for (size_t k = rank - 1; k-- > 0;) {
    const auto size = asInt(buffer->shape[k + 1]);
    if (!size) return buffer;
    const int64_t plain = stride * *size;
    std::vector<std::vector<int64_t>> rows;
    for (const Places& places : accesses) rows.push_back(places[k]);
    int64_t best = 0, fewest = std::numeric_limits<int64_t>::max();
    // A quarter more memory at most.
    for (int64_t pad = 0; pad <= std::min(plain / 4, round); pad += least) {
      const int64_t met = conflicts(rows, lower, (plain + pad) % round, bits);
      if (met < fewest) {
        fewest = met;
        best = pad;
      }
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      std::vector<int64_t> all;
      for (const int64_t row : rows[i]) {
        for (const int64_t place : lower[i]) all.push_back((row * ((plain + best) % round) + place) * bits % round);
      }
      if (!rows[i].empty()) lower[i] = std::move(all);
    }
    stride = plain + best;
    strides.insert(strides.begin(), arith::constantInt(buffer->shape[k + 1]->dtype, stride));
  }
  auto* made = new Buffer(*buffer);
  made->strides = Array<PrimExpr>(std::move(strides));
  return BufferRef(made);
}

}  // namespace rx::lower
