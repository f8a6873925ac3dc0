// Generation: the stretch of steps that a writer adds to.
#pragma once

#include <memory>

#include "core/store/frame_log.h"
#include "core/store/storage_log.h"

namespace rx::store {

class Generation {
 public:
  /// Begins behind step `firstStep` - 1, where `next` runs; `before` is the generation up to there, null for the first
  /// of the run. Null when the recording has ended.
  static std::unique_ptr<Generation> begin(FileSpace& space, uint32_t firstStep, uint32_t next,
                                           const Generation* before);

  uint64_t root() const { return root_; }
  /// Bytes on disk that it takes.
  uint64_t used() const { return space_.total() - before_; }
  /// Steps that it holds.
  uint64_t steps() const { return steps_.count(); }
  FrameLog& frames() { return frames_; }
  StorageLog& storages() { return storages_; }
  Heap& heap() { return heap_; }
  /// What was set so far held at the first state.
  void sealFirst(uint32_t next);
  /// Nothing follows: gives back what was put on disk ahead.
  void trim();
  /// The state was changed by somebody other than the program. False when the recording has ended, here and below.
  bool edited(uint32_t state);
  /// The row of a step whose versions were all made, to be filled in where it lies; null where there is no room for it.
  StepRow* beginStep() { return steps_.next(); }
  /// Counts it.
  void endStep(StepRow& row) {
    row.versionsEnd = versions_.end();
    steps_.push();
  }

 private:
  Generation(FileSpace& space, uint64_t root);
  GenerationRoot& rootRow() const { return space_.as<GenerationRoot>(root_); }

  FileSpace& space_;
  uint64_t root_;
  uint64_t before_;  ///< what the file had taken on disk when it began
  Heap heap_;
  VersionLog versions_;
  FrameLog frames_;
  StorageLog storages_;
  Table<StepRow> steps_;
  Table<uint32_t> edits_;
};

}  // namespace rx::store
