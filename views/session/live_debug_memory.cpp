// The part of LiveDebug that answers about the memory of a run.
#include <QPointer>
#include <algorithm>
#include <tuple>

#include "views/session/engine_rows.h"
#include "views/session/live_debug.h"

namespace rx::views {

namespace {

constexpr int kCurvePoints = 400;
constexpr size_t kMostHolders = 4;  // registers that are named

StorageRow rowOf(const dap::StorageInfo& info, const std::vector<InstructionRow>& program) {
  StorageRow row;
  row.bytes = info.bytes;
  row.step = static_cast<int>(info.step);
  const auto made = static_cast<size_t>(std::max<int64_t>(info.instruction, 0));
  if (row.step >= 0 && info.instruction >= 0 && made < program.size()) {
    row.what = program[made].what;
    row.function = program[made].binding >= 0 ? program[made].bindingFunction : program[made].function;
    row.variable = program[made].variable;
    row.called = program[made].called;
    row.binding = program[made].binding;
  }
  QStringList holders;
  for (size_t i = 0; i < std::min(info.registers.size(), kMostHolders); ++i) holders << qtText(info.registers[i]);
  if (info.registers.size() > kMostHolders)
    holders << LiveDebug::tr("%1 more").arg(info.registers.size() - kMostHolders);
  row.holders = holders.join(QStringLiteral(", "));
  return row;
}

MemoryMap mapOf(const dap::MemoryBody& body, const std::vector<InstructionRow>& program) {
  MemoryMap map;
  map.live = body.liveBytes;
  map.peak = body.peakBytes;
  for (const dap::StorageInfo& info : body.storages) map.storages.push_back(rowOf(info, program));
  std::sort(map.storages.begin(), map.storages.end(), [](const StorageRow& a, const StorageRow& b) {
    return std::tie(b.bytes, a.step, a.holders) < std::tie(a.bytes, b.step, b.holders);
  });
  for (const dap::MemoryPoint& point : body.points)
    map.curve.points.push_back({static_cast<int>(point.step), true, static_cast<double>(point.liveBytes)});
  map.more = body.more;
  map.curve.states = body.states;
  map.curve.sampled = static_cast<int64_t>(body.points.size()) < body.states;
  return map;
}

}  // namespace

void LiveDebug::fetchMemory(MemoryPart part, QObject* context, std::function<void(const MemoryMap&)> answer) {
  if (!stands()) return answer({});
  const QPointer<QObject> alive(context);
  dap::MemoryArguments arguments;
  arguments.storages = part == MemoryPart::All;
  arguments.points = kCurvePoints;
  engine_->client().call<dap::Memory>(arguments, [this, self = QPointer<LiveDebug>(this), alive,
                                                  answer = std::move(answer)](Result<dap::MemoryBody> body) {
    if (!alive || !self) return;
    if (body) return answer(mapOf(*body, program_));
    MemoryMap refused;
    refused.error = textOf(body.diagnostics());
    answer(refused);
  });
}

}  // namespace rx::views
