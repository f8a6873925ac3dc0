#include "core/interpret/races.h"

#include <algorithm>

namespace rx::interpret {

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

void Races::note(Cell& cell, const Toucher& by) const {
  const Toucher& last = cell.read;
  if (last.group != by.group) {
    if (last.group >= 0) cell.elsewhere = last;
  } else if (last.warp != by.warp) {
    if (last.groupWaits == by.groupWaits) cell.inGroup = last;
  } else if (last.thread != by.thread && !inOrder(last, by)) {
    cell.inWarp = last;
  }
  cell.read = by;
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
    if (!by.writes) {
      note(cell, by);
      continue;
    }
    for (const Toucher* read : {&cell.read, &cell.inWarp, &cell.inGroup, &cell.elsewhere})
      if (!inOrder(*read, by)) report(*read, by, buffer, index);
    cell = Cell{};
    cell.write = by;
  }
}

}  // namespace rx::interpret
