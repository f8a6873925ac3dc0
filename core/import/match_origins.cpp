#include "core/import/match_origins.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/callee.h"
#include "core/ir/origin.h"
#include "core/ir/structural_equal.h"

namespace rx::import {

namespace {

/// One binding of a function; rows stand in text order, those inside of a value behind it.
struct Row {
  relax::BindingNode* node = nullptr;
  std::string does;  ///< what computes it: "relax.add", "fused_matmul", "if"
  analysis::CalleeRole role = analysis::CalleeRole::Computes;
  std::vector<const Node*> operands;  ///< variables that it reads, in order

  const Str& name() const { return node->var->name; }
  bool isVoid() const {
    const auto* tuple = as<relax::TupleStructInfo>(node->var->sinfo);
    return tuple && tuple->items.empty();
  }
};

std::vector<relax::Expr> partsOf(const relax::Expr& value) {
  if (const auto* tuple = as<relax::Tuple>(value)) return tuple->items.vector();
  return {value};
}

void describeCall(const relax::Call& call, Row* row) {
  const analysis::Called called = analysis::calledBy(call);
  row->role = called.role;
  row->does = called.name;
  if (const auto* global = as<relax::GlobalVar>(called.function)) row->does = global->name.view();
  for (const relax::Expr& arg : called.args) {
    // A call of a kernel by an operator is known by the kernel; its arguments come as a tuple.
    if (const auto* global = as<relax::GlobalVar>(arg)) row->does += std::string(" ") + global->name.string();
    for (const relax::Expr& part : partsOf(arg))
      if (isa<relax::Var>(part)) row->operands.push_back(part.get());
  }
}

Row rowOf(const relax::Binding& binding) {
  Row row{const_cast<relax::BindingNode*>(binding.get()), {}, analysis::CalleeRole::Computes, {}};
  const auto* plain = as<relax::VarBinding>(binding);
  const auto* cast = as<relax::MatchCast>(binding);
  const relax::Expr value = plain ? plain->value : cast->value;
  if (cast) row.does = "match_cast";
  if (const auto* call = plain ? as<relax::Call>(value) : nullptr) {
    describeCall(*call, &row);
    return row;
  }
  const relax::Expr read = isa<relax::TupleGetItem>(value) ? as<relax::TupleGetItem>(value)->tuple : value;
  for (const relax::Expr& part : partsOf(read))
    if (isa<relax::Var>(part)) row.operands.push_back(part.get());
  if (row.does.empty()) row.does = isa<relax::Var>(value) ? "alias" : std::string(kindName(value->kind()));
  if (plain && isa<relax::Var>(value)) row.role = analysis::CalleeRole::Names;
  return row;
}

/// Sequences in the value of a binding, last first, as a stack wants them.
std::vector<const relax::SeqExpr*> inside(const relax::BindingNode& binding) {
  const auto* plain = as<relax::VarBinding>(&binding);
  if (!plain) return {};
  if (const auto* branch = as<relax::If>(plain->value)) return {branch->falseBranch.get(), branch->trueBranch.get()};
  if (const auto* local = as<relax::Function>(plain->value)) return {local->body.get()};
  return {};
}

std::vector<Row> rowsOf(const relax::Function& function) {
  struct Open {
    const relax::SeqExpr* sequence;
    size_t block = 0, binding = 0;
  };
  std::vector<Row> rows;
  std::vector<Open> open{{function.body.get()}};
  while (!open.empty()) {
    Open& top = open.back();
    if (top.block == top.sequence->blocks.size()) {
      open.pop_back();
    } else if (const auto& block = top.sequence->blocks[top.block]; top.binding == block->bindings.size()) {
      ++top.block;
      top.binding = 0;
    } else {
      const relax::Binding& binding = block->bindings[top.binding++];
      rows.push_back(rowOf(binding));
      for (const relax::SeqExpr* sequence : inside(*binding)) open.push_back({sequence});
    }
  }
  return rows;
}

/// The bindings of one function of two stages.
class FunctionMatch {
 public:
  FunctionMatch(const relax::Function& left, const relax::Function& right)
      : left_(rowsOf(left)),
        right_(rowsOf(right)),
        sources_(right_.size()),
        taken_(left_.size()),
        group_(right_.size()) {
    for (size_t i = 0; i < left.params.size() && i < right.params.size(); ++i)
      standsFor_[right.params[i].get()] = left.params[i].get();
    std::iota(group_.begin(), group_.end(), size_t{0});
    for (size_t r = 0; r < right_.size(); ++r) rightRow_[right_[r].node->var.get()] = r;
  }

  /// For each binding of the right side the bindings of the left that it is matched to.
  void run() {
    pairByName();
    pairByContent();
    findGroups();
    shareInGroups();
    fillGaps();
    shareInGroups();
  }
  size_t size() const { return right_.size(); }
  const Row& right(size_t r) const { return right_[r]; }
  const Row& left(size_t l) const { return left_[l]; }
  const std::vector<size_t>& sources(size_t r) const { return sources_[r]; }

