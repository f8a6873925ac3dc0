#include "views/panels/flow_layout.h"

#include <algorithm>

namespace rx::views {

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : items_) delete item;
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item) items_.erase(items_.begin() + index);
  return item;
}

int FlowLayout::heightForWidth(int width) const { return arrange({0, 0, width, 0}, false); }

QSize FlowLayout::sizeHint() const {
  QSize size(0, 0);  // QSize() is one less
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const QSize hint = item->sizeHint();
    size = {size.width() + hint.width() + (size.width() > 0 ? spacing() : 0), std::max(size.height(), hint.height())};
  }
  return size.grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_)
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& area) {
  QLayout::setGeometry(area);
  arrange(area, true);
}

int FlowLayout::arrange(const QRect& area, bool moves) const {
  const QRect inner = area.marginsRemoved(contentsMargins());
  struct Placed {
    QLayoutItem* item;
    QRect place;
  };
  std::vector<Placed> line;
  int x = inner.left(), y = inner.top(), high = 0;
  const auto endLine = [&] {
    for (const Placed& placed : line) {
      // In the middle of what stands beside it.
      const int lower = (high - placed.place.height()) / 2;
      if (moves) placed.item->setGeometry(placed.place.translated(0, lower));
    }
    line.clear();
  };
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const int wide = std::min(item->sizeHint().width(), std::max(inner.width(), item->minimumSize().width()));
    const int tall = item->hasHeightForWidth() ? item->heightForWidth(wide) : item->sizeHint().height();
    if (!line.empty() && x + wide > inner.left() + inner.width()) {
      endLine();
      x = inner.left();
      y += high + spacing();
      high = 0;
    }
    line.push_back({item, {x, y, wide, tall}});
    x += wide + spacing();
    high = std::max(high, tall);
  }
  endLine();
  const QMargins margins = contentsMargins();
  return y + high - inner.top() + margins.top() + margins.bottom();
}

}  // namespace rx::views
