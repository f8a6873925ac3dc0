#include "views/panels/module/module_panel.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/known_sizes.h"
#include "views/models/row_model.h"
#include "views/models/selection.h"
#include "views/models/stage_trouble.h"
#include "views/models/value_text.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/kind_mark.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kStage = 1, kPlace = 2, kRun = 4, kErrors = 8 };

/// The mark of a binding's kind, its name, a chip; the grey detail follows the name of a binding and stands at the
/// right of functions and blocks. What a run says of a binding stands there too: what is not finite, and an arrow for
/// what runs next; and a mark where something is wrong in the row or below it.
class TreeDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QString name = cell.text;
    cell.text.clear();
    cell.widget->style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const Palette& theme = Palette::forQt(option.palette);
    const QVariant kind = index.data(ModuleTreeModel::kMarkRole);
    const bool binding = kind.isValid();
    QFont font = binding ? fixedFont(option.font) : option.font;
    font.setBold(index.data(ModuleTreeModel::kBindingRole).toInt() < 0 && !index.parent().isValid());
    const QFontMetrics metrics(font);
    const int space = option.fontMetrics.averageCharWidth();
    QRect rect = option.rect.adjusted(space / 2, 0, -space, 0);
    painter->save();
    if (binding) {
      const int side = std::max(7, option.fontMetrics.ascent() * 2 / 3);
      drawKindMark(*painter, static_cast<OpKind>(kind.toInt()), theme,
                   QRectF(rect.left(), rect.center().y() - side / 2.0 + 1, side, side));
      rect.setLeft(rect.left() + side + space);
    }
    painter->setFont(font);
    painter->setPen(theme.text);
    painter->drawText(rect, Qt::AlignVCenter | Qt::TextSingleLine,
                      metrics.elidedText(name, Qt::ElideRight, rect.width()));
    rect.setLeft(rect.left() + metrics.horizontalAdvance(name) + space);
    rect.setRight(binding ? paintRun(painter, option, index, rect) : paintError(painter, option, index, rect));
    paintRest(painter, option, index, rect, binding);
    painter->restore();
  }

 private:
  /// The mark of what is wrong; where what is left of the row ends.
  static int paintError(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                        const QRect& rect) {
    if (index.data(ModuleTreeModel::kErrorRole).toString().isEmpty()) return rect.right();
    const int side = option.fontMetrics.height();
    icon("warning", Palette::forQt(option.palette).error)
        .paint(painter, QRect(rect.right() - side, rect.center().y() - side / 2, side, side));
    return rect.right() - side - option.fontMetrics.averageCharWidth();
  }
  /// The same of what a run says.
  static int paintRun(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                      const QRect& rect) {
    const Palette& theme = Palette::forQt(option.palette);
    const int space = option.fontMetrics.averageCharWidth();
    int right = rect.right();
    if (index.data(ModuleTreeModel::kNextRole).toBool()) {
      const int side = option.fontMetrics.height();
      icon("arrow", theme.warning).paint(painter, QRect(right - side, rect.center().y() - side / 2, side, side));
      right -= side + space;
    }
    const QString bad = index.data(ModuleTreeModel::kBadRole).toString();
    if (bad.isEmpty()) return paintError(painter, option, index, QRect(rect.topLeft(), QPoint(right, rect.bottom())));
    QFont font = option.font;
    font.setBold(true);
    painter->setFont(font);
    painter->setPen(theme.error);
    const int width = QFontMetrics(font).horizontalAdvance(bad);
    painter->drawText(QRect(right - width, rect.top(), width + 1, rect.height()), Qt::AlignVCenter, bad);
    return right - width - space;
  }

  static void paintRest(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index, QRect rect,
                        bool binding) {
    const Palette& theme = Palette::forQt(option.palette);
    const QFontMetrics metrics(option.font);
    const int space = metrics.averageCharWidth();
    painter->setFont(option.font);
    const QString detail = index.data(ModuleTreeModel::kDetailRole).toString();
    QString chip = index.data(ModuleTreeModel::kChipRole).toString();
    // A count at the right stays whole, and of parameters so many letters; what is long gives way as far as it still
    // says something.
    constexpr int kLeastLetters = 8, kDetailLetters = 6;
    const int beside = binding ? 0 : std::min(metrics.horizontalAdvance(detail), kDetailLetters * space);
    const int room = rect.width() - beside - 4 * space;
    if (room >= kLeastLetters * space) chip = metrics.elidedText(chip, Qt::ElideRight, room);
    const QRect box(rect.left(), rect.center().y() - metrics.height() / 2 + 1,
                    metrics.horizontalAdvance(chip) + 2 * space, metrics.height());
    if (!chip.isEmpty() && box.right() < rect.right()) {
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.hover);
      painter->drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0);
      painter->setPen(theme.text);
      painter->drawText(box, Qt::AlignCenter, chip);
      rect.setLeft(box.right() + space);
    }
    painter->setPen(theme.grey);
    // Of "20 bindings" the number says enough where there is no room for the word.
    const bool fits = metrics.horizontalAdvance(detail) <= rect.width();
    const bool counts = !detail.isEmpty() && detail.front().isDigit();
    const QString shown = binding || fits || !counts ? detail : detail.section(QLatin1Char(' '), 0, 0);
    if (rect.width() > 3 * space)
      painter->drawText(rect, Qt::AlignVCenter | (binding ? Qt::AlignLeft : Qt::AlignRight),
                        metrics.elidedText(shown, Qt::ElideRight, rect.width()));
  }
};

}  // namespace