 private:
  bool manages(const Row& row) const { return row.role == analysis::CalleeRole::Machine; }

  void pair(size_t l, size_t r) {
    sources_[r] = {l};
    taken_[l] = true;
    standsFor_[right_[r].node->var.get()] = left_[l].node->var.get();
  }

  void pairByName() {
    std::unordered_map<std::string_view, size_t> byName;
    for (size_t l = 0; l < left_.size(); ++l)
      if (!left_[l].isVoid()) byName.emplace(left_[l].name().view(), l);
    for (size_t r = 0; r < right_.size(); ++r) {
      const auto found = byName.find(right_[r].name().view());
      if (found == byName.end() || taken_[found->second] || right_[r].isVoid()) continue;
      const Row& row = left_[found->second];
      // A name may be used again for something else: then what computes it, or what it is, has to be alike.
      const relax::StructInfo &was = row.node->var->sinfo, &is = right_[r].node->var->sinfo;
      if (row.does == right_[r].does || (was && is && structuralEqual(was, is, FreeVars::Map))) pair(found->second, r);
    }
  }

  void pairByContent() {
    std::unordered_map<std::string_view, std::vector<size_t>> byWork;
    for (size_t l = 0; l < left_.size(); ++l)
      if (!taken_[l]) byWork[left_[l].does].push_back(l);
    for (size_t r = 0; r < right_.size(); ++r) {
      const auto found = sources_[r].empty() ? byWork.find(right_[r].does) : byWork.end();
      if (found == byWork.end()) continue;
      std::vector<size_t>& list = found->second;
      std::erase_if(list, [this](size_t l) { return taken_[l]; });
      const size_t looked = std::min(list.size(), kMostAlike);
      for (size_t i = 0; i < looked; ++i) {
        if (!sameOperands(left_[list[i]], right_[r])) continue;
        pair(list[i], r);
        break;
      }
    }
  }

  bool sameOperands(const Row& l, const Row& r) const {
    if (l.operands.size() != r.operands.size()) return false;
    for (size_t i = 0; i < l.operands.size(); ++i) {
      const auto found = standsFor_.find(r.operands[i]);
      if (found == standsFor_.end() || found->second != l.operands[i]) return false;
    }
    return true;
  }

  size_t groupOf(size_t r) {
    while (group_[r] != r) r = group_[r] = group_[group_[r]];
    return r;
  }

  /// A buffer with its memory, the call that is the first to take it, and another name of it that comes next.
  void findGroups() {
    std::unordered_map<const Node*, size_t> waiting;  // memory and buffers to the row that makes them
    std::unordered_map<const Node*, size_t> written;
    for (size_t r = 0; r < right_.size(); ++r) {
      const Row& row = right_[r];
      for (const Node* operand : row.operands) {
        const auto waits = waiting.find(operand);
        const auto wrote = written.find(operand);
        if (waits != waiting.end()) {
          group_[groupOf(waits->second)] = groupOf(r);
          if (row.role == analysis::CalleeRole::Computes) written[operand] = r;
          waiting.erase(waits);
        } else if (wrote != written.end() && row.role == analysis::CalleeRole::Names) {
          group_[groupOf(wrote->second)] = groupOf(r);
          written.erase(wrote);
        }
      }
      const bool memory = manages(row) && row.does.ends_with("alloc_storage");
      if (row.role == analysis::CalleeRole::Buffer || memory) waiting[row.node->var.get()] = r;
    }
  }

  void shareInGroups() {
    std::unordered_map<size_t, std::vector<size_t>> known;
    for (size_t r = 0; r < right_.size(); ++r) {
      std::vector<size_t>& all = known[groupOf(r)];
      all.insert(all.end(), sources_[r].begin(), sources_[r].end());
    }
    for (size_t r = 0; r < right_.size(); ++r)
      if (sources_[r].empty()) sources_[r] = known[groupOf(r)];
  }

  /// What is not matched stands between matched neighbours: for what is not matched there in the stage before, one for
  /// one where the counts agree, else for all of it; where nothing is left there, for the neighbour that it leads to.
  void fillGaps() {
    size_t begin = 0, from = 0;
    for (size_t r = 0; r <= right_.size(); ++r) {
      if (r < right_.size() && (sources_[r].empty() || sources_[r].front() < from)) continue;
      const size_t to = r < right_.size() ? sources_[r].front() : left_.size();
      fillGap(begin, r, from, to);
      begin = r + 1;
      from = r < right_.size() ? sources_[r].back() + 1 : to;
    }
  }

