#include "core/schedule/bounded_choices.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/lane_moves.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Parts of the places that get loops of their own: each is code.
constexpr size_t kMostParts = 32;

/// Steps [first, last) of an axis.
struct Window {
  PrimExpr first, last;
};

/// A choice by windows of axes: null where an axis is not asked about.
struct Choice {
  std::vector<std::optional<Window>> windows;
  PrimExpr inside, around;
};

/// Whether it is put together of numbers and variables so that it has a value whatever these are.
bool isLinear(const PrimExpr& expr) {
  bool all = true;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const Kind kind = node.kind();
    all = all && (kind == Kind::tir_Var || kind == Kind::tir_IntImm || kind == Kind::tir_Add || kind == Kind::tir_Sub ||
                  kind == Kind::tir_Mul || kind == Kind::tir_Min || kind == Kind::tir_Max || kind == Kind::tir_Cast);
    return all && kind != Kind::tir_Var;
  });
  return all;
}

class Bounds {
 public:
  explicit Bounds(const Stage& stage) : stage_(stage) {
    for (const StageAxis& axis : stage.axes) {
      canon_.bind(axis.var, number(axis, 0), axis.extent);
    }
    const auto note = [&](const Buffer& buffer) {
      for (const PrimExpr& extent : buffer.shape)
        if (isa<Var>(extent)) canon_.markNonNegative(extent);
    };
    note(*stage.buffer);
    walk(*stage.value, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<BufferLoad>(&node)) note(*load->buffer);
      return !isa<Buffer>(&node);
    });
  }

  /// Nothing where the value is no choice, or its condition no conjunction of bounds.
  std::optional<Choice> choiceOf(const PrimExpr& value) {
    const auto* call = lower::asCallOf(value, "if_then_else");
    if (!call) return std::nullopt;
    Choice choice{std::vector<std::optional<Window>>(stage_.axes.size()), call->args[1], call->args[2]};
    std::vector<PrimExpr> open{call->args[0]};
    while (!open.empty()) {
      const PrimExpr part = open.back();
      open.pop_back();
      if (const auto* both = as<And>(part)) {
        open.insert(open.end(), {both->a, both->b});
      } else if (!narrow(part, choice)) {
        return std::nullopt;
      }
    }
    return choice;
  }

  PrimExpr simple(const PrimExpr& expr) { return canon_.simplify(expr); }
  PrimExpr withSimpleIndices(const PrimExpr& value) { return withPlainIndices(value, canon_); }
  static PrimExpr number(const StageAxis& axis, int64_t value) { return arith::constantInt(axis.var->dtype, value); }

 private:
  /// Narrows the window of an axis by a comparison; false for any other condition.
  bool narrow(const PrimExpr& condition, Choice& choice) {
    const auto* compared = as<BinaryNode>(condition);
    const Kind kind = compared ? compared->kind() : Kind::tir_Add;
    if (kind < Kind::tir_LT || kind > Kind::tir_GE) return false;
    const bool more = kind == Kind::tir_GT || kind == Kind::tir_GE,
               equal = kind == Kind::tir_LE || kind == Kind::tir_GE;
    const PrimExpr &greater = more ? compared->a : compared->b, &less = more ? compared->b : compared->a;
    if (greater->dtype != stage_.axes.front().var->dtype) return false;
    // What is at least zero where it holds.
    PrimExpr rest = arith::sub(greater, less);
    if (!equal) rest = arith::sub(rest, arith::constantInt(rest->dtype, 1));
    for (size_t i = 0; i < stage_.axes.size(); ++i) {
      const StageAxis& axis = stage_.axes[i];
      if (!goAlong(std::span(&rest, 1), *axis.var)) continue;
      const auto growth = growthOf(rest, *axis.var);
      if (!growth || std::abs(*growth) != 1) return false;
      rest = simple(arith::substitute(rest, {{axis.var.get(), number(axis, 0)}}));
      const auto uses = [&](const StageAxis& other) { return goAlong(std::span(&rest, 1), *other.var); };
      if (std::any_of(stage_.axes.begin(), stage_.axes.end(), uses) || !isLinear(rest)) return false;
      auto& window = choice.windows[i];
      if (!window) window = Window{number(axis, 0), axis.extent};
      if (*growth > 0) {
        window->first = simple(arith::max(window->first, simple(arith::sub(number(axis, 0), rest))));
      } else {
        window->last = simple(arith::min(window->last, simple(arith::add(rest, number(axis, 1)))));
      }
      return true;
    }
    return false;
  }

  const Stage& stage_;
  arith::Canon canon_;
};

class Parts {
 public:
  Parts(const Stage& stage, int64_t perVector, ForKind outermost)
      : stage_(stage), bounds_(stage), perVector_(perVector), outermost_(outermost) {}

