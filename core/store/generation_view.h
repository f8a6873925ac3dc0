// GenerationView: the tables of one generation, as a reader sees them. Every row is checked for what may follow from
// it; nothing is the answer where the file is damaged.
#pragma once

#include "core/store/file_view.h"
#include "core/store/versions.h"

namespace rx::store {

/// A register, a storage, or a piece of one.
struct Cell {
  CellKind kind;
  uint32_t owner;
  uint32_t part;
};

class GenerationView {
 public:
  /// Of the root at an offset; nothing where the file does not have it.
  static std::optional<GenerationView> at(const FileView& file, uint64_t root);

  uint32_t firstStep() const { return firstStep_; }
  uint32_t firstNext() const { return firstNext_; }
  uint32_t firstActivation() const { return firstActivation_; }
  /// Versions before this one are what held at the first state.
  uint32_t firstVersions() const { return firstVersions_; }

  std::optional<StepRow> step(uint32_t step) const;
  /// How many edits are listed, and the state of one.
  uint64_t edits() const;
  std::optional<uint32_t> edited(uint64_t index) const;
  /// The versions of a step: [first, second).
  std::optional<std::pair<uint32_t, uint32_t>> versionsOf(uint32_t step) const;
  /// The same from a state on, which is the last one or has a step behind it.
  std::optional<std::pair<uint32_t, uint32_t>> versionsFrom(uint32_t state) const;
  std::optional<Version> version(uint32_t index) const;
  /// Where the payload of a version is mapped; null where the file does not have it.
  const std::byte* payload(uint32_t index) const;

  /// Found by number; nothing also where the generation has no such row.
  std::optional<ActivationRow> activation(uint32_t number) const;
  std::optional<StorageRow> storage(uint32_t number) const;
  /// One more than the largest number, 0 without any.
  uint32_t activationsEnd() const;

  /// The newest version of a cell; 0 where it has none.
  std::optional<uint32_t> head(const ActivationRow& row, uint32_t reg) const;
  std::optional<uint32_t> head(const StorageRow& row, uint32_t piece) const;
  /// The versions of a cell around a state, from its newest.
  std::optional<Found> around(uint32_t head, const Cell& cell, uint32_t state) const;

 private:
  GenerationView(const FileView& file, uint64_t root) : file_(&file), root_(root) {}
  uint64_t steps() const { return root_ + offsetof(GenerationRoot, steps); }
  uint64_t activations() const { return root_ + offsetof(GenerationRoot, activations); }
  uint64_t storages() const { return root_ + offsetof(GenerationRoot, storages); }
  uint64_t versions() const { return root_ + offsetof(GenerationRoot, versions); }
  uint64_t editTable() const { return root_ + offsetof(GenerationRoot, edits); }
  /// Offset of a row.
  template <class Row>
  std::optional<uint64_t> place(uint64_t table, uint64_t index) const;
  template <class Row>
  std::optional<Row> row(uint64_t table, uint64_t index) const;
  template <class Row>
  std::optional<Row> find(uint64_t table, uint32_t number) const;

  const FileView* file_;
  uint64_t root_;
  uint32_t firstStep_ = 0, firstNext_ = 0, firstActivation_ = 0, firstVersions_ = 0;
};

}  // namespace rx::store
