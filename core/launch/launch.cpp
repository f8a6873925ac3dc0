#include "core/launch/launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/launch/group.h"
#include "core/launch/thread_program.h"
#include "core/lower/kernel_launches.h"
#include "core/runtime/registry.h"

namespace rx::launch {

using namespace interpret;

std::string threadText(const std::array<int64_t, 3>& block, const std::array<int64_t, 3>& thread) {
  return fmt::format("blockIdx ({}), threadIdx ({})", fmt::join(block, ", "), fmt::join(thread, ", "));
}

std::array<int64_t, 3> Launch::groupAt(int64_t number) const {
  return {number % grid[0], number / grid[0] % grid[1], number / (grid[0] * grid[1])};
}

namespace {

struct HowText {
  const char *now, *before, *there;
};
const HowText& howText(const Toucher& by) {
  static constexpr HowText kTexts[] = {{"reads", "has read", "read there"},
                                       {"writes", "has written", "written there"},
                                       {"adds to", "has added to", "added to there"}};
  return kTexts[static_cast<size_t>(by.how)];
}

}  // namespace

int64_t grainOf(const Launch& launch) {
  int64_t grain = INT64_MAX;
  for (const DataType& type : launch.program->bufferTypes) grain = std::min<int64_t>(grain, type.element().bytes());
  return std::max<int64_t>(launch.program->bufferTypes.empty() ? 1 : grain, 1);
}

Diagnostic raceDiagnostic(const Race& race, const Launch& launch) {
  const auto who = [&](const Toucher& one) {
    const int64_t n = one.thread, x = launch.group[0], y = launch.group[1];
    return threadText(launch.groupAt(one.group), {n % x, n / x % y, n / (x * y)});
  };
  Diagnostic said = errorAt(race.second.place, "interpret.race",
                            fmt::format("{}: {} {} {}[{}], which {} {}, and nothing puts the two in order",
                                        launch.program->name, who(race.second), howText(race.second).now, race.buffer,
                                        race.index, who(race.first), howText(race.first).before));
  said.notes.push_back({howText(race.first).there, race.first.place});
  said.fix = race.first.group == race.second.group
                 ? "let the threads wait between the two: T.tvm_storage_sync(\"shared\")"
                 : "groups never wait for each other: give each elements of its own, or add by an atomic function";
  return said;
}

Result<Unit> runLaunch(const Launch& launch, Races* races, const Options& options) {
  for (int64_t i = 0; i < launch.groups(); ++i) {
    RX_TRY(group, Group::start(launch, launch.groupAt(i), races, options));
    RX_CHECK(group->finish());
  }
  return Unit{};
}

namespace {

/// Says that the launch that is looked for has come.
constexpr std::string_view kReached = "interpret.reached";

class Launches {
 public:
  Launches(size_t wanted, const Options& options) : wanted_(wanted), options_(options) {}

  Result<Value> call(const lower::DeviceKernel& kernel, vm::Arguments args) {
    RX_TRY(program, compileThread(kernel.function, kernel.symbol));
    Launch made;
    made.program = std::make_shared<const ThreadProgram>(std::move(program));
    const size_t params = kernel.function->params.size();
    for (size_t i = 0; i < std::min(params, args.size()); ++i) made.args.push_back(args[i]);
    const std::vector<std::string> tags = lower::launchTagsOf(*kernel.function);
    for (size_t i = 0; i < tags.size() && params + i < args.size(); ++i) {
      const bool grid = tags[i].starts_with("blockIdx."), group = tags[i].starts_with("threadIdx.");
      const vm::Value& extent = args[params + i];
      if ((grid || group) && extent.is(vm::ValueKind::Int))
        (grid ? made.grid : made.group)[static_cast<size_t>(tags[i].back() - 'x')] = extent.asInt();
    }
    if (count_++ == wanted_) {
      reached = std::move(made);
      return fail(std::string(kReached), "");
    }
    RX_CHECK(runLaunch(made, nullptr, options_));
    return Value();
  }

  size_t count() const { return count_; }
  std::optional<Launch> reached;

 private:
  const size_t wanted_;
  const Options& options_;
  size_t count_ = 0;
};

}  // namespace

Result<Launch> launchOf(const lower::DeviceForm& form, std::string_view name, std::span<const Value> args,
                        size_t number, const Options& options) {
  RX_TRY(host, compileThread(form.host, name));
  Options own = completed(options);
  Launches launches(number, options);
  vm::PackedRegistry registry = *own.around.registry;
  for (const lower::DeviceKernel& kernel : form.kernels)
    registry.add(kernel.symbol, vm::makeCallable(kernel.symbol, [&](vm::CallContext&, vm::Arguments given) {
                   return launches.call(kernel, given);
                 }));
  own.around.registry = &registry;
  const Result<Value> ran = execute(host, args, own);
  if (launches.reached) return std::move(*launches.reached);
  if (!ran) return ran.failure();
  return fail("interpret.launch",
              fmt::format("{} starts {} kernels, and none with the number {}", name, launches.count(), number));
}

}  // namespace rx::launch
