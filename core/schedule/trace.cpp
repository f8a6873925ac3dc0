#include "core/schedule/trace.h"

#include <fmt/format.h>

#include <optional>

#include "core/ir/all_nodes.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// The blocks and loops among the arguments.
std::vector<Argument> handlesIn(std::span<const Argument> arguments) {
  std::vector<Argument> found;
  for (const Argument& argument : arguments) {
    if (std::holds_alternative<BlockRef>(argument) || std::holds_alternative<LoopRef>(argument)) {
      found.push_back(argument);
    }
    const auto* loops = std::get_if<std::vector<LoopRef>>(&argument);
    if (loops) found.insert(found.end(), loops->begin(), loops->end());
  }
  return found;
}

/// Searched from the end: what was made last is used most.
std::optional<size_t> numberOf(std::span<const Argument> handles, const Argument& handle) {
  const auto same = [&](const Argument& known) {
    if (known.index() != handle.index()) return false;
    const auto* block = std::get_if<BlockRef>(&handle);
    return block ? std::get<BlockRef>(known) == *block : std::get<LoopRef>(known) == std::get<LoopRef>(handle);
  };
  for (size_t i = handles.size(); i-- > 0;) {
    if (same(handles[i])) return i;
  }
  return std::nullopt;
}

}  // namespace

Trace::Mark Trace::begin(Schedule& schedule, Primitive primitive, std::vector<Argument> arguments) {
  const Mark before{instructions_.size(), handles_.size()};
  for (const Argument& handle : handlesIn(arguments)) {
    if (!numberOf(handles_, handle)) lookUp(schedule, handle);
  }
  instructions_.push_back({primitive, std::move(arguments), {}, nullptr});
  return before;
}

void Trace::end(std::vector<Argument> results, PrimFuncRef made) {
  for (const Argument& handle : results) name(handle);
  instructions_.back().results = std::move(results);
  instructions_.back().made = std::move(made);
}

void Trace::backTo(Mark mark) {
  instructions_.resize(mark.instructions);
  handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(mark.handles), handles_.end());
}

void Trace::name(const Argument& handle) {
  if (!numberOf(handles_, handle)) handles_.push_back(handle);
}

std::string Trace::nameOf(const Argument& handle) const {
  const char kind = std::holds_alternative<BlockRef>(handle) ? 'b' : 'l';
  return fmt::format("{}{}", kind, numberOf(handles_, handle).value_or(handles_.size()));
}

void Trace::lookUpBlock(Schedule& schedule, BlockRef block) {
  if (numberOf(handles_, block)) return;
  instructions_.push_back({Primitive::getSblock, {std::string(schedule.name(block))}, {}, nullptr});
  end({block}, schedule.function());
}

/// A block is asked for by its name, a loop by the first block in it.
void Trace::lookUp(Schedule& schedule, const Argument& handle) {
  if (const auto* block = std::get_if<BlockRef>(&handle)) return lookUpBlock(schedule, *block);
  const auto& loop = std::get<LoopRef>(handle);
  const Path path = schedule.pathTo(loop);
  const auto blocks = path.empty() ? std::vector<Ref<BlockRealize>>() : blocksBelow(path.back());
  // Of a loop that is not there the primitive says so itself.
  if (blocks.empty()) return name(handle);
  const BlockRef block = schedule.handle(*blocks.front()->block);
  lookUpBlock(schedule, block);
  instructions_.push_back({Primitive::getLoops, {block}, {}, nullptr});
  const std::vector<LoopRef> loops = schedule.loops(block);
  end({loops.begin(), loops.end()}, schedule.function());
}

}  // namespace rx::schedule
