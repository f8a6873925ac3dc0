// How LiveDebug asks its engine; for its own sources.
#pragma once

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

}  // namespace rx::views
