// Widgets beside each other, in as many lines as the width wants: a row of tools keeps no panel from being narrow.
#pragma once

#include <QLayout>
#include <vector>

namespace rx::views {

class FlowLayout : public QLayout {
 public:
  FlowLayout() = default;
  explicit FlowLayout(QWidget* parent) : QLayout(parent) {}
  ~FlowLayout() override;
  void addItem(QLayoutItem* item) override { items_.push_back(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  /// All in one line.
  QSize sizeHint() const override;
  /// The widest by itself.
  QSize minimumSize() const override;
  void setGeometry(const QRect& area) override;

 private:
  /// Sets the items in place where `moves`; the height that they take.
  int arrange(const QRect& area, bool moves) const;
  std::vector<QLayoutItem*> items_;
};

}  // namespace rx::views
