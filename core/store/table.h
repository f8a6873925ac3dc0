// Table: a growing array of rows in the mapped file, as its writer sees it.
#pragma once

#include <array>

#include "core/store/space.h"

namespace rx::store {

template <class Row>
class Table {
 public:
  /// `root` is the offset of the table's TableRoot, zeroed.
  Table(FileSpace& space, uint64_t root) : space_(space), root_(space.as<TableRoot>(root)) {}

  uint64_t count() const { return count_; }
  /// The row behind the last, zeroed and not counted yet; null where there is no room for it, which ends the recording.
  Row* next() { return at_ < backed_ || extend() ? at_ : nullptr; }
  /// Counts the row of next(), which is complete.
  void push() {
    ++at_;
    storeRelease(root_.count, ++count_);
  }
  /// Gives back what was put on disk ahead: no row follows.
  void trim() { space_.trim(at_ ? space_.offsetOf(at_) : range_.ahead(), range_.ahead()); }
  Row& operator[](uint64_t row) const {
    const RowPlace place = rowPlace(row);
    return segments_[place.segment][place.index];
  }

 private:
  bool extend() {
    if (count_ == rows_ && !open()) return false;
    const uint64_t at = space_.offsetOf(at_);
    if (!range_.reach(space_, at + sizeof(Row))) return false;
    backed_ = at_ + (range_.backed() - at) / sizeof(Row);
    return true;
  }
  /// The next segments, one behind the other: what is small is not worth a range of its own.
  bool open() {
    const size_t first = rowPlace(count_).segment;
    size_t end = first;
    uint64_t rows = 0;
    do rows += kFirstRows << end;
    while (++end < kSegments && rows * sizeof(Row) < space_.stride());
    const uint64_t bytes = rows * sizeof(Row);
    uint64_t offset = first < kSegments ? space_.take(bytes, kPieceBytes) : 0;
    if (offset == 0) {
      space_.stop("the recording has as many rows as a file can count");
      return false;
    }
    range_ = FilledRange(offset, bytes);
    at_ = backed_ = &space_.as<Row>(offset);
    rows_ += rows;
    for (size_t segment = first; segment < end; ++segment) {
      segments_[segment] = &space_.as<Row>(offset);
      storeRelease(root_.segments[segment], offset);
      offset += (kFirstRows << segment) * sizeof(Row);
    }
    return true;
  }

  FileSpace& space_;
  TableRoot& root_;
  uint64_t count_ = 0;
  uint64_t rows_ = 0;  ///< that the segments have room for
  FilledRange range_;  ///< the last segment
  Row* at_ = nullptr;  ///< the next row, and behind the last one that is on disk
  Row* backed_ = nullptr;
  std::array<Row*, kSegments> segments_ = {};
};

}  // namespace rx::store
