#include "app/rxs/kernel_threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/rxs/arguments.h"
#include "core/ir/relax.h"
#include "core/launch/group.h"
#include "core/launch/thread_program.h"

namespace rx::cli {

namespace {

constexpr const char* kAxes[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"};

/// Which threads of a launch: an axis that nothing is said of is the whole of it, but for the group, which is one.
struct Choice {
  std::array<int64_t, 3> block{};
  std::array<std::optional<int64_t>, 3> thread;
  std::optional<int64_t> warp;
  bool all = false;

  static Result<Choice> read(const std::string& text);
  Result<Unit> fits(const launch::Launch& launch) const;
  std::vector<int64_t> threadsOf(const launch::Group& group) const;
};

Failure unknownThreads(std::string_view part) {
  return fail("kernel.threads", fmt::format("'{}' names no threads: write blockIdx.x=0,threadIdx.x=3 (or .y, .z), "
                                            "warp=1 for 32 of them, or all",
                                            part));
}

Result<Choice> Choice::read(const std::string& text) {
  Choice made;
  if (text == "all") {
    made.all = true;
    return made;
  }
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    at = end + 1;
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) return unknownThreads(part);
    const std::string_view name = part.substr(0, equals), digits = part.substr(equals + 1);
    int64_t number = -1;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || rest != digits.data() + digits.size() || number < 0) return unknownThreads(part);
    const auto* axis = std::find(std::begin(kAxes), std::end(kAxes), name);
    const auto row = static_cast<size_t>(axis - std::begin(kAxes));
    if (name == "warp") {
      made.warp = number;
    } else if (axis == std::end(kAxes)) {
      return unknownThreads(part);
    } else if (row < 3) {
      made.block[row] = number;
    } else {
      made.thread[row - 3] = number;
    }
  }
  return made;
}

Result<Unit> Choice::fits(const launch::Launch& launch) const {
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto outside = [&](size_t row, int64_t number, int64_t extent) {
      return fail("kernel.threads",
                  fmt::format("there is no {}={}: the launch has {} along that axis", kAxes[row], number, extent));
    };
    if (block[axis] >= launch.grid[axis]) return outside(axis, block[axis], launch.grid[axis]);
    if (thread[axis].value_or(0) >= launch.group[axis]) return outside(axis + 3, *thread[axis], launch.group[axis]);
  }
  if (warp && *warp * launch::Group::kWarp >= launch.threads())
    return fail("kernel.threads", fmt::format("there is no warp {}: a group has {} threads", *warp, launch.threads()));
  return Unit{};
}

std::vector<int64_t> Choice::threadsOf(const launch::Group& group) const {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < group.size(); ++i) {
    const std::array<int64_t, 3> at = group.thread(i);
    bool wanted = !warp || i / launch::Group::kWarp == *warp;
    for (size_t axis = 0; axis < 3; ++axis) wanted = wanted && (!thread[axis] || *thread[axis] == at[axis]);
    if (wanted) numbers.push_back(i);
  }
  return numbers;
}

/// The kernel as a function whose arguments are gathered as those of any run are.
relax::FunctionRef signatureOf(const tir::PrimFunc& kernel) {
  std::vector<relax::VarRef> params;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const tir::BufferRef& buffer = kernel.buffers[i];
    relax::StructInfo info = make<relax::PrimStructInfo>(kernel.params[i]->dtype);
    if (buffer) info = make<relax::TensorStructInfo>(make<relax::ShapeExpr>(buffer->shape), buffer->dtype);
    params.push_back(make<relax::Var>(buffer ? buffer->name : kernel.params[i]->name, std::move(info)));
  }
  const relax::StructInfo nothing = make<relax::ObjectStructInfo>();
  const auto body =
      make<relax::SeqExpr>(Array<relax::BlockRef>(), relax::Expr(make<relax::Tuple>(Array<relax::Expr>())));
  return make<relax::Function>(Array<relax::VarRef>(std::move(params)), body, nothing, true);
}

class Stepper {
 public:
  Stepper(const compile::KernelStages& kernel, const ThreadsWanted& wanted, Reply& reply)
      : kernel_(kernel), text_(kernel.device->text), wanted_(wanted), reply_(reply) {}

  Result<Unit> run() {
    RX_TRY(choice, Choice::read(wanted_.threads));
    RX_TRY(arguments, gathered());
    const auto number = static_cast<size_t>(wanted_.launch);
    RX_TRY(launch, launch::launchOf(kernel_.device->form, kernel_.name, arguments, number, {}));
    RX_CHECK(choice.fits(launch));
    reply_.print(fmt::format("{}: {} groups ({}) of {} threads ({})\n", launch.program->name, launch.groups(),
                             fmt::join(launch.grid, ", "), launch.threads(), fmt::join(launch.group, ", ")));
    reply_.fields()["launch"] = {{"grid", launch.grid}, {"group", launch.group}};
    launch::Races races(launch::grainOf(launch));
    const Result<Unit> ran = choice.all ? launch::runLaunch(launch, &races, {}) : stepped(launch, choice, races);
    for (const launch::Race& race : races.found()) tell(launch::raceDiagnostic(race, launch));
    if (!races.complete())
      tell(warningAt({}, "interpret.race", "more elements are touched than are watched: there may be more races"));
    if (ran) return Unit{};
    tell(ran.diagnostics().front());
    return Unit{};
  }
  bool failed() const { return failed_; }

