// How LiveDebug asks its engine; for its own sources.
#pragma once

#include <QPointer>

#include "views/models/diagnostics_report.h"
#include "views/session/engine_rows.h"
#include "views/session/live_debug.h"

namespace rx::views {

template <class R>
void LiveDebug::ask(const typename R::Arguments& arguments, std::function<void(const typename R::Body&)> take) {
  ++asked_;
  engine_->client().call<R>(arguments,
                            [this, engine = engines_, take = std::move(take)](Result<typename R::Body> body) {
                              if (engine != engines_) return;
                              if (body) {
                                take(*body);
                              } else {
                                note(LogLine::Kind::Error, textOf(body.diagnostics()));
                              }
                              answered();
                            });
}

template <class R>
void LiveDebug::askFor(QObject* context, const typename R::Arguments& arguments,
                       std::function<void(const QString& error, const typename R::Body&)> take) {
  const QPointer<QObject> alive(context);
  if (!engine_) {
    const QString none = tr("The engine does not run.");
    QMetaObject::invokeMethod(
        context, [take = std::move(take), none] { take(none, {}); }, Qt::QueuedConnection);
    return;
  }
  engine_->client().call<R>(arguments, [alive, take = std::move(take)](Result<typename R::Body> body) {
    if (!alive) return;
    if (body) return take({}, *body);
    take(textOf(body.diagnostics()), {});
  });
}

template <class R>
void LiveDebug::move(const typename R::Arguments& arguments) {
  if (!engine_ || state_ == RunState::Running || state_ == RunState::Starting) return;
  const RunState before = state_;
  setState(RunState::Running);
  engine_->client().call<R>(arguments, [this, before, engine = engines_](Result<typename R::Body> body) {
    if (body || engine != engines_ || state_ != RunState::Running) return;
    note(LogLine::Kind::Error, textOf(body.diagnostics()));
    setState(before);
  });
}

}  // namespace rx::views
