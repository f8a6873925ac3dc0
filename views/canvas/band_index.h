// Which of many boxes meet a horizontal band of the picture: what a paint or a click has to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rx {

class BandIndex {
 public:
  BandIndex() = default;
  BandIndex(double height, std::size_t expected);

  void add(uint32_t item, double top, double bottom);
  /// Items that may meet [top, bottom], each once, in ascending order.
  std::vector<uint32_t> between(double top, double bottom) const;

 private:
  std::size_t bandOf(double y) const;
  double bandHeight_ = 1;
  struct Band {
    std::vector<uint32_t> begins, goesOn;  // items whose first band it is, and those that come from the one above
  };
  std::vector<Band> bands_;
};

}  // namespace rx
