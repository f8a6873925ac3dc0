#include "app/rxs/kernel_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/schedule/rule_helps.h"
#include "core/support/source.h"

namespace rx::cli {

namespace {

using Json = nlohmann::ordered_json;
using codegen::MachineCounts;

/// "19 of 32 vector registers (zmm)".
std::string registersText(const MachineCounts& counts, size_t available) {
  if (counts.vectors.empty()) return "no vector registers";
  return fmt::format("{} of {} vector registers ({})", counts.registers, available, counts.vectors);
}

/// "16 vfmadd231ps, 2 vmovups": what there is most of, at most so many.
std::string namesText(const MachineCounts& counts, size_t most) {
  std::vector<std::pair<size_t, std::string>> names;
  for (const auto& [name, count] : counts.names) names.emplace_back(count, name);
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", names[i].first, names[i].second);
  return text;
}

/// "81.3 % of the samples", in lines of the assembly.
std::string shareText(const KernelSamples& samples, uint32_t first, uint32_t last) {
  const size_t count = samples.inLines(first, last);
  return fmt::format("{:.1f} % of the samples",
                     samples.taken ? 100.0 * static_cast<double>(count) / static_cast<double>(samples.taken) : 0.0);
}

/// As JSON has what a turn waits for, by its value.
constexpr const char* kLimits[] = {"port", "dispatch", "latency"};

/// What a turn waits for, in a few words.
std::string limitText(const codegen::LoopTurn& turn) {
  switch (turn.limit) {
    case codegen::TurnLimit::Port:
      return fmt::format("{} is always busy", turn.ports.front().port);
    case codegen::TurnLimit::Dispatch:
      return "more are not handed out in a cycle";
    case codegen::TurnLimit::Latency:
      break;
  }
  return "one waits for the result of another";
}

/// "; 8.0 cycles a turn, 8.3 measured: SPRPort00 is always busy".
std::string turnText(const codegen::MachineLoop& loop, const std::optional<MeasuredTurn>& measured) {
  if (!loop.turn) return {};
  return fmt::format("; {:.1f} cycles a turn{}{}: {}", loop.turn->cycles,
                     loop.turn->table.empty() ? "" : " by the ports of " + loop.turn->table,
                     measured ? fmt::format(", {:.1f} measured", measured->cycles) : "",
                     measured && !measured->waits.empty() ? measured->waits : limitText(*loop.turn));
}

std::optional<MeasuredTurn> measuredTurn(const KernelSamples* samples, const codegen::MachineCode& code, size_t loop) {
  return samples ? measuredTurn(*samples, code, loop) : std::nullopt;
}

std::string machineText(const codegen::MachineCode& machine, const KernelSamples* samples) {
  const MachineCounts all = machine.counts();
  std::string text = fmt::format("{} instructions, {}, {} spills, {} reloads\n", all.instructions,
                                 registersText(all, machine.vectorRegisters), all.spills, all.reloads);
  for (size_t i = 0; i < machine.loops.size(); ++i) {
    const codegen::MachineLoop& loop = machine.loops[i];
    const MachineCounts counts = machine.countsOf(loop.first, loop.last);
    text += fmt::format("{}loop, lines {} to {}: {}{} instructions, {} registers, {} spills{}{}\n",
                        std::string(loop.depth * 2, ' '), loop.first, loop.last,
                        samples ? shareText(*samples, loop.first, loop.last) + ", " : "", counts.instructions,
                        counts.registers, counts.spills, loop.innermost ? "; " + namesText(counts, 4) : "",
                        turnText(loop, measuredTurn(samples, machine, i)));
  }
  return text;
}

/// "128 x 1 x 1" without the ends that are 1.
std::string sizesText(const std::array<std::string, 3>& sizes) {
  size_t count = 3;
  while (count > 1 && sizes[count - 1] == "1") --count;
  return fmt::format("{}", fmt::join(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count), " x "));
}

std::string occupancyText(const compile::DeviceKernelFacts& facts) {
  if (!facts.occupancy)
    return fmt::format("occupancy not available: {}", facts.occupancy.diagnostics().front().message);
  const codegen::Occupancy& one = *facts.occupancy;
  if (one.groups == 0) return fmt::format("not one group fits on a unit: too much of {}", fmt::join(one.limits, ", "));
  return fmt::format("{} groups, {} of {} warps on a unit ({:.0f} %), limited by {}{}", one.groups, one.warps,
                     one.mostWarps, 100.0 * static_cast<double>(one.warps) / static_cast<double>(one.mostWarps),
                     fmt::join(one.limits, ", "),
                     facts.assembled ? "" : "; registers are not known: no ptxas here takes the text");
}

/// How a kernel is started, what a thread takes, how many run side by side.
std::vector<std::string> wordsOf(const compile::DeviceKernelFacts& facts) {
  std::vector<std::string> words{
      fmt::format("{}: groups {}, threads of each {}{}", facts.symbol, sizesText(facts.grid), sizesText(facts.group),
                  facts.sharedBytes ? fmt::format(", which share {} bytes", facts.sharedBytes) : std::string())};
  if (facts.assembled)
    words.push_back(fmt::format("{} registers a thread, {} bytes of spill stores, {} of spill loads",
                                facts.assembled->registers, facts.assembled->spillStores, facts.assembled->spillLoads));
  words.push_back(occupancyText(facts));
  return words;
}

std::string deviceText(const compile::DeviceStage& device) {
  std::string text;
  for (const compile::DeviceKernelFacts& facts : device.kernels)
    text += fmt::format("{}\n", fmt::join(wordsOf(facts), "\n  "));
  return text;
}

/// Of a kernel of which no rule says anything: who scheduled it all the same.
std::string withoutRules(const compile::KernelStages& kernel) {
  for (const compile::KernelStage& stage : kernel.stages) {
    if (stage.kind != compile::KernelStageKind::Scheduled) continue;
    return stage.made.empty() ? "scheduled as it was imported" : fmt::format("scheduled by {}", stage.made);
  }
  return "no rule was asked";
}

Json toJson(const MachineCounts& counts) {
  Json made = {{"instructions", counts.instructions}, {"spills", counts.spills},       {"reloads", counts.reloads},
               {"vectors", counts.vectors},           {"registers", counts.registers}, {"names", Json::object()}};
  for (const auto& [name, count] : counts.names) made["names"][name] = count;
  return made;
}

Json toJson(const std::vector<codegen::PortUse>& ports) {
  Json made = Json::object();
  for (const auto& [port, cycles] : ports) made[port] = cycles;
  return made;
}

Json toJson(const codegen::LoopTurn& turn) {
  Json lines = Json::array();
  for (const codegen::LoopTurn::Line& line : turn.lines)
    lines.push_back({{"line", line.number}, {"ports", toJson(line.ports)}});
  return {{"cycles", turn.cycles},    {"dispatch", turn.dispatch}, {"limit", kLimits[static_cast<size_t>(turn.limit)]},
          {"said", limitText(turn)},  {"table", turn.table},       {"ports", toJson(turn.ports)},
          {"lines", std::move(lines)}};
}

Json machineJson(const codegen::MachineCode& machine) {
  Json made = toJson(machine.counts());
  made["vector_registers"] = machine.vectorRegisters;
  if (!machine.processor.empty()) made["processor"] = machine.processor;
  if (!machine.noTurns.empty()) made["no_turns"] = machine.noTurns;
  Json& loops = made["loops"] = Json::array();
  for (const codegen::MachineLoop& loop : machine.loops) {
    Json one = {{"first", loop.first}, {"last", loop.last}, {"depth", loop.depth}, {"innermost", loop.innermost}};
    one.update(toJson(machine.countsOf(loop.first, loop.last)));
    if (loop.turn) one["turn"] = toJson(*loop.turn);
    loops.push_back(std::move(one));
  }
  return made;
}

Json samplesJson(const KernelSamples& samples, const codegen::MachineCode& code) {
  Json turns = Json::array();
  for (size_t i = 0; i < code.loops.size(); ++i) {
    const auto measured = measuredTurn(samples, code, i);
    if (measured)
      turns.push_back({{"loop", i},
                       {"count", samples.turns[i]},
                       {"cycles", measured->cycles},
                       {"waits", measured->waits.empty() ? Json() : Json(measured->waits)}});
  }
  return {{"taken", samples.taken},   {"elsewhere", samples.elsewhere},
          {"calls", samples.calls},   {"nanoseconds", samples.nanoseconds},
          {"lines", samples.ofLines}, {"turns", std::move(turns)}};
}

Json deviceJson(const compile::DeviceStage& device) {
  Json kernels = Json::array();
  for (const compile::DeviceKernelFacts& facts : device.kernels) {
    Json one = {{"name", facts.symbol},
                {"grid", facts.grid},
                {"group", facts.group},
                {"shared", facts.sharedBytes},
                {"words", wordsOf(facts)}};
    if (facts.assembled) {
      one["registers"] = facts.assembled->registers;
      one["spill_stores"] = facts.assembled->spillStores;
      one["spill_loads"] = facts.assembled->spillLoads;
    }
    if (facts.occupancy) {
      one["occupancy"] = {{"groups", facts.occupancy->groups},
                          {"warps", facts.occupancy->warps},
                          {"of", facts.occupancy->mostWarps},
                          {"limits", facts.occupancy->limits}};
    }
    kernels.push_back(std::move(one));
  }
  return kernels;
}

/// What the rules that made a kernel are for, by their names.
Json helpsOf(const std::vector<std::string>& rules) {
  Json made = Json::object();
  for (const auto& [name, help] : schedule::ruleHelps(rules)) made[name] = help;
  return made;
}

Json stageJson(const compile::KernelStage& stage) {
  Json loops = Json::array();
  for (const compile::TextLoop& loop : stage.loops)
    loops.push_back({{"first", loop.first}, {"last", loop.last}, {"depth", loop.depth}});
  return {{"stage", compile::rowOf(stage.kind).name},
          {"title", compile::rowOf(stage.kind).title},
          {"made", stage.made},
          {"of", stage.of},
          {"text", stage.text},
          {"from", stage.from},
          {"origin", stage.origin},
          {"loops", std::move(loops)}};
}

}  // namespace

