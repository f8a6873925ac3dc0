#include "core/schedule/coupled_sums.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/contraction.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/reads_along.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

bool isOneOf(const Buffer& buffer, std::span<const Stage> stages) {
  return std::any_of(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.buffer.get() == &buffer; });
}

/// Whether all that the stages read of others, and what they store, lies in the order of the axis or does not go along
/// it, and each reads what they make at its own place alone.
bool lieAlong(std::span<const Stage> stages, const Var& axis) {
  bool all = isUnitStride(stages.front().indices, axis), any = false;
  for (const Stage& stage : stages) {
    const ReadsAlong reads = readsAlong(stage.value, axis, [&](const BufferLoad& load) {
      const bool own = isOneOf(*load.buffer, stages);
      all = all && (!own || arith::sameExprs(load.indices.span(), stage.indices));
      return own;
    });
    all = all && reads.inOrder;
    any = any || reads.any;
  }
  return all && any;
}

/// What the expression reads whatever else is true.
std::vector<Ref<BufferLoad>> readAnyway(const PrimExpr& expr) {
  std::vector<Ref<BufferLoad>> found;
  std::vector<PrimExpr> open{expr};
  while (!open.empty()) {
    const PrimExpr each = open.back();
    open.pop_back();
    walk(*each, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<BufferLoad>(&node)) {
        found.push_back(Ref<BufferLoad>(load));
      } else if (const auto* both = as<And>(&node)) {
        open.push_back(both->a);
      } else if (const auto* either = as<Or>(&node)) {
        open.push_back(either->a);
      } else {
        return !isa<Buffer>(&node) && !lower::asCallOf(NodeRef(&node), "if_then_else");
      }
      return false;
    });
  }
  return found;
}

const Ref<BufferLoad>* findIn(const std::vector<Ref<BufferLoad>>& loads, const BufferLoad& load) {
  const auto found = std::find_if(loads.begin(), loads.end(), [&](const Ref<BufferLoad>& each) {
    return each->buffer == load.buffer && arith::sameExprs(each->indices.span(), load.indices.span());
  });
  return found == loads.end() ? nullptr : &*found;
}

/// Whether all that is read is read anyway: the second half of an `and` may then be computed in all lanes, not only in
/// those that ask for it.
bool readsAnyway(const PrimExpr& expr) {
  const std::vector<Ref<BufferLoad>> anyway = readAnyway(expr);
  bool all = true;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    all = all && (!load || findIn(anyway, *load));
    return all && !load && !isa<Buffer>(&node);
  });
  return all;
}

/// What is made of an expression, behind names for all that it reads.
Stmt readFirst(const PrimExpr& expr, const std::function<Stmt(PrimExpr)>& made) {
  std::vector<Ref<BufferLoad>> loads;
  std::vector<Stmt> parts;
  std::vector<VarRef> names;
  const NodeRef plain = rewriteNodes(
      expr, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        const auto load = refAs<BufferLoad>(node);
        if (!load) return nullptr;
        const Ref<BufferLoad>* known = findIn(loads, *load);
        if (known) return names[static_cast<size_t>(known - loads.data())];
        loads.push_back(load);
        names.push_back(make<Var>(load->buffer->name, load->dtype));
        parts.push_back(make<Bind>(names.back(), load));
        return names.back();
      },
      [](const NodeRef& node) { return node; });
  parts.push_back(made(refAs<ExprNode>(plain)));
  return seq(parts);
}

class CoupledSums {
 public:
  CoupledSums(std::span<const Stage> stages, const StageAxis& along, int64_t perVector, const Choices& choices)
      : stages_(stages), along_(along), perVector_(perVector), choices_(choices) {}

  Stmt run() {
    const std::vector<StageAxis>& axes = stages_.front().axes;
    const OtherAxes others = axesWithout(axes, {along_.var});
    const ThreadGrain grain(axes, choices_.elementsShared, true);
    return inBlock(stages_.front().name, grain.over(others.places, [&](const arith::VarMap& at, ForKind kind) {
      return lanePanels(along_.extent, perVector_, choices_.coupledVectors, kind,
                        [&](const std::vector<PrimExpr>& firsts) { return panel(firsts, at, others.reduced); });
    }));
  }

