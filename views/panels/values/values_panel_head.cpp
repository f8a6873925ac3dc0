// The part of ValuesPanel that says in words what is shown: the value, what it is compared with, percentiles.

#include "views/models/debug_session.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/panels/rich_label.h"
#include "views/panels/run_theme.h"
#include "views/panels/values/item_list.h"
#include "views/panels/values/tensor_study.h"
#include "views/panels/values/values_panel.h"

namespace rx::views {

QString ValuesPanel::headText() const {
  const ValueSummary& value = study_->value();
  QString text = value.variable + QLatin1Char(' ') + value.text;
  if (const QString past = context_.debug->pastOf(); !past.isEmpty()) text += tr(", of %1").arg(past);
  if (study_->source().compares()) return text;
  if (value.finite > 0)
    text += QStringLiteral("  min %1  max %2  mean %3")
                .arg(shortNumber(value.min), shortNumber(value.max), shortNumber(value.mean));
  if (value.bad()) text += QStringLiteral("  ") + badText(value);
  return text;
}

QString ValuesPanel::comparisonText() const {
  const TensorComparison* result = study_->comparison();
  if (!study_->source().compares() || !result) return {};
  if (!result->error.isEmpty()) return tr("Not compared with %1: %2").arg(other_.title(), result->error);
  if (result->different == 0)
    return result->looked < result->count ? tr("equals %1 in all %2 sampled of %3")
                                                .arg(other_.title(), grouped(result->looked), grouped(result->count))
                                          : tr("equals %1").arg(other_.title());
  QString text =
      tr("against %1: %2 of %3 differ").arg(other_.title(), grouped(result->different), grouped(result->looked));
  if (!result->worst[0].index.empty())
    text += tr(", largest difference %1 at %2 (relative %3, %4 ulp)")
                .arg(shortNumber(result->worst[0].distance, 4), indexText(result->worst[0].index),
                     shortNumber(result->worst[1].distance, 3), shortNumber(result->worst[2].distance, 6));
  if (result->nonFinite > 0) text += tr(", %1 where one side is NaN or Inf").arg(grouped(result->nonFinite));
  return text;
}

/// How far a search in a large tensor is; "none found" at its end.
QString ValuesPanel::searchText() const {
  const ElementFound* search = study_->search();
  if (!search) return {};
  if (!search->error.isEmpty()) return tr("The search ended: %1").arg(search->error);
  if (search->goesOn()) return tr("searched %1 of %2 elements…").arg(grouped(search->looked), grouped(search->count));
  return tr("none found among %1 elements").arg(grouped(search->count));
}

void ValuesPanel::showHead() {
  const ValueSummary& value = study_->value();
  const Palette theme = runTheme(*context_.debug, *this);
  head_->setVisible(value.known);
  if (!value.known) return;
  const auto pair = [&](const QString& label, const QString& text, bool bad = false) {
    return QStringLiteral(" &nbsp; <span style='color:%1'>%2</span>&nbsp;<span style='color:%3'>%4</span>")
        .arg(theme.grey.name(), label, (bad ? theme.error : theme.text).name(), text.toHtmlEscaped());
  };
  QString html = QStringLiteral("<b>%1</b> <span style='color:%2'>%3</span>")
                     .arg(value.variable.toHtmlEscaped(), theme.text.name(), value.text.toHtmlEscaped());
  if (value.isTensor && value.finite > 0 && !study_->source().compares())
    html += pair(tr("min"), shortNumber(value.min)) + pair(tr("max"), shortNumber(value.max)) +
            pair(value.bad() ? tr("mean (finite)") : tr("mean"), shortNumber(value.mean));
  if (value.isTensor && !study_->source().compares())
    html += pair(tr("elements"), grouped(value.count)) + pair(tr("size"), bytesText(value.bytes));
  if (!value.items.empty() && value.count > ItemList::kMostRows)
    html += pair(tr("shown"), tr("the first %1; Open Item of the Tuple shows any other").arg(ItemList::kMostRows));
  if (value.bad() && !study_->source().compares()) html += pair(tr("not finite"), badText(value), true);
  const QString comparison = comparisonText();
  if (!comparison.isEmpty()) html += pair(QString(), comparison);
  if (const QString search = searchText(); !search.isEmpty()) html += pair(QString(), search);
  if (const QString past = context_.debug->pastOf(); !past.isEmpty()) html += pair(tr("of"), past);
  head_->setHtml(html);
}

QString ValuesPanel::percentilesText() const {
  const TensorSurvey* survey = study_->survey();
  if (!survey || survey->quantiles.size() != kQuantiles.size()) return {};
  const Palette theme = runTheme(*context_.debug, *this);
  QStringList parts;
  for (size_t i = 0; i < kQuantiles.size(); i += 2)  // every second: 0.1, 5, 50, 95 and 99.9 per cent
    parts += QStringLiteral("<span style='color:%1'>%2&nbsp;%</span>&nbsp;%3")
                 .arg(theme.grey.name(), shortNumber(kQuantiles[i] * 100, 3), shortNumber(survey->quantiles[i], 4));
  QString text = parts.join(QStringLiteral(" &nbsp; "));
  if (survey->zeros > 0)
    text += QStringLiteral(" &nbsp; <span style='color:%1'>%2</span>&nbsp;%3")
                .arg(theme.grey.name(), tr("zeros"), grouped(survey->zeros));
  if (survey->sampled())
    text += QStringLiteral("<br><span style='color:%1'>%2</span>")
                .arg(theme.grey.name(),
                     tr("of a sample of %1 of %2 elements").arg(grouped(survey->looked), grouped(survey->count)));
  return QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.text.name(), text);
}

}  // namespace rx::views
