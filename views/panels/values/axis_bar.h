// Which axes of a tensor are rows and columns, and a slider for each axis that is held.
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;

namespace rx::views {

class FlowLayout;
class TensorPage;

class AxisBar : public QWidget {
  Q_OBJECT

 public:
  explicit AxisBar(TensorPage* page, QWidget* parent = nullptr);
  /// Follows the page.
  void refresh();

 Q_SIGNALS:
  /// Other axes were chosen.
  void turned(int rows, int columns);
  /// A slider was moved to an index of an axis.
  void held(int axis, qint64 index);

 private:
  struct Held {
    QWidget* box;  // with the others in it
    QLabel* name;
    QSlider* slider;
    QLabel* value;
  };
  QWidget* named(const QString& name, QComboBox* box);
  void makeSliders(size_t count);
  void fillAxes(QComboBox* box, int chosen);
  void takeAxes(bool rowsChanged);
  TensorPage* page_;
  FlowLayout* line_;
  QComboBox* rows_;
  QComboBox* columns_;
  QWidget *rowsPart_, *columnsPart_;  // each with its name
  std::vector<Held> sliders_;
  std::vector<int> heldAxes_;
};

}  // namespace rx::views
