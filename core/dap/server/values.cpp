// Our own requests about values: registers, shape heap, slices.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "core/dap/server/adapter.h"
#include "core/support/base64.h"
#include "core/tensor/npy.h"

namespace rx::dap {

/// The items of a tuple are without theirs.
ValueInfo Adapter::infoOf(const debug::ValueRef& ref, const debug::Value& value) {
  const auto alone = [this](const debug::ValueRef& at, const debug::Value& one) {
    ValueInfo info;
    info.kind = debug::valueKindName(one.kind);
    info.text = debug::valueText(one);
    info.reference = referenceFor(at, one);
    info.step = session_->writerOf(at);
    if (one.kind == debug::ValueKind::Shape) info.shape = one.shape;
    if (one.indexed()) info.count = static_cast<int64_t>(one.items.size());
    if (one.kind != debug::ValueKind::Tensor) return info;
    info.shape = one.tensor->shape();
    info.dtype = one.tensor->dtype().str();
    info.bytes = one.tensor->bytes();
    info.count = one.tensor->count();
    info.place = one.place;
    info.unwritten = session_->unwritten(at, one);
    if (info.unwritten) info.text += ", not written yet";
    if (auto stats = info.unwritten ? std::nullopt : session_->statsOf(at, one)) {
      info.hasStats = true;
      info.min = jsonNumber(stats->min);
      info.max = jsonNumber(stats->max);
      info.mean = jsonNumber(stats->mean);
      info.nanCount = stats->nanCount;
      info.infCount = stats->infCount;
      info.firstNonFinite = stats->firstNonFinite;
    }
    return info;
  };
  ValueInfo info = alone(ref, value);
  if (!value.indexed()) return info;
  for (size_t i = 0; i < std::min(value.items.size(), kMostItems); ++i) {
    debug::ValueRef item = ref;
    item.path.push_back(static_cast<int>(i));
    info.items.push_back(alone(item, value.items[i]));
  }
  return info;
}

ValueInfo Adapter::infoOf(const debug::ValueRef& ref) {
  // Reads the bytes too, which statistics are made of.
  Result<debug::Value> value = session_->read(ref);
  if (value) return infoOf(ref, *value);
  ValueInfo info;
  info.kind = "none";
  info.text = value.diagnostics().front().message;
  return info;
}

Result<ProgramBody> Adapter::program(const RangeArguments& arguments) {
  ProgramBody body;
  const auto& program = session_->program();
  body.total = static_cast<int64_t>(program.instructions.size());
  const int64_t from = std::clamp<int64_t>(arguments.start, 0, body.total);
  const int64_t to = arguments.count > 0 ? from + std::min(arguments.count, body.total - from) : body.total;
  for (int64_t i = from; i < to; ++i) {
    const auto& instruction = program.instructions[static_cast<size_t>(i)];
    InstructionInfo row;
    row.index = i;
    row.function = program.functions[static_cast<size_t>(instruction.function)].name;
    row.text = instruction.text;
    row.what = instruction.what();
    if (instruction.dst >= 0) row.writes = fmt::format("%{}", instruction.dst);
    row.builtin = !instruction.callsKernel();
    debug::StagePlace place = session_->placeOf(row.index);
    if (const auto* binding = session_->stage().binding(place)) {
      row.binding = place.ordinal;
      row.bindingFunction = session_->stage().functions()[static_cast<size_t>(place.function)].name.string();
      row.variable = binding->variable.string();
      row.line = binding->line;
    }
    body.instructions.push_back(std::move(row));
  }
  return body;
}

Result<OriginBody> Adapter::origin(const OriginArguments& arguments) {
  const debug::Program& program = session_->program();
  std::vector<OriginSite> sites;
  if (arguments.instruction) {
    int64_t index = *arguments.instruction;
    if (index < 0 || index >= static_cast<int64_t>(program.instructions.size()))
      return fail("dap.reference", fmt::format("there is no instruction {}", index));
    sites = program.instructions[static_cast<size_t>(index)].sites;
  } else {
    BindingBreakpoint wanted{
        arguments.stage, arguments.function, arguments.binding, arguments.variable, {}, {}, {}, {}, {}, {}};
    RX_TRY(place, placeOf(wanted));
    sites = program.stages[static_cast<size_t>(arguments.stage)]->binding(place)->sites.vector();
  }
  auto shares = [&](std::span<const OriginSite> other) {
    return std::any_of(other.begin(), other.end(), [&](const OriginSite& site) {
      return std::find(sites.begin(), sites.end(), site) != sites.end();
    });
  };
  OriginBody body;
  for (size_t s = 0; s < program.stages.size(); ++s)
    for (const debug::StageFunction& function : program.stages[s]->functions())
      for (const debug::StageBinding& binding : function.bindings)
        if (shares(binding.sites))
          body.places.push_back({static_cast<int64_t>(s), function.name.string(), binding.ordinal,
                                 binding.variable.string(), binding.pass.string(), binding.line});
  for (size_t i = 0; i < program.instructions.size(); ++i)
    if (shares(program.instructions[i].sites)) body.instructions.push_back(static_cast<int64_t>(i));
  return body;
}

Result<RegistersBody> Adapter::registers(const RegistersArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  debug::History& history = session_->history();
  const debug::VmFunction& function = functionOf(activation);
  int64_t state = session_->state();
  const debug::StepRecord last = history.step(state - 1);
  RegistersBody body;
  body.activation = activation;
  std::vector<int> wanted;
  if (arguments.since >= history.oldest() && arguments.since <= history.recorded() &&
      arguments.activation == activation) {
    body.since = arguments.since;
    wanted = session_->registersBetween(activation, arguments.since, state);
    const std::vector<int> now = session_->registersBetween(activation, std::max<int64_t>(state - 1, 0), state);
    wanted.insert(wanted.end(), now.begin(), now.end());
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  } else {
    wanted.resize(static_cast<size_t>(std::max(function.registers, 0)));
    std::iota(wanted.begin(), wanted.end(), 0);
  }
  const auto most = static_cast<size_t>(std::max<int64_t>(arguments.count, 0));
  for (int reg : wanted) {
    if (reg < arguments.start) continue;
    if (most > 0 && body.registers.size() == most) {
      body.next = reg;
      break;
    }
    debug::ValueRef ref{state, activation, reg, {}};
    RegisterInfo row;
    row.index = reg;
    row.name = fmt::format("%{}", reg);
    row.variable = function.registerNames[static_cast<size_t>(reg)];
    row.value = infoOf(ref);
    row.changed = last.dstActivation == activation && last.dst == reg;
    for (const debug::Produced& produced : last.produced)
      row.changed = row.changed || (last.activation == activation && produced.reg == reg);
    if (arguments.held && body.since < 0 && !row.changed && (row.value.kind.empty() || row.value.kind == "none"))
      continue;
    body.registers.push_back(std::move(row));
  }
  return body;
}

Result<ShapeHeapBody> Adapter::shapeHeap(const FrameArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  debug::History& history = session_->history();
  const debug::VmFunction& function = functionOf(activation);
  int64_t state = session_->state();
  auto slots = session_->heapOf(activation, state);
  auto before = state > history.oldest() && history.lastStateOf(activation, state - 1) >= 0
                    ? session_->heapOf(activation, state - 1)
                    : std::vector<std::optional<int64_t>>(slots.size());
  ShapeHeapBody body;
  for (size_t i = 0; i < slots.size(); ++i) {
    const debug::HeapSlot& slot = function.heap[i];
    body.slots.push_back({static_cast<int64_t>(i), slot.expression, slot.origin, slots[i].has_value(),
                          slots[i].value_or(0), slots[i] != before[i]});
  }
  return body;
}

/// As it is now, which costs no walk back; a parameter that was dropped after its last use, as it was seen last, or
/// came.
ValueInfo Adapter::parameterOf(int activation, int index) {
  const debug::History& history = session_->history();
  ValueInfo info = infoOf(debug::ValueRef{session_->state(), activation, index, {}});
  const auto known = parameters_.find({activation, index});
  if (info.kind == "none" && known != parameters_.end()) return known->second;
  if (info.kind == "none") {
    const int64_t first = history.activation(activation).callStep + 1;
    info = infoOf(debug::ValueRef{std::max(first, history.oldest()), activation, index, {}});
  }
  parameters_.insert_or_assign({activation, index}, info);
  return info;
}

Result<ValuesBody> Adapter::values(const ValuesArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId));
  const debug::VmFunction& function = functionOf(activation);
  ValuesBody body;
  body.function = session_->shownFunction(session_->history().activation(activation).function);
  if (body.function.empty()) body.function = function.name;
  body.activation = activation;
  if (arguments.since >= 0) body.since = arguments.activation == activation ? arguments.since : 0;
  for (int i = 0; i < function.arguments; ++i)
    body.params.push_back({i, function.registerNames[static_cast<size_t>(i)], parameterOf(activation, i)});
  const auto places = session_->valuesOf(activation, body.since);
  auto most = static_cast<size_t>(std::max<int64_t>(arguments.count, 0));
  // A part ends between states: the next one begins behind the last state of this one.
  while (most > 0 && most < places.size() && places[most].second.state == places[most - 1].second.state) ++most;
  body.complete = body.since < 0 || most == 0 || places.size() <= most;
  for (const auto& [place, ref] : std::span(places).first(body.complete ? places.size() : most)) {
    const auto* binding = session_->stage().binding(place);
    Result<debug::Value> value = session_->describe(ref);
    if (value) body.bindings.push_back({place.ordinal, binding->variable.string(), infoOf(ref, *value), ref.state});
  }
  auto slots = session_->heapOf(activation, session_->state());
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i] && !function.heap[i].expression.empty())
      body.symbols.push_back({function.heap[i].expression, *slots[i]});
  return body;
}

