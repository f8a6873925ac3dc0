// The value of a tensor in the inspector: its histogram, a small heat map for each of the first planes, and the numbers
// around the marked element.
#pragma once

#include <QWidget>

#include "views/panels/values/tensor_study.h"
#include "views/theme/palette.h"

class QHBoxLayout;

namespace rx::views {

class HistogramView;
class PlaneView;
class RichLabel;

class ValuePictures : public QWidget {
  Q_OBJECT

 public:
  explicit ValuePictures(DebugSession* debug, QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  void setValue(const ValueSummary& value);
  TensorStudy* study() const { return study_; }
  HistogramView* histogram() const { return histogram_; }
  /// The numbers around the marked element, and the histogram, as text.
  QString dump() const;

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Map {
    PlaneView* view;
    PlaneQuery query;
  };
  /// Pictures are so many lines of text high.
  void fitToFont();
  void display();
  void showMaps();
  void showWindow();
  void follow(const QString& link);
  /// Rows and columns of the page that are shown, with the marked element among them.
  struct Window {
    int row = 0, rows = 0, column = 0, columns = 0;
  };
  Window window() const;
  TensorStudy* study_;
  Palette palette_;
  HistogramView* histogram_;
  QHBoxLayout* strip_;
  std::vector<Map> maps_;
  RichLabel* caption_;
  RichLabel* numbers_;
};

}  // namespace rx::views
