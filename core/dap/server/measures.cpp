// Requests that look at a whole tensor, or at what two differ by: statistics, pictures, searches, comparisons. Each has
// a bounded cost, since the engine answers one request after the other.
#include <cstring>
#include <filesystem>

#include "core/dap/server/adapter.h"
#include "core/support/base64.h"
#include "core/tensor/comparison.h"
#include "core/tensor/plane.h"
#include "core/tensor/safetensors.h"
#include "core/tensor/survey.h"

namespace rx::dap {
namespace {

constexpr int64_t kMostBins = 1000;
constexpr size_t kMostFractions = 100;

Result<Distance> distanceNamed(const std::string& name) {
  static constexpr std::pair<std::string_view, Distance> kNames[] = {
      {"absolute", Distance::Absolute}, {"relative", Distance::Relative}, {"ulp", Distance::Ulp}};
  for (const auto& [known, distance] : kNames)
    if (name == known) return distance;
  return fail("dap.arguments", "`distance` is absolute, relative or ulp, not " + escapedForDisplay(name));
}

Failure cancelled() { return fail("dap.cancelled", "the engine is being ended"); }

template <class T>
std::string packed(const std::vector<T>& numbers) {
  return base64Of(std::as_bytes(std::span(numbers)));
}

}  // namespace

Result<Elements> Adapter::Measured::elements() const {
  if (other) return Elements::between(*value.tensor, *other, distance);
  return Elements(*value.tensor);
}

Result<Adapter::Measured> Adapter::measured(int64_t reference, const std::optional<std::string>& expression,
                                            const std::optional<Against>& against) {
  Measured result;
  RX_TRY(ref, refFor(reference, expression));
  RX_TRY(value, session_->readKept(ref));
  if (value.kind != debug::ValueKind::Tensor) return fail("dap.value", "the value is no tensor");
  result.ref = ref;
  result.value = std::move(value);
  if (!against) return result;
  RX_TRY(distance, distanceNamed(against->distance));
  RX_TRY(other, otherSide(*against));
  result.distance = distance;
  result.other = std::move(other);
  return result;
}

Result<const std::vector<NamedTensor>*> Adapter::arraysOf(const std::string& path) {
  std::error_code none;
  const auto written = std::filesystem::last_write_time(path, none);
  if (arrayFile_ && arrayFile_->path == path && arrayFile_->written == written) return &arrayFile_->arrays;
  ArrayFile file{path, written, {}};
  if (path.ends_with(".npy")) {
    RX_TRY(tensor, readNpy(path));
    file.arrays.emplace_back(std::string(), std::move(tensor));
  } else if (path.ends_with(".safetensors")) {
    RX_TRY(tensors, readSafetensors(path));
    file.arrays = std::move(tensors);
  } else {
    RX_TRY(tensors, readNpz(path));
    file.arrays = std::move(tensors);
  }
  arrayFile_ = std::move(file);
  return &arrayFile_->arrays;
}

Result<Ref<HostTensor>> Adapter::otherSide(const Against& against) {
  if (!against.file) {
    RX_TRY(ref, refFor(against.reference, against.expression));
    RX_TRY(value, session_->read(ref));
    if (value.kind != debug::ValueKind::Tensor) return fail("dap.value", "the value to compare with is no tensor");
    return value.tensor;
  }
  RX_TRY(arrays, arraysOf(*against.file));
  for (const auto& [name, tensor] : *arrays)
    if (name == against.array) return tensor;
  return fail("dap.value",
              fmt::format("{} has no array `{}`", escapedForDisplay(*against.file), escapedForDisplay(against.array)));
}

Result<StatisticsBody> Adapter::statistics(const StatisticsArguments& arguments) {
  if (arguments.bins < 1 || arguments.bins > kMostBins)
    return fail("dap.arguments", fmt::format("`bins` is from 1 to {}", kMostBins));
  if (arguments.fractions.size() > kMostFractions)
    return fail("dap.arguments", fmt::format("`fractions` are at most {}", kMostFractions));
  RX_TRY(from, measured(arguments.reference, arguments.expression, arguments.against));
  RX_TRY(elements, from.elements());
  const auto result = survey(elements, static_cast<int>(arguments.bins), arguments.fractions, cancel_);
  if (!result) return cancelled();
  return StatisticsBody{elements.count(),    result->looked, result->nan,      result->positiveInf,
                        result->negativeInf, result->zeros,  result->largest,  result->low,
                        result->high,        result->bins,   result->quantiles};
}

Result<PlaneBody> Adapter::plane(const PlaneArguments& arguments) {
  RX_TRY(from, measured(arguments.reference, arguments.expression, arguments.against));
  RX_TRY(elements, from.elements());
  PlaneWish wish;
  const auto narrow = [](int64_t axis) { return static_cast<int>(std::clamp<int64_t>(axis, -2, 1 << 20)); };
  wish.rowAxis = narrow(arguments.rowAxis);
  wish.columnAxis = narrow(arguments.columnAxis);
  wish.at = arguments.at;
  wish.mostRows = arguments.rows;
  wish.mostColumns = arguments.columns;
  RX_TRY(plane, planeOf(elements, wish, cancel_));
  if (!plane) return cancelled();
  return PlaneBody{plane->rows,        plane->columns,      plane->fullRows,    plane->fullColumns,
                   packed(plane->low), packed(plane->high), packed(plane->bad), plane->sampled};
}

Result<FindElementBody> Adapter::findElement(const FindElementArguments& arguments) {
  if (arguments.low.has_value() != arguments.high.has_value())
    return fail("dap.arguments", "`low` and `high` come together");
  RX_TRY(from, measured(arguments.reference, arguments.expression, arguments.against));
  RX_TRY(elements, from.elements());
  ElementWish wish;
  if (arguments.low) wish = {false, *arguments.low, *arguments.high};
  ElementSearch search;
  search.from = std::clamp<int64_t>(arguments.from, -1, elements.count());
  search.forward = arguments.forward;
  search.looked = arguments.looked;
  const auto found = rx::findElement(elements, wish, search, cancel_);
  if (!found) return cancelled();
  return FindElementBody{found->index, found->looked, elements.count()};
}

Result<CompareBody> Adapter::compare(const CompareArguments& arguments) {
  RX_TRY(from, measured(arguments.reference, arguments.expression, arguments.against));
  RX_TRY(result, rx::compare(*from.value.tensor, *from.other, cancel_));
  if (!result) return cancelled();
  CompareBody body{
      from.value.tensor->count(), result->looked, result->different, result->nonFinite, result->firstNonFinite, {}, {},
      from.other->dtype().str()};
  for (const Comparison::Worst& worst : result->worst) {
    body.worst.push_back(worst.distance);
    body.worstIndex.push_back(worst.index);
  }
  return body;
}

Result<ArraysBody> Adapter::arrays(const PathArguments& arguments) {
  RX_TRY(arrays, arrayHeaders(arguments.path));
  ArraysBody body;
  for (ArrayHeader& array : arrays)
    body.arrays.push_back({std::move(array.name), array.dtype.str(), std::move(array.shape)});
  return body;
}

}  // namespace rx::dap