Result<debug::ValueRef> Adapter::refFor(int64_t number, const std::optional<std::string>& expression) {
  if (!expression) {
    RX_TRY(where, container(number));
    if (where.kind != ScopeKind::Value) return fail("dap.reference", "a scope is no value");
    return where.ref;
  }
  RX_TRY(activation, activationOf(0));
  debug::FrameEnvironment environment(*session_, activation);
  if (auto ref = environment.find(*expression)) return *ref;
  RX_TRY(quantity, debug::evaluate(*expression, environment));
  const auto* handle = std::get_if<debug::Handle>(&quantity);
  if (!handle || environment.madeBy(*handle) ||
      (!environment.refOf(*handle).path.empty() && environment.refOf(*handle).path.back() < 0))
    return fail("dap.value", "`" + escapedForDisplay(*expression) + "` is no tensor");
  return environment.refOf(*handle);
}

Result<SliceBody> Adapter::slice(const SliceArguments& arguments) {
  RX_TRY(from, measured(arguments.reference, arguments.expression, arguments.against));
  RX_TRY(elements, from.elements());
  const HostTensor& tensor = *from.value.tensor;
  size_t rank = static_cast<size_t>(tensor.rank());
  for (const auto* part : {&arguments.begin, &arguments.extent})
    if (!part->empty() && part->size() != rank)
      return fail("dap.arguments", fmt::format("the tensor has {} dimensions, `begin` and `extent` must too", rank));
  SliceBody body;
  int64_t room = kMaxSliceElements;
  // The last dimensions are the dense ones, so they get the room first.
  std::vector<int64_t> begin(rank), extent(rank);
  for (size_t i = rank; i-- > 0;) {
    int64_t size = tensor.shape()[i];
    begin[i] = arguments.begin.empty() ? 0 : std::clamp<int64_t>(arguments.begin[i], 0, size);
    int64_t wanted = arguments.extent.empty() ? size : std::max<int64_t>(arguments.extent[i], 0);
    extent[i] = std::min({wanted, size - begin[i], room});
    if (extent[i] > 0) room /= extent[i];
  }
  int64_t count = 1;
  for (int64_t e : extent) count *= e;
  std::vector<int64_t> at = begin;
  std::vector<std::byte> bytes;
  for (int64_t n = 0; n < count; ++n) {
    int64_t flat = 0;
    for (size_t i = 0; i < rank; ++i) flat = flat * tensor.shape()[i] + at[i];
    body.values.push_back(elements.dtype().isIntegral() ? Json(tensor.intAt(flat)) : jsonNumber(elements.at(flat)));
    if (!from.other)
      bytes.insert(bytes.end(), tensor.data() + flat * tensor.elementBytes(),
                   tensor.data() + (flat + 1) * tensor.elementBytes());
    for (size_t i = rank; i-- > 0;) {
      if (++at[i] < begin[i] + extent[i]) break;
      at[i] = begin[i];
    }
  }
  body.begin = std::move(begin);
  body.extent = std::move(extent);
  body.bytes = base64Of(bytes);
  body.value = infoOf(from.ref, from.value);
  return body;
}

