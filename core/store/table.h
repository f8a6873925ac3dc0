// Table: a growing array of rows in the mapped file, as its writer sees it.
#pragma once

#include "core/store/space.h"

namespace rx::store {

template <class Row>
class Table {
 public:
  /// `root` is the offset of the table's TableRoot, zeroed.
  Table(FileSpace& space, uint64_t root) : space_(space), root_(root) {}

  uint64_t count() const { return count_; }
  /// The row behind the last, zeroed and not counted yet; null when the recording has ended.
  Row* next() {
    if (at_ == segmentEnd_ && !open()) return nullptr;
    return range_.reach(space_, at_ + sizeof(Row)) ? &space_.as<Row>(at_) : nullptr;
  }
  /// Counts the row of next(), which is complete.
  void push() {
    at_ += sizeof(Row);
    storeRelease(space_.as<TableRoot>(root_).count, ++count_);
  }
  Row& operator[](uint64_t row) const {
    const RowPlace place = rowPlace(row);
    return space_.as<Row>(space_.as<TableRoot>(root_).segments[place.segment] + place.index * sizeof(Row));
  }

 private:
  bool open() {
    const RowPlace place = rowPlace(count_);
    const uint64_t bytes = (kFirstRows << place.segment) * sizeof(Row);
    const uint64_t offset = place.segment < kSegments ? space_.take(bytes, kPieceBytes) : 0;
    if (offset == 0) {
      space_.stop("the recording has as many rows as a file can count");
      return false;
    }
    range_ = FilledRange(offset, bytes);
    at_ = offset;
    segmentEnd_ = offset + bytes;
    storeRelease(space_.as<TableRoot>(root_).segments[place.segment], offset);
    return true;
  }

  FileSpace& space_;
  uint64_t root_;
  uint64_t count_ = 0;
  FilledRange range_;
  uint64_t at_ = 0, segmentEnd_ = 0;  ///< offsets of the next row and behind the last one of its segment
};

}  // namespace rx::store
