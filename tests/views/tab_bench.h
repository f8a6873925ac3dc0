// The frame of tabs over real documents and real engines.
#pragma once

#include "../../app/window/live_workplace.h"
#include "live_bench.h"

namespace rx::views {

struct TabBench {
  Settings settings{Settings::Keep::InMemory};
  DocumentTabs tabs{&settings, [this] { return std::make_unique<LiveWorkplace>(&settings, false); }};
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
