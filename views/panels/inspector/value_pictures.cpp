#include "views/panels/inspector/value_pictures.h"

#include <QHBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/panels/rich_label.h"
#include "views/panels/values/histogram_view.h"
#include "views/panels/values/plane_view.h"
#include "views/theme/fonts.h"

namespace rx::views {
namespace {

constexpr int kMaps = 4;

/// What is read anew at each stop keeps its room meanwhile: what stands below it would go up and come down again.
void keepRoom(QWidget* widget, bool keep) {
  QSizePolicy policy = widget->sizePolicy();
  if (policy.retainSizeWhenHidden() == keep) return;
  policy.setRetainSizeWhenHidden(keep);
  widget->setSizePolicy(policy);
}

}  // namespace

ValuePictures::ValuePictures(DebugSession* debug, QWidget* parent)
    : QWidget(parent),
      study_(new TensorStudy(debug, this)),
      palette_(Palette::forQt(palette())),
      histogram_(new HistogramView(this)),
      strip_(new QHBoxLayout),
      caption_(new RichLabel(this)),
      numbers_(new RichLabel(this)) {
  auto* column = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 3;
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(gap);
  column->addWidget(histogram_);
  column->addLayout(strip_);
  column->addWidget(caption_);
  column->addWidget(numbers_);
  strip_->setSpacing(gap);
  numbers_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (int i = 0; i < kMaps; ++i) {
    auto* view = new PlaneView(this);
    strip_->addWidget(view, 1);
    maps_.push_back({view, {}});
    connect(view, &PlaneView::picked, this, [this, i](qint64 row, qint64 column) {
      const PlaneQuery& query = maps_[static_cast<size_t>(i)].query;
      std::vector<qint64> index = query.at;
      if (query.rowAxis >= 0) index[static_cast<size_t>(query.rowAxis)] = row;
      if (query.columnAxis >= 0) index[static_cast<size_t>(query.columnAxis)] = column;
      study_->setCurrent(index);
    });
  }
  fitToFont();
  connect(histogram_, &HistogramView::picked, study_, &TensorStudy::find);
  connect(caption_, &QLabel::linkActivated, this, &ValuePictures::follow);
  connect(study_, &TensorStudy::changed, this, &ValuePictures::display);
  connect(study_, &TensorStudy::currentMoved, this, &ValuePictures::display);
}

void ValuePictures::fitToFont() {
  histogram_->setFixedHeight(fontMetrics().height() * 5);
  for (const Map& map : maps_) map.view->setFixedHeight(fontMetrics().height() * 6);
}

void ValuePictures::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) fitToFont();
}

void ValuePictures::setTheme(const Palette& palette) {
  palette_ = palette;
  histogram_->setTheme(palette);
  for (const Map& map : maps_) map.view->setTheme(palette);
  display();
}

void ValuePictures::setValue(const ValueSummary& value) { study_->setValue(value, ElementSource(value.reference)); }

void ValuePictures::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWindow();
}

void ValuePictures::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  display();
}

void ValuePictures::display() {
  const TensorSurvey* survey = study_->survey();
  const ValueSummary& value = study_->value();
  histogram_->setSurvey(survey && survey->error.isEmpty() ? survey : nullptr, value.nan, value.inf);
  showMaps();
  showWindow();
}

/// The plane of the marked element and its neighbours along the axis before: [0] … [3].
void ValuePictures::showMaps() {
  const ValueSummary& value = study_->value();
  const auto& shape = study_->page()->shape();
  const auto rank = static_cast<int>(shape.size());
  constexpr int kMost = 96;
  const int axis = rank - 3;
  const qint64 planes = axis >= 0 ? shape[static_cast<size_t>(axis)] : 1;
  const PlaneQuery base = study_->planeOfPage(kMost, kMost);
  const qint64 at = axis >= 0 ? base.at[static_cast<size_t>(axis)] : 0;
  const qint64 first = std::clamp<qint64>(at - 1, 0, std::max<qint64>(0, planes - kMaps));
  const bool any = value.isTensor && value.count > 1 && value.reference != 0;
  std::vector<PlaneQuery> wanted;
  for (int i = 0; i < kMaps; ++i) {
    Map& map = maps_[static_cast<size_t>(i)];
    const bool shown = any && (axis < 0 ? i == 0 : first + i < planes);
    map.view->setVisible(shown);
    if (!shown) continue;
    map.query = base;
    if (axis >= 0) map.query.at[static_cast<size_t>(axis)] = first + i;
    wanted.push_back(map.query);
    const TensorPlane* plane = study_->plane(map.query);
    map.view->setPlanes({plane}, scaleOf(value.min, value.max), PlaneView::Mode::Heat);
    map.view->setCaption(axis < 0 ? QString() : QStringLiteral("[%1]").arg(first + i), axis >= 0 && first + i == at);
    const auto& current = study_->current();
    const auto along = [&](int which) {
      return which < 0 || current.empty() ? 0 : current[static_cast<size_t>(which)];
    };
    const bool here = !current.empty() && (axis < 0 || first + i == at);
    map.view->setMark(here ? along(base.rowAxis) : -1, here ? along(base.columnAxis) : -1);
  }
  study_->wantPlanes(isVisible() ? wanted : std::vector<PlaneQuery>());
}

