#include "views/panels/path_dialog.h"

#include <utility>

namespace rx::views {

void askForPath(QWidget* parent, const QString& title, const QString& folder, QFileDialog::FileMode mode,
                const QString& filter, std::function<void(const QString& path)> chosen) {
  auto* dialog = new QFileDialog(parent, title, folder, filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(mode);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
  dialog->open();
}

}  // namespace rx::views
