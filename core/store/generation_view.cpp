#include "core/store/generation_view.h"

#include <algorithm>

namespace rx::store {

std::optional<GenerationView> GenerationView::at(const FileView& file, uint64_t root) {
  const auto found = file.read<GenerationRoot>(root);
  if (!found || root % kPieceBytes != 0) return {};
  GenerationView view(file, root);
  view.firstStep_ = found->firstStep;
  view.firstNext_ = found->next;
  view.firstActivation_ = found->nextActivation;
  view.firstVersions_ = found->firstVersions;
  return view;
}

template <class Row>
std::optional<uint64_t> GenerationView::place(uint64_t table, uint64_t index) const {
  const auto count = file_->load<uint64_t>(table + offsetof(TableRoot, count));
  if (!count || index >= *count || index >= kNone) return {};  // numbers of rows have 32 bits
  const RowPlace place = rowPlace(index);
  if (place.segment >= kSegments) return {};
  const auto segment = file_->load<uint64_t>(table + offsetof(TableRoot, segments) + place.segment * sizeof(uint64_t));
  if (!segment || *segment == 0 || *segment % alignof(Row) != 0 || *segment > uint64_t{1} << 60) return {};
  return *segment + place.index * sizeof(Row);
}

template <class Row>
std::optional<Row> GenerationView::row(uint64_t table, uint64_t index) const {
  const auto offset = place<Row>(table, index);
  return offset ? file_->read<Row>(*offset) : std::nullopt;
}

template <class Row>
std::optional<Row> GenerationView::find(uint64_t table, uint32_t number) const {
  const auto count = file_->load<uint64_t>(table + offsetof(TableRoot, count));
  const auto first = row<Row>(table, 0);
  if (!count || !first || number < first->number) return {};
  // In the first generation of a run a number is an index.
  if (const auto guess = row<Row>(table, number - first->number); guess && guess->number == number) return guess;
  uint64_t low = 0, high = *count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const auto here = row<Row>(table, middle);
    if (!here) return {};
    if (here->number == number) return here;
    if (here->number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {};
}

std::optional<ActivationRow> GenerationView::activation(uint32_t number) const {
  return find<ActivationRow>(activations(), number);
}

std::optional<StorageRow> GenerationView::storage(uint32_t number) const {
  return find<StorageRow>(storages(), number);
}

std::optional<StepRow> GenerationView::step(uint32_t step) const {
  return step < firstStep_ ? std::nullopt : row<StepRow>(steps(), step - firstStep_);
}

uint64_t GenerationView::edits() const {
  return file_->load<uint64_t>(editTable() + offsetof(TableRoot, count)).value_or(0);
}

std::optional<uint32_t> GenerationView::edited(uint64_t index) const { return row<uint32_t>(editTable(), index); }

std::optional<std::pair<uint32_t, uint32_t>> GenerationView::versionsOf(uint32_t step) const {
  const auto here = this->step(step);
  const auto before = step > firstStep_ ? this->step(step - 1) : std::nullopt;
  if (!here || (step > firstStep_ && !before)) return {};
  const uint32_t begin = before ? before->versionsEnd : firstVersions_;
  if (begin > here->versionsEnd) return {};
  return std::pair(begin, here->versionsEnd);
}

std::optional<std::pair<uint32_t, uint32_t>> GenerationView::versionsFrom(uint32_t state) const {
  if (step(state)) return versionsOf(state);
  const auto last = state > firstStep_ ? step(state - 1) : std::nullopt;
  const auto count = file_->load<uint64_t>(versions() + offsetof(TableRoot, count));
  if ((state > firstStep_ && !last) || !count) return {};
  const uint32_t begin = last ? last->versionsEnd : firstVersions_;
  const auto end = static_cast<uint32_t>(std::min<uint64_t>(*count, kNone));
  return std::pair(begin, std::max(begin, end));
}

std::optional<Version> GenerationView::version(uint32_t index) const { return row<Version>(versions(), index); }

const std::byte* GenerationView::payload(uint32_t index) const {
  const auto offset = place<Version>(versions(), index);
  return offset ? file_->at(*offset + offsetof(Version, payload), sizeof(uint64_t)) : nullptr;
}

uint32_t GenerationView::activationsEnd() const {
  const auto count = file_->load<uint64_t>(activations() + offsetof(TableRoot, count));
  const auto last = count && *count > 0 ? row<ActivationRow>(activations(), *count - 1) : std::nullopt;
  return last ? last->number + 1 : 0;
}

std::optional<uint32_t> GenerationView::head(const ActivationRow& row, uint32_t reg) const {
  if (reg >= row.registers) return {};
  return file_->load<uint32_t>(row.heads + uint64_t{reg} * sizeof(uint32_t));
}

std::optional<uint32_t> GenerationView::head(const StorageRow& row, uint32_t piece) const {
  if (row.heads == 0) return 0;
  return file_->load<uint32_t>(row.heads + uint64_t{piece} * sizeof(PieceHead) + offsetof(PieceHead, version));
}

std::optional<Found> GenerationView::around(uint32_t head, const Cell& cell, uint32_t state) const {
  return findVersion(head, state, [&](uint32_t index, uint32_t newer) -> std::optional<Version> {
    const auto found = version(index);
    // Older versions come before, in the table and in the run: so a search comes to an end whatever the file says.
    if (!found || (newer != 0 && index >= newer)) return {};
    if (cellOf(*found) != cell.kind || found->owner != cell.owner || found->part != cell.part) return {};
    return found;
  });
}

}  // namespace rx::store
