#include "views/panels/inspector/inspector_panel.h"

#include <QEvent>
#include <QFontDatabase>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <QtMath>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/values/selected_value.h"
#include "views/panels/values/tensor_table.h"

namespace rx::views {
namespace {

QString pieceHtml(const InspectionPiece& piece, const Palette& theme) {
  const QColor* const kInks[] = {&theme.text, &theme.grey,  &theme.type,   &theme.text,
                                 &theme.good, &theme.error, &theme.warning};
  QString text = piece.text.toHtmlEscaped();
  if (piece.role == InkRole::Code || piece.role == InkRole::Number || piece.role == InkRole::Good)
    text = QStringLiteral("<span class='code'>%1</span>").arg(text);
  if (!piece.target.isEmpty())
    return QStringLiteral("<a href='%1'>%2</a>").arg(QString::fromLatin1(QUrl::toPercentEncoding(piece.target)), text);
  QString style = QStringLiteral("color:%1").arg(kInks[static_cast<size_t>(piece.role)]->name());
  if (piece.role == InkRole::Good) style += QStringLiteral(";background-color:%1").arg(theme.goodFill.name());
  if (piece.role == InkRole::Error) style += QStringLiteral(";font-weight:600");
  return QStringLiteral("<span style='%1'>%2</span>").arg(style, text);
}

QString rowHtml(const InspectionRow& row, const Palette& theme) {
  QStringList pieces;
  for (const InspectionPiece& piece : row.pieces) pieces += pieceHtml(piece, theme);
  const QString body = pieces.join(QStringLiteral(" &nbsp;"));
  if (row.label.isEmpty())
    return QStringLiteral("</table><div class='line'>%1</div><table cellspacing='0' cellpadding='1'>").arg(body);
  return QStringLiteral("<tr><td class='label' valign='top' style='color:%1'>%2</td><td valign='top'>%3</td></tr>")
      .arg(theme.grey.name(), row.label.toHtmlEscaped(), body);
}

QString inspectionHtml(const Inspection& inspection, const Palette& theme) {
  QString html = QStringLiteral("<body>");
  if (!inspection.name.isEmpty())
    html += QStringLiteral(
                "<p class='head'><b class='code'>%1</b> &nbsp;<span style='background-color:%2'>&nbsp;%3&nbsp;</span> "
                "&nbsp;<span style='color:%4'>%5</span></p>")
                .arg(inspection.name.toHtmlEscaped(), theme.hover.name(), inspection.kind.toHtmlEscaped(),
                     theme.grey.name(), inspection.where.toHtmlEscaped());
  for (const InspectionSection& section : inspection.sections) {
    if (!section.title.isEmpty())
      html += QStringLiteral("<p class='title'><b>%1</b></p>").arg(section.title.toHtmlEscaped());
    html += QStringLiteral("<table cellspacing='0' cellpadding='1'>");
    for (const InspectionRow& row : section.rows) html += rowHtml(row, theme);
    html += QStringLiteral("</table>");
  }
  return html + QStringLiteral("</body>");
}

}  // namespace

InspectorPanel::InspectorPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      splitter_(new QSplitter(Qt::Vertical, this)),
      browser_(new QTextBrowser(this)),
      table_(new TensorTable(context.debug, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter_);
  splitter_->addWidget(browser_);
  splitter_->addWidget(table_);
  splitter_->setStretchFactor(0, 0);
  splitter_->setStretchFactor(1, 1);
  splitter_->setHandleWidth(1);
  connect(splitter_, &QSplitter::splitterMoved, this, [this] { sized_ = true; });
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->setOpenLinks(false);
  browser_->setAccessibleName(tr("Inspector"));
  setFocusProxy(browser_);
  connect(browser_, &QTextBrowser::anchorClicked, this,
          [this](const QUrl& url) { follow(QUrl::fromPercentEncoding(url.toString(QUrl::FullyEncoded).toLatin1())); });
  connect(context.selection, &Selection::changed, this, &InspectorPanel::refresh);
  connect(context.document, &Document::opened, this, &InspectorPanel::refresh);
  connect(context.document, &Document::stateChanged, this, &InspectorPanel::refresh);
  connect(context.document, &Document::stageReady, this, &InspectorPanel::refresh);
  connect(context.debug, &DebugSession::stopChanged, this, &InspectorPanel::refresh);
  connect(context.debug, &DebugSession::stateChanged, this, &InspectorPanel::refresh);
  connect(table_->page(), &TensorPage::changed, this, [this] {
    if (!busy()) Q_EMIT settled();
  });
  table_->setStatisticsVisible(false);  // they stand above
  table_->setTheme(Palette::forQt(palette()));
  refresh();
}

void InspectorPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  table_->setTheme(Palette::forQt(palette()));
  render(shown_);
}

