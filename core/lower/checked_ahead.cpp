#include "core/lower/checked_ahead.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

namespace {

/// A body of more nodes than this is not written three times.
constexpr size_t kMaxNodes = 400;
/// Fewer steps do not pay for a look of their own.
constexpr int64_t kFewestSteps = 32;

void add(std::vector<tir::VarRef>& list, const tir::VarRef& data) {
  if (std::ranges::find(list, data) == list.end()) list.push_back(data);
}

/// Looks at a body in the order of its text.
class Look {
 public:
  Look(const tir::For& loop, const std::function<bool(const tir::Buffer&)>& checked) : checked_(checked) {
    // Counters of a byte do not count as many steps as are checked together.
    plain_ = tir::asInt(loop.extent).value_or(kFewestSteps) >= kFewestSteps && loop.loopVar->dtype.bits > 8;
    changing_.insert(loop.loopVar.get());
    open_.push_back({loop.body.get(), false});
  }

  std::optional<AheadPlan> plan() && {
    size_t seen = 0;
    while (plain_ && !open_.empty()) {
      const auto [node, decides] = open_.back();
      open_.pop_back();
      if (!node) continue;
      plain_ = ++seen <= kMaxNodes;
      if (const auto* expr = as<tir::ExprNode>(node)) {
        expression(*expr, decides);
      } else {
        statement(*node);
      }
    }
    const bool changed = std::ranges::any_of(plan_.written, [&](const tir::VarRef& data) {
      return std::ranges::find(plan_.deciding, data) != plan_.deciding.end();
    });
    if (!plain_ || !chosen_ || changed) return std::nullopt;
    return std::move(plan_);
  }

 private:
  struct Open {
    const Node* node;
    bool decides;  ///< what is accessed, or whether
  };

  void statement(const Node& node) {
    if (const auto* sequence = as<tir::SeqStmt>(&node)) {
      for (size_t i = sequence->seq.size(); i-- > 0;) open_.push_back({sequence->seq[i].get(), false});
    } else if (const auto* branch = as<tir::IfThenElse>(&node)) {
      open_.push_back({branch->elseCase.get(), false});
      open_.push_back({branch->thenCase.get(), false});
      open_.push_back({branch->condition.get(), true});
    } else if (const auto* bind = as<tir::Bind>(&node)) {
      bound(*bind->var, bind->value);
    } else if (const auto* store = as<tir::BufferStore>(&node)) {
      access(*store->buffer, store->indices, store->predicate);
      // Steps that may write one element run one after the other, with or without a test in each.
      plain_ = plain_ && std::ranges::none_of(store->indices, [&](const auto& index) { return chosenByData(index); });
      add(plan_.written, store->buffer->data);
      open_.push_back({store->value.get(), false});
    } else {
      plain_ = false;
    }
  }

  void expression(const tir::ExprNode& node, bool decides) {
    if (node.dtype.isHandle()) return void(plain_ = false);
    if (const auto* load = as<tir::BufferLoad>(&node)) {
      if (decides) add(plan_.deciding, load->buffer->data);
      return access(*load->buffer, load->indices, load->predicate);
    }
    if (const auto* let = as<tir::Let>(&node)) {
      open_.push_back({let->body.get(), decides});
      return bound(*let->var, let->value);
    }
    if (isa<tir::Reduce>(&node)) return void(plain_ = false);
    if (isa<tir::Call>(&node)) {
      const op::TirIntrinsic* row = calledIntrinsic(&node);
      plain_ = plain_ && row && row->effect == op::TirEffect::Pure;
    }
    // The first operand of a choice and of a conjunction decides whether the others count, a divisor whether there is a
    // result: nearly all that has operands of its own kind.
    const bool chooses =
        isa<tir::Select>(&node) || isa<tir::Call>(&node) || isa<tir::And>(&node) || isa<tir::Or>(&node);
    std::vector<const Node*> parts;
    appendChildren(node, Into::Parts, parts);
    for (const Node* part : parts) {
      if (isa<tir::ExprNode>(part)) open_.push_back({part, decides || chooses});
    }
  }

  void bound(const tir::Var& var, const tir::PrimExpr& value) {
    changing_.insert(&var);
    if (chosenByData(value)) fromData_.insert(&var);
    open_.push_back({value.get(), true});
  }

  void access(const tir::Buffer& buffer, const Array<tir::PrimExpr>& indices, const tir::PrimExpr& predicate) {
    plain_ = plain_ && !predicate;
    for (const tir::PrimExpr& index : indices) {
      // What is a vector already is looked at in one test.
      plain_ = plain_ && index->dtype.lanes == 1;
      chosen_ = chosen_ || (checked_(buffer) && chosenByData(index));
      open_.push_back({index.get(), true});
    }
  }

  /// Whether the number depends on memory that another step may read at another place.
  bool chosenByData(const tir::PrimExpr& expr) const {
    bool found = false, loads = false, changes = false;
    walk(*expr, Into::Parts, [&](const Node& node) {
      loads = loads || isa<tir::BufferLoad>(&node);
      changes = changes || changing_.contains(&node);
      found = found || fromData_.contains(&node);
      return !isa<tir::Buffer>(&node);
    });
    return found || (loads && changes);
  }

  const std::function<bool(const tir::Buffer&)>& checked_;
  std::vector<Open> open_;
  std::unordered_set<const Node*> changing_, fromData_;  ///< variables
  AheadPlan plan_;
  bool plain_ = true, chosen_ = false;
};

}  // namespace

std::optional<std::vector<tir::VarRef>> writtenBy(const tir::Stmt& statement) {
  std::vector<tir::VarRef> written;
  std::unordered_set<const Node*> own;
  bool more = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    if (const auto* taken = as<tir::AllocBuffer>(&node)) own.insert(taken->buffer->data.get());
    if (const auto* taken = as<tir::Allocate>(&node)) own.insert(taken->var.get());
    if (const auto* store = as<tir::BufferStore>(&node)) add(written, store->buffer->data);
    const op::TirIntrinsic* row = calledIntrinsic(&node);
    more = more || (row ? row->effect == op::TirEffect::Effect : isa<tir::Call>(&node));
    return !more;
  });
  if (more) return std::nullopt;
  std::erase_if(written, [&](const tir::VarRef& data) { return own.contains(data.get()); });
  return written;
}

std::optional<AheadPlan> checkedAhead(const tir::For& loop, const std::function<bool(const tir::Buffer&)>& checked) {
  return Look(loop, checked).plan();
}

}  // namespace rx::lower
