// The memory that is alive at a step as an item model: a piece a row.
#pragma once

#include "views/models/debug_rows.h"
#include "views/models/row_model.h"

namespace rx::views {

class MemoryModel : public RowModel<StorageRow> {
 public:
  explicit MemoryModel(QObject* parent = nullptr);
};

}  // namespace rx::views
