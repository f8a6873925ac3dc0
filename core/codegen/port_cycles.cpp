#include "core/codegen/port_cycles.h"

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "core/support/text_lines.h"

namespace rx::codegen {

namespace {

/// Instructions of a loop beyond which it is not analysed, and those that are run in all, over many turns.
constexpr size_t kMostInstructions = 2000, kRun = 6000;
/// Turns until the processor is full of them, and those that are measured, at the least.
constexpr size_t kLeastTurns = 4;
/// What a port or the front has to be busy of a turn to be what the turn waits for.
constexpr double kBusy = 0.9;
/// Cycles that MCA takes for a call whose function it does not see: its own default.
constexpr unsigned kCallCycles = 100;

/// Processors of servers for which LLVM 19 has one port that multiplies vectors of 512 bits, as their relatives in
/// laptops have; theirs have two, and blocks of products run twice as fast as that table says. Their ports are told by
/// the table of the server that it has right, as far as that knows the instructions.
struct StandIn {
  std::string_view processor;
  const char* table;
};
constexpr StandIn kStandIns[] = {{"icelake-server", "skylake-avx512"},
                                 {"sapphirerapids", "skylake-avx512"},
                                 {"emeraldrapids", "skylake-avx512"},
                                 {"graniterapids", "skylake-avx512"},
                                 {"graniterapids-d", "skylake-avx512"}};

/// The table of another processor where that is nearer to the truth; null where its own is.
std::unique_ptr<llvm::MCSubtargetInfo> standInFor(const llvm::TargetMachine& machine) {
  const llvm::StringRef processor = machine.getMCSubtargetInfo()->getCPU();
  for (const StandIn& row : kStandIns)
    if (processor == llvm::StringRef(row.processor))
      return std::unique_ptr<llvm::MCSubtargetInfo>(
          machine.getTarget().createMCSubtargetInfo(machine.getTargetTriple().str(), row.table, ""));
  return nullptr;
}

void initializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllAsmParsers();
    llvm::InitializeAllTargetMCAs();
  });
}

/// Keeps the instructions of a text that is read, with their lines.
class Recorder final : public llvm::MCStreamer {
 public:
  Recorder(llvm::MCContext& context, const llvm::SourceMgr& source) : MCStreamer(context), source_(source) {}
  void emitInstruction(const llvm::MCInst& instruction, const llvm::MCSubtargetInfo&) override {
    found.emplace_back(source_.FindLineNumber(instruction.getLoc()), instruction);
  }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align, llvm::SMLoc) override {}

  std::vector<std::pair<uint32_t, llvm::MCInst>> found;

 private:
  const llvm::SourceMgr& source_;
};

/// Which ports the instructions of a turn take, and when turns end.
class Listener final : public llvm::mca::HWEventListener {
 public:
  Listener(const llvm::MCSchedModel& model, size_t size, size_t turns) : model_(model), uses_(size), size_(size) {
    ends_.reserve(turns);
  }
  void onCycleEnd() override { ++cycle_; }
  void onEvent(const llvm::mca::HWInstructionEvent& event) override {
    const size_t index = event.IR.getSourceIndex();
    if (event.Type == llvm::mca::HWInstructionEvent::Retired && index % size_ + 1 == size_) ends_.push_back(cycle_);
    if (event.Type != llvm::mca::HWInstructionEvent::Issued) return;
    const auto& issued = static_cast<const llvm::mca::HWInstructionIssuedEvent&>(event);
    for (const auto& [port, cycles] : issued.UsedResources)
      uses_[index % size_][nameOf(port)] += cycles.getNumerator() / static_cast<double>(cycles.getDenominator());
  }
  /// Between the ends of turns, once the processor is full.
  double cyclesOfTurn() const {
    if (ends_.size() < 2) return 0;
    const size_t first = ends_.size() / 4;
    return static_cast<double>(ends_.back() - ends_[first]) / static_cast<double>(ends_.size() - 1 - first);
  }
  /// By port, over all turns.
  const std::map<std::string, double>& usesOf(size_t instruction) const { return uses_[instruction]; }

