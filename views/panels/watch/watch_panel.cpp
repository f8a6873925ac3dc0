#include "views/panels/watch/watch_panel.h"

#include <QEvent>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/models/stale_rows.h"
#include "views/models/watched_item.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"
#include "views/panels/watch/watch_model.h"
#include "views/panels/watch/watch_plot_view.h"
#include "views/theme/icons.h"

namespace rx::views {

WatchPanel::WatchPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      model_(new StaleRows<WatchModel>(this)),
      view_(new ListView(this)),
      line_(new ExpressionEdit(context, this)),
      plot_(new WatchPlotView(this)),
      edit_(new RowEdit(context, view_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view_, 1);
  layout->addWidget(line_);
  layout->addWidget(plot_);
  view_->setModel(model_);
  view_->setItemDelegate(new WatchDelegate(model_, view_));
  view_->setStretchColumn(0);
  view_->setEmptyText(tr("Expressions over the values of a run: weights, nan(scores), n * n. Add one below, or the "
                         "selected binding with %1.")
                          .arg(context.commands->label("watch.add")));
  view_->setAccessibleName(tr("Watches"));
  line_->setAccessibleName(tr("Add an expression"));
  line_->setPlaceholderText(tr("add an expression"));
  line_->setFrame(false);
  line_->addAction(icon("plus"), QLineEdit::LeadingPosition)->setText(tr("Add"));
  const int space = fontMetrics().averageCharWidth();
  line_->setTextMargins(space, space / 2, space, space / 2);
  setFocusProxy(view_);
  view_->installEventFilter(this);
  constexpr int kPatience = 120;  // milliseconds
  soon_.setInterval(kPatience);
  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, &WatchPanel::askPlot);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) { editRow(index.row()); });
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &WatchPanel::wantPlot);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    // An expression that is a name selects what it names.
    const StageIndexPtr stage = context_.document->stage(context_.selection->place().stage, false);
    const FunctionRow* function = stage ? stage->function(context_.selection->place().function) : nullptr;
    const QString name = index.siblingAtColumn(0).data().toString();
    if (function && function->bindingNamed(name)) context_.commands->run("select.binding", {name});
    // One that is an item of what has a name opens it.
    const std::optional<WatchedItem> item = watchedItem(name);
    const BindingRow* tuple = item && function ? function->bindingNamed(item->name) : nullptr;
    if (!tuple || context_.debug->valueOf(function->name, tuple->ordinal).items.empty()) return;
    context_.commands->run("select.binding", {tuple->name});
    QStringList numbers;
    for (const int64_t number : item->at) numbers << QString::number(number);
    context_.commands->run("values.item", numbers);
  });
  connect(edit_, &RowEdit::kept, this, [this](const QString& text) {
    text.isEmpty() ? context_.debug->removeWatch(edited_) : context_.debug->setWatch(edited_, text);
  });
  connect(line_, &QLineEdit::returnPressed, this, &WatchPanel::add);
  connect(line_, &QLineEdit::textEdited, this, [this] { line_->setFault({}, 0, 0); });
  connect(plot_, &WatchPlotView::stepWanted, this,
          [this](int step) { context_.commands->run("debug.goToStep", {QString::number(step)}); });
  connect(context.debug, &DebugSession::watchesChanged, this, &WatchPanel::refresh);
  watchRun(context.debug, this, [this] { wantPlot(); });
  refresh();
}

void WatchPanel::refresh() {
  const int row = view_->currentIndex().row();
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(!context_.debug->pastOf().isEmpty());
  model_->setRows(context_.debug->watches());
  const int count = model_->rowCount();
  if (count > 0) view_->setCurrentIndex(model_->index(std::clamp(row, 0, count - 1), 0));
  view_->fitColumns();
  Q_EMIT titleChanged(count > 0 ? tr("Watch %1").arg(count) : tr("Watch"));
  wantPlot();
}

void WatchPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  wantPlot();
}

bool WatchPanel::canPlot() const {
  const WatchRow* row = model_->row(view_->currentIndex());
  return row && row->known && context_.debug->hasTrace();
}

/// Only of the selected row, while the panel is to be seen, and not between stops that follow each other.
void WatchPanel::wantPlot() {
  plot_->setVisible(canPlot());
  plot_->setPast(!context_.debug->pastOf().isEmpty());
  plot_->setStep(context_.debug->stop().step);
  if (canPlot() && isVisible() && plotKey() != plotted_) return soon_.start();
  soon_.stop();
}

QString WatchPanel::plotKey() const {
  const WatchRow* row = model_->row(view_->currentIndex());
  return QStringLiteral("%1 %2 %3")
      .arg(context_.debug->config().stage)
      .arg(context_.debug->recorded())
      .arg(row ? row->expression : QString());
}

void WatchPanel::askPlot() {
  if (!canPlot() || asking_) return;
  const QString expression = model_->row(view_->currentIndex())->expression;
  asking_ = true;
  plotted_ = plotKey();
  context_.debug->fetchPlot(expression, this, [this, expression](const WatchPlot& plot) {
    asking_ = false;
    plot_->setPlot(expression, plot);
    wantPlot();
    if (!busy()) Q_EMIT settled();
  });
}

void WatchPanel::add() {
  const QString text = line_->text().trimmed();
  if (text.isEmpty()) return;
  const int id = context_.debug->addWatch(text);
  const std::vector<WatchRow>& rows = context_.debug->watches();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].id == id) view_->setCurrentIndex(model_->index(static_cast<int>(i), 0));
  }
  line_->clear();
}

bool WatchPanel::removeRow(int row) {
  if (row < 0 || row >= model_->rowCount()) return false;
  context_.debug->removeWatch(model_->rows()[static_cast<size_t>(row)].id);
  return true;
}

bool WatchPanel::editRow(int row) {
  if (row < 0 || row >= model_->rowCount()) return false;
  const WatchRow& watch = model_->rows()[static_cast<size_t>(row)];
  edited_ = watch.id;
  edit_->open(model_->index(row, 0), tr("Expression of the watch"), watch.expression, watch.error, watch.errorBegin,
              watch.errorEnd);
  return true;
}

bool WatchPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != view_ || event->type() != QEvent::KeyPress) return Panel::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Delete) return removeRow(view_->currentIndex().row());
  if (key == Qt::Key_F2) return editRow(view_->currentIndex().row());
  if (key == Qt::Key_Insert) return line_->setFocus(), true;
  return false;
}

bool WatchPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == "edit") return editRow(view_->currentIndex().row());
  if (name == "remove") return removeRow(view_->currentIndex().row());
  if (name != "add") return false;
  line_->setText(arguments.join(' '));
  add();
  return true;
}

QStringList WatchPanel::menuCommands() const {
  return QStringList{"watch.edit", "watch.remove", "watch.clear", "-"} + bindingMenu("watch");
}

QString WatchPanel::dump() const {
  QStringList lines{modelText(*model_)};
  if (plot_->isVisibleTo(this) && !plot_->text().isEmpty()) lines << "-- history" << plot_->text();
  return lines.join('\n');
}

}  // namespace rx::views
