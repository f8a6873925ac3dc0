#include "core/compile/kernel_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/compile/device_code.h"
#include "core/compile/request/passes.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/symbols.h"
#include "core/pass/options.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/kernel_schedule.h"
#include "core/support/nearest.h"

namespace rx::compile {

namespace {

using tir::PrimFuncRef;

constexpr KernelStageRow kRows[] = {
    {KernelStageKind::Tir, "tir", "TIR"},
    {KernelStageKind::Step, "step", "Step"},
    {KernelStageKind::Scheduled, "scheduled", "Scheduled"},
    {KernelStageKind::Lowered, "lowered", "Lowered"},
    {KernelStageKind::Llvm, "llvm", "LLVM IR, as made"},
    {KernelStageKind::LlvmOptimized, "llvm-optimized", "LLVM IR, optimised"},
    {KernelStageKind::Assembly, "asm", "Assembly"},
    {KernelStageKind::Device, "device", "Device"},
    {KernelStageKind::Disassembly, "sass", "Instructions of the device"},
};

PrimFuncRef kernelIn(const ir::Module& module, std::string_view name) {
  return refAs<tir::PrimFunc>(module->find(name));
}

/// Why there is no such kernel: it went in a pass, it is none, or nothing is called so.
Failure unknown(const Program& program, std::string_view name) {
  const pass::History& history = program.history;
  Diagnostic said = errorAt({}, "kernel.unknown", fmt::format("the program has no kernel '{}'", name));
  if (program.module->find(name)) said.message = fmt::format("'{}' is a function, and no kernel", name);
  for (size_t i = history.steps.size(); i-- > 0;) {
    if (!kernelIn(history.stage(i), name)) continue;
    said.message = fmt::format("the kernel '{}' is gone: {} took it away", name, history.steps[i].name);
    break;
  }
  Nearest nearest(name);
  std::string all;
  for (size_t i = 0; i < program.module->size(); ++i) {
    if (!isa<tir::PrimFunc>(program.module->functions[i])) continue;
    const std::string_view known = program.module->vars[i]->name.view();
    nearest.offer(known);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
  }
  said.fix = nearest.fix();
  said.notes.push_back({all.empty() ? "it has none" : fmt::format("its kernels are {}", all), {}});
  return fail(std::move(said));
}

std::vector<TextLoop> loopsOf(const KernelText& text) {
  std::vector<TextLoop> loops;
  std::vector<uint32_t> open;  // ends of the loops around
  walk(*text.function->body, Into::Parts, [&](const Node& node) {
    const auto* loop = as<tir::For>(&node);
    // Of a loop that becomes vectors or copies nothing is left to run around.
    const bool stays = loop && loop->forKind != tir::ForKind::Vectorized && loop->forKind != tir::ForKind::Unrolled;
    if (!stays) return !isa<tir::ExprNode>(&node);
    const Span& at = loop->span;
    const bool sameLine = !loops.empty() && loops.back().first == text.lineOf(at);  // of a grid: one loop to see
    if (at.file != text.file || sameLine) return true;
    while (!open.empty() && open.back() <= at.begin) open.pop_back();
    open.push_back(at.end);
    loops.push_back({text.lineOf(at), text.source->lineColumn(at.end - 1).line, static_cast<uint32_t>(open.size())});
    return true;
  });
  return loops;
}

/// Makes the stages of one kernel, one behind the other.
class Trail {
 public:
  Trail(const Program& program, std::string_view name, const Control& control) : program_(program), control_(control) {
    made_.name = std::string(name);
  }

