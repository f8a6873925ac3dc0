// What a tab of the program stands on: a document that is read, run and debugged, and its window.
#pragma once

#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/session/log_file.h"
#include "views/shell/document_tabs.h"
#include "views/shell/main_window.h"

namespace rx::views {

/// A document of the real kind with its window.
class LiveWorkplace : public Workplace {
 public:
  /// `keepsLog`: what is logged goes to the usual file too.
  LiveWorkplace(Settings* settings, bool keepsLog) : window_(&document_, &selection_, &debug_, settings) {
    if (keepsLog) debug_.keepLog(LogFile::usualPath());
    QObject::connect(&document_, &LiveDocument::placeAsked, &window_,
                     [this](const Place& place) { window_.run("file.openLink", {linkOf(place, {})}); });
  }
  MainWindow& window() override { return window_; }
  QString path() const override { return document_.pathToCome(); }

 private:
  LiveDocument document_;
  Selection selection_;
  LiveDebug debug_{&document_};
  MainWindow window_;
};

}  // namespace rx::views