  void fillGap(size_t begin, size_t end, size_t from, size_t to) {
    std::vector<size_t> gone;
    std::unordered_map<size_t, size_t> fresh;  // groups of the gap, numbered
    for (size_t l = from; l < to; ++l)
      if (!taken_[l] && !manages(left_[l])) gone.push_back(l);
    for (size_t r = begin; r < end; ++r) {
      if (sources_[r].empty() && !manages(right_[r])) fresh.try_emplace(groupOf(r), fresh.size());
    }
    const bool leads = gone.empty() && end < right_.size();
    if (leads) gone = sources_[end];
    const bool oneForOne = gone.size() == fresh.size();
    if (!oneForOne && gone.size() > kMostMerged) return;  // nothing is known of so many
    for (size_t r = begin; r < end; ++r) {
      const auto at = fresh.find(groupOf(r));
      if (!sources_[r].empty() || at == fresh.end() || gone.empty() || manages(right_[r])) continue;
      const std::vector<size_t> candidates = oneForOne ? std::vector{gone[at->second]} : gone;
      if (leads || related(candidates, begin, end, groupOf(r))) sources_[r] = candidates;
    }
  }

  /// Whether the rows of a group read something of what the rows of the stage before read or make. What reads nothing
  /// that is known may stand for anything.
  bool related(const std::vector<size_t>& lefts, size_t begin, size_t end, size_t group) {
    std::unordered_set<const Node*> before;
    bool readsNothing = true;
    for (size_t l : lefts) {
      before.insert(left_[l].node->var.get());
      before.insert(left_[l].operands.begin(), left_[l].operands.end());
      readsNothing = readsNothing && left_[l].operands.empty();
    }
    bool known = false;
    for (size_t r = begin; r < end; ++r) {
      if (groupOf(r) != group) continue;
      for (const Node* operand : right_[r].operands) {
        if (const auto same = standsFor_.find(operand); same != standsFor_.end()) {
          known = true;
          if (before.contains(same->second)) return true;
        } else if (const auto row = rightRow_.find(operand); row != rightRow_.end()) {
          for (size_t l : sources_[row->second]) {
            known = true;
            if (before.contains(left_[l].node->var.get())) return true;
          }
        }
      }
    }
    return !known || readsNothing;
  }

  /// Bindings that do the same of which at most so many are compared by what they read.
  static constexpr size_t kMostAlike = 64;
  /// Bindings that became one another that nothing tells apart.
  static constexpr size_t kMostMerged = 32;

  std::vector<Row> left_, right_;
  std::vector<std::vector<size_t>> sources_;
  std::vector<bool> taken_;
  std::vector<size_t> group_;
  std::unordered_map<const Node*, size_t> rightRow_;       ///< by the variable
  std::unordered_map<const Node*, const Node*> standsFor_;  ///< variables of the right to those of the left
};

/// A place of an earlier stage as a stage with the number `from` before it names it: file 0 is a stage's own source,
/// file n + 1 that of readable stage n.
OriginSite carried(OriginSite site, size_t from) {
  if (site.span.known() && site.span.file == 0) site.span.file = static_cast<uint32_t>(from + 1);
  return site;
}

void giveMatched(const FunctionMatch& match, size_t from, const Str& stage) {
  for (size_t r = 0; r < match.size(); ++r) {
    OriginRef all;
    bool same = match.sources(r).size() == 1;
    for (size_t l : match.sources(r)) {
      const OriginRef& one = match.left(l).node->origin;
      all = mergeOrigins(all, one, one ? one->pass : Str());
      same = same && match.left(l).does == match.right(r).does;
    }
    if (!all || all->sites.empty()) continue;
    std::vector<OriginSite> sites;
    for (const OriginSite& site : all->sites) sites.push_back(carried(site, from));
    match.right(r).node->origin = make<Origin>(Array<OriginSite>(std::move(sites)), same ? all->pass : stage);
  }
}

}  // namespace

void matchOrigins(std::vector<DumpedStage>& stages) {
  SourceList sources;
  ir::Module before;
  for (DumpedStage& stage : stages) {
    if (stage.refused()) continue;
    auto* module = const_cast<ir::IRModule*>(stage.module.get());
    SourceList known{stage.source};
    known.insert(known.end(), sources.begin(), sources.end());
    module->sources = std::make_shared<const SourceList>(std::move(known));
    for (size_t i = 0; i < module->size(); ++i) {
      const auto function = refAs<relax::Function>(module->functions[i]);
      if (!function) continue;
      const Str& name = module->vars[i]->name;
      const auto earlier = before ? refAs<relax::Function>(before->find(name.view())) : nullptr;
      if (!earlier) {
        giveOwnOrigins(*make<ir::IRModule>(std::vector<ir::IRModule::Entry>{{module->vars[i], function}}, nullptr,
                                           nullptr, SourceList()));
        continue;
      }
      FunctionMatch match(*earlier, *function);
      match.run();
      giveMatched(match, sources.size() - 1, Str(stage.name));
    }
    sources.push_back(stage.source);
    before = stage.module;
  }
}

}  // namespace rx::import