  /// What the passes did, from where the kernel came to be.
  Result<Unit> throughPasses() {
    const pass::History& history = program_.history;
    const size_t last = history.steps.size();
    size_t first = last;
    while (first > 0 && kernelIn(history.stage(first - 1), made_.name)) --first;
    const PrimFuncRef began = kernelIn(history.stage(first), made_.name);
    if (!began) return unknown(program_, made_.name);
    add(KernelStageKind::Tir, first == 0 ? std::string() : history.steps[first - 1].name, began);
    const auto asks = [](const pass::StepRecord& step) { return schedule::schedulerOf(step.name) != nullptr; };
    if (ir::boolAttrOf(began->attrs, schedule::kScheduled, false) &&
        std::any_of(history.steps.begin() + static_cast<std::ptrdiff_t>(first), history.steps.end(), asks))
      made_.why = fmt::format("it is given as scheduled ({}), which rules leave as it is", schedule::kScheduled);
    std::vector<pass::PassCall> calls;
    if (auto steps = stepsFor(*program_.request.module, program_.request.passes); steps && !program_.request.ran)
      calls = std::move(*steps);
    for (size_t i = first; i < last; ++i) {
      if (control_.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
      said(history.steps[i]);
      const PrimFuncRef before = kernelIn(history.stage(i), made_.name);
      const PrimFuncRef after = kernelIn(history.stage(i + 1), made_.name);
      if (before == after) continue;
      const pass::PassCall* call = i < calls.size() ? &calls[i] : nullptr;
      const PrimFuncRef linked = again(call, history.stage(i), after);
      if (linked) steps(*call);
      pass(history.steps[i].name, linked, after);
    }
    const PrimFuncRef whole = kernelIn(program_.module, made_.name);
    if (!whole) return unknown(program_, made_.name);
    if (whole != kernelIn(history.stage(last), made_.name)) pass("calls inlined", nullptr, whole);
    return Unit{};
  }

  Result<Unit> onHost(const codegen::Machine& machine) {
    const lower::HostForm form =
        program_.request.mode == Mode::Release ? lower::HostForm::Flat : lower::HostForm::Loops;
    const target::TargetRef& target = program_.request.target;
    const target::TargetRef host = target->host() ? target->host() : target;
    RX_TRY(lowered, lower::loweredForHost(text_.function, form, control_.cancel, host,
                                          [&](std::string_view pass, const PrimFuncRef& function) {
                                            add(KernelStageKind::Lowered, std::string(pass), function);
                                            return text_.function;
                                          }));
    codegen::KernelOptions options = kernelOptionsOf(program_.request);
    options.machine = machine;
    RX_TRY(listing, codegen::listKernel(lowered, *text_.source, text_.file, options, control_.cancel));
    const size_t of = textStage_;
    addListed(KernelStageKind::Llvm, listing.made, of);
    addListed(KernelStageKind::LlvmOptimized, listing.optimized, of);
    addListed(KernelStageKind::Assembly, listing.machine.listing, of);
    for (const codegen::MachineLoop& loop : listing.machine.loops)
      made_.stages.back().loops.push_back({loop.first, loop.last, loop.depth});
    made_.machine = std::move(listing.machine);
    return Unit{};
  }

  /// The text that the driver takes; false where the kernel runs on the host.
  Result<bool> onDevice() {
    const KernelText before = text_;
    const size_t stage = textStage_, stages = made_.stages.size();
    const Result<Unit> listed = listedOnDevice();
    if (listed) return true;
    Diagnostic why = listed.diagnostics().front();
    if (why.rule == "pass.cancelled") return listed.failure();
    why.context = fmt::format("PrimFunc {}", made_.name);
    made_.notes.push_back(std::move(why));
    made_.stages.resize(stages);
    text_ = before;
    textStage_ = stage;
    return false;
  }

  KernelStages finish() {
    made_.rules = schedule::rulesThatMade(*kernelIn(program_.module, made_.name));
    return std::move(made_);
  }

 private:
  Result<Unit> listedOnDevice() {
    const codegen::DeviceOptions options = deviceOptionsOf(program_, control_);
    const std::string symbol = ir::symbolOf(*program_.module->findVar(made_.name), *text_.function);
    const PrimFuncRef function = text_.function;
    RX_TRY(form, lower::loweredForDevice(symbol, function, control_.cancel, options.target,
                                         [&](std::string_view pass, const PrimFuncRef& made) {
                                           if (!sameBody(made)) add(KernelStageKind::Lowered, std::string(pass), made);
                                           return text_.function;
                                         }));
    RX_TRY(listing, codegen::listOnDevice(symbol, function, form, {text_.source.get(), text_.file}, options));
    addListed(KernelStageKind::Device, listing.text, textStage_);
    made_.stages.back().made = std::string(options.target->kind());
    const codegen::DeviceLanguage* language = codegen::languageOf(options.target->kind());
    const std::string architecture = codegen::architectureOf(*options.target);
    const auto assembled = language->assembled ? language->assembled(listing.text.text, architecture) : std::nullopt;
    auto facts = deviceFacts(form, architecture, assembled ? &*assembled : nullptr);
    if (assembled && !assembled->disassembled.text.empty())
      addListed(KernelStageKind::Disassembly, assembled->disassembled, made_.stages.size() - 1);
    made_.device = DeviceStage{text_, textStage_, std::move(form), std::move(facts)};
    return Unit{};
  }

  /// What the pass makes of the kernel, whose lines it carries along; null where that is not what it made of it in
  /// the module, `before`.
  PrimFuncRef again(const pass::PassCall* call, const ir::Module& before, const PrimFuncRef& expected) const {
    if (!call) return nullptr;
    pass::RunOptions run;
    run.context.target = program_.request.target;
    run.context.cancel = control_.cancel;
    run.context.optLevel = program_.request.optLevel;
    // The kernel alone is done soon. A pass may ask how it is called, though, which the whole module says.
    const auto var = before->findVar(made_.name);
    for (const ir::Module& module :
         {before->with({{var, text_.function}}), before->withFunction(var, text_.function)}) {
      const pass::StepRecord step = pass::runStep(module, *call, run);
      const PrimFuncRef made = step.after ? kernelIn(step.after, made_.name) : nullptr;
      if (made && structuralEqual(made, expected)) return made;
    }
    return nullptr;
  }

  /// What each primitive of a schedule by rules makes of the kernel, where there are several.
  void steps(const pass::PassCall& call) {
    const schedule::Scheduler* scheduler = schedule::schedulerOf(call.row->name);
    if (!scheduler) return;
    const ir::Attrs options = pass::withFallbacks(call.row->options, call.options);
    const auto outcome =
        schedule::scheduleKernel(*scheduler, text_.function, program_.request.target, options, control_.cancel);
    if (!outcome) return;
    if (outcome->kernel) {
      made_.trace.clear();
      for (const schedule::Instruction& each : outcome->trace.instructions())
        made_.trace.push_back(schedule::instructionText(outcome->trace, each, made_.name));
      passOver(*scheduler, options, *outcome->kernel);
    }
    std::vector<const schedule::Instruction*> changing;
    PrimFuncRef before = text_.function;
    for (const schedule::Instruction& each : outcome->trace.instructions()) {
      if (each.made != before) changing.push_back(&each);
      before = each.made;
    }
    if (changing.size() < 2) return;
    for (const schedule::Instruction* each : changing) {
      addText(KernelStageKind::Step, schedule::instructionText(outcome->trace, *each, made_.name),
              kernelText(made_.name, each->made, &text_));
    }
  }

  /// Asks each rule by itself that made none of the kernel.
  void passOver(const schedule::Scheduler& scheduler, const ir::Attrs& options, const tir::PrimFunc& scheduled) {
    made_.passedOver.clear();
    const auto* rules = as<ir::ArrayAttr>(ir::attrOf(options, "rules"));
    const std::vector<std::string> applied = schedule::rulesThatMade(scheduled);
    for (size_t i = 0; rules && i < rules->items.size(); ++i) {
      const auto* rule = as<ir::StrAttr>(rules->items[i]);
      const std::string name = rule ? rule->value.string() : std::string();
      if (name.empty() || schedule::namesRule(applied, name)) continue;
      const auto alone = schedule::scheduleKernel(scheduler, text_.function, program_.request.target,
                                                  ir::withAttr(options, Str("rules"), ir::arrayAttr({rules->items[i]})),
                                                  control_.cancel);
      if (!alone || alone->kernel || alone->why.empty()) continue;
      made_.passedOver.push_back({name, alone->why});
    }
  }

  /// Whether a step changed nothing but what is said of the whole function, which is no other text of what it computes.
  bool sameBody(const PrimFuncRef& next) {
    const ir::BaseFunc same = ir::withFunctionAttrs(next, text_.function->attrs);
    if (!structuralEqual(same, text_.function)) return false;
    text_.function = cast<tir::PrimFunc>(ir::withFunctionAttrs(text_.function, next->attrs));
    return true;
  }

  /// A step that gave `made`; `linked` is the same with the lines of the text before, where there is such.
  void pass(const std::string& name, const PrimFuncRef& linked, const PrimFuncRef& made) {
    const PrimFuncRef& next = linked ? linked : made;
    if (sameBody(next)) return;
    const bool scheduled = ir::boolAttrOf(next->attrs, schedule::kScheduled, false);
    add(scheduled ? KernelStageKind::Scheduled : KernelStageKind::Tir, name, next);
  }

  /// Why rules did not apply, as the pass said.
  void said(const pass::StepRecord& step) {
    for (const Diagnostic& each : step.messages)
      if (each.rule == schedule::kNoRule && each.context == made_.name) made_.why = each.message;
  }

  void add(KernelStageKind kind, std::string made, const PrimFuncRef& function) {
    text_ = kernelText(made_.name, function, made_.stages.empty() ? nullptr : &text_);
    addText(kind, std::move(made), text_);
    textStage_ = made_.stages.size() - 1;
  }

  /// A text whose lines came from those of the text before.
  void addText(KernelStageKind kind, std::string made, const KernelText& text) {
    KernelStage& stage = made_.stages.emplace_back();
    stage.kind = kind;
    stage.made = std::move(made);
    stage.text = std::string(text.source->text());
    stage.of = textStage_;
    stage.from = text.from;
    stage.loops = loopsOf(text);
    link(stage);
  }

  void addListed(KernelStageKind kind, const codegen::ListedText& listed, size_t of) {
    KernelStage& stage = made_.stages.emplace_back();
    stage.kind = kind;
    stage.text = listed.text;
    stage.of = of;
    for (const uint32_t line : listed.from) stage.from.push_back(line ? Lines{line} : Lines{});
    link(stage);
  }

  /// The lines of the first stage, by those of the one that it was made of.
  void link(KernelStage& stage) const {
    const std::vector<Lines>& before = made_.stages[stage.of].origin;
    const size_t count = static_cast<size_t>(std::count(stage.text.begin(), stage.text.end(), '\n')) + 1;
    const bool first = &stage == &made_.stages.front();
    stage.from.resize(count);
    stage.origin.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (first) {
        stage.origin[i] = {static_cast<uint32_t>(i + 1)};
        continue;
      }
      std::set<uint32_t> lines;
      for (const uint32_t line : stage.from[i])
        if (line <= before.size()) lines.insert(before[line - 1].begin(), before[line - 1].end());
      stage.origin[i].assign(lines.begin(), lines.end());
    }
  }

  const Program& program_;
  const Control& control_;
  KernelText text_;
  size_t textStage_ = 0;  ///< the stage that is that text
  KernelStages made_;
};

}  // namespace

std::span<const KernelStageRow> kernelStageRows() { return kRows; }

const KernelStageRow& rowOf(KernelStageKind kind) { return kRows[static_cast<size_t>(kind)]; }

Result<KernelStages> kernelStages(const Program& program, std::string_view name, const codegen::Machine& machine,
                                  const Control& control) {
  Trail trail(program, name, control);
  RX_CHECK(trail.throughPasses());
  bool onDevice = false;
  if (codegen::writesDeviceText(program.request.target->kind())) {
    RX_TRY(written, trail.onDevice());
    onDevice = written;
  }
  if (!onDevice) RX_CHECK(trail.onHost(machine));
  return trail.finish();
}

}  // namespace rx::compile