  Stmt run() {
    std::vector<Window> all;
    for (const StageAxis& axis : stage_.axes) all.push_back({Bounds::number(axis, 0), axis.extent});
    const auto choice = bounds_.choiceOf(stage_.value);
    if (!choice) return nullptr;
    const Stmt made = apart(*choice, {0, {}, all});
    return count_ > kMostParts ? nullptr : made;
  }

 private:
  /// Places: those of the axes before `from` are chosen, the others lie in windows.
  struct Box {
    size_t from;
    arith::VarMap places;
    std::vector<Window> windows;
  };

  Stmt anyOf(const PrimExpr& value, const Box& box) {
    const auto choice = count_ < kMostParts ? bounds_.choiceOf(value) : std::nullopt;
    const bool open =
        choice && std::none_of(choice->windows.begin(), choice->windows.begin() + static_cast<std::ptrdiff_t>(box.from),
                               [](const auto& window) { return window.has_value(); });
    if (open) return apart(*choice, box);
    ++count_;
    return stored(value, box);
  }

  /// The places before the window of the first axis that has one, those inside, and those behind.
  Stmt apart(Choice choice, const Box& box) {
    const auto first = std::find_if(choice.windows.begin(), choice.windows.end(),
                                    [](const auto& window) { return window.has_value(); });
    if (first == choice.windows.end()) return anyOf(choice.inside, box);
    const auto axis = static_cast<size_t>(first - choice.windows.begin());
    if (box.from < axis) return overAxis(box, [&](const Box& next) { return apart(choice, next); });
    const Window wanted = **first, whole = box.windows[axis];
    first->reset();
    const auto within = [&](const PrimExpr& least, const PrimExpr& place) {
      return bounds_.simple(arith::min(bounds_.simple(arith::max(place, least)), whole.last));
    };
    const PrimExpr begin = within(whole.first, wanted.first), end = within(begin, wanted.last);
    const auto part = [&](const PrimExpr& from, const PrimExpr& to) {
      Box made = box;
      made.windows[axis] = {from, to};
      return made;
    };
    const auto isEmpty = [&](const PrimExpr& from, const PrimExpr& to) {
      return arith::isZero(bounds_.simple(arith::sub(to, from)));
    };
    std::vector<Stmt> parts;
    if (!isEmpty(whole.first, begin)) parts.push_back(anyOf(choice.around, part(whole.first, begin)));
    if (!isEmpty(begin, end)) parts.push_back(apart(choice, part(begin, end)));
    if (!isEmpty(end, whole.last)) parts.push_back(anyOf(choice.around, part(end, whole.last)));
    return seq(parts);
  }

  /// A loop over the window of the first axis.
  Stmt overAxis(const Box& box, const std::function<Stmt(const Box&)>& made) {
    const StageAxis& axis = stage_.axes[box.from];
    const Window& window = box.windows[box.from];
    const PrimExpr count = bounds_.simple(arith::sub(window.last, window.first));
    const ForKind kind = box.from == 0 ? outermost_ : ForKind::Serial;
    return steps(axis.var->name.view(), count, kind, [&](const PrimExpr& step) {
      Box next = box;
      next.from = box.from + 1;
      next.places[axis.var.get()] = arith::add(step, window.first);
      return made(next);
    });
  }

  Stmt stored(const PrimExpr& value, const Box& box) {
    if (box.from == stage_.axes.size()) return storedAt(value, box.places);
    const StageAxis& axis = stage_.axes[box.from];
    const Window& window = box.windows[box.from];
    const PrimExpr count = bounds_.simple(arith::sub(window.last, window.first));
    const bool inVectors =
        box.from + 1 == stage_.axes.size() && !asInt(count) && perVector_ > 1 && movesInOrder(stage_, value, *axis.var);
    if (!inVectors) return overAxis(box, [&](const Box& next) { return stored(value, next); });
    const Cut cut{"vector", perVector_, box.from == 0 ? outermost_ : ForKind::Serial};
    return inPieces(count, cut, [&](const Piece& piece) {
      return steps(count->dtype, "lane", piece.count, ForKind::Vectorized, [&](const PrimExpr& lane) {
        arith::VarMap places = box.places;
        places[axis.var.get()] = arith::add(arith::add(piece.first, lane), window.first);
        return piece.ifInside(lane, storedAt(value, places));
      });
    });
  }

  Stmt storedAt(const PrimExpr& value, const arith::VarMap& places) {
    std::vector<PrimExpr> at;
    for (const PrimExpr& index : stage_.indices) at.push_back(bounds_.simple(arith::substitute(index, places)));
    return storeTo(stage_.buffer, std::move(at), bounds_.withSimpleIndices(arith::substitute(value, places)));
  }

  const Stage& stage_;
  Bounds bounds_;
  int64_t perVector_;
  ForKind outermost_;
  size_t count_ = 0;  ///< of parts
};

}  // namespace

Stmt choicesApart(const Stage& stage, int64_t perVector, ForKind outermost) {
  return Parts(stage, perVector, outermost).run();
}

}  // namespace rx::schedule