Result<Nothing> Adapter::saveValue(const SaveValueArguments& arguments) {
  if (arguments.path.empty()) return fail("dap.arguments", "`path` names the file to write");
  RX_CHECK(host_.writes.check(arguments.path));
  RX_TRY(ref, refFor(arguments.reference, arguments.expression));
  RX_TRY(value, session_->readKept(ref));
  if (value.kind != debug::ValueKind::Tensor) return fail("dap.value", "only a tensor can be saved as .npy");
  RX_CHECK(writeNpy(arguments.path, *value.tensor));
  return Nothing();
}

Result<ResultBody> Adapter::result(const Nothing&) {
  debug::History& history = session_->history();
  if (history.end() != debug::RunEnd::Finished || history.recorded() == history.oldest())
    return fail("dap.sequence", "the run has no result yet");
  // The value that the last return read; its register can be asked for parts like any other.
  const debug::StepRecord last = history.step(history.recorded() - 1);
  if (last.instruction < 0) return fail("dap.sequence", "the step that gave the result is not kept");
  const auto& registers = session_->program().instructions[static_cast<size_t>(last.instruction)].arguments;
  ResultBody body;
  body.microseconds = static_cast<double>(history.ran()) / 1000;
  if (registers.empty()) return body;
  debug::ValueRef ref{history.recorded() - 1, last.activation, registers.front(), {}};
  RX_TRY(value, session_->read(ref));
  if (!value.kept) {
    body.lost = value.text;
    return body;
  }
  body.value = infoOf(ref, value);
  for (size_t i = 0; i < value.items.size(); ++i) {
    debug::ValueRef item = ref;
    item.path.push_back(static_cast<int>(i));
    body.items.push_back(infoOf(item));
  }
  return body;
}

}  // namespace rx::dap
