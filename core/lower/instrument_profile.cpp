// InstrumentProfileIntrinsics: calls that a profiler listens to, around functions and loops.
#include <algorithm>
#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

struct LoopInfo {
  int64_t id = 0;
  int64_t depth = 0;   ///< loops around it, counted from the first loop of its nest
  int64_t height = 0;  ///< loops below it
  bool hasSiblings = false;
  bool inParallel = false;  ///< a loop around it runs on several threads
};
using LoopInfos = std::unordered_map<const Node*, LoopInfo>;

/// Numbers the loops of a body. What counts as sibling and as height is TVM's rule: the loops of one sequence are
/// siblings, and the height of each is the most of those before it and its own; sequences add one.
class LoopNumbering : public Rewriter {
 public:
  explicit LoopNumbering(int64_t& next) : next_(next) {}
  LoopInfos infos;

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* loop = as<For>(statement);
    if (!loop) return parts(statement);
    const int64_t id = next_++;
    LoopInfo info{id, 0, below(loop->body, 0, false), false, false};
    infos[loop] = info;
    return statement;
  }

 private:
  /// Height of the statement; recursion is bounded by the nesting of statements, which readers bound.
  int64_t below(const Stmt& statement, int64_t depth, bool parallel) {
    if (const auto* sequence = as<SeqStmt>(statement)) return ofSequence(*sequence, depth, parallel);
    if (const auto* branch = as<IfThenElse>(statement)) {
      const int64_t height = below(branch->thenCase, depth, parallel);
      return branch->elseCase ? std::max(height, below(branch->elseCase, depth, parallel)) : height;
    }
    if (const auto* loop = as<For>(statement)) {
      LoopInfo info{next_++, depth + 1, 0, false, parallel};
      info.height = below(loop->body, depth + 1, parallel || loop->forKind == ForKind::Parallel);
      infos[loop] = info;
      return info.height + 1;
    }
    const auto* attribute = as<AttrStmt>(statement);
    return attribute ? below(attribute->body, depth, parallel) : 0;
  }

  int64_t ofSequence(const SeqStmt& sequence, int64_t depth, bool parallel) {
    std::vector<const Node*> siblings;
    int64_t height = 0;
    for (const Stmt& statement : sequence.seq) {
      const auto* loop = as<For>(statement);
      if (!loop) continue;
      LoopInfo info{next_++, depth + 1, 0, false, parallel};
      height = std::max(height, below(loop->body, depth + 1, parallel || loop->forKind == ForKind::Parallel));
      info.height = height;
      infos[loop] = info;
      siblings.push_back(loop);
    }
    if (siblings.size() > 1) {
      for (const Node* loop : siblings) infos[loop].hasSiblings = true;
    }
    return siblings.empty() ? height : height + 1;
  }

  int64_t& next_;
};

struct Choice {
  int64_t maxDepth, minHeight;
  bool siblings;  ///< loops with siblings, at any depth
  bool takes(const LoopInfo& loop) const {
    if (loop.inParallel || loop.height < minHeight) return false;
    return siblings ? loop.hasSiblings : loop.depth <= maxDepth;
  }
};

Stmt between(int64_t id, const Stmt& statement) {
  const PrimExpr number = intImm(id, DataType::Int(32));
  return seq(std::vector<Stmt>{effect("start_profile_intrinsic", {number}), statement,
                               effect("end_profile_intrinsic", {number})});
}

class Instrumenter : public Rewriter {
 public:
  Instrumenter(const LoopInfos& infos, Choice choice) : infos_(infos), choice_(choice) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const Stmt made = parts(statement);
    const auto info = infos_.find(statement.get());
    return info != infos_.end() && choice_.takes(info->second) ? between(info->second.id, made) : made;
  }

 private:
  const LoopInfos& infos_;
  Choice choice_;
};

}  // namespace

Result<ir::Module> instrumentProfileIntrinsics(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  const Choice choice{pass::configNumber(context, "s_tir.lwp_max_depth"),
                      pass::configNumber(context, "s_tir.lwp_min_height"),
                      pass::configFlag(context, "s_tir.instr_siblings")};
  const bool functions = !pass::configFlag(context, "s_tir.lwp_disable_func_prof");
  // TVM goes on counting from module to module unless s_tir.reset_start_id is set; a module is a value here.
  int64_t next = 0;
  std::vector<ir::IRModule::Entry> entries = module->entries();
  bool changed = false;
  for (auto& [name, function] : entries) {
    auto kernel = refAs<PrimFunc>(function);
    if (!kernel) continue;
    const int64_t id = next++;
    LoopNumbering numbering(next);
    numbering.rewrite(kernel->body);
    Stmt body = Instrumenter(numbering.infos, choice).rewrite(kernel->body);
    if (functions) body = between(id, body);
    function = withBody(kernel, body);
    changed = changed || function != kernel;
  }
  return changed ? module->with(std::move(entries)) : module;
}

}  // namespace rx::lower
