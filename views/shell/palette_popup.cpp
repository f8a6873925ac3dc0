#include "views/shell/palette_popup.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "views/models/numbers.h"
#include "views/panels/panel.h"
#include "views/panels/results/search_chips.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kMostEntries = 200;
constexpr int kVisibleRows = 12;

/// Title, grey detail, key at the right, kind at the far right.
class EntryDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {100, option.fontMetrics.height() * 3 / 2};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Palette& theme = Palette::forQt(option.palette);
    const bool selected = option.state & QStyle::State_Selected;
    painter->save();
    painter->fillRect(option.rect, selected ? theme.selection : theme.raised);
    const QFontMetrics& metrics = option.fontMetrics;
    QRect rect = option.rect.adjusted(8, 0, -8, 0);
    const bool enabled = index.data(PaletteModel::kEnabledRole).toBool();
    const QColor grey = selected ? theme.selectionText : theme.grey;
    const QString right = index.data(PaletteModel::kKeyRole).toString();
    const QString kind = index.data(PaletteModel::kKindRole).toString();
    painter->setPen(grey);
    const int kindWidth = metrics.horizontalAdvance("command") + 8;
    painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, kind);
    rect.setRight(rect.right() - kindWidth);
    if (!right.isEmpty()) {
      painter->setPen(selected ? theme.selectionText : theme.text);
      painter->drawText(rect, Qt::AlignRight | Qt::AlignVCenter, right);
      rect.setRight(rect.right() - metrics.horizontalAdvance(right) - 12);
    }
    const QString title = index.data().toString();
    painter->setPen(!enabled ? grey : selected ? theme.selectionText : theme.text);
    painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(title, Qt::ElideRight, rect.width()));
    rect.setLeft(rect.left() + metrics.horizontalAdvance(title) + 14);
    painter->setPen(grey);
    QString detail = index.data(PaletteModel::kDetailRole).toString();
    if (!enabled) detail = QStringLiteral("not now · ") + detail;
    if (rect.width() > 40)
      painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                        metrics.elidedText(detail, Qt::ElideRight, rect.width()));
    painter->restore();
  }
};

/// Commands, passes and lines are no part of a stage.
bool searchesStages(const QString& typed) {
  const SearchFilter& filter = filterOf(typed);
  return filter.kinds != 0 || !*filter.prefix;
}

}  // namespace

void PaletteModel::setEntries(std::vector<PaletteEntry> entries) {
  beginResetModel();
  entries_ = std::move(entries);
  endResetModel();
}

const PaletteEntry* PaletteModel::entry(const QModelIndex& index) const {
  return index.isValid() && index.row() < static_cast<int>(entries_.size())
             ? &entries_[static_cast<size_t>(index.row())]
             : nullptr;
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
  const PaletteEntry* found = entry(index);
  if (!found) return {};
  switch (role) {
    case Qt::DisplayRole:
      return found->title;
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1, %2, %3").arg(found->title, found->kind, found->detail);
    case kDetailRole:
      return found->detail;
    case kKeyRole:
      return found->key;
    case kKindRole:
      return found->kind;
    case kEnabledRole:
      return found->enabled;
    default:
      return {};
  }
}

