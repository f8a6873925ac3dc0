#include "core/script/difference.h"

#include "core/script/print.h"

namespace rx::script {

namespace {
constexpr size_t kLongest = 400;

std::string shown(const NodeRef& node, const std::string& plain) {
  if (!plain.empty()) return plain;
  if (!node) return "nothing";
  std::string text = print(node).text;
  if (text.size() > kLongest) {
    text.resize(kLongest);
    text += "...";
  }
  return text;
}
}  // namespace

std::string differenceText(const Difference& difference) {
  const std::string where = difference.path.empty() ? "the whole" : difference.path;
  return where + ":\n  left:  " + shown(difference.lhs, difference.lhsText) +
         "\n  right: " + shown(difference.rhs, difference.rhsText);
}

}  // namespace rx::script
