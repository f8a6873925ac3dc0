// The sizes of symbolic variables to be tried: a number and a slider each.
#pragma once

#include <QWidget>
#include <vector>

#include "views/models/known_sizes.h"

class QHBoxLayout;
class QSlider;
class QSpinBox;

namespace rx::views {

class SizeBar : public QWidget {
  Q_OBJECT

 public:
  explicit SizeBar(QWidget* parent);
  /// The symbols in their order; one without a size stands at 1.
  void setSymbols(const std::vector<SymbolRow>& symbols, const SymbolSizes& sizes);

 Q_SIGNALS:
  void chosen(const QString& symbol, qint64 size);

 private:
  struct Held {
    QString name;
    QWidget* box;
    QSpinBox* number;
    QSlider* slider;
  };
  void add(const QString& name);
  QHBoxLayout* row_;
  std::vector<Held> held_;
};

}  // namespace rx::views
