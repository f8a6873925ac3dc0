// The frame of tabs over real documents and real engines.
#pragma once

#include "live_bench.h"
#include "views/shell/document_tabs.h"

namespace rx::views {

class LivePlace : public Workplace {
 public:
  explicit LivePlace(Settings* settings) : window_(&document_, &selection_, &debug_, settings) {
    QObject::connect(&document_, &LiveDocument::placeAsked, &window_,
                     [this](const Place& place) { window_.run("file.openLink", {linkOf(place, {})}); });
  }
  MainWindow& window() override { return window_; }

 private:
  LiveDocument document_;
  Selection selection_;
  LiveDebug debug_{&document_};
  MainWindow window_;
};

struct TabBench {
  Settings settings{Settings::Keep::InMemory};
  DocumentTabs tabs{&settings, [this] { return std::make_unique<LivePlace>(&settings); }};
  TabBench() {
    tabs.resize(1280, 800);
    tabs.show();
  }
  bool settle() {
    return QTest::qWaitFor([this] { return tabs.current().settled(); }, kPatience);
  }
  bool does(const QString& id, const QStringList& arguments = {}) {
    return tabs.current().run(id, arguments) && settle();
  }
};

}  // namespace rx::views
