#include <fmt/format.h>

#include <algorithm>

#include "../schedule/kernel_result.h"
#include "checks.h"
#include "core/ir/all_nodes.h"
#include "core/ir/structural_equal.h"
#include "core/schedule/primitives.h"
#include "core/schedule/trace_reader.h"
#include "core/script/parse.h"
#include "core/script/print.h"
#include "random_module.h"

namespace rx::fuzz {

namespace {

using namespace schedule;
using test::resultOf;

/// A chain of blocks, each of which reads the one before; sizes, bodies and orders are chosen.
std::string randomKernel(Choices& choices) {
  const size_t rows = 1 + choices.below(7), columns = 1 + choices.below(9), inner = 1 + choices.below(6);
  const char* maps[] = {"x[vi, vj] * T.float32(2)", "x[vi, vj] + T.float32(1)", "T.max(x[vi, vj], T.float32(3))",
                        "x[vi, T.int32({0}) - vj]"};
  const std::string first = fmt::format(fmt::runtime(maps[choices.below(4)]), columns - 1);
  const bool summed = choices.below(3) != 0, turned = choices.below(2) != 0;
  std::string text = fmt::format(
      "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
      "def k(x: T.Buffer(({0}, {1}), \"float32\"), w: T.Buffer(({1}, {2}), \"float32\"), y: T.Buffer(({3}, {4}), "
      "\"float32\")):\n"
      "    with T.sblock(\"root\"):\n"
      "        t = T.sblock_alloc_buffer(({0}, {1}), \"float32\")\n"
      "        u = T.sblock_alloc_buffer(({0}, {2}), \"float32\")\n"
      "        for i, j in T.grid({0}, {1}):\n            with T.sblock(\"map\"):\n"
      "                vi, vj = T.axis.remap(\"SS\", [i, j])\n                t[vi, vj] = {5}\n",
      rows, columns, inner, turned ? inner : rows, turned ? rows : inner, first);
  text += fmt::format(
      "        for i, j, k in T.grid({0}, {2}, {1}):\n            with T.sblock(\"sum\"):\n"
      "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
      "                with T.init():\n                    u[vi, vj] = T.float32({3})\n"
      "                u[vi, vj] = {4}\n",
      rows, columns, inner, summed ? 0 : -100,
      summed ? "u[vi, vj] + t[vi, vk] * w[vk, vj]" : "T.max(u[vi, vj], t[vi, vk] + w[vk, vj])");
  return text + fmt::format(
                    "        for i, j in T.grid({0}, {1}):\n            with T.sblock(\"last\"):\n"
                    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n                y[{2}] = u[vi, vj] - "
                    "T.float32(1)\n",
                    rows, inner, turned ? "vj, vi" : "vi, vj");
}

/// Chooses primitives and what they take, by the kinds of their arguments.
class RandomSchedule {
 public:
  RandomSchedule(Choices& choices, Schedule& schedule) : choices_(choices), schedule_(schedule) {}

  void step() {
    const PrimitiveRow& row = primitiveRows()[choices_.below(primitiveRows().size())];
    // What runs in threads has no meaning without a device.
    if (std::string_view(row.name) == "bind") return;
    focus();
    std::vector<Argument> arguments;
    for (const ArgumentKind kind : row.kinds) arguments.push_back(argument(kind));
    (void)row.apply(schedule_, arguments);
  }

 private:
  /// The blocks and loops among which the arguments are.
  void focus() {
    blocks_ = {schedule_.root()};
    for (size_t i = 0; i < blocks_.size(); ++i) {
      for (const BlockRef inner : schedule_.childBlocks(blocks_[i])) blocks_.push_back(inner);
    }
    block_ = blocks_[choices_.below(blocks_.size())];
    loops_ = schedule_.loops(block_);
    if (loops_.empty()) loops_ = schedule_.loops(blocks_.back());
  }

  LoopRef loop() {
    const std::vector<LoopRef> others = schedule_.loops(blocks_[choices_.below(blocks_.size())]);
    const std::vector<LoopRef>& from = choices_.below(3) == 0 && !others.empty() ? others : loops_;
    return from.empty() ? make<tir::Var>(Str("none"), DataType::Int(32)) : from[choices_.below(from.size())];
  }

  std::vector<LoopRef> someLoops() {
    std::vector<LoopRef> some = loops_;
    const size_t turn = some.empty() ? 0 : choices_.below(some.size());
    std::rotate(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(turn), some.end());
    some.resize(some.empty() ? 0 : 1 + choices_.below(some.size()));
    if (choices_.below(2))
      std::sort(some.begin(), some.end(), [&](const LoopRef& a, const LoopRef& b) {
        return std::find(loops_.begin(), loops_.end(), a) < std::find(loops_.begin(), loops_.end(), b);
      });
    return some;
  }

