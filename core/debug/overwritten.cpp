#include "core/debug/overwritten.h"

#include <fmt/format.h>

#include <algorithm>

namespace rx::debug {
namespace {

/// The last of the bindings that a step gives a value, else what the instruction works for, else its text.
Result<std::string> nameOf(const Recording& run, uint32_t step) {
  RX_TRY(row, run.reader().step(step));
  RX_TRY(given, run.givenBy(step));
  if (!given.empty()) return run.program().stages.front()->binding(given.back().binding)->variable.string();
  std::string name = run.bindingOf(row.instruction);
  return name.empty() ? run.program().instructions[row.instruction].text : std::move(name);
}

bool isPlaceOf(const store::Value& a, const store::Value& b) {
  return a.kind == ValueKind::Tensor && b.kind == ValueKind::Tensor && a.storage == b.storage && a.offset == b.offset;
}

/// The step before a state that wrote the tensor which a register holds then: through this register, or those that it
/// was copied from. `name` is of the last binding that has the value.
struct Source {
  std::optional<uint32_t> step;
  std::string name;
};
Result<Source> writerOf(const Recording& run, uint32_t state, uint32_t activation, uint32_t reg) {
  RX_TRY(held, run.reader().registerAt(state, activation, reg));
  Source source;
  uint32_t end = state;
  for (;;) {
    const std::optional<uint32_t> set = run.reader().registerTouches(end, activation, reg).last;
    for (uint32_t step = end; step-- > set.value_or(run.reader().oldest());) {
      RX_TRY(row, run.reader().step(step));
      if (row.activation != activation) continue;
      RX_TRY(written, run.writtenBy(step));
      if (std::none_of(written.begin(), written.end(),
                       [&](const WrittenTensor& each) { return each.reg == static_cast<int>(reg); }))
        continue;
      source.step = step;
      if (!source.name.empty()) return source;
      RX_TRY(name, nameOf(run, step));
      source.name = std::move(name);
      return source;
    }
    if (!set) return source;
    // Set as another name of what a register held before.
    RX_TRY(row, run.reader().step(*set));
    const std::vector<int>& from = run.program().instructions[row.instruction].arguments;
    const auto same = std::find_if(from.begin(), from.end(), [&](int argument) {
      if (argument < 0) return false;
      const auto value = run.reader().registerAt(*set, activation, static_cast<uint32_t>(argument));
      return value && isPlaceOf(*value, held);
    });
    if (same == from.end() || row.activation != activation) return source;
    if (source.name.empty()) {
      RX_TRY(name, nameOf(run, *set));
      source.name = std::move(name);
    }
    reg = static_cast<uint32_t>(*same);
    end = *set;
  }
}

}  // namespace

Result<std::vector<Overwritten>> overwrittenInputs(const Recording& run, uint32_t step) {
  RX_TRY(row, run.reader().step(step));
  RX_TRY(written, run.writtenBy(step));
  std::vector<Overwritten> all;
  for (const int argument : run.program().instructions[row.instruction].arguments) {
    if (argument < 0) continue;
    if (std::any_of(written.begin(), written.end(), [&](const auto& each) { return each.reg == argument; })) continue;
    const auto reg = static_cast<uint32_t>(argument);
    RX_TRY(held, run.reader().registerAt(step, row.activation, reg));
    if (held.kind != ValueKind::Tensor) continue;
    RX_TRY(source, writerOf(run, step, row.activation, reg));
    if (!source.step) continue;
    RX_TRY(meant, run.valueAt(*source.step + 1, held));
    RX_TRY(read, run.valueAt(step, held));
    if (meant.tensor->identical(*read.tensor)) continue;
    const int64_t bytes = read.tensor->bytes();
    const std::optional<uint32_t> changed =
        run.reader()
            .changeTouches(step, held.storage, static_cast<uint64_t>(held.offset), static_cast<uint64_t>(bytes))
            .last;
    if (!changed) continue;
    RX_TRY(by, nameOf(run, *changed));
    all.push_back({source.name, by, *source.step, *changed, reg, storageNumber(held.storage), held.offset, bytes,
                   std::move(meant), std::move(read)});
  }
  return all;
}

}  // namespace rx::debug
