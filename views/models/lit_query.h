// What is lit everywhere: the search whose results are listed, or the operator whose calls were asked for. Views that
// show bindings find its hits in their own stage.
#pragma once

#include <QObject>

#include "views/models/search.h"

namespace rx::views {

class LitQuery : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  const SearchQuery& query() const { return query_; }
  /// An empty query puts out the light.
  void set(const SearchQuery& query) {
    if (query == query_) return;
    query_ = query;
    Q_EMIT changed();
  }

 Q_SIGNALS:
  void changed();

 private:
  SearchQuery query_;
};

}  // namespace rx::views