 private:
  /// As LLVM calls it; one of several alike by its number behind that.
  std::string nameOf(const llvm::mca::ResourceRef& port) const {
    const llvm::MCProcResourceDesc& known = *model_.getProcResource(static_cast<unsigned>(port.first));
    return known.NumUnits < 2 ? std::string(known.Name)
                              : fmt::format("{}.{}", known.Name, llvm::countr_zero(port.second));
  }
  const llvm::MCSchedModel& model_;
  std::vector<std::map<std::string, double>> uses_;
  std::vector<size_t> ends_;
  size_t size_, cycle_ = 0;
};

std::vector<PortUse> perTurn(const std::map<std::string, double>& uses, size_t turns) {
  std::vector<PortUse> made;
  for (const auto& [port, cycles] : uses) made.push_back({port, cycles / static_cast<double>(turns)});
  std::sort(made.begin(), made.end(), [](const PortUse& a, const PortUse& b) {
    return std::tuple(-a.cycles, a.port) < std::tuple(-b.cycles, b.port);
  });
  return made;
}

/// Reads instructions of one machine as text, and runs them.
class Analyser {
 public:
  explicit Analyser(const llvm::TargetMachine& machine)
      : machine_(machine),
        features_(*machine.getMCSubtargetInfo()),
        context_(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(), &features_),
        file_(machine.getTarget().createMCObjectFileInfo(context_, true)),
        analysis_(machine.getTarget().createMCInstrAnalysis(machine.getMCInstrInfo())) {
    context_.setObjectFileInfo(file_.get());
  }

  /// The instructions of the text that LLVM can read back, with their lines.
  std::vector<std::pair<uint32_t, llvm::MCInst>> read(const std::string& text) {
    llvm::SourceMgr source;
    source.setDiagHandler([](const llvm::SMDiagnostic&, void*) {});
    source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
    Recorder recorder(context_, source);
    const llvm::Target& target = machine_.getTarget();
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(source, context_, recorder, *machine_.getMCAsmInfo()));
    const std::unique_ptr<llvm::MCTargetAsmParser> own(
        target.createMCAsmParser(features_, *parser, *machine_.getMCInstrInfo(), machine_.Options.MCOptions));
    if (!own) return {};
    parser->setAssemblerDialect(machine_.getMCAsmInfo()->getAssemblerDialect());
    parser->setTargetParser(*own);
    parser->Run(false, true);
    return std::move(recorder.found);
  }

  /// By the ports of a table. Nothing where an instruction is not in it, or the analyser gives up.
  std::optional<LoopTurn> turnOf(const std::vector<std::pair<uint32_t, llvm::MCInst>>& instructions,
                                 const llvm::MCSubtargetInfo& table) {
    std::vector<llvm::mca::SourceMgr::UniqueInst> sequence;
    const llvm::MCInstrInfo& names = *machine_.getMCInstrInfo();
    llvm::mca::InstrumentManager none(table, names);
    llvm::mca::InstrBuilder builder(table, names, *machine_.getMCRegisterInfo(), analysis_.get(), none, kCallCycles);
    std::unique_ptr<llvm::mca::InstrPostProcess> post(machine_.getTarget().createInstrPostProcess(table, names));
    for (const auto& [line, instruction] : instructions) {
      auto made = builder.createInstruction(instruction, {});
      if (!made) return llvm::consumeError(made.takeError()), std::nullopt;
      if (post) post->postProcessInstruction(*made, instruction);
      sequence.push_back(std::move(*made));
    }
    const size_t turns = std::max(kLeastTurns * 2, kRun / sequence.size());
    llvm::mca::CircularSourceMgr source(sequence, static_cast<unsigned>(turns));
    std::unique_ptr<llvm::mca::CustomBehaviour> custom(
        machine_.getTarget().createCustomBehaviour(table, source, names));
    if (!custom) custom = std::make_unique<llvm::mca::CustomBehaviour>(table, source, names);
    // So many are handed out as the processor itself does.
    const unsigned wide = features_.getSchedModel().IssueWidth;
    llvm::mca::Context hardware(*machine_.getMCRegisterInfo(), table);
    const auto pipeline =
        hardware.createDefaultPipeline(llvm::mca::PipelineOptions(0, 0, wide, 0, 0, 0, true), source, *custom);
    Listener listener(table.getSchedModel(), sequence.size(), turns);
    pipeline->addEventListener(&listener);
    auto ran = pipeline->run();
    if (!ran) return llvm::consumeError(ran.takeError()), std::nullopt;
    size_t steps = 0;
    for (const auto& each : sequence) steps += each->getNumMicroOps();
    return told(instructions, listener, turns, steps);
  }

 private:
  LoopTurn told(const std::vector<std::pair<uint32_t, llvm::MCInst>>& instructions, const Listener& listener,
                size_t turns, size_t steps) const {
    LoopTurn turn;
    turn.cycles = listener.cyclesOfTurn();
    turn.dispatch = static_cast<double>(steps) / features_.getSchedModel().IssueWidth;
    std::map<std::string, double> all;
    for (size_t i = 0; i < instructions.size(); ++i) {
      turn.lines.push_back({instructions[i].first, perTurn(listener.usesOf(i), turns)});
      for (const auto& [port, cycles] : listener.usesOf(i)) all[port] += cycles;
    }
    turn.ports = perTurn(all, turns);
    const double busiest = turn.ports.empty() ? 0 : turn.ports.front().cycles;
    turn.limit = busiest >= turn.cycles * kBusy         ? TurnLimit::Port
                 : turn.dispatch >= turn.cycles * kBusy ? TurnLimit::Dispatch
                                                        : TurnLimit::Latency;
    return turn;
  }

  const llvm::TargetMachine& machine_;
  const llvm::MCSubtargetInfo& features_;
  llvm::MCContext context_;
  std::unique_ptr<llvm::MCObjectFileInfo> file_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
};

