// Changing values of the run: setVariable, setExpression, writeMemory, and of its past.
#include <fmt/format.h>

#include <algorithm>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/debug/literal.h"
#include "core/support/base64.h"
#include "core/tensor/stats.h"

namespace rx::dap {

Result<debug::Place> Adapter::placeNamed(int64_t reference, const std::string& name) {
  RX_TRY(scope, container(reference));
  const int activation = scope.ref.activation;
  const debug::VmFunction& function = functionOf(activation);
  const auto none = [&] { return fail("dap.arguments", "the scope has no variable " + escapedForDisplay(name)); };
  switch (scope.kind) {
    case ScopeKind::Value: {
      debug::Place whole{"the value", scope.ref, {}};
      // Without a name it is all of it.
      return name.empty() ? Result<debug::Place>(std::move(whole))
                          : debug::partOf(*session_, activation, std::move(whole), name);
    }
    case ScopeKind::Bindings:
      return debug::placeOf(*session_, activation, name);
    case ScopeKind::Registers:
      // "%3 lv": what it holds is written behind its name.
      return debug::placeOf(*session_, activation, name.substr(0, name.find(' ')));
    case ScopeKind::Arguments: {
      for (int i = 0; i < function.arguments; ++i) {
        const std::string reg = fmt::format("%{}", i);
        if (name == reg || name == function.registerNames[static_cast<size_t>(i)])
          return debug::placeOf(*session_, activation, reg);
      }
      return none();
    }
    case ScopeKind::Heap:
      for (size_t i = 0; i < function.heap.size(); ++i)
        if (name == heapSlotName(function, i)) return debug::heapPlace(*session_, activation, i);
      return none();
    case ScopeKind::KernelScope:
    case ScopeKind::KernelBuffer:
      return fail("kernel.threads", "what threads of a kernel hold is only looked at: the run goes on without it");
  }
  return none();
}

Result<AssignedBody> Adapter::assign(int activation, const debug::Place& place, const std::string& value) {
  RX_CHECK(debug::assign(*session_, activation, place, value));
  byHand_.push_back(
      {session_->state(), [=](debug::Session& session) { return debug::assign(session, activation, place, value); }});
  invalidated();
  debug::ValueRef now = place.ref;
  now.state = session_->state();
  AssignedBody body;
  if (!place.element) {
    Variable variable = variableOf(place.name, now);
    return AssignedBody{variable.value, variable.type, variable.variablesReference, variable.indexedVariables,
                        variable.memoryReference};
  }
  RX_TRY(whole, session_->read(now));
  body.value = whole.kind == debug::ValueKind::Tensor
                   ? elementText(*whole.tensor, *place.element)
                   : std::to_string(whole.shape[static_cast<size_t>(*place.element)]);
  return body;
}

Result<AssignedBody> Adapter::setVariable(const SetVariableArguments& arguments) {
  RX_TRY(place, placeNamed(arguments.variablesReference, arguments.name));
  return assign(place.ref.activation, place, arguments.value);
}

Result<AssignedBody> Adapter::setExpression(const SetExpressionArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId.value_or(0)));
  RX_TRY(place, debug::placeOf(*session_, activation, arguments.expression));
  return assign(activation, place, arguments.value);
}

Result<WriteMemoryBody> Adapter::writeMemory(const WriteMemoryArguments& arguments) {
  RX_TRY(ref, memoryNamed(arguments.memoryReference));
  auto bytes = bytesOfBase64(arguments.data);
  if (!bytes) return fail("dap.arguments", "`data` is no base64");
  RX_TRY(value, session_->describe(ref));
  if (value.kind == debug::ValueKind::Tensor && arguments.allowPartial) {
    const int64_t room = std::max<int64_t>(value.tensor->bytes() - std::max<int64_t>(arguments.offset, 0), 0);
    bytes->resize(static_cast<size_t>(std::min<int64_t>(std::ssize(*bytes), room)));
  }
  const WriteMemoryBody body{arguments.offset, std::ssize(*bytes)};
  RX_CHECK(debug::assignBytes(*session_, ref, arguments.offset, *bytes));
  byHand_.push_back({session_->state(), [ref, offset = arguments.offset, bytes = *bytes](debug::Session& session) {
                       return debug::assignBytes(session, ref, offset, bytes);
                     }});
  invalidated();
  return body;
}