 private:
  Result<std::vector<vm::Value>> gathered() const {
    ArgumentSources sources;
    sources.seed = 0;
    RX_TRY(inputs, readArrays(wanted_.inputs));
    sources.inputs = std::move(inputs);
    return gatherArguments(*signatureOf(*kernel_.device->text.function), kernel_.name, sources);
  }

  void tell(Diagnostic said) {
    failed_ = failed_ || said.severity == Severity::Error;
    const auto placed = [&](Span& span) { span.file = span.file == text_.file ? 0 : Span::kNone; };
    placed(said.span);
    for (DiagnosticNote& note : said.notes) placed(note.span);
    reply_.report({std::move(said)}, {text_.source});
  }

  Result<Unit> stepped(const launch::Launch& launch, const Choice& choice, launch::Races& races) {
    RX_TRY(group, launch::Group::start(launch, choice.block, &races, {}));
    const std::vector<int64_t> threads = choice.threadsOf(*group);
    reply_.fields()["steps"] = Reply::Json::array();
    int64_t told = 0;
    for (bool any = true; any && told < wanted_.most;) {
      any = false;
      for (const int64_t thread : threads) {
        if (group->state(thread) == launch::Group::State::Done || told >= wanted_.most) continue;
        any = true;
        ++told;
        RX_CHECK(step(*group, thread, threads.size() > 1));
      }
    }
    // What the others do wrong with what these have touched is told too.
    if (told < wanted_.most) return group->finish();
    reply_.print(fmt::format("the first {} statements; --statements says how many\n", told));
    return Unit{};
  }

  Result<Unit> step(launch::Group& group, int64_t thread, bool several) {
    const uint32_t line = text_.lineOf(group.place(thread));
    const Values before = valuesOf(group, thread);
    std::string what = group.state(thread) == launch::Group::State::Waits ? "  goes on" : "";
    RX_CHECK(group.step(thread));
    Reply::Json given = Reply::Json::object(), touched = Reply::Json::array();
    for (const auto& [name, value] : valuesOf(group, thread)) {
      const auto known = std::find(before.begin(), before.end(), std::pair(name, value));
      if (known != before.end()) continue;
      what += fmt::format("  {} = {}", name, value);
      given[name] = value;
    }
    for (const launch::Touch& touch : group.touches()) {
      what += fmt::format("  {}[{}] {} {}", touch.buffer, touch.index, touch.writes ? "=" : "is", touch.text);
      touched.push_back(
          {{"buffer", touch.buffer}, {"index", touch.index}, {"value", touch.text}, {"writes", touch.writes}});
    }
    if (group.state(thread) == launch::Group::State::Waits) what += "  waits";
    std::string_view code = line ? text_.source->line(line) : std::string_view();
    code = code.substr(std::min(code.find_first_not_of(' '), code.size()));
    const std::array<int64_t, 3> at = group.thread(thread);
    const std::string who = several ? fmt::format("({})  ", fmt::join(at, ", ")) : std::string();
    reply_.print(fmt::format("{}{:>5} | {}{}{}\n", who, line, code, what.empty() ? "" : "   #", what));
    reply_.fields()["steps"].push_back({{"thread", at},
                                        {"line", line},
                                        {"text", code},
                                        {"values", std::move(given)},
                                        {"touched", std::move(touched)}});
    return Unit{};
  }

  using Values = std::vector<std::pair<std::string, std::string>>;
  static Values valuesOf(const launch::Group& group, int64_t thread) {
    Values values;
    for (const launch::ThreadValue& value : group.values(thread))
      if (!value.buffer) values.emplace_back(value.name, value.text);
    return values;
  }

  const compile::KernelStages& kernel_;
  const compile::KernelText& text_;
  const ThreadsWanted& wanted_;
  Reply& reply_;
  bool failed_ = false;
};

}  // namespace

int stepThreads(const compile::Program& program, const compile::KernelStages& kernel, const ThreadsWanted& wanted,
                Reply& reply) {
  if (!kernel.device) {
    Diagnostic said = errorAt({}, "kernel.threads", fmt::format("{} has no threads: it runs on the host", kernel.name));
    said.fix = "name a device with --target";
    return reply.refuse({std::move(said)});
  }
  Stepper stepper(kernel, wanted, reply);
  const Result<Unit> ran = stepper.run();
  if (!ran) return reply.refuse(ran.diagnostics(), *program.request.module->sources);
  return stepper.failed() ? 1 : 0;
}

}  // namespace rx::cli