ModulePanel::ModulePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new ModuleTreeModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setItemDelegate(new TreeDelegate(view_));
  view_->setTree();
  view_->setStretchColumn(0);
  view_->setAccessibleName(tr("Module"));
  connect(view_, &ListView::chosen, this, [this] { context_.commands->run(QStringLiteral("view.panel"), {"ir"}); });
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, &ModulePanel::choose);
  connect(context.document, &Document::stageReady, this, [this] { want(kStage); });
  connect(context.document, &Document::stateChanged, this, [this] { want(kStage); });
  connect(context.document, &Document::opened, this, [this] { want(kStage); });
  connect(context.document, &Document::problemsChanged, this, [this] { want(kErrors); });
  connect(context.selection, &Selection::changed, this,
          [this](const Place& place, const Place& old) { want(place.stage != old.stage ? kStage | kPlace : kPlace); });
  watchRun(context.debug, this, [this] { want(kRun); });
  if (context.sizes) connect(context.sizes, &KnownSizes::changed, this, [this] { want(kRun); });
  refresh();
}

void ModulePanel::catchUp(unsigned parts) {
  if (parts & kStage) refresh();
  if (parts & (kStage | kRun)) showRun();
  if (parts & (kStage | kErrors)) showErrors();
  if (parts & kPlace) follow();
}

QHash<QString, QString> ModulePanel::changesOf(int stage) const {
  QHash<QString, QString> changes;
  const std::vector<StepRow>& steps = context_.document->steps();
  if (stage < 1 || stage >= static_cast<int>(steps.size())) return changes;
  for (const StepRow::Changed& change : steps[static_cast<size_t>(stage)].changed) {
    const QString size = change.netBindings > 0   ? QStringLiteral("+%1").arg(change.netBindings)
                         : change.netBindings < 0 ? QString::number(change.netBindings)
                                                  : tr("changed");
    changes.insert(change.function, change.added ? tr("new") : size);
  }
  return changes;
}

void ModulePanel::refresh() {
  const bool open = context_.document->state() == Document::State::Ready;
  StageIndexPtr index = open ? context_.document->stage(context_.selection->place().stage) : nullptr;
  if (open && !index) return;  // the old rows stay until the new ones are there
  const QString trouble = open ? stageTrouble(*context_.document, context_.selection->place().stage) : QString();
  view_->setEmptyText(!trouble.isEmpty() ? trouble
                      : context_.document->state() == Document::State::Failed
                          ? tr("The file does not open, so there are no functions. The Problems panel says why.")
                          : tr("The functions of an open module stand here."));
  if (index == model_->stageIndex()) return;
  model_->setChanges(changesOf(context_.selection->place().stage));
  model_->setIndex(std::move(index));
  for (int row = 0; row < model_->rowCount(); ++row) {
    const QModelIndex function = model_->index(row, 0);
    if (function.data(ModuleTreeModel::kFunctionRole).toString() == context_.selection->place().function)
      view_->expand(function);
  }
  follow();
}

