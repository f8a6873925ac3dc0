#include "views/panels/kernel/kernel_panel.h"

#include <QEvent>
#include <QVBoxLayout>

#include "views/models/selection.h"
#include "views/text/banner_view.h"
#include "views/text/text_view.h"

namespace rx::views {

KernelPanel::KernelPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), page_(new BannerView(this)), view_(page_->text()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  setFocusProxy(page_);
  page_->setTheme(Palette::forQt(palette()));
  connect(view_, &TextView::contextMenuAt, this, &Panel::menuWanted);
  const auto soon = [this] { want(); };
  connect(context.document, &Document::opened, this, soon);
  connect(context.document, &Document::stageReady, this, soon);
  connect(context.selection, &Selection::changed, this, soon);
  follow();
}

void KernelPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) page_->setTheme(Palette::forQt(palette()));
}

void KernelPanel::catchUp(unsigned) { follow(); }

const FunctionRow* KernelPanel::called(const StageIndex& stage) const {
  const Place& place = context_.selection->place();
  const FunctionRow* function = stage.function(place.function);
  if (!function) return nullptr;
  if (!function->binds()) return function;
  const BindingRow* binding = function->binding(place.binding);
  for (size_t i = 0; binding && i < binding->operands.size(); ++i) {
    const OperandRow& operand = binding->operands[i];
    const FunctionRow* callee = operand.kind == OperandRow::Kind::Global ? stage.function(operand.name) : nullptr;
    if (callee) return callee;
  }
  return nullptr;
}

void KernelPanel::follow() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? called(*stage) : nullptr;
  QByteArray text;
  for (int line = function ? function->firstLine : 1; function && line <= function->lastLine; ++line)
    text += stage->line(line) + '\n';
  view_->setPlaceholder(tr("What the selected binding calls stands here: a kernel, or another function."));
  if (text != text_ || view_->buffer()->size() == 0) {
    text_ = text;
    view_->setBuffer(text.isEmpty() ? nullptr : TextBuffer::from(text.toStdString()));
  }
  Q_EMIT titleChanged(function ? tr("Kernel · %1").arg(function->name) : tr("Kernel"));
}

QStringList KernelPanel::menuCommands() const {
  return {"search.calls", "view.panel ir|Show in IR", "-", "edit.copySelection"};
}

QString KernelPanel::dump() const { return QString::fromUtf8(text_); }

bool KernelPanel::showFind() {
  view_->openFind();
  return true;
}

bool KernelPanel::findNext(bool forward) {
  view_->findNext(forward ? 1 : -1);
  return view_->search() && view_->currentMatch() >= 0;
}

int KernelPanel::find(const QString& text) { return view_->findAll(text); }

bool KernelPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("copy")) return view_->copySelection(), true;
  if (name != QLatin1String("wrap") || arguments.size() != 1) return false;
  view_->setWrapped(arguments[0] == QLatin1String("on"));
  return true;
}

}  // namespace rx::views