ValuePictures::Window ValuePictures::window() const {
  const TensorPage& page = *study_->page();
  const auto& at = study_->current();
  Window window;
  if (page.rowCount() == 0 || at.empty() || !page.holds(at)) return window;
  const auto along = [&](int axis, qint64 first) {
    return axis < 0 ? 0 : static_cast<int>(at[static_cast<size_t>(axis)] - first);
  };
  const int cell = QFontMetrics(fixedFont(font())).horizontalAdvance("0") * 9;
  const int room = std::max(2, width() / std::max(1, cell) - 1);
  window.rows = std::min(3, page.rowCount());
  window.columns = std::min(room, page.columnCount());
  window.row = std::clamp(along(page.rowAxis(), page.firstRow()) - 1, 0, page.rowCount() - window.rows);
  window.column = std::clamp(along(page.columnAxis(), page.firstColumn()) - window.columns / 2, 0,
                             page.columnCount() - window.columns);
  return window;
}

void ValuePictures::showWindow() {
  const Window window = this->window();
  const bool any = window.rows > 0;
  for (RichLabel* label : {caption_, numbers_}) {
    keepRoom(label, any || (study_->busy() && study_->page()->source().reference != 0));
    label->setVisible(any);
  }
  if (!any) return;
  const TensorPage& page = *study_->page();
  const ValueSummary& value = study_->value();
  const qint64 bad = value.nan + value.inf;
  QString caption = QStringLiteral("<b>%1</b>").arg(indexText(study_->current()));
  if (bad > 0)
    caption += QStringLiteral(
                   " &nbsp;<a style='color:%1;text-decoration:none' href='previous'>%2</a> &nbsp;"
                   "<a style='color:%1;text-decoration:none' href='next'>%3</a>")
                   .arg(palette_.link.name(), tr("previous"), tr("next of %1 not finite").arg(grouped(bad)));
  caption_->setHtml(caption);
  const QString mono = fixedFont(font()).family();
  QString html =
      QStringLiteral("<table cellspacing='0' cellpadding='3' style=\"font-family:'%1'\"><tr><td></td>").arg(mono);
  const bool columns = page.columnAxis() >= 0;
  for (int c = 0; c < window.columns; ++c)
    html += QStringLiteral("<td align='right' style='color:%1'>%2</td>")
                .arg(palette_.grey.name(), columns ? grouped(page.firstColumn() + window.column + c) : QString());
  html += QStringLiteral("</tr>");
  for (int r = window.row; r < window.row + window.rows; ++r) {
    html += QStringLiteral("<tr><td align='right' style='color:%1'>%2</td>")
                .arg(palette_.grey.name(), grouped(page.firstRow() + r));
    for (int c = window.column; c < window.column + window.columns; ++c) {
      const double number = page.value(r, c);
      const bool marked = page.indexOf(r, c) == study_->current();
      const QString style =
          std::isfinite(number)
              ? QStringLiteral("color:%1").arg(palette_.text.name())
              : QStringLiteral("color:%1;background-color:%2").arg(palette_.error.name(), palette_.errorFill.name());
      html += QStringLiteral("<td align='right' style='%1%2'>%3</td>")
                  .arg(style, marked ? QStringLiteral(";font-weight:600") : QString(), shortNumber(number, 4));
    }
    html += QStringLiteral("</tr>");
  }
  numbers_->setHtml(html + QStringLiteral("</table>"));
}

void ValuePictures::follow(const QString& link) {
  ElementQuery query;
  query.forward = link == QLatin1String("next");
  study_->find(query);
}

QString ValuePictures::dump() const {
  const Window window = this->window();
  const TensorPage& page = *study_->page();
  if (window.rows == 0) return {};
  QString text = QStringLiteral("Values at %1\n").arg(indexText(study_->current()));
  for (int r = window.row; r < window.row + window.rows; ++r) {
    QStringList cells{grouped(page.firstRow() + r)};
    for (int c = window.column; c < window.column + window.columns; ++c) cells += shortNumber(page.value(r, c), 4);
    text += QStringLiteral("  ") + cells.join(QLatin1Char(' ')) + QLatin1Char('\n');
  }
  if (const QString bars = histogram_->text(); !bars.isEmpty())
    text += QStringLiteral("Histogram\n  ") + QString(bars).replace(QLatin1String("\n"), QLatin1String("\n  ")) +
            QLatin1Char('\n');
  return text;
}

}  // namespace rx::views