debug::Stop Adapter::replayTo(int64_t state, const std::vector<ByHand>& changes) {
  for (const ByHand& change : changes) {
    const debug::Stop stop = session_->replay(change.state, poll_);
    if (stop.kind != debug::StopKind::GoTo) return stop;
    if (auto changed = change.does(*session_); !changed)
      return {debug::StopKind::GoTo, changed.diagnostics().front().message, {}, {}};
    byHand_.push_back(change);
  }
  return session_->replay(state, poll_);
}

Result<Nothing> Adapter::changePast(const ChangePastArguments& arguments) {
  RX_TRY(activation, activationOf(arguments.frameId.value_or(0)));
  RX_TRY(place, arguments.variablesReference ? placeNamed(*arguments.variablesReference, arguments.name)
                                             : debug::placeOf(*session_, activation, arguments.name));
  // What can not be read is refused before anything is lost.
  RX_TRY(now, session_->describe(place.ref));
  if (now.kind == debug::ValueKind::Tensor || now.kind == debug::ValueKind::Shape) {
    debug::FrameEnvironment names(*session_, activation);
    RX_CHECK(debug::readLiteral(arguments.value, names));
  }
  const int64_t state = session_->state();
  std::vector<ByHand> changes;
  for (const ByHand& change : byHand_)
    if (change.state <= state) changes.push_back(change);
  if (!loaded_) return fail("dap.sequence", "nothing of a trace can be changed: it does not run; `launch` its program");
  RX_CHECK(startRun());
  changes.push_back({state, [place = std::move(place), value = arguments.value](debug::Session& session) {
                       return debug::assign(session, place.ref.activation, place, value);
                     }});
  run([this, state, changes = std::move(changes)] { return replayTo(state, changes); });
  return Nothing();
}

void Adapter::invalidated() {
  parameters_.clear();
  // Who keeps what a number stood for shall not take the new content for the old one.
  containerNumbers_.clear();
  after_ = [this, written = tellsMemory_ ? writtenMemory() : std::vector<MemoryEvent>()] {
    if (tellsInvalidated_) emit_("invalidated", {{"areas", {"variables"}}});
    for (const MemoryEvent& memory : written) emit_(MemoryEvent::kEvent, encode(memory));
  };
}

std::vector<MemoryEvent> Adapter::writtenMemory() {
  // A client shows few values at a time, and the ones that it asked for last.
  constexpr size_t kMostLookedAt = 256;
  std::vector<MemoryEvent> events;
  const std::vector<debug::Edit::Memory>& all = session_->history().edits().back().memory;
  if (all.empty()) return events;
  const debug::Edit::Memory& memory = all.back();
  const size_t first = containers_.size() - std::min(containers_.size(), kMostLookedAt);
  for (size_t i = first; i < containers_.size(); ++i) {
    if (containers_[i].first.kind != ScopeKind::Value) continue;
    const auto value = session_->describe(session_->current(containers_[i].first.ref));
    if (!value || value->kind != debug::ValueKind::Tensor) continue;
    const int64_t from = std::max<int64_t>(memory.offset - value->offset, 0);
    const int64_t to = std::min(memory.offset - value->offset + memory.bytes, value->tensor->bytes());
    if (memory.storage == value->storage && from < to)
      events.push_back(
          {fmt::format("{}{}", kMemoryPrefix, forgottenContainers_ + static_cast<int64_t>(i) + 1), from, to - from});
  }
  return events;
}

}  // namespace rx::dap