const char* const kKernelFields =
    "\"kernels\": [{\"name\", \"rules\"}] without --function; else \"kernel\": {\"name\", \"rules\": of each block "
    "that "
    "a rule made, \"helps\": what these are for, by their names, \"why\": which conditions failed elsewhere, "
    "\"passed_over\": [{\"rule\", \"why\"}] of rules that "
    "made "
    "none of it, \"trace\": the schedule by rules, a line a primitive, \"stages\": [{\"stage\", \"title\", \"made\": "
    "by which "
    "pass, "
    "\"of\": the number of the stage that it was made of, \"text\", \"from\": by line, lines of that stage, "
    "\"origin\": "
    "by line, lines of the first stage, \"loops\": [{\"first\", \"last\", \"depth\"}]}], \"machine\": "
    "{\"instructions\", "
    "\"spills\", \"reloads\", \"vectors\": the widest registers used, \"registers\", \"names\": how many instructions "
    "of "
    "each, \"vector_registers\": of the processor, \"loops\": [the same of each, with \"first\", \"last\", \"depth\", "
    "\"innermost\", and of innermost ones whose processor LLVM's analyser knows (\"processor\"; else \"no_turns\" says "
    "why not) \"turn\": {\"cycles\", \"dispatch\": those in which its instructions are handed out, \"limit\": "
    "\"port\", "
    "\"dispatch\" or \"latency\", \"said\": the same in words, \"table\": whose ports stand in for those of the "
    "processor where LLVM has these wrong, \"ports\": cycles of each, \"lines\": [{\"line\", "
    "\"ports\"}]}]}, of a device \"device\": [{\"name\", \"grid\" and \"group\": numbers or what is computed for "
    "them, "
    "\"shared\": bytes of a group, \"words\": all of it as text, and where they are known \"registers\", "
    "\"spill_stores\", \"spill_loads\", "
    "\"occupancy\": {\"groups\", \"warps\", \"of\", \"limits\"}}], and with --samples \"samples\": {\"taken\", "
    "\"elsewhere\": in other code, \"calls\": of the "
    "kernel, "
    "\"nanoseconds\": that these took, \"lines\": how many in each line of the assembly, \"turns\": [{\"loop\": its "
    "number in those of the machine code, \"count\": of a call, \"cycles\": that one took, \"waits\": for what, where "
    "ports explain less than half of them, else null}] of innermost loops}}";

