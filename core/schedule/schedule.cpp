#include "core/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/support/nearest.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Gives every block a name of its own.
class Namer : public lower::Rewriter {
 public:
  std::vector<Str> names;

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* block = as<Block>(statement);
    if (!block) return parts(statement);
    Str own = block->name;
    for (uint64_t i = 1; !taken_.insert(own.string()).second; ++i) {
      own = Str(fmt::format("{}_{}", block->name.view(), i));
    }
    names.push_back(own);
    Stmt made = parts(statement);
    if (own.view() == block->name.view()) return made;
    auto* copy = new Block(*as<Block>(made));
    copy->name = own;
    return Stmt(copy);
  }

 private:
  std::unordered_set<std::string> taken_;
};

/// The way down to the first statement that `wanted` knows.
template <class Wanted>
bool descend(const Stmt& statement, const Wanted& wanted, Path& path) {
  struct Frame {
    std::vector<const Node*> children;
    size_t next = 0;
  };
  std::vector<Frame> open;
  auto enter = [&](const Stmt& next) {
    path.push_back(next);
    open.emplace_back();
    appendChildren(*next, Into::Parts, open.back().children);
  };
  enter(statement);
  if (wanted(*statement)) return true;
  while (!open.empty()) {
    Frame& frame = open.back();
    if (frame.next == frame.children.size()) {
      open.pop_back();
      path.pop_back();
      continue;
    }
    const auto* child = as<StmtNode>(frame.children[frame.next++]);
    if (!child) continue;
    enter(Stmt(child));
    if (wanted(*child)) return true;
  }
  return false;
}

Path pathToBlock(const Stmt& body, std::string_view name) {
  Path path;
  descend(
      body,
      [&](const StmtNode& statement) {
        const auto* realize = as<BlockRealize>(&statement);
        return realize && realize->block->name.view() == name;
      },
      path);
  return path;
}

bool holdsNothing(const Stmt& statement) { return !statement || lower::isNoOp(*statement); }

/// One statement replaced or, where it leaves nothing, dropped with what is around it.
class Replacer : public lower::Rewriter {
 public:
  Replacer(const Stmt& from, const Stmt& to) : from_(from), to_(to) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (statement == from_) return to_ ? to_ : seq({});
    if (isa<BufferStore>(statement) || isa<Evaluate>(statement)) return statement;
    Stmt made = parts(statement);
    if (made == statement || to_) return made;
    const auto* loop = as<For>(made);
    const auto* branch = as<IfThenElse>(made);
    const bool empty = (loop && holdsNothing(loop->body)) ||
                       (branch && holdsNothing(branch->thenCase) && holdsNothing(branch->elseCase));
    return empty ? seq({}) : made;
  }

 private:
  const Stmt& from_;
  const Stmt& to_;
};

}  // namespace

Failure refuse(std::string_view primitive, std::string_view place, std::string_view reason) {
  return fail(fmt::format("schedule.{}", primitive), fmt::format("{}: {}", place, reason));
}

Stmt withReplaced(const Stmt& body, const Stmt& statement, const Stmt& by) {
  return Replacer(statement, by).rewrite(body);
}

std::vector<Ref<BlockRealize>> blocksBelow(const Stmt& statement) {
  std::vector<Ref<BlockRealize>> found;
  walk(*statement, Into::Parts, [&](const Node& node) {
    if (const auto* realize = as<BlockRealize>(&node)) {
      found.emplace_back(realize);
      return false;
    }
    return isa<StmtNode>(&node);
  });
  return found;
}

Result<Schedule> Schedule::of(const PrimFuncRef& function) {
  if (!isa<BlockRealize>(function->body)) {
    return fail("schedule.no-root", "only a kernel whose body is a block can be scheduled");
  }
  Namer namer;
  const Stmt body = namer.rewrite(function->body);
  Schedule made(lower::withBody(function, body));
  made.names_ = std::move(namer.names);
  made.affine_.resize(made.names_.size());
  for (size_t i = 0; i < made.names_.size(); ++i) made.moved(BlockRef{i});
  return made;
}