/// The instructions of a loop, each in its line; what else stands in it left out.
std::string instructionsOf(const MachineCode& code, const MachineLoop& loop) {
  std::string_view rest = code.listing.text;
  std::string text;
  for (uint32_t number = 1; number <= loop.last; ++number) {
    const auto line = takeLine(rest);
    if (!line) break;
    const bool taken = number >= loop.first && number <= code.lines.size() && !code.lines[number - 1].name.empty();
    text += fmt::format("{}\n", taken ? *line : std::string_view());
  }
  return text;
}

}  // namespace

Result<Unit> addTurns(const llvm::TargetMachine& machine, const CancelToken& cancel, MachineCode& code) {
  initializeOnce();
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  if (!features.getSchedModel().hasInstrSchedModel()) {
    code.noTurns = fmt::format("LLVM knows no ports of {}", features.getCPU().str());
    return Unit{};
  }
  code.processor = features.getCPU().str();
  const std::unique_ptr<llvm::MCSubtargetInfo> standIn = standInFor(machine);
  for (MachineLoop& loop : code.loops) {
    if (cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const size_t count = code.countsOf(loop.first, loop.last).instructions;
    if (!loop.innermost || count > kMostInstructions) continue;
    Analyser analyser(machine);
    const auto instructions = analyser.read(instructionsOf(code, loop));
    // Of a loop that is read in part nothing true can be said.
    if (count == 0 || instructions.size() != count) continue;
    if (standIn) loop.turn = analyser.turnOf(instructions, *standIn);
    if (loop.turn) {
      loop.turn->table = standIn->getCPU().str();
    } else {
      loop.turn = analyser.turnOf(instructions, features);
    }
  }
  return Unit{};
}

}  // namespace rx::codegen