std::string kernelOverview(const compile::KernelStages& kernel, const KernelSamples* samples) {
  std::string text = fmt::format("kernel {}\n", kernel.name);
  for (const std::string& rule : kernel.rules) text += fmt::format("  by rule   {}\n", rule);
  if (!kernel.why.empty()) text += fmt::format("  no rule   {}\n", kernel.why);
  for (const auto& [rule, why] : kernel.passedOver) text += fmt::format("  not by    {}: {}\n", rule, why);
  if (kernel.rules.empty() && kernel.why.empty()) text += fmt::format("  {}\n", withoutRules(kernel));
  for (size_t i = 0; i < kernel.stages.size(); ++i) {
    const compile::KernelStage& stage = kernel.stages[i];
    text += fmt::format("{:4}  {:<16}{:>6} lines", i, compile::rowOf(stage.kind).name,
                        std::count(stage.text.begin(), stage.text.end(), '\n'));
    const std::string_view made = i == 0 && stage.made.empty() ? "as imported" : std::string_view(stage.made);
    text += fmt::format("{}{}\n", made.empty() ? "" : "  ", made);
  }
  if (kernel.machine) text += machineText(*kernel.machine, samples);
  if (kernel.device) text += deviceText(*kernel.device);
  if (!samples) return text;
  return text + fmt::format("{} samples in {} calls of {:.4f} ms, on zeros; {} of them in other code\n", samples->taken,
                            samples->calls,
                            static_cast<double>(samples->nanoseconds) * 1e-6 /
                                static_cast<double>(std::max<int64_t>(samples->calls, 1)),
                            samples->elsewhere);
}

