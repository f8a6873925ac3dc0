// Steps, frames and registers.
#include <algorithm>
#include <set>

#include "core/store/reader.h"

namespace rx::store {
namespace {

Failure damagedStep(uint32_t step) {
  return fail("store.damaged", fmt::format("the recording is damaged at step {}", step));
}

}  // namespace

Result<Step> Reader::step(uint32_t step) const {
  if (step >= recorded_) return fail("store.place", fmt::format("the run has no step {}, but {}", step, recorded_));
  RX_CHECK(checkState(step));
  const auto row = generationOf(step)->step(step);
  if (!row) return damagedStep(step);
  const auto marks = static_cast<uint16_t>(row->timeAndMarks >> kTimeBits);
  return Step{row->instruction,
              row->activation,
              row->pushed,
              (marks & kReturned) != 0,
              (marks & kNonFinite) != 0,
              (marks & kGivenNonFinite) != 0,
              (marks & kResult) != 0,
              row->timeAndMarks & ((uint64_t{1} << kTimeBits) - 1),
              uint64_t{row->compileMicroseconds} * 1000};
}

Result<Changes> Reader::changes(uint32_t step) const {
  RX_CHECK(this->step(step));
  const GenerationView& generation = *generationOf(step);
  const auto range = generation.versionsOf(step);
  if (!range) return damagedStep(step);
  return changesTo(step + 1, generation, *range);
}

Result<Changes> Reader::edits(uint32_t state) const {
  RX_CHECK(checkState(state));
  const GenerationView& generation = *generationOf(state);
  const auto range = generation.versionsFrom(state);
  if (!range) return damagedStep(state);
  return changesTo(state, generation, *range);
}

Result<std::vector<uint32_t>> Reader::edited() const {
  std::vector<uint32_t> states;
  if (const auto header = file_->read<FileHeader>(0); header && header->format < kFirstEdits) {
    for (uint32_t state = oldest(); state <= recorded_; ++state) {
      RX_TRY(changes, edits(state));
      if (!changes.registers.empty() || !changes.writes.empty()) states.push_back(state);
    }
    return states;
  }
  for (const GenerationView& generation : generations_) {
    for (uint64_t i = 0; i < generation.edits(); ++i) {
      const auto state = generation.edited(i);
      if (!state || (!states.empty() && *state < states.back()))
        return fail("store.damaged", "the recording is damaged: its edits are not in order");
      if (*state <= recorded_ && (states.empty() || *state > states.back())) states.push_back(*state);
    }
  }
  return states;
}

Result<Changes> Reader::changesTo(uint32_t state, const GenerationView& generation,
                                  std::pair<uint32_t, uint32_t> versions) const {
  Changes changes;
  for (uint32_t i = versions.first; i < versions.second; ++i) {
    const auto version = generation.version(i);
    if (!version) return damagedStep(state);
    if (version->state != state) continue;
    if (cellOf(*version) == CellKind::Register) changes.registers.push_back({version->owner, version->part});
    if (cellOf(*version) != CellKind::Storage) continue;
    auto write = writeOf(*version);
    const auto row = generation.storage(version->owner);
    if (!write || !row) return damagedStep(state);
    if (kindOf(*version) == VersionKind::WriteWhole) write->bytes = row->bytes;
    changes.writes.push_back(std::move(*write));
  }
  return changes;
}

Result<Next> Reader::next(uint32_t state) const {
  RX_CHECK(checkState(state));
  if (state < recorded_) {
    RX_TRY(row, step(state));
    return Next{row.instruction, row.activation};
  }
  const GenerationView& generation = *generationOf(state);
  if (state == generation.firstStep()) {
    const uint32_t activation = generation.firstActivation();
    return activation == kNone ? Next{} : Next{generation.firstNext(), activation};
  }
  const auto last = generation.step(state - 1);
  if (!last) return damagedStep(state - 1);
  Next next{last->next, last->pushed != kNone ? last->pushed : last->activation};
  if ((last->timeAndMarks >> kTimeBits & kReturned) != 0) {
    const auto row = generation.activation(last->activation);
    if (!row) return damagedStep(state - 1);
    next.activation = row->parent;
  }
  return next.activation == kNone ? Next{} : next;
}

Result<std::vector<Next>> Reader::frames(uint32_t state) const {
  std::vector<Next> found;
  RX_TRY(frame, next(state));
  const GenerationView& generation = *generationOf(state);
  while (frame.activation != kNone) {
    found.push_back(frame);
    const auto row = generation.activation(frame.activation);
    // Callers have smaller numbers, so that the walk ends.
    if (!row || (row->parent != kNone && row->parent >= frame.activation))
      return fail("store.damaged", fmt::format("the recording is damaged: frame {} is not there", frame.activation));
    frame = {row->callInstruction, row->parent};
  }
  return found;
}

std::optional<ActivationRow> Reader::findActivation(uint32_t number) const {
  // The newest generation that has the frame knows whether it returned.
  for (auto generation = generations_.rbegin(); generation != generations_.rend(); ++generation)
    if (auto row = generation->activation(number)) return row;
  return {};
}

Result<Activation> Reader::activation(uint32_t number) const {
  const auto row = findActivation(number);
  if (!row || row->firstState > recorded_) {
    if (number < activationsEnd_ && dropped_ != DropReason::None)
      return fail("store.not-kept",
                  fmt::format("frame {} is not kept: it had returned before state {}", number, oldest()));
    return fail("store.place", fmt::format("the run has no frame {}", number));
  }
  const uint32_t last = std::max(std::min(recorded_, row->returnStep), row->firstState);
  const bool returned = row->returnStep < recorded_;
  return Activation{row->function, row->parent, row->firstState, last,
                    returned,      row->depth,  row->registers,  row->callInstruction};
}

Result<Value> Reader::valueOf(const Version& version) const {
  if (kindOf(version) == VersionKind::RegisterInline) {
    char raw[sizeof(uint64_t)];
    const uint64_t payload = version.payload >> 8;
    std::memcpy(raw, &payload, sizeof raw);
    return decodeValue(std::string_view(raw, std::min<size_t>(version.payload & 0xff, sizeof raw)));
  }
  const auto bytes = file_->counted(version.payload);
  if (!bytes) return fail("store.damaged", "the recording is damaged: the value of a register is not there");
  return decodeValue(*bytes);
}

Result<Value> Reader::registerAt(uint32_t state, uint32_t activation, uint32_t reg) const {
  RX_CHECK(checkState(state));
  RX_TRY(frame, this->activation(activation));
  if (reg >= frame.registers)
    return fail("store.place", fmt::format("frame {} has {} registers, not %{}", activation, frame.registers, reg));
  if (state < frame.firstState)
    return fail("store.place",
                fmt::format("frame {} begins at state {}, behind {}", activation, frame.firstState, state));
  const uint32_t at = std::min(state, frame.lastState);
  RX_CHECK(checkState(at));
  const GenerationView& generation = *generationOf(at);
  const auto row = generation.activation(activation);
  const auto head = row ? generation.head(*row, reg) : std::nullopt;
  const auto found = head ? generation.around(*head, {CellKind::Register, activation, reg}, at) : std::nullopt;
  if (!found)
    return fail("store.damaged",
                fmt::format("the recording is damaged: %{} of frame {} is not there", reg, activation));
  if (found->at == 0) return Value();
  return valueOf(*generation.version(found->at));
}

Reader::Around Reader::statesOf(const GenerationView& generation, const std::optional<Found>& found) {
  if (!found) return {};
  const auto stateOf = [&](uint32_t index) -> std::optional<uint32_t> {
    const auto version = index ? generation.version(index) : std::nullopt;
    return version ? std::optional(version->state) : std::nullopt;
  };
  return {stateOf(found->at), stateOf(found->after)};
}

Touches Reader::touches(uint32_t state, const std::function<Around(const GenerationView&, uint32_t)>& around) const {
  Touches touches;
  if (!checkState(state)) return touches;
  const auto stepOf = [](const std::optional<uint32_t>& found) {
    return found && *found > 0 ? std::optional(*found - 1) : std::nullopt;
  };
  const GenerationView* here = generationOf(state);
  Around first = around(*here, state);
  touches.next = stepOf(first.next);
  // What was carried over says less than the generation that it is from.
  for (const GenerationView* at = here; first.last && *first.last <= at->firstStep() && at > generations_.data();) {
    const uint32_t last = at->firstStep();
    first.last = around(*--at, last).last;
  }
  touches.last = stepOf(first.last);
  const GenerationView* const end = generations_.data() + generations_.size();
  for (const GenerationView* later = here + 1; later < end && !touches.next; ++later)
    touches.next = stepOf(around(*later, later->firstStep()).next);
  if (touches.next && *touches.next >= recorded_) touches.next.reset();
  return touches;
}

Touches Reader::registerTouches(uint32_t state, uint32_t activation, uint32_t reg) const {
  return touches(state, [&](const GenerationView& generation, uint32_t at) {
    const auto row = generation.activation(activation);
    const auto head = row ? generation.head(*row, reg) : std::nullopt;
    return head ? statesOf(generation, generation.around(*head, {CellKind::Register, activation, reg}, at)) : Around{};
  });
}

Result<std::vector<StorageInfo>> Reader::liveAt(uint32_t state) const {
  RX_TRY(frames, this->frames(state));
  const auto damaged = [&] {
    return fail("store.damaged", fmt::format("the recording is damaged: the frames at state {} are not there", state));
  };
  const GenerationView& generation = *generationOf(state);
  std::set<uint32_t> numbers;
  for (const Next& frame : frames) {
    const auto row = generation.activation(frame.activation);
    if (!row) return damaged();
    for (uint32_t reg = 0; reg < row->registers; ++reg) {
      const auto head = generation.head(*row, reg);
      if (head && *head == 0) continue;
      const auto found = head ? generation.around(*head, {CellKind::Register, row->number, reg}, state) : std::nullopt;
      if (!found) return damaged();
      if (found->at == 0) continue;
      RX_TRY(value, valueOf(*generation.version(found->at)));
      eachStorage(value, [&](uint32_t number) { numbers.insert(number); });
    }
  }
  std::vector<StorageInfo> live;
  for (uint32_t number : numbers) {
    RX_TRY(info, storage(state, number));
    // A register keeps on record what the run has let go of.
    if (info.releasedState > state) live.push_back(std::move(info));
  }
  return live;
}

}  // namespace rx::store