 private:
  Stmt panel(const std::vector<PrimExpr>& firsts, const arith::VarMap& at, std::span<const StageAxis> reduced) const {
    const std::vector<BufferRef> now = buffers("now", firsts.size()), next = buffers("next", firsts.size());
    std::vector<Stmt> parts;
    for (const auto* each : {&now, &next})
      for (const BufferRef& buffer : *each) parts.push_back(make<AllocBuffer>(buffer));
    const auto everyStage = [&](const std::function<Stmt(size_t, const PrimExpr&, const PrimExpr&)>& made) {
      std::vector<Stmt> all;
      for (size_t i = 0; i < stages_.size(); ++i) {
        all.push_back(panelVectors(firsts, perVector_,
                                   [&](const PrimExpr& lane, const PrimExpr& place) { return made(i, lane, place); }));
      }
      return seq(all);
    };
    parts.push_back(everyStage(
        [&](size_t i, const PrimExpr& lane, const PrimExpr&) { return storeTo(now[i], {lane}, stages_[i].init); }));
    parts.push_back(overAxes(reduced, [&](const arith::VarMap& steps) {
      const Stmt make = everyStage([&](size_t i, const PrimExpr& lane, const PrimExpr& place) {
        arith::VarMap places = at;
        places.insert(steps.begin(), steps.end());
        places[along_.var.get()] = place;
        PrimExpr value = stages_[i].value;
        for (size_t j = 0; j < stages_.size(); ++j)
          value = withLoads(value, *stages_[j].buffer, [&](const BufferLoad&) { return elementOf(now[j], {lane}); });
        return readFirst(arith::substitute(value, places),
                         [&](PrimExpr plain) { return storeTo(next[i], {lane}, std::move(plain)); });
      });
      const Stmt keep = everyStage([&](size_t i, const PrimExpr& lane, const PrimExpr&) {
        return storeTo(now[i], {lane}, elementOf(next[i], {lane}));
      });
      return seq(std::vector<Stmt>{make, keep});
    }));
    parts.push_back(everyStage([&](size_t i, const PrimExpr& lane, const PrimExpr& place) {
      arith::VarMap places = at;
      places[along_.var.get()] = place;
      return storeAt(stages_[i], places, elementOf(now[i], {lane}));
    }));
    return seq(parts);
  }

  std::vector<BufferRef> buffers(std::string_view name, size_t vectors) const {
    const PrimExpr lanes = arith::constantInt(along_.var->dtype, static_cast<int64_t>(vectors) * perVector_);
    std::vector<BufferRef> made;
    for (const Stage& stage : stages_) {
      made.push_back(
          lower::newBuffer(Str(name), stage.buffer->dtype, Array<PrimExpr>(std::vector<PrimExpr>{lanes}), "local"));
    }
    return made;
  }

  std::span<const Stage> stages_;
  const StageAxis& along_;
  int64_t perVector_;
  const Choices& choices_;
};

}  // namespace

Stmt coupledSums(const Stmt& statement, const VectorShape& vectors, std::string& why) {
  const std::vector<Stage> stages = coupledStagesOf(statement);
  if (stages.empty()) return nullptr;
  const Stage& first = stages.front();
  int64_t perVector = 1;
  for (const Stage& stage : stages) perVector = std::max(perVector, vectors.lanes(stage.buffer->dtype));
  why = kNotCountable;
  if (!first.isCountable() || first.axes.empty()) return nullptr;
  why = "it reduces several values together, and no axis of places lies in order and fills a vector";
  if (!std::all_of(stages.begin(), stages.end(), [](const Stage& stage) { return readsAnyway(stage.value); })) {
    why = "it reduces several values together, and asks before it reads";
    return nullptr;
  }
  const StageAxis* along = nullptr;
  for (const StageAxis& axis : first.axes)
    if (!axis.reduces && lieAlong(stages, *axis.var)) along = &axis;
  if (!along || along->steps().value_or(0) < perVector) return nullptr;
  why.clear();
  return CoupledSums(stages, *along, perVector, vectors.choices).run();
}

}  // namespace rx::schedule
