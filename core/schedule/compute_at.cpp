// compute_at and reverse_compute_at: a block moves under a loop and runs there only as far as it is needed.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/lower/thread_scope.h"
#include "core/schedule/axis_domains.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

using Blocks = std::vector<Ref<BlockRealize>>;

/// What one of the two primitives is asked.
struct Move {
  std::string_view name;
  bool forwards;  ///< compute_at: to those that read what the block writes
  BlockRef block;
  bool keepUnitLoops;
};

/// Where in the loop the block may stand: from behind the last of its producers to before the first of its consumers.
struct Slot {
  size_t first = 0, last = 0;
  size_t producers = 0, consumers = 0;  ///< how many of them are in the loop
};

Slot slotIn(const std::vector<Stmt>& statements, const Blocks& producers, const Blocks& consumers) {
  Slot slot{0, statements.size()};
  for (size_t i = 0; i < statements.size(); ++i) {
    for (const auto& realize : blocksBelow(statements[i])) {
      if (std::find(producers.begin(), producers.end(), realize) != producers.end()) {
        ++slot.producers;
        slot.first = i + 1;
      }
      if (std::find(consumers.begin(), consumers.end(), realize) != consumers.end()) {
        ++slot.consumers;
        slot.last = std::min(slot.last, i);
      }
    }
  }
  return slot;
}

/// What runs while one step of `loop` does: the loops in it and, where threads share the memory, those of the threads.
arith::Domains domainsUnder(const Path& path, const For& loop, std::string_view scope) {
  arith::Domains domains;
  bool inside = false;
  const bool global = lower::storageRank(scope) == lower::StorageRank::Global;
  for (const Stmt& statement : path) {
    const auto* found = as<For>(statement);
    if (!found) continue;
    const bool shared =
        !global && found->threadBinding && lower::sharedByThreads(scope, found->threadBinding->threadTag.view());
    if (inside || shared) domains[found->loopVar.get()] = arith::IntSet::fromRange(found->min, found->extent);
    inside = inside || found == &loop;
  }
  return domains;
}

std::vector<arith::IntSet> setsOf(const BufferRegion& region) {
  std::vector<arith::IntSet> sets;
  for (const auto& range : region.region) sets.push_back(arith::IntSet::fromRange(*range));
  return sets;
}

/// Adds sets to those of each dimension.
void join(std::vector<arith::IntSet>& into, const std::vector<arith::IntSet>& sets) {
  if (into.empty()) into = sets;
  for (size_t i = 0; i < sets.size(); ++i) into[i] = arith::unite(into[i], sets[i]);
}

class Mover {
 public:
  Mover(Schedule& schedule, const Move& move, Path blockPath, Path loopPath)
      : schedule_(schedule),
        move_(move),
        path_(std::move(blockPath)),
        loopPath_(std::move(loopPath)),
        realize_(cast<BlockRealize>(path_.back())),
        loop_(cast<For>(loopPath_.back())),
        scope_(*schedule.get(schedule.scopeOf(path_))) {}

