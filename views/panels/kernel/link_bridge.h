// The room between two texts, with a band from the selected line of one to the lines of the other that it came from or
// became.
#pragma once

#include <QWidget>
#include <vector>

namespace rx {
class TextView;
}

namespace rx::views {

class LinkBridge : public QWidget {
 public:
  LinkBridge(TextView* left, TextView* right, QWidget* parent = nullptr);
  /// Lines from 0; a band for each stretch of the right ones to each of the left ones.
  void setLines(std::vector<int> left, std::vector<int> right);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  TextView* left_;
  TextView* right_;
  std::vector<int> leftLines_, rightLines_;
};

}  // namespace rx::views
