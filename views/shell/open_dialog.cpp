// "Open": files and folders in one list, since a module is either: a text, a folder with module.py, or a folder of
// dumped stages; and recorded runs. Places at the left (samples, home, what was opened last), what the selected thing
// is at the right.
#include <QAbstractFileIconProvider>
#include <QCompleter>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QFileSystemModel>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QListWidgetItem>
#include <QLocale>
#include <QPushButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "core/support/text_names.h"
#include "views/models/numbers.h"
#include "views/models/samples.h"
#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/style.h"
#include "views/theme/icons.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

constexpr int kMostListed = 2000;  // entries of a folder that are looked at to say what it is
// Columns of QFileSystemModel.
constexpr int kName = 0, kSize = 1, kType = 2, kDate = 3;

/// What Open does with a path.
struct Kind {
  QString text;        // in words, for the side of the dialog
  bool opens = false;  // false for a folder that one only goes into
};

Kind kindOf(const QString& path) {
  const QFileInfo file(path);
  if (!file.exists()) return {QStringLiteral("There is no such file or folder."), false};
  if (!file.isDir() && isRecording(path)) {
    const bool beside = QFileInfo::exists(file.dir().filePath(file.completeBaseName() + ".py"));
    return {QStringLiteral("Recorded run, %1\n\nOpens at its end, over %2; nothing runs.")
                .arg(bytesText(file.size()),
                     beside ? QStringLiteral("the module beside it") : QStringLiteral("the open module")),
            true};
  }
  if (!file.isDir() && !tracedFolder(path).isEmpty())
    return {QStringLiteral("List of a traced run\n\nOpens as the values of its folder."), true};
  if (!file.isDir()) {
    return {
        QStringLiteral("File, %1\n\nOpens as a module: TVMScript or the JSON of a module.").arg(bytesText(file.size())),
        true};
  }
  if (!tracedFolder(path).isEmpty())
    return {QStringLiteral("Folder with trace.json\n\nOpens as the list of the values of a traced run."), true};
  const QDir folder(path);
  QStringList beside;
  for (const char* stem : {"params", "inputs", "expected"}) {
    const QString found = fileBeside(folder.path(), QLatin1String(stem));
    if (!found.isEmpty()) beside << QFileInfo(found).fileName();
  }
  const QString also = beside.isEmpty() ? QString() : QStringLiteral("\n\nBeside it: %1.").arg(beside.join(", "));
  if (const auto module = moduleIn(path.toStdString()))
    return {QStringLiteral("Folder with %1\n\nOpens as that module.").arg(QFileInfo(qtText(*module)).fileName()) + also,
            true};
  const qsizetype texts = folder.entryList({"*.py"}, QDir::Files).mid(0, kMostListed).size();
  if (texts > 1)
    return {QStringLiteral("Folder with %1 texts\n\nOpens as a history: one stage a file, in the order of their names.")
                .arg(texts),
            true};
  return {QStringLiteral("Folder\n\nEnter or the right arrow goes in."), false};
}

/// The window's own icons, made once: the model asks for them from a thread of its own.
class FileIcons : public QAbstractFileIconProvider {
 public:
  QIcon icon(IconType type) const override { return type == Folder || type == Drive ? folder_ : file_; }
  QIcon icon(const QFileInfo& info) const override { return info.isDir() ? folder_ : file_; }

 private:
  QIcon folder_ = rx::views::icon("folder");
  QIcon file_ = rx::views::icon("file");
};

