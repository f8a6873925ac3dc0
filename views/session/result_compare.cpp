#include "views/session/result_compare.h"

#include <QDir>
#include <QFileInfo>
#include <cmath>

#include "core/tensor/npy.h"
#include "core/tensor/stats.h"
#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

QString elementText(int64_t index, const std::vector<int64_t>& shape) {
  std::vector<int64_t> at(shape.size(), 0);
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] <= 0) return {};
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  QStringList parts;
  for (const int64_t i : at) parts << QString::number(i);
  return '[' + parts.join(QStringLiteral(", ")) + ']';
}

/// The elements of a tensor that is a vector (all axes but one are of size 1) and short enough to be probabilities.
std::vector<double> vectorOf(const HostTensor& tensor) {
  constexpr int64_t kMost = 1000;
  if (!tensor.dtype().isFloat() || tensor.count() > kMost) return {};
  for (const int64_t size : tensor.shape())
    if (size != 1 && size != tensor.count()) return {};
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.count(); ++i) numbers.push_back(tensor.at(i));
  return numbers;
}

/// One value against its array; false when that ends the comparison.
bool compareOne(const SavedValue& value, const HostTensor& got, const HostTensor& want, bool named,
                ResultComparison* comparison) {
  const Result<TensorDifference> difference = compareTensors(got, want);
  if (!difference) {
    comparison->error = (named ? value.name + ": " : QString()) + textOf(difference.diagnostics());
    return false;
  }
  const double limit = roundingLimit(want);
  comparison->equal = comparison->equal && difference->firstNonFinite < 0 && difference->maxAbsolute <= limit;
  comparison->sameBits = comparison->sameBits && difference->maxAbsolute == 0;
  if (difference->index < 0 || difference->maxAbsolute <= comparison->largest) return true;
  comparison->largest = difference->maxAbsolute;
  comparison->limit = limit;
  const double whole = std::fabs(want.at(difference->index));
  comparison->relative = whole > 0 ? difference->maxAbsolute / whole : difference->maxAbsolute;
  comparison->at = (named ? value.name + ' ' : QString()) + elementText(difference->index, got.shape());
  return true;
}

}  // namespace

QString expectedBeside(const QString& inputsFile) {
  const QFileInfo inputs(inputsFile);
  if (!inputs.fileName().startsWith(QLatin1String("inputs"))) return {};
  const QString name = QStringLiteral("expected") + inputs.fileName().mid(qstrlen("inputs"));
  const QString path = inputs.dir().filePath(name);
  return path.endsWith(QLatin1String(".npz")) && QFileInfo::exists(path) ? path : QString();
}

QString expectedFor(const RunConfig& config) {
  if (!config.choices.isEmpty() || config.seeded) return {};
  for (const QString& file : QStringList{config.inputsFile} + config.files)
    if (const QString expected = expectedBeside(file); !expected.isEmpty()) return expected;
  return {};
}

ComparedResult compareResult(const std::vector<SavedValue>& values, const QString& expected) {
  ComparedResult result;
  std::vector<Ref<HostTensor>> got;
  for (const SavedValue& value : values) {
    Result<Ref<HostTensor>> tensor = readNpy(value.path.toStdString());
    got.push_back(tensor ? *tensor : nullptr);
  }
  const std::vector<double> first = got.empty() || !got.front() ? std::vector<double>() : vectorOf(*got.front());
  if (looksLikely(first)) result.likely = first;
  if (expected.isEmpty()) return result;
  ResultComparison& comparison = result.comparison.emplace();
  comparison.file = QFileInfo(expected).fileName();
  const Result<std::vector<NamedTensor>> wanted = readNpz(expected.toStdString());
  if (!wanted) {
    comparison.error = textOf(wanted.diagnostics());
    return result;
  }
  if (wanted->size() != got.size()) {
    comparison.error = QStringLiteral("it holds %1 arrays, the run returned %2").arg(wanted->size()).arg(got.size());
    return result;
  }
  comparison.equal = comparison.sameBits = true;
  for (size_t i = 0; i < got.size(); ++i) {
    if (!got[i]) comparison.error = QStringLiteral("%1 could not be read back").arg(values[i].name);
    if (!got[i] || !compareOne(values[i], *got[i], *(*wanted)[i].second, got.size() > 1, &comparison)) return result;
  }
  if (!result.likely.empty()) {
    std::vector<double> numbers = vectorOf(*wanted->front().second);
    if (numbers.size() == result.likely.size()) result.expectedLikely = std::move(numbers);
  }
  return result;
}

}  // namespace rx::views
