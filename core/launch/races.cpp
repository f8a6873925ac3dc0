#include "core/launch/races.h"

#include <algorithm>

namespace rx::launch {

namespace {

/// Whether `earlier` is over for sure before `later` begins.
bool inOrder(const Toucher& earlier, const Toucher& later) {
  if (earlier.group < 0) return true;
  if (earlier.group != later.group) return false;
  if (earlier.thread == later.thread || earlier.groupWaits != later.groupWaits) return true;
  return earlier.warp == later.warp && earlier.warpWaits != later.warpWaits;
}

}  // namespace

void Races::report(const Toucher& first, const Toucher& second, std::string_view buffer, int64_t index) {
  if (found_.size() >= kMost) return;
  const auto same = [&](const Race& race) {
    return race.buffer == buffer && race.first.place == first.place && race.second.place == second.place;
  };
  if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back({std::string(buffer), index, first, second});
}

void Races::Touchers::note(const Toucher& by) {
  if (last.group != by.group) {
    if (last.group >= 0) elsewhere = last;
  } else if (last.warp != by.warp) {
    if (last.groupWaits == by.groupWaits) inGroup = last;
  } else if (last.thread != by.thread && !inOrder(last, by)) {
    inWarp = last;
  }
  last = by;
}

void Races::compare(const Touchers& earlier, const Toucher& by, std::string_view buffer, int64_t index) {
  for (const Toucher* one : {&earlier.last, &earlier.inWarp, &earlier.inGroup, &earlier.elsewhere})
    if (!inOrder(*one, by)) report(*one, by, buffer, index);
}

void Races::touched(Memory memory, const std::byte* at, int64_t bytes, const Toucher& by, std::string_view buffer,
                    int64_t index) {
  // The next group may have its memory at the same address.
  if (groupOf_ != by.group) group_.clear();
  groupOf_ = by.group;
  Cells& cells = memory == Memory::Group ? group_ : device_;
  for (int64_t offset = 0; offset < bytes; offset += grain_) {
    const auto known = cells.find(at + offset);
    if (known == cells.end() && cells.size() >= kMostElements) {
      complete_ = false;
      continue;
    }
    Cell& cell = known == cells.end() ? cells[at + offset] : known->second;
    if (!inOrder(cell.write, by)) report(cell.write, by, buffer, index);
    if (by.how != Toucher::How::Reads) compare(cell.reads, by, buffer, index);
    if (by.how != Toucher::How::Adds && cell.adds) compare(*cell.adds, by, buffer, index);
    if (by.how == Toucher::How::Reads) {
      cell.reads.note(by);
    } else if (by.how == Toucher::How::Adds) {
      if (!cell.adds) cell.adds = std::make_unique<Touchers>();
      cell.adds->note(by);
    } else {
      cell = Cell{};
      cell.write = by;
    }
  }
}

}  // namespace rx::launch