std::string stageText(const compile::KernelStages& kernel, const compile::KernelStage& stage,
                      const KernelSamples* samples) {
  std::string text;
  const std::vector<double> shares = samples ? sharesOf(*samples, kernel, stage) : std::vector<double>();
  const SourceFile source("", stage.text);
  const bool ended = stage.text.ends_with('\n');
  for (uint32_t line = 1; line + ended <= source.lineCount(); ++line) {
    const compile::Lines& lines = stage.origin[line - 1];
    const std::string from = lines.size() > 3 ? fmt::format("{}..{}", lines.front(), lines.back())
                                              : fmt::format("{}", fmt::join(lines, ","));
    std::string row = samples && shares[line - 1] > 0 ? fmt::format("{:>5.1f} %", shares[line - 1]) : "";
    if (samples) row.resize(std::max<size_t>(row.size(), 7), ' ');
    row += fmt::format("{:>8} | {}", from, source.line(line));
    row.resize(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

Json toJson(const compile::KernelStages& kernel, const KernelSamples* samples) {
  Json stages = Json::array();
  for (const compile::KernelStage& stage : kernel.stages) stages.push_back(stageJson(stage));
  Json passed = Json::array();
  for (const auto& [rule, why] : kernel.passedOver) passed.push_back({{"rule", rule}, {"why", why}});
  Json made = {{"name", kernel.name},
               {"rules", kernel.rules},
               {"helps", helpsOf(kernel.rules)},
               {"why", kernel.why},
               {"passed_over", std::move(passed)},
               {"trace", kernel.trace},
               {"stages", std::move(stages)}};
  if (kernel.machine) made["machine"] = machineJson(*kernel.machine);
  if (kernel.device) made["device"] = deviceJson(*kernel.device);
  if (samples && kernel.machine) made["samples"] = samplesJson(*samples, *kernel.machine);
  return made;
}

}  // namespace rx::cli