class OpenDialog : public QDialog {
 public:
  OpenDialog(Desk& desk, Commands* commands, QWidget* parent)
      : QDialog(parent),
        desk_(desk),
        commands_(commands),
        path_(new QLineEdit(this)),
        places_(new QListWidget(this)),
        model_(new QFileSystemModel(this)),
        list_(new QTreeView(this)),
        about_(new QLabel(this)) {
    setWindowTitle("Open");
    auto* column = new QVBoxLayout(this);
    column->addWidget(path_);
    auto* middle = new QHBoxLayout;
    middle->addWidget(places_, 1);
    middle->addWidget(list_, 3);
    middle->addWidget(about_, 1);
    column->addLayout(middle, 1);
    makeList();
    makePlaces();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    open_ = buttons->addButton("Open", QDialogButtonBox::AcceptRole);
    markPrimary(open_);
    for (QAbstractButton* button : buttons->buttons()) static_cast<QPushButton*>(button)->setAutoDefault(false);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] { openPath(chosen()); });
    path_->installEventFilter(this);
    // While names are offered below it, the field gets its keys past the filter.
    connect(path_, &QLineEdit::returnPressed, this, [this] { enter(typed()); });
    path_->setAccessibleName("Path");
    path_->setPlaceholderText("a file or folder; Tab completes, Enter opens or goes in");
    auto* completer = new QCompleter(model_, path_);
    path_->setCompleter(completer);
    about_->setWordWrap(true);
    about_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    about_->setMinimumWidth(fontMetrics().averageCharWidth() * 26);
    const QString folder =
        desk.document.folder().isEmpty() ? samplesFolder() : QFileInfo(desk.document.folder()).path();
    goTo(folder.isEmpty() ? QDir::homePath() : folder);
    resize(std::min(parent->width() - 40, fontMetrics().averageCharWidth() * 130),
           std::min(parent->height() - 60, fontMetrics().height() * 32));
    list_->setFocus();
  }
  // The model's thread asks for icons as long as it lives.
  ~OpenDialog() override { delete model_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == list_ && (event->type() == QEvent::Resize || event->type() == QEvent::FontChange)) shareColumns();
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == path_) {
      // Taken here: what reaches the dialog presses its button, which opens what is selected in the list.
      const bool isEnter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
      if (isEnter) enter(typed());
      return isEnter;
    }
    if (watched != list_) return false;
    // A path that is begun in the list is written into its field.
    if (key->text() == "/" || key->text() == "~") {
      path_->setFocus();
      path_->setText(key->text());
      return true;
    }
    const QString path = model_->filePath(list_->currentIndex());
    switch (key->key()) {
      case Qt::Key_Return:
      case Qt::Key_Enter:
        return enter(path), true;
      case Qt::Key_Right:
        if (QFileInfo(path).isDir()) goTo(path);
        return true;
      case Qt::Key_Left:
      case Qt::Key_Backspace:
        return goUp(), true;
      default:
        return false;
    }
  }

 private:
  void makeList() {
    model_->setIconProvider(&icons_);
    model_->setFilter(QDir::AllDirs | QDir::Files | QDir::NoDotAndDotDot);
    QStringList endings{"*.json", "*.txt", "*.tvmscript", "*.rxtrace"};
    for (const std::string_view ending : kTextEndings) endings << '*' + qtText(ending);
    model_->setNameFilters(endings);
    model_->setNameFilterDisables(false);
    list_->setModel(model_);
    list_->setRootIsDecorated(false);
    list_->setItemsExpandable(false);
    list_->setUniformRowHeights(true);
    list_->setSortingEnabled(true);
    list_->sortByColumn(0, Qt::AscendingOrder);
    list_->setAccessibleName("Files and folders");
    list_->setColumnHidden(kType, true);
    list_->header()->setStretchLastSection(false);
    list_->header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    list_->header()->setSectionResizeMode(kName, QHeaderView::Stretch);
    for (const int column : {kSize, kDate}) list_->header()->setSectionResizeMode(column, QHeaderView::Fixed);
    list_->installEventFilter(this);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { describe(); });
    connect(list_, &QTreeView::doubleClicked, this,
            [this](const QModelIndex& index) { enter(model_->filePath(index)); });
    // Folders are read by a thread of the model, and sorted later still: the row that is first then is chosen, unless
    // another one was chosen meanwhile.
    connect(model_, &QFileSystemModel::directoryLoaded, this, [this](const QString& path) {
      if (path == root_ && list_->currentIndex().parent() != list_->rootIndex()) chooseFirst();
    });
    connect(model_, &QFileSystemModel::layoutChanged, this, [this] {
      if (first_.isValid() && list_->currentIndex() == first_) chooseFirst();
    });
  }

  /// Names come first: where there is no room beside a name of usual length the date gives way, then the size.
  void shareColumns() {
    constexpr int kNameLetters = 28;
    const int letter = list_->fontMetrics().averageCharWidth();
    const QLocale locale = list_->locale();
    const QDateTime longest(QDate(2000, 12, 28), QTime(22, 58));
    const int size = letter * 12;
    const int date =
        list_->fontMetrics().horizontalAdvance(locale.toString(longest, QLocale::ShortFormat)) + letter * 4;
    const int left = list_->width() - letter * kNameLetters;
    list_->setColumnHidden(kSize, left < size);
    list_->setColumnHidden(kDate, left < size + date);
    list_->setColumnWidth(kSize, size);
    list_->setColumnWidth(kDate, date);
  }

  /// The folder that one came from, or the first row.
  void chooseFirst() {
    const QModelIndex child = came_.isEmpty() ? QModelIndex() : model_->index(came_);
    const bool back = child.isValid() && child.parent() == list_->rootIndex();
    list_->setCurrentIndex(back ? child : model_->index(0, 0, list_->rootIndex()));
    first_ = list_->currentIndex();
  }

  void addPlace(const QString& title, const QString& path, bool opens) {
    auto* item = new QListWidgetItem(title, places_);
    item->setToolTip(path);
    item->setData(Qt::UserRole, path);
    item->setData(Qt::UserRole + 1, opens);
  }

  void makePlaces() {
    places_->setAccessibleName("Places");
    places_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // long names end in dots; the tip has the path
    places_->setMinimumWidth(fontMetrics().averageCharWidth() * 22);
    if (const QString samples = samplesFolder(); !samples.isEmpty()) addPlace("Samples", samples, false);
    addPlace("Home", QDir::homePath(), false);
    if (!desk_.document.folder().isEmpty()) addPlace("Folder of the open module", desk_.document.folder(), false);
    for (const QString& file : desk_.settings.recentFiles()) addPlace(placeTitle(file), file, true);
    connect(places_, &QListWidget::itemClicked, this, &OpenDialog::showPlace);
    connect(places_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
      const QString path = item->data(Qt::UserRole).toString();
      item->data(Qt::UserRole + 1).toBool() ? openPath(path) : goTo(path);
    });
  }

  /// One click shows a place; a recent file is shown selected in its folder.
  void showPlace(const QListWidgetItem* item) {
    const QString path = item->data(Qt::UserRole).toString();
    if (!item->data(Qt::UserRole + 1).toBool()) return goTo(path);
    came_ = path;
    goTo(QFileInfo(path).path());
    list_->setCurrentIndex(model_->index(path));
  }

  void goTo(const QString& folder) {
    root_ = QDir(folder).absolutePath();
    list_->setRootIndex(model_->setRootPath(root_));
    path_->setText(root_);
    if (model_->rowCount(list_->rootIndex()) > 0) chooseFirst();
    list_->setFocus();
    describe();
  }

  void goUp() {
    came_ = root_;
    goTo(QFileInfo(root_).path());
    list_->setCurrentIndex(model_->index(came_));
  }

  QString typed() const {
    const QString text = path_->text().trimmed();
    const QString home = text.startsWith("~/") ? QDir::homePath() + text.mid(1) : text;
    return QDir(root_).absoluteFilePath(home);
  }
  QString chosen() const {
    const QModelIndex current = list_->currentIndex();
    return current.isValid() && current.parent() == list_->rootIndex() ? model_->filePath(current) : root_;
  }

  void describe() {
    const QString path = chosen();
    const Kind kind = kindOf(path);
    about_->setText(QFileInfo(path).fileName() + '\n' + kind.text);
    if (open_) open_->setEnabled(kind.opens);
  }

  /// Opens what is a module; goes into what is only a folder.
  void enter(const QString& path) {
    const Kind kind = kindOf(path);
    if (kind.opens) return openPath(path);
    if (QFileInfo(path).isDir()) return goTo(path);
    about_->setText(path + '\n' + kind.text);
  }

  void openPath(const QString& path) {
    if (commands_->run("file.open", {path})) close();
  }

  Desk& desk_;
  Commands* commands_;
  QLineEdit* path_;
  QListWidget* places_;
  FileIcons icons_;
  QFileSystemModel* model_;
  QTreeView* list_;
  QLabel* about_;
  QPushButton* open_ = nullptr;
  QString root_;
  QPersistentModelIndex first_;  // the row that was chosen without being asked for
  QString came_;                 // the folder that one came up from: it is chosen in the one above
};

}  // namespace

QDialog* makeOpenDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return new OpenDialog(desk, commands, parent);
}

}  // namespace rx::views
