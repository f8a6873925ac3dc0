#include "views/panels/values/compare_choice.h"

#include <QDir>
#include <QFileInfo>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/values/selected_value.h"
#include "views/panels/values/tensor_page.h"

namespace rx::views {
namespace {

constexpr size_t kMostChoices = 60;

ValueSummary valueNamed(const PanelContext& context, const FunctionRow& function, const QString& name) {
  const BindingRow* binding = function.bindingNamed(name);
  return binding ? context.debug->valueOf(function.name, binding->ordinal)
                 : context.debug->valueOfParam(function.name, name);
}

/// Reads one file after the other, so that only one answer is on its way.
struct ArraySearch {
  PanelContext context;
  std::vector<qint64> shape;
  QStringList files;
  std::vector<Compared> found;
  std::function<void(const std::vector<Compared>&)> answer;
};

void readNext(const std::shared_ptr<ArraySearch>& search, QObject* owner) {
  if (search->files.isEmpty() || search->found.size() >= kMostChoices) return search->answer(search->found);
  const QString file = search->files.takeFirst();
  search->context.debug->fetchArrays(file, owner,
                                     [search, owner, file](const QString&, const std::vector<ArrayRow>& arrays) {
                                       for (const ArrayRow& array : arrays)
                                         if (array.shape == search->shape)
                                           search->found.push_back({{}, file, array.name});
                                       readNext(search, owner);
                                     });
}

}  // namespace

QString Compared::title() const {
  if (file.isEmpty()) return name;
  const QString base = QFileInfo(file).fileName();
  return array.isEmpty() ? base : base + QLatin1Char(' ') + array;
}

std::vector<Compared> comparableValues(const PanelContext& context, const ValueSummary& value) {
  std::vector<Compared> found;
  const Place& place = context.selection->place();
  const StageIndexPtr stage = context.document->stage(place.stage, false);
  const FunctionRow* function = functionOf(stage.get(), place.function);
  if (!function) return found;
  const auto add = [&](const QString& name) {
    const ValueSummary other = valueNamed(context, *function, name);
    if (name != value.variable && other.known && other.isTensor && other.reference != 0 && other.shape == value.shape &&
        found.size() < kMostChoices)
      found.push_back({name, {}, {}});
  };
  for (const BindingRow& binding : function->bindings) add(binding.name);
  for (const ParamRow& param : function->params) add(param.name);
  return found;
}

void findComparableArrays(const PanelContext& context, const ValueSummary& value, QObject* owner,
                          std::function<void(const std::vector<Compared>&)> answer) {
  auto search = std::make_shared<ArraySearch>();
  search->context = context;
  search->answer = std::move(answer);
  search->shape = shapeOf(value.shape).value_or(std::vector<qint64>());
  const QDir folder(context.document->folder());
  if (!context.document->folder().isEmpty())
    for (const QFileInfo& file : folder.entryInfoList({"*.npz", "*.npy"}, QDir::Files, QDir::Name))
      search->files += file.absoluteFilePath();
  readNext(search, owner);
}

ElementSource sourceOf(const PanelContext& context, const QString& function, const ValueSummary& value,
                       const Compared& other, Distance distance) {
  ElementSource source(value.reference);
  source.distance = distance;
  source.file = other.file;
  source.array = other.array;
  if (other.name.isEmpty()) return source;
  const StageIndexPtr stage = context.document->stage(context.selection->place().stage, false);
  if (const FunctionRow* row = functionOf(stage.get(), function))
    source.against = valueNamed(context, *row, other.name).reference;
  return source;
}

}  // namespace rx::views