PalettePopup::PalettePopup(Desk& desk, Commands* commands, QWidget* window)
    : QFrame(window),
      desk_(desk),
      commands_(commands),
      edit_(new QLineEdit(this)),
      chips_(new SearchChips(edit_, false, this)),
      list_(new QListView(this)),
      says_(new QLabel(this)),
      model_(new PaletteModel(this)),
      job_(new SearchJob(&desk.document, this)) {
  setObjectName("palette");
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(6, 6, 6, 6);
  layout->addWidget(edit_);
  layout->addWidget(chips_);
  layout->addWidget(list_);
  layout->addWidget(says_);
  edit_->setPlaceholderText(tr("commands, names, operators, shapes (*, 4096), types, constants, text of all stages"));
  edit_->setAccessibleName(tr("Search everything"));
  says_->setForegroundRole(QPalette::PlaceholderText);
  list_->setModel(model_);
  list_->setItemDelegate(new EntryDelegate(list_));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setUniformItemSizes(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  edit_->installEventFilter(this);
  connect(edit_, &QLineEdit::textChanged, this, &PalettePopup::search);
  connect(job_, &SearchJob::found, this, [this](const std::vector<SearchHit>& hits) {
    hits_.add(hits);
    refill();
  });
  connect(job_, &SearchJob::finished, this, &PalettePopup::refill);
  connect(list_, &QListView::clicked, this, &PalettePopup::run);
  hide();
}

void PalettePopup::open(const QString& prefix) {
  all_ = paletteEntries(desk_);
  const QWidget* window = parentWidget();
  const QMargins edge = layout()->contentsMargins();
  const int chips = chips_->sizeHint().width() + edge.left() + edge.right() + 2 * frameWidth();
  const int width = std::min(window->width() - 40, std::max(chips, fontMetrics().averageCharWidth() * 110));
  const int height =
      std::min(window->height() - 100, fontMetrics().height() * 3 / 2 * kVisibleRows + edit_->sizeHint().height() + 24);
  setGeometry((window->width() - width) / 2, fontMetrics().height() * 3, width, height);
  if (QWidget* focus = QApplication::focusWidget(); focus && !isAncestorOf(focus)) focus_ = focus;
  show();
  {
    const QSignalBlocker once(edit_);
    edit_->setText(prefix);
  }
  search(prefix);
  raise();
  edit_->setFocus();
}

void PalettePopup::search(const QString& typed) {
  chips_->follow();
  hits_.clear();
  moved_ = false;
  ranked_ = rankedEntries(all_, typed, kMostEntries);
  job_->start(searchesStages(typed) ? readQuery(typed) : SearchQuery(), desk_.selection.place().stage);
  refill();
}

void PalettePopup::refill() {
  const QString typed = edit_->text();
  std::vector<PaletteEntry> entries = withHits(ranked_, hits_.rows(), typed, desk_.selection.place().stage);
  if (entries.empty()) {
    PaletteEntry none;
    none.title = job_->busy() ? tr("Searching the stages…") : tr("Nothing fits %1").arg(typed.trimmed());
    none.detail = job_->busy() ? QString() : tr("in commands, names, passes and the text of all stages; Esc closes");
    entries.push_back(std::move(none));
  }
  const int row = moved_ ? list_->currentIndex().row() : 0;
  model_->setEntries(std::move(entries));
  list_->setCurrentIndex(model_->index(std::min(row, model_->rowCount() - 1)));
  const qsizetype found = static_cast<qsizetype>(hits_.rows().size());
  const QString keys = tr("Enter goes there   Tab next kind   Esc closes");
  // Where nothing was looked for in the stages, nothing was not found there.
  const bool looked = job_->busy() || found > 0 || (!typed.trimmed().isEmpty() && searchesStages(typed));
  says_->setText(looked ? tr("%1 in the stages%2   ·   %3")
                              .arg(found == 1 ? tr("1 result") : tr("%1 results").arg(grouped(found)),
                                   job_->busy() ? QStringLiteral(" …") : QString(), keys)
                        : keys);
}

void PalettePopup::leave() {
  if (focus_ && focus_->isVisible()) focus_->setFocus(Qt::OtherFocusReason);
  hide();
}

void PalettePopup::run(const QModelIndex& index) {
  const PaletteEntry* found = model_->entry(index);
  if (!found || found->command.isEmpty()) return;
  const PaletteEntry entry = *found;
  leave();  // what runs acts on the panel that had the focus
  commands_->run(entry.command, entry.arguments);
}

bool PalettePopup::eventFilter(QObject* watched, QEvent* event) {
  if (watched != edit_) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::FocusOut) {
    hide();
    return false;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  switch (key) {
    case Qt::Key_Escape:
      leave();
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      run(list_->currentIndex());
      return true;
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
      chips_->step(key == Qt::Key_Tab ? 1 : -1);
      return true;
    default:
      return moveBy(key);
  }
}

bool PalettePopup::moveBy(int key) {
  struct Way {
    int key;
    int by;
  };
  static constexpr Way kWays[] = {
      {Qt::Key_Down, 1}, {Qt::Key_Up, -1}, {Qt::Key_PageDown, kVisibleRows}, {Qt::Key_PageUp, -kVisibleRows}};
  for (const Way& way : kWays) {
    if (way.key != key) continue;
    moved_ = true;
    const int row = list_->currentIndex().row() + way.by;
    list_->setCurrentIndex(model_->index(std::clamp(row, 0, std::max(0, model_->rowCount() - 1))));
    return true;
  }
  return false;
}

void PalettePopup::hideEvent(QHideEvent* event) {
  job_->cancel();
  QFrame::hideEvent(event);
}

void PalettePopup::focusOutEvent(QFocusEvent* event) {
  hide();
  QFrame::focusOutEvent(event);
}

QString PalettePopup::dump() const {
  QStringList lines;
  for (int row = 0; row < model_->rowCount(); ++row) {
    const PaletteEntry* entry = model_->entry(model_->index(row));
    lines << QStringList{entry->kind, entry->title, entry->key, entry->detail}.join('\t');
  }
  return lines.join('\n');
}

}  // namespace rx::views
