// Opening a recording and following it; the questions are in reader_frames.cpp and reader_memory.cpp.
#include "core/store/reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace rx::store {
namespace {

Failure damaged(const char* what) { return fail("store.damaged", fmt::format("the recording is damaged: {}", what)); }

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  RX_TRY(file, FileView::open(path));
  std::unique_ptr<Reader> reader(new Reader(std::move(file)));
  auto checked = reader->readHeader();
  if (checked) checked = reader->load();
  if (!checked) {
    std::vector<Diagnostic> why = checked.diagnostics();
    why.front().message = escapedForDisplay(path) + ": " + why.front().message;
    return fail(std::move(why));
  }
  return reader;
}

Result<Unit> Reader::readHeader() {
  const std::byte* start = file_->at(0, kMagic.size());
  const std::string_view magic(reinterpret_cast<const char*>(start), start ? kMagic.size() : 0);
  if (!magic.starts_with(kMagicFamily)) return fail("store.file", "is no recording of a run");
  if (magic != kMagic)
    return fail("store.version", fmt::format("is a recording of the format {}, this program reads {}",
                                             escapedForDisplay(magic), kMagic));
  const auto header = file_->read<FileHeader>(0);
  if (!header) return damaged("it ends in its header");
  if (header->format > kFormat)
    return fail("store.version",
                fmt::format("has the layout {}, this program reads up to {}", header->format, kFormat));
  if (header->checksum != XXH3_64bits(&*header, offsetof(FileHeader, checksum)))
    return damaged("its header is not what was written");
  // A file that somebody writes is not complete, whatever its header says already.
  const bool complete = header->seal != 0 || header->state == static_cast<uint32_t>(FileState::Finished);
  if (header->format >= kFirstSealed && complete && !file_->hasWriter()) {
    if (!file_->checkBy(header->seal)) return damaged("it does not end as it was written");
    if (!file_->at(0, sizeof *header)) return damaged("its beginning is not what was written");
  }
  const std::byte* program = file_->at(header->program, header->programBytes);
  if (!program || XXH3_64bits(program, header->programBytes) != header->programHash)
    return damaged("its program is not what was written");
  program_ = {reinterpret_cast<const char*>(program), header->programBytes};
  return Unit();
}

uint32_t Reader::readable(const GenerationView& last, uint32_t recorded) const {
  uint32_t low = last.firstStep(), high = recorded;
  if (recorded == low || last.step(recorded - 1)) return recorded;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (last.step(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<Unit> Reader::load() {
  // In this order: what a commit mark counts was written before it, and what is dropped was announced before.
  const auto at = [](size_t field) { return static_cast<uint64_t>(field); };
  const uint64_t recorded = file_->load<uint64_t>(at(offsetof(FileHeader, recorded))).value_or(0);
  const auto header = file_->read<FileHeader>(0);
  if (!header || header->begun != 1) return damaged("it ends before the run began");
  const uint32_t first = header->firstGeneration, end = header->generationsEnd;
  if (first >= end || end - first > kGenerations || recorded >= kNone) return damaged("its index contradicts itself");
  std::vector<GenerationView> found;
  for (uint32_t number = first; number < end; ++number) {
    const auto view = GenerationView::at(*file_, header->generations[number % kGenerations]);
    if (!view) {
      if (found.empty()) return damaged("its index names what is not there");
      break;
    }
    // A generation may have begun behind the steps that were counted above.
    if (view->firstStep() > recorded && !found.empty()) break;
    if (view->firstStep() > recorded || (!found.empty() && view->firstStep() <= found.back().firstStep()))
      return damaged("its index contradicts itself");
    found.push_back(*view);
  }
  // What grew since the last look has a writer; only what did not is asked, which takes calls of the system.
  const bool grew = !generations_.empty() && recorded > recorded_;
  generations_ = std::move(found);
  recorded_ = readable(generations_.back(), static_cast<uint32_t>(recorded));
  activationsEnd_ = generations_.back().activationsEnd();
  dropped_ = static_cast<DropReason>(header->dropped);
  state_ = recorded_ == recorded && (grew || file_->hasWriter()) ? RunState::Running : RunState::Cut;
  stopReason_.clear();
  end_.reset();
  if (header->state == static_cast<uint32_t>(FileState::Stopped)) {
    state_ = RunState::Stopped;
    stopReason_ = escapedForDisplay(std::string_view(header->reason, strnlen(header->reason, kReasonBytes)));
  } else if (header->state == static_cast<uint32_t>(FileState::Finished) && recorded_ == recorded) {
    const auto record = file_->counted(header->end);
    end_ = record ? decodeRunEnd(*record) : std::nullopt;
    if (end_) state_ = end_->failed ? RunState::Failed : RunState::Finished;
  }
  return Unit();
}

void Reader::refresh() {
  // A file that is damaged under the reader leaves it as it was; the questions find out.
  (void)load();
}

Policy Reader::policy() const {
  const auto header = file_->read<FileHeader>(0);
  if (!header || header->keep > static_cast<uint32_t>(Keep::LastSteps)) return {};
  return {static_cast<Keep>(header->keep), header->policySteps, header->diskBudget, header->memoryBudget};
}

uint64_t Reader::peakBytes() const { return file_->load<uint64_t>(offsetof(FileHeader, peakBytes)).value_or(0); }

const GenerationView* Reader::generationOf(uint32_t state) const {
  const auto behind = std::find_if(generations_.rbegin(), generations_.rend(),
                                   [&](const GenerationView& g) { return g.firstStep() <= state; });
  return behind == generations_.rend() ? nullptr : &*behind;
}

Failure Reader::notKept(uint32_t state) const {
  const char* why = dropped_ == DropReason::DiskBudget ? "the recording's budget on disk is used up by later ones"
                                                       : "only the last steps are kept";
  return fail("store.not-kept", fmt::format("state {} is not kept: {}, from state {} on", state, why, oldest()));
}

Result<Unit> Reader::checkState(uint32_t state) const {
  if (state > recorded_)
    return fail("store.place", fmt::format("the run has no state {}, the last is {}", state, recorded_));
  if (state < oldest()) return notKept(state);
  return Unit();
}

}  // namespace rx::store
