// The largest of some probabilities as bars with their percent, and a line where the expected ones are.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

namespace rx::views {

class LikelyChart : public QWidget {
 public:
  LikelyChart(std::vector<double> numbers, std::optional<std::vector<double>> expected, QWidget* parent);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int rowHeight() const;
  std::vector<double> numbers_;
  std::optional<std::vector<double>> expected_;
  std::vector<int> shown_;
};

}  // namespace rx::views