Result<BlockRef> Schedule::block(std::string_view name) {
  const Path path = pathToBlock(function_->body, name);
  if (path.empty()) {
    Diagnostic said = errorAt({}, "schedule.no-block", fmt::format("the kernel has no block {}", name));
    Nearest nearest(name);
    walk(*function_->body, Into::Parts, [&](const Node& node) {
      if (const auto* other = as<Block>(&node)) nearest.offer(other->name.view());
      return true;
    });
    said.fix = nearest.fix();
    return fail(std::move(said));
  }
  return handle(*as<BlockRealize>(path.back())->block);
}

Path Schedule::pathTo(BlockRef block) const { return pathToBlock(function_->body, name(block)); }

Path Schedule::pathTo(const LoopRef& loop) const {
  Path path;
  descend(
      function_->body,
      [&](const StmtNode& statement) {
        const auto* found = as<For>(&statement);
        return found && found->loopVar == loop;
      },
      path);
  return path;
}

Ref<BlockRealize> Schedule::realize(BlockRef block) const {
  const Path path = pathTo(block);
  RX_ASSERT(!path.empty(), "the kernel has no block {}", name(block));
  return cast<BlockRealize>(path.back());
}

Ref<For> Schedule::get(const LoopRef& loop) const {
  const Path path = pathTo(loop);
  RX_ASSERT(!path.empty(), "the kernel has no loop {}", loop->name.view());
  return cast<For>(path.back());
}

std::vector<LoopRef> Schedule::loops(BlockRef block) const {
  std::vector<LoopRef> found;
  const Path path = pathTo(block);
  for (size_t i = path.empty() ? 0 : path.size() - 1; i-- > 0 && !isa<Block>(path[i]);) {
    if (const auto* loop = as<For>(path[i])) found.push_back(loop->loopVar);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<BlockRef> Schedule::childBlocks(BlockRef block) {
  std::vector<BlockRef> found;
  for (const auto& realize : blocksBelow(get(block)->body)) found.push_back(handle(*realize->block));
  return found;
}

BlockRef Schedule::scopeOf(const Path& path) {
  for (size_t i = path.size() - 1; i-- > 0;) {
    if (const auto* block = as<Block>(path[i])) return handle(*block);
  }
  return root();
}

BlockRef Schedule::handle(const Block& block) {
  for (size_t i = names_.size(); i-- > 0;) {
    if (names_[i].view() == block.name.view()) return BlockRef{i};
  }
  names_.push_back(block.name);
  affine_.push_back(false);
  const BlockRef made{names_.size() - 1};
  moved(made);
  return made;
}

bool Schedule::isAffine(const Block& block) const {
  const auto found = std::find(names_.begin(), names_.end(), block.name);
  return found != names_.end() && affine_[static_cast<size_t>(found - names_.begin())];
}

void Schedule::moved(BlockRef block) {
  const Path path = pathTo(block);
  affine_[block.id] = !path.empty() && schedule::isAffine(*as<BlockRealize>(path.back()), loopsInScope(path));
}

Str Schedule::freshName(std::string name, std::span<const Str> others) const {
  auto taken = [&](const std::string& candidate) {
    const auto is = [&](const Str& known) { return known.view() == candidate; };
    return std::any_of(names_.begin(), names_.end(), is) || std::any_of(others.begin(), others.end(), is);
  };
  std::string candidate = name;
  for (uint64_t i = 1; taken(candidate); ++i) candidate = fmt::format("{}_{}", name, i);
  return Str(candidate);
}

void Schedule::replace(const Stmt& statement, const Stmt& by) { commit(withReplaced(function_->body, statement, by)); }

void Schedule::commit(Stmt body) { function_ = lower::withBody(function_, std::move(body)); }

void Schedule::say(std::string_view key, NodeRef value) {
  function_ = cast<PrimFunc>(ir::withFunctionAttr(function_, Str(key), std::move(value)));
}

void Schedule::recorded(Trace::Mark before, bool applied, std::vector<Argument> results) {
  if (applied) return trace_.end(std::move(results), function_);
  trace_.backTo(before);
}

}  // namespace rx::schedule
