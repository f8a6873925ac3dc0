#include "views/shell/file_list.h"

#include <QAbstractItemModel>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

namespace rx::views {

bool holdsArrays(const QString& path) {
  static const QStringList kEndings{QStringLiteral("npz"), QStringLiteral("npy"), QStringLiteral("safetensors")};
  return kEndings.contains(QFileInfo(path).suffix().toLower());
}

FileList::FileList(const QString& what, const QString& filter, int lines, QWidget* parent)
    : QWidget(parent), what_(what), filter_(filter), list_(new QListWidget(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  list_->setAccessibleName(what);
  setFocusProxy(list_);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  auto* buttons = lines > 2 ? static_cast<QBoxLayout*>(new QVBoxLayout) : new QHBoxLayout;
  auto* add = new QPushButton(tr("Add…"), this);
  auto* take = new QPushButton(tr("Remove"), this);
  for (QPushButton* button : {add, take}) {
    button->setAutoDefault(false);
    buttons->addWidget(button);
  }
  list_->setFixedHeight(std::max(fontMetrics().height() * lines + 2 * list_->frameWidth(), add->sizeHint().height()));
  row->addWidget(list_, 1);
  row->addLayout(buttons);
  const auto offer = [this, take] { take->setEnabled(list_->count() > 0); };
  connect(list_->model(), &QAbstractItemModel::rowsInserted, this, offer);
  connect(list_->model(), &QAbstractItemModel::rowsRemoved, this, offer);
  offer();
  connect(add, &QPushButton::clicked, this, &FileList::browse);
  connect(take, &QPushButton::clicked, this, &FileList::remove);
  connect(new QShortcut(Qt::Key_Insert, list_), &QShortcut::activated, this, &FileList::browse);
  connect(new QShortcut(QKeySequence::Delete, list_), &QShortcut::activated, this, &FileList::remove);
  list_->setToolTip(tr("Insert adds a file, Delete removes one"));
}

QStringList FileList::files() const {
  QStringList names;
  for (int i = 0; i < list_->count(); ++i) names << list_->item(i)->text();
  return names;
}

void FileList::add(const QStringList& files) { list_->addItems(files); }

void FileList::browse() {
  auto* files = new QFileDialog(this, what_, folder_, filter_);
  files->setFileMode(QFileDialog::ExistingFiles);
  files->setAttribute(Qt::WA_DeleteOnClose);
  connect(files, &QFileDialog::filesSelected, this, [this](const QStringList& chosen) {
    add(chosen);
    Q_EMIT changed();
  });
  connect(files, &QDialog::finished, this, [this] {
    QTimer::singleShot(0, this, [this] {
      window()->activateWindow();
      list_->setFocus();
    });
  });
  files->open();
}

void FileList::remove() {
  delete list_->takeItem(list_->currentRow());
  Q_EMIT changed();
}

}  // namespace rx::views