  Ref<tir::IndexMap> map() {
    const size_t rank = 1 + choices_.below(3);
    std::vector<tir::VarRef> from;
    std::vector<tir::PrimExpr> to;
    for (size_t i = 0; i < rank; ++i) {
      from.push_back(make<tir::Var>(Str(fmt::format("i{}", i)), DataType::Int(32)));
      to.emplace_back(from.back());
    }
    std::rotate(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(choices_.below(rank)), to.end());
    if (choices_.below(2)) {
      const tir::PrimExpr factor = tir::intImm(1 + static_cast<int64_t>(choices_.below(4)), DataType::Int(32));
      const tir::PrimExpr whole = to.back();
      to.back() = make<tir::FloorDiv>(whole, factor);
      to.emplace_back(make<tir::FloorMod>(whole, factor));
    }
    return make<tir::IndexMap>(Array<tir::VarRef>(std::move(from)), Array<tir::PrimExpr>(std::move(to)));
  }

  Argument argument(ArgumentKind kind) {
    constexpr const char* kTexts[] = {"global", "local", "pragma_note", "map", "sum", "last"};
    switch (kind) {
      case ArgumentKind::Block:
        return block_;
      case ArgumentKind::Loop:
        return loop();
      case ArgumentKind::Place:
        return choices_.below(2) ? Argument(block_) : Argument(loop());
      case ArgumentKind::Loops:
        return someLoops();
      case ArgumentKind::Number:
        return static_cast<int64_t>(choices_.below(6)) - 1;
      case ArgumentKind::Numbers:
        return std::vector<int64_t>(1 + choices_.below(4), 1 + static_cast<int64_t>(choices_.below(5)));
      case ArgumentKind::Flag:
        return choices_.below(2) != 0;
      case ArgumentKind::Text:
        return std::string(kTexts[choices_.below(std::size(kTexts))]);
      case ArgumentKind::Factors: {
        const auto first = static_cast<int64_t>(choices_.below(5)), second = static_cast<int64_t>(choices_.below(5));
        return choices_.below(2) ? Factors{0, 1 + first} : Factors{first, 1 + second, 2};
      }
      case ArgumentKind::Value:
        return Argument(std::in_place_type<NodeRef>, ir::intAttr(static_cast<int64_t>(choices_.below(3))));
      case ArgumentKind::Buffer:
        return BufferOf{choices_.below(2) ? Access::Read : Access::Write, choices_.below(3)};
      case ArgumentKind::Map:
        return map();
    }
    return false;
  }

  Choices& choices_;
  Schedule& schedule_;
  std::vector<BlockRef> blocks_;
  BlockRef block_{};
  std::vector<LoopRef> loops_;
};

}  // namespace

std::string checkSchedule(std::string_view bytes) {
  Choices choices(bytes);
  const auto module = script::parseModule(make<SourceFile>("k.py", randomKernel(choices)));
  if (!module) return "the kernel is refused: " + renderDiagnostics(module.diagnostics(), {});
  const auto kernel = cast<tir::PrimFunc>((*module)->functions[0]);
  auto schedule = Schedule::of(kernel);
  if (!schedule) return "the kernel can not be scheduled";
  RandomSchedule random(choices, *schedule);
  for (int steps = 0; steps < 12 && !choices.atEnd(); ++steps) random.step();

  const std::string text = traceLines(schedule->trace(), "k", "");
  const std::string shown = text + script::print(schedule->function()).text + "\n";
  const auto wanted = resultOf(kernel), got = resultOf(schedule->function());
  if (!wanted) return "the kernel does not run";
  if (!got) return "the scheduled kernel does not run: " + renderDiagnostics(got.diagnostics(), {}) + shown;
  if (*wanted != *got) return "the scheduled kernel gives other numbers\n" + shown;
  const auto source = make<SourceFile>("trace.py", text);
  const auto traced = applyTrace(*module, *source, {});
  if (!traced) return "the trace is refused: " + renderDiagnostics(traced.diagnostics(), {source}) + shown;
  const tir::PrimFuncRef again = traced->empty() ? kernel : traced->front().kernel;
  return traced->empty() || structuralEqual(again, schedule->function()) ? ""
                                                                         : "the trace makes another kernel\n" + shown;
}

}  // namespace rx::fuzz
