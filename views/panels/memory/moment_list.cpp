#include "views/panels/memory/moment_list.h"

#include <QLabel>
#include <QVBoxLayout>

#include "views/models/numbers.h"
#include "views/models/row_model.h"
#include "views/panels/list_view.h"
#include "views/panels/memory/memory_plan_view.h"

namespace rx::views {
namespace {

struct MomentRow {
  int ordinal = -1;  // of the call that writes it
  QString name;
  OpKind kind = OpKind::Other;
  qint64 bytes = -1;
  double part = 0;  // of what is alive
  QString piece;
  QString until;
};

constexpr Column<MomentRow> kColumns[] = {
    {"buffer", [](const MomentRow& row) { return row.name; }, false, true, nullptr, nullptr, nullptr, nullptr,
     [](const MomentRow& row) { return row.kind; }},
    {"bytes", [](const MomentRow& row) { return row.bytes < 0 ? QStringLiteral("?") : bytesText(row.bytes); }, true,
     false, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, [](const MomentRow& row) { return row.part; }},
    {"in", [](const MomentRow& row) { return row.piece; }, false, true,
     [](const MomentRow&) { return CellTone::Grey; }},
    {"until", [](const MomentRow& row) { return row.until; }, false, true,
     [](const MomentRow&) { return CellTone::Grey; }},
};

}  // namespace

class MomentModel : public RowModel<MomentRow> {
 public:
  explicit MomentModel(QObject* parent) : RowModel(kColumns, parent) {}
};

MomentList::MomentList(QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), model_(new MomentModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  title_->setMargin(fontMetrics().averageCharWidth() / 2);
  title_->setMinimumWidth(1);
  title_->setWordWrap(true);
  layout->addWidget(title_);
  layout->addWidget(view_, 1);
  view_->setModel(model_);
  view_->setStretchColumn(0);
  view_->setLessImportant(model_->columnCount() - 1);
  view_->setAccessibleName(tr("Buffers that are alive"));
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    if (const MomentRow* row = model_->row(index)) Q_EMIT picked(row->ordinal);
  });
}

void MomentList::showMoment(const MemoryPlanView& picture, int moment) {
  const MemoryPlan& plan = picture.plan();
  moment_ = moment;
  std::vector<MomentRow> rows;
  qint64 all = 0;
  for (const int index : aliveAt(plan, moment)) {
    const PlannedBuffer& buffer = plan.buffers[static_cast<size_t>(index)];
    all = buffer.bytes < 0 || all < 0 ? -1 : all + buffer.bytes;
    rows.push_back({buffer.ordinal, buffer.name, buffer.kind, buffer.bytes, 0,
                    shortStorage(plan.pieces[static_cast<size_t>(buffer.piece)].name), picture.nameOf(buffer.last)});
  }
  for (MomentRow& row : rows)
    if (all > 0) row.part = static_cast<double>(row.bytes) / static_cast<double>(all);
  const auto count = static_cast<qint64>(rows.size());
  const QString when = moment == plan.peak ? tr("the peak, %1").arg(picture.nameOf(moment)) : picture.nameOf(moment);
  QString title =
      count == 1 ? tr("Alive at %1: 1 buffer").arg(when) : tr("Alive at %1: %2 buffers").arg(when, grouped(count));
  if (all >= 0) title += QStringLiteral(", ") + bytesText(all);
  title_->setText(title);
  title_->setToolTip(title);
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(std::move(rows));
  view_->fitColumns();
}

QString MomentList::text() const { return title_->text() + '\n' + modelText(*model_); }

}  // namespace rx::views