  Result<Unit> run() {
    if (const std::string why = whyNot(); !why.empty()) return refused(why);
    const Blocks producers = scope_.producers(*realize_->block), consumers = scope_.consumers(*realize_->block);
    std::vector<Stmt> statements = statementsOf(loop_->body);
    const Slot slot = slotIn(statements, producers, consumers);
    if (move_.forwards && slot.consumers < consumers.size()) {
      return refused("not all blocks that read what it writes are in the loop");
    }
    if (!move_.forwards && slot.producers < producers.size()) {
      return refused("not all blocks that write what it reads are in the loop");
    }
    if (!move_.forwards && isReadBefore(consumers)) {
      return refused("a block before the loop reads what it writes");
    }
    if (slot.last < slot.first) {
      return refused("a block in the loop reads what it writes before its producers have run");
    }

    bindOuter();
    const auto domains =
        axisDomains(realize_->block->iterVars, provisions(move_.forwards ? consumers : producers), canon_);
    if (!domains) return refused("over what it has to run does not follow from what is needed of it");
    statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(slot.last), nest(*domains));
    const Stmt body =
        withReplaced(schedule_.function()->body, loop_, lower::withLoopBody(*loop_, lower::inOrder(statements)));
    schedule_.commit(withReplaced(body, realize_, nullptr));
    schedule_.moved(move_.block);
    return Unit{};
  }

 private:
  /// Whether one of the blocks runs before the loop does.
  bool isReadBefore(const Blocks& readers) const {
    const auto all = blocksBelow(schedule_.get(schedule_.scopeOf(path_))->body), own = blocksBelow(Stmt(loop_));
    if (own.empty()) return false;
    const auto loop = std::find(all.begin(), all.end(), own.front());
    return std::any_of(all.begin(), loop, [&](const auto& realize) {
      return std::find(readers.begin(), readers.end(), realize) != readers.end();
    });
  }

  Failure refused(std::string_view why) const { return refuse(move_.name, schedule_.name(move_.block), why); }

  std::string whyNot() {
    const Block& block = *realize_->block;
    if (schedule_.scopeOf(path_) != schedule_.scopeOf(loopPath_)) return "the loop is in another block";
    if (std::find(path_.begin(), path_.end(), loop_) != path_.end()) return "the loop is around it already";
    if (const std::string_view why = scope_.whyNoPipeline(); !why.empty()) return std::string(why);
    const std::string_view incomplete = scope_.whyIncomplete(block);
    if (!incomplete.empty()) {
      const std::string_view why = scope_.whyNoReduction(schedule_, block);
      if (!why.empty()) return fmt::format("it is not complete: {}; and no reduction: {}", incomplete, why);
    }
    if (move_.forwards && scope_.isOutput(block)) return "what it writes is seen outside";
    return {};
  }

  /// What is known around the moved block: loops, and that sizes are not negative.
  void bindOuter() {
    for (const BufferRef& buffer : schedule_.function()->buffers) {
      if (!buffer) continue;
      for (const PrimExpr& size : buffer->shape) canon_.markNonNegative(size);
    }
    for (const auto& loop : loopsInScope(loopPath_)) know(loop->loopVar, loop->min, loop->extent);
  }

  void know(const VarRef& var, const PrimExpr& min, const PrimExpr& extent) {
    canon_.bind(var, min, extent);
    domains_[var.get()] = arith::IntSet::fromRange(min, extent);
  }

  std::vector<Provision> provisions(const Blocks& others) {
    std::vector<Provision> made;
    const Block& block = *realize_->block;
    for (const auto& region : move_.forwards ? block.writes : block.reads) {
      auto same = [&](const Provision& known) { return known.buffer == region->buffer; };
      auto known = std::find_if(made.begin(), made.end(), same);
      if (known == made.end()) known = made.insert(made.end(), Provision{region->buffer, {}, {}});
      join(known->provided, setsOf(*region));
    }
    for (Provision& provision : made) {
      for (const auto& other : others) require(provision, *other);
    }
    return made;
  }

  void require(Provision& provision, const BlockRealize& other) {
    const Path path = schedule_.pathTo(schedule_.handle(*other.block));
    // Where producers have already run, each thread sees what all of them wrote.
    const arith::Domains domains =
        domainsUnder(path, *loop_, move_.forwards ? provision.buffer->scope() : std::string_view("global"));
    for (const auto& region : move_.forwards ? other.block->reads : other.block->writes) {
      if (region->buffer != provision.buffer) continue;
      std::vector<arith::IntSet> sets;
      for (const auto& range : substituted(region->region, bindings(other))) {
        sets.push_back(arith::evalSet(*range, domains));
      }
      join(provision.required, sets);
    }
  }

  /// The block in loops over its domains.
  Stmt nest(const std::vector<AxisDomain>& domains) {
    std::vector<VarRef> vars;
    std::vector<PrimExpr> extents, values;
    PrimExpr predicate = boolImm(true);
    auto demand = [&](const PrimExpr& condition) {
      if (!arith::canProveBySets(condition, domains_, canon_)) predicate = arith::logicalAnd(predicate, condition);
    };
    for (size_t i = 0; i < domains.size(); ++i) {
      const Ref<Range> range = arith::cover(domains[i].domain, realize_->block->iterVars[i]->dom);
      values.push_back(range->min);
      if (move_.keepUnitLoops || !arith::isOne(range->extent)) {
        const int bits = std::max(range->min->dtype.bits, range->extent->dtype.bits);
        const VarRef var = make<Var>(Str(fmt::format("ax{}", vars.size())), DataType::Int(bits));
        vars.push_back(var);
        extents.push_back(canon_.simplify(range->extent));
        values.back() = arith::add(range->min, var);
        know(var, arith::constantInt(var->dtype, 0), range->extent);
      }
      const arith::IntSet& bound = domains[i].bound;
      if (bound.nothing) continue;
      if (bound.min) demand(arith::ge(values[i], bound.min));
      if (bound.max) demand(arith::lt(values[i], arith::add(bound.max, arith::constantInt(bound.max->dtype, 1))));
    }
    Stmt made = make<BlockRealize>(Array<PrimExpr>(std::move(values)), canon_.simplify(predicate), realize_->block);
    for (size_t i = vars.size(); i-- > 0;) made = lower::loopOver(vars[i], extents[i], ForKind::Serial, made);
    return made;
  }

  Schedule& schedule_;
  const Move& move_;
  const Path path_, loopPath_;
  const Ref<BlockRealize> realize_;
  const Ref<For> loop_;
  const BlockScope scope_;
  arith::Canon canon_;
  arith::Domains domains_;  ///< of loops around the block
};

Result<Unit> moved(Schedule& schedule, const LoopRef& loop, const Move& move) {
  RX_TRY(path, blockPath(schedule, move.name, move.block));
  RX_TRY(around, loopPath(schedule, move.name, loop));
  if (path.size() < 2) return refuse(move.name, schedule.name(move.block), "it is the block of the kernel itself");
  return Mover(schedule, move, std::move(path), std::move(around)).run();
}

}  // namespace

Result<Unit> bare::computeAt(Schedule& schedule, BlockRef block, const LoopRef& loop, bool preserveUnitLoops) {
  return moved(schedule, loop, {"compute_at", true, block, preserveUnitLoops});
}

Result<Unit> bare::reverseComputeAt(Schedule& schedule, BlockRef block, const LoopRef& loop, bool preserveUnitLoops) {
  return moved(schedule, loop, {"reverse_compute_at", false, block, preserveUnitLoops});
}

}  // namespace rx::schedule
