// A folder for files of one window: recordings of its runs, what it hands to the engine or a tool, what those leave.
#pragma once

#include <QString>

#include "core/support/temporary_folder.h"

namespace rx::views {

/// Goes with its object; that of a window that was killed goes when the next one is made.
class ScratchFolder {
 public:
  ScratchFolder() : folder_(TemporaryFolder::make("relaxscope")) {}
  /// Empty where no folder could be made.
  QString path() const { return folder_ ? QString::fromStdString(folder_->path()) : QString(); }
  QString filePath(const QString& name) const { return folder_ ? path() + '/' + name : QString(); }

 private:
  Result<TemporaryFolder> folder_;
};

}  // namespace rx::views
