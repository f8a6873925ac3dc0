#include "views/panels/kernel/kernel_question.h"

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/known_sizes.h"
#include "views/models/profile_board.h"
#include "views/models/selection.h"

namespace rx::views {

QStringList targetWords(const PanelContext& context) {
  const QString run = context.debug->config().target;
  const QString target = run.isEmpty() ? context.document->target() : run;
  return target.isEmpty() ? QStringList() : QStringList{QStringLiteral("--target"), target};
}

QStringList sizeWords(const PanelContext& context, const QString& kernel) {
  std::map<QString, qint64> sizes;
  const ProfilePtr profile = context.profiles ? context.profiles->shown() : nullptr;
  for (const ProfileRow& row : profile ? profile->kernels : std::vector<ProfileRow>())
    if (row.name == kernel) sizes = row.sizes;
  const StageIndexPtr imported = context.document->stage(0, false);
  if (sizes.empty() && context.sizes && imported) {
    for (const FunctionRow& function : imported->functions) {
      const SymbolSizes known = context.sizes->of(function);
      sizes.insert(known.begin(), known.end());
    }
  }
  QStringList words;
  for (const auto& [name, size] : sizes) words << "--symbol" << QStringLiteral("%1=%2").arg(name).arg(size);
  return words;
}

QStringList sampleWords(const PanelContext& context, const QString& kernel) {
  return QStringList{"--samples", QString::number(kSampleMilliseconds), "--confine"} + sizeWords(context, kernel);
}

QStringList questionOf(const PanelContext& context, const QString& kernel, bool samples) {
  QStringList words = context.document->programArguments(context.selection->place().stage);
  if (!words.contains(QLatin1String("--passes")))
    words << "--passes"
          << "default";
  words += targetWords(context);
  if (samples) words += sampleWords(context, kernel);
  return words << "--function" << kernel << "--json";
}

}  // namespace rx::views