void ModulePanel::showRun() {
  if (context_.sizes)
    model_->setSizes([sizes = context_.sizes](const FunctionRow& function) { return sizes->of(function); });
  const DebugSession* debug = context_.debug;
  const StageIndexPtr& stage = model_->stageIndex();
  if (!stage || !debug->hasTrace() || debug->config().stage != stage->stage) return model_->setRun({});
  const auto bad = [debug, past = !debug->pastOf().isEmpty()](const QString& function, int binding) {
    const bool wrong = !past && debug->valueState(function, binding) == ValueState::Bad;
    return wrong ? badText(debug->valueOf(function, binding)) : QString();
  };
  model_->setRun({bad, debug->stop().nextFunction, debug->stop().nextBinding});
}

void ModulePanel::showErrors() {
  const StageIndexPtr& stage = model_->stageIndex();
  ModuleTreeModel::Errors errors;
  for (const ProblemRow& problem : context_.document->problems()) {
    const bool refused = !problem.file.isEmpty() && problem.file == context_.document->refusedFile();
    if (!stage || problem.severity != Severity::Error || problem.stage != stage->stage || refused) continue;
    const ProblemPlace place = problemPlace(problem, stage.get());
    if (!place.function.isEmpty() && !errors[place.function].contains(place.variable))
      errors[place.function][place.variable] = problem.message;
  }
  model_->setErrors(std::move(errors));
}

void ModulePanel::follow() {
  const Place& place = context_.selection->place();
  const QModelIndex index = model_->find(place.function, place.binding);
  if (!index.isValid() || index == view_->currentIndex()) return;
  // The name of a block stands for its first binding: whoever chose it stays on it.
  const QModelIndex current = view_->currentIndex();
  if (index.parent() == current && ModuleTreeModel::isOutline(current) && index.row() == 0) return;
  view_->setCurrentIndex(index);
  if (!index.parent().isValid()) unfold(index);
  view_->scrollTo(index);
}

/// As many levels as are read at once.
void ModulePanel::unfold(const QModelIndex& function) {
  constexpr int kFew = 100;
  view_->expand(function);
  int rows = 0;
  bool outlined = false;
  for (int b = 0; b < model_->rowCount(function); ++b) {
    const QModelIndex block = model_->index(b, 0, function);
    rows += model_->rowCount(block);
    for (int i = 0; i < model_->rowCount(block) && !outlined; ++i)
      outlined = ModuleTreeModel::isOutline(model_->index(i, 0, block));
  }
  if (rows > kFew) return;
  // Blocks with names stay folded: they are what one looks for first.
  view_->expandRecursively(function, outlined ? 1 : -1);
}

void ModulePanel::choose(const QModelIndex& index) {
  if (!index.isValid()) return;
  const QString function = index.data(ModuleTreeModel::kFunctionRole).toString();
  const int binding = index.data(ModuleTreeModel::kBindingRole).toInt();
  if (binding >= 0) {
    context_.selection->selectBinding(function, binding, index.data(ModuleTreeModel::kVariableRole).toString());
  } else {
    context_.selection->selectFunction(function);
  }
}

QStringList ModulePanel::menuCommands() const {
  return bindingMenu("module") +
         QStringList{"view.panel inspector|Show in Inspector", "-", "pass.apply", "pass.applyTo"};
}

QString ModulePanel::dump() const {
  return modelText(*model_, [](const QModelIndex& row) {
    const QString next = row.data(ModuleTreeModel::kNextRole).toBool() ? tr("next") : QString();
    const QString wrong = row.data(ModuleTreeModel::kErrorRole).toString();
    const QString error = wrong.isEmpty() ? QString() : tr("error: %1").arg(wrong);
    return QStringList{row.data(ModuleTreeModel::kBadRole).toString(), next, error};
  });
}

}  // namespace rx::views
