// Beside a text: what each of its lines takes of the samples of a run, as a bar and a number.
#pragma once

#include <QWidget>
#include <vector>

namespace rx {
class TextView;
}

namespace rx::views {

class SampleBars : public QWidget {
  Q_OBJECT

 public:
  explicit SampleBars(TextView* text, QWidget* parent = nullptr);
  /// Percent of all samples by line, the first at 0; hidden without any.
  void setShares(std::vector<double> shares);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  TextView* text_;
  std::vector<double> shares_;
  double most_ = 0;
};

}  // namespace rx::views
