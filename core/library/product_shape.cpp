#include "core/library/product_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

namespace rx::library {

namespace {

int64_t productOf(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

}  // namespace

Result<ProductShape> productShape(const HostTensor& left, const HostTensor& right, bool turned, const HostTensor& out) {
  const std::vector<int64_t>&a = left.shape(), &b = right.shape(), &c = out.shape();
  const auto wrong = [&](std::string_view why) {
    return fail("library.shape", fmt::format("a product of {} with {}{} into {} {}", shapeText(a),
                                             turned ? "turned " : "", shapeText(b), shapeText(c), why));
  };
  if (a.size() < 2 || b.size() < 2 || c.size() != a.size() || (b.size() != 2 && b.size() != a.size()))
    return wrong("is none of matrices, or of as many on both sides");
  ProductShape shape;
  shape.turned = turned;
  const size_t last = a.size() - 1;
  shape.depth = a[last];
  shape.columns = turned ? b[b.size() - 2] : b.back();
  const int64_t rightDepth = turned ? b.back() : b[b.size() - 2];
  const std::span<const int64_t> leading(a.data(), last - 1);
  shape.rows = a[last - 1];
  if (b.size() == 2) {
    shape.rows *= productOf(leading);
  } else {
    shape.batch = productOf(leading);
    if (!std::equal(leading.begin(), leading.end(), b.begin())) return wrong("has other batches on both sides");
  }
  if (rightDepth != shape.depth || !std::equal(a.begin(), a.end() - 1, c.begin()) || c[last] != shape.columns)
    return wrong("does not fit");
  if (shape.depth == 0 && !shape.isEmpty()) return wrong("adds up nothing");
  if (std::max({shape.batch, shape.rows, shape.columns, shape.depth}) > INT_MAX)
    return wrong("has a size that is beyond 2^31 - 1");
  return shape;
}

}  // namespace rx::library
