#include "core/tensor/tensor_text.h"

#include <cmath>

#include "core/tensor/element.h"

namespace rx {

namespace {

std::string elementText(const HostTensor& tensor, int64_t i) {
  if (tensor.dtype().isBool()) return tensor.intAt(i) ? "True" : "False";
  if (tensor.dtype().isUInt()) return fmt::format("{}", static_cast<uint64_t>(tensor.intAt(i)));
  if (!tensor.dtype().isFloat()) return fmt::format("{}", tensor.intAt(i));
  const double value = tensor.at(i);
  if (std::isnan(value)) return "nan";
  std::string text =
      tensor.dtype().bits >= 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

/// Prints the elements of one dimension after the other, the nesting held as an index vector.
class TensorPrinter {
 public:
  TensorPrinter(const HostTensor& tensor, int64_t limit) : tensor_(tensor), shorten_(tensor.count() > limit) {}
  std::string print() {
    if (tensor_.rank() == 0) return elementText(tensor_, 0);
    level(0, 0, tensor_.count());
    return std::move(out_);
  }

 private:
  /// Depth is the rank of the tensor, which shapes bound.
  void level(size_t axis, int64_t offset, int64_t span) {
    constexpr int64_t kEdge = 3;
    const int64_t extent = tensor_.shape()[axis];
    const int64_t inner = extent ? span / extent : 0;
    const bool last = axis + 1 == tensor_.shape().size();
    out_ += '[';
    for (int64_t i = 0; i < extent; ++i) {
      if (i) separate(axis, last);
      if (shorten_ && extent > 2 * kEdge && i == kEdge) {
        out_ += "...";
        i = extent - kEdge - 1;
      } else if (last) {
        out_ += elementText(tensor_, offset + i);
      } else {
        level(axis + 1, offset + i * inner, inner);
      }
    }
    out_ += ']';
  }
  void separate(size_t axis, bool last) {
    if (last) {
      out_ += ' ';
    } else {
      out_.append(tensor_.shape().size() - axis - 1, '\n');
      out_.append(axis + 1, ' ');
    }
  }
  const HostTensor& tensor_;
  bool shorten_;
  std::string out_;
};

}  // namespace

std::string placeText(const DeviceMemory* device) { return device ? " on " + device->name() : std::string(); }

std::string tensorSummary(const HostTensor& tensor) {
  return fmt::format("Tensor({}, \"{}\"){}", shapeText(tensor.shape()), tensor.dtype().str(),
                     placeText(tensor.device()));
}

std::string tensorText(const HostTensor& tensor, int64_t limit) {
  constexpr int64_t kMaxRank = 64;
  if (tensor.rank() > kMaxRank || !isStorable(tensor.dtype())) return tensorSummary(tensor);
  if (!tensor.device()) return TensorPrinter(tensor, limit).print();
  const auto copy = tensor.onHost();
  return copy ? TensorPrinter(**copy, limit).print() : copy.diagnostics().front().message;
}

}  // namespace rx
