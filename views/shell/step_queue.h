// Runs a debugger step several times: the next one starts when the machine stands still again.
#pragma once

#include <QObject>

#include "views/models/debug_session.h"

namespace rx::views {

class StepQueue : public QObject {
  Q_OBJECT

 public:
  using Step = void (DebugSession::*)();
  explicit StepQueue(DebugSession* debug, QObject* parent = nullptr);
  /// Replaces what is left of an earlier call.
  void run(Step step, int count);
  void clear() { left_ = 0; }
  bool busy() const { return left_ > 0; }

 private:
  void advance();
  DebugSession* debug_;
  Step step_ = nullptr;
  int left_ = 0;
  bool afterDeath_ = false;
};

}  // namespace rx::views
