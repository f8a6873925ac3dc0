#include "views/shell/file_news.h"

#include <QFileInfo>

namespace rx::views {
namespace {

const QStringList kReload = {QStringLiteral("file.reload")};

QString nameOf(const Document& document) {
  return QFileInfo(document.canRunPasses() ? document.sourceFile() : document.path()).fileName();
}

}  // namespace

bool readsByItself(const Desk& desk) {
  const Document& document = desk.document;
  const bool module = document.state() == Document::State::Failed || document.canRunPasses();
  return document.fileState() == Document::FileState::Changed && module && desk.debug.state() == RunState::Off &&
         document.fixesMade().isEmpty();
}

ToastContent fileNews(const Desk& desk) {
  const Document& document = desk.document;
  const QString name = nameOf(document);
  const bool folder = !document.canRunPasses();
  if (document.state() != Document::State::Ready || document.fileState() == Document::FileState::AsRead) return {};
  if (document.fileState() == Document::FileState::Gone)
    return {folder
                ? QObject::tr("%1 is gone from the disk, or has no file any more. What was read of it stays.").arg(name)
                : QObject::tr("%1 is gone from the disk. What was read of it stays.").arg(name),
            ToastTone::Warning,
            {},
            {}};
  if (!document.openError().isEmpty() && document.readUnasked())
    return {QObject::tr("%1 changed on disk and does not open: %2").arg(name, document.openError()),
            ToastTone::Warning,
            {},
            {"file.reload", "view.card"}};
  if (folder) return {QObject::tr("Files in %1 changed on disk.").arg(name), ToastTone::Info, {}, kReload};
  const QString held = !document.fixesMade().isEmpty()
                           ? QObject::tr("Fixes that are not written to it are lost when it is read again.")
                           : QObject::tr(
                                 "The run goes on with the text that it was started with; when the file is read "
                                 "again, its values stay, in grey.");
  return {QObject::tr("%1 changed on disk. %2").arg(name, held), ToastTone::Info, {}, kReload};
}

QString fileMark(const Desk& desk) {
  if (desk.document.state() != Document::State::Ready) return {};
  switch (desk.document.fileState()) {
    case Document::FileState::AsRead:
      return {};
    case Document::FileState::Changed:
      return desk.document.isStale() ? QObject::tr("changed on disk, does not open") : QObject::tr("changed on disk");
    case Document::FileState::Gone:
      return QObject::tr("gone from the disk");
  }
  return {};
}

}  // namespace rx::views
