// Rows of something that is past, as a run of an earlier text: they are grey, whatever they say.
#pragma once

#include <utility>

#include "views/models/row_model.h"

namespace rx::views {

/// A model of rows that can be past; `Model` is a RowModel.
template <class Model>
class StaleRows : public Model {
 public:
  using Model::Model;
  void setStale(bool stale) {
    if (std::exchange(stale_, stale) != stale && this->rowCount() > 0)
      Q_EMIT this->dataChanged(this->index(0, 0), this->index(this->rowCount() - 1, this->columnCount() - 1));
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (!stale_ || role != Qt::ForegroundRole) return Model::data(index, role);
    return toneColor(*palette_, CellTone::Grey);
  }
  void setPalette(const Palette& palette) override {
    palette_ = &palette;
    Model::setPalette(palette);
  }

 private:
  const Palette* palette_ = &Palette::lightTheme();
  bool stale_ = false;
};

}  // namespace rx::views
