// VersionLog: the table of versions of a generation, as its writer sees it.
#pragma once

#include "core/store/table.h"
#include "core/store/versions.h"

namespace rx::store {

class VersionLog {
 public:
  VersionLog(FileSpace& space, uint64_t root) : space_(space), table_(space, root) {
    // Index 0 means none.
    if (table_.next()) table_.push();
  }
  void trim() { table_.trim(); }
  uint32_t end() const { return static_cast<uint32_t>(table_.count()); }
  const Version& operator[](uint32_t index) const { return table_[index]; }

  /// Appends a version of the cell whose newest is `head`, with fields of Version. The new head of its chain, which the
  /// caller keeps, or 0 when the recording has ended. The row is filled in where it lies, from registers: one that is
  /// put together elsewhere field by field would be waited for to be copied.
  uint32_t append(uint32_t head, VersionKind kind, uint32_t state, uint32_t owner, uint32_t part, uint64_t payload) {
    Version* row = table_.count() < kNone ? table_.next() : nullptr;
    if (!row || !linkVersion(*row, kind, head, [&](uint32_t i) -> const Version& { return table_[i]; })) {
      space_.stop("the recording has as many versions as a file can count");
      return 0;
    }
    row->state = state;
    row->owner = owner;
    row->part = part;
    row->payload = payload;
    table_.push();
    return end() - 1;
  }

 private:
  FileSpace& space_;
  Table<Version> table_;
};

}  // namespace rx::store
