#include "core/export/runtime/tensor_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace rx::package {

namespace {
Failure wrong(const std::string& what) { return fail("package.tensor", what); }

/// What a view says, checked.
struct Shown {
  std::vector<int64_t> shape;
  DataType dtype;
  std::span<const std::byte> bytes;
};

Result<Shown> shownBy(const rxs_tensor& view) {
  const auto code = DataType::codeOfDlpack(view.dtype.code);
  if (!code) return wrong(fmt::format("there is no element type of the code {}", view.dtype.code));
  if (view.rank < 0 || view.rank > RXS_MAX_RANK)
    return wrong(fmt::format("a rank of {} is not between 0 and {}", view.rank, RXS_MAX_RANK));
  const DataType dtype{*code, view.dtype.bits, static_cast<int16_t>(view.dtype.lanes)};
  std::vector<int64_t> shape(view.shape, view.shape + view.rank);
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes) return wrong(fmt::format("{} of {} is no tensor", shapeText(shape), dtype.str()));
  if (*bytes > 0 && !view.data) return wrong("its data is missing");
  return Shown{std::move(shape), dtype, {static_cast<const std::byte*>(view.data), static_cast<size_t>(*bytes)}};
}

}  // namespace

Result<rxs_tensor> viewOf(const HostTensor& tensor) {
  if (tensor.rank() > RXS_MAX_RANK)
    return wrong(fmt::format("a tensor of {} dimensions; at most {} can be passed", tensor.rank(), RXS_MAX_RANK));
  rxs_tensor view{};
  view.data = const_cast<std::byte*>(tensor.data());
  view.rank = static_cast<int32_t>(tensor.rank());
  view.dtype = {tensor.dtype().dlpackCode(), tensor.dtype().bits, static_cast<uint16_t>(tensor.dtype().lanes)};
  std::copy(tensor.shape().begin(), tensor.shape().end(), view.shape);
  return view;
}

Result<Ref<HostTensor>> lentBy(const rxs_tensor& view) {
  RX_TRY(shown, shownBy(view));
  const auto element = std::bit_floor(static_cast<uintptr_t>(std::max<int64_t>(shown.dtype.element().bytes(), 1)));
  if (std::bit_cast<uintptr_t>(shown.bytes.data()) % element != 0)
    return HostTensor::fromBytes(std::move(shown.shape), shown.dtype, shown.bytes);
  auto storage = Storage::external(shown.bytes.data(), static_cast<int64_t>(shown.bytes.size()), nullptr);
  return HostTensor::view(std::move(storage), 0, std::move(shown.shape), shown.dtype);
}

}  // namespace rx::package