void InspectorPanel::refresh() {
  const int wanted = context_.selection->place().stage;
  // The stage is being made: what was shown stays until it is there.
  if (context_.document->lastStage() >= 0 && !context_.document->stage(wanted, false) && !shown_.name.isEmpty()) return;
  const SelectedValue selected = selectedValue(context_);
  table_->setValue(selected.value, selected.absent);
  table_->setVisible(selected.value.known && selected.value.isTensor);
  render(inspect(context_));
}

void InspectorPanel::render(const Inspection& inspection) {
  const bool same = inspection.name == shown_.name && inspection.where == shown_.where;
  shown_ = inspection;
  const Palette& theme = Palette::forQt(palette());
  const QString mono = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
  const int em = fontMetrics().height();
  browser_->document()->setDocumentMargin(em / 2.0);
  browser_->document()->setDefaultStyleSheet(
      QStringLiteral(
          ".code{font-family:'%1'} a{color:%2;text-decoration:none} .title{margin-top:%3px;margin-bottom:%4px}"
          " .head{margin-bottom:%4px} .line{margin-left:1px} .label{padding-right:%3px;white-space:nowrap}")
          .arg(mono, theme.link.name())
          .arg(em * 2 / 3)
          .arg(em / 5));
  const int scroll = browser_->verticalScrollBar()->value();
  browser_->setHtml(inspectionHtml(inspection, theme));
  if (same) browser_->verticalScrollBar()->setValue(scroll);
  shareHeight();
}

/// The text gets the height that it needs, the numbers the rest, but room for some rows of them is kept.
void InspectorPanel::shareHeight() {
  if (sized_ || table_->isHidden()) return;
  const int text = qCeil(browser_->document()->size().height()) + 2;
  const int least = std::min(splitter_->height() / 2, fontMetrics().height() * 10);
  const int given = std::min(text, splitter_->height() - least);
  splitter_->setSizes({given, splitter_->height() - given});
}

void InspectorPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  shareHeight();
}

bool InspectorPanel::follow(const QString& target) {
  const QStringList parts = target.split(QLatin1Char(':'));
  const QString& kind = parts[0];
  if (kind == QLatin1String("function") && parts.size() == 2) {
    context_.selection->selectFunction(parts[1]);
    return true;
  }
  const bool inStage = kind == QLatin1String("stage") && parts.size() == 5;
  if (!inStage && !(kind == QLatin1String("binding") && parts.size() == 3)) return false;
  Place place = context_.selection->place();
  if (inStage) place.stage = parts[1].toInt();
  place.function = parts[inStage ? 2 : 1];
  place.variable = parts[inStage ? 3 : 2];
  const int ordinal = inStage ? parts[4].toInt() : -1;
  const StageIndexPtr stage = context_.document->stage(place.stage);
  const BindingRow* binding = bindingOf(functionOf(stage.get(), place.function), ordinal, place.variable);
  place.binding = binding ? binding->ordinal : -1;
  context_.selection->select(place);
  return true;
}

bool InspectorPanel::command(const QString& name, const QStringList& arguments) {
  return name == QLatin1String("follow") && arguments.size() == 1 && follow(arguments[0]);
}

bool InspectorPanel::busy() const { return table_->page()->busy(); }

QString InspectorPanel::dump() const {
  QString text = inspectionText(shown_);
  if (!table_->isHidden()) text += QStringLiteral("Values\n") + table_->dump();
  return text;
}

}  // namespace rx::views
