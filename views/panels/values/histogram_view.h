// The histogram of a tensor: bars with their counts, and beside them what is NaN and Inf, hatched.
#pragma once

#include <QWidget>
#include <optional>

#include "views/models/debug_rows.h"
#include "views/theme/palette.h"

namespace rx::views {

class HistogramView : public QWidget {
  Q_OBJECT

 public:
  explicit HistogramView(QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  /// Shows a survey, null for none. NaN and Inf are counted exactly where the survey looked at a sample.
  void setSurvey(const TensorSurvey* survey, qint64 nan, qint64 inf);
  /// Whether heights are logarithms of the counts.
  void setLogarithmic(bool on);
  bool logarithmic() const { return logarithmic_; }
  /// The number of the marked element, whose bar is framed.
  void setMark(std::optional<double> value);
  /// What is drawn, as text: "0 to 0.1: 59" a line.
  QString text() const;
  /// Bars of numbers, and of NaN and Inf.
  int barCount() const { return static_cast<int>(bars_.size()); }
  /// Looks for the next element of a bar, as a click on it does.
  void pick(int bar);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void picked(const rx::views::ElementQuery& query);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Bar {
    qint64 count = 0;
    double low = 0;
    double high = 0;
    QString bad;  // "NaN", "Inf"; empty for a bar of numbers
  };
  void makeBars();
  QRectF barBox(int bar) const;
  QRectF plot() const;
  double heightOf(qint64 count, qint64 most) const;
  bool marked(const Bar& bar) const;
  int barAt(const QPointF& at) const;
  QString barText(const Bar& bar) const;
  void paintBar(QPainter& painter, int bar, qint64 most);
  void paintAxis(QPainter& painter);
  Palette palette_;
  TensorSurvey survey_;
  bool there_ = false;
  qint64 nan_ = 0;
  qint64 inf_ = 0;
  std::vector<Bar> bars_;
  std::optional<double> mark_;
  bool logarithmic_ = false;
  int focused_ = 0;
};

}  // namespace rx::views
