// Maps of tensors, by which devices copy boxes of them themselves.
#include <algorithm>

#include "core/device/cuda.h"

namespace rx::device {

namespace {

struct ElementRow {
  DataType type;
  int number;
};
const ElementRow kElements[] = {{DataType::UInt(8), 0},   {DataType::UInt(16), 1},  {DataType::UInt(32), 2},
                                {DataType::Int(32), 3},   {DataType::UInt(64), 4},  {DataType::Int(64), 5},
                                {DataType::Float(16), 6}, {DataType::Float(32), 7}, {DataType::Float(64), 8},
                                {DataType::BFloat16(), 9}};

struct LineRow {
  int64_t bytes;
  int number;
};
constexpr LineRow kLines[] = {{0, 0}, {32, 1}, {64, 2}, {128, 3}};

/// The row of a table that holds this; null where none does.
template <class Rows, class Key>
const auto* rowOf(const Rows& rows, const Key& key, auto member) {
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.*member == key; });
  return found == std::end(rows) ? nullptr : &*found;
}

}  // namespace

Result<Unit> encodeMap(const Cuda& cuda, const TileMap& map, uint64_t address, void* to) {
  constexpr std::string_view kCall = "cuTensorMapEncodeTiled";
  if (!cuda.encodeTiled) {
    Diagnostic old = errorAt({}, "device.driver", fmt::format("the driver is too old: it has no {}", kCall));
    old.fix = next::kDriver;
    return fail(std::move(old));
  }
  const auto* element = rowOf(kElements, map.element, &ElementRow::type);
  const auto* line = rowOf(kLines, map.line, &LineRow::bytes);
  if (!element || !line || !map.fits())
    return fail("device.code", fmt::format("no map is made of {} in lines of {} bytes", map.element.str(), map.line));
  const std::vector<uint64_t> extents(map.extents.begin(), map.extents.end()),
      strides(map.strides.begin(), map.strides.end());
  const std::vector<unsigned> box(map.box.begin(), map.box.end()), steps(box.size(), 1);
  // What lies outside of the tensor is zero; lines are fetched into the second cache whole.
  constexpr int kPlain = 0, kZeros = 0, kWholeLines = 2;
  const int code = cuda.encodeTiled(to, element->number, static_cast<unsigned>(extents.size()),
                                    reinterpret_cast<void*>(address), extents.data(), strides.data(), box.data(),
                                    steps.data(), kPlain, line->number, kWholeLines, kZeros);
  return Cuda::check(code, kCall, fmt::format("{:#x}", address));
}

}  // namespace rx::device
