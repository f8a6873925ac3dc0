// What a misspelled name may mean.
#pragma once

#include <string>
#include <string_view>

namespace rx {

/// Finds, among the names that exist, the one that a misspelled name most likely means.
class Nearest {
 public:
  explicit Nearest(std::string_view name);
  void offer(std::string_view candidate);
  /// "did you mean 'softmax'?", or nothing where no candidate is near: at most a third of the letters differ, of the
  /// whole name or of what stands behind its last dot ('conv2d' means 'nn.conv2d'). A name is shown with `prefix`
  /// before it.
  std::string fix(std::string_view prefix = {}) const;

 private:
  std::string_view name_;
  std::string best_;
  size_t distance_;  ///< of the best; before there is one, a distance that is too far
};

}  // namespace rx
