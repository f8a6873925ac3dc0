// One search at a time over all stages of the document, on a worker: the selected stage first, its hits as soon as they
// are there, then the others. Another search, or another document, cancels it.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <set>

#include "views/models/document.h"
#include "views/models/search.h"

namespace rx::views {

class SearchJob : public QObject {
  Q_OBJECT

 public:
  explicit SearchJob(Document* document, QObject* parent = nullptr);
  ~SearchJob() override;
  /// Looks through every stage that exists; rows of stages that are not built yet are asked for and searched when they
  /// come.
  void start(const SearchQuery& query, int firstStage);
  /// Looks through the stages that came after the last search began, with the same query.
  void extend();
  void cancel();
  bool busy() const { return !left_.empty(); }
  /// Stages that exist and that neither `start` nor `extend` looked at.
  int newer() const;
  const SearchQuery& query() const { return query_; }

 Q_SIGNALS:
  /// Hits of one stage, or of a row of equal ones. Of the stage to begin with, the first kind that has any is told
  /// before the others.
  void found(const std::vector<rx::views::SearchHit>& hits);
  void finished();
  /// newer() is another number now.
  void newerChanged();
  /// Stages that were looked through are gone (another pipeline): the search has to be started again.
  void outdated();

 private:
  void stepsMoved();
  void add(int from, int to);
  void searchReady();
  void search(const StageIndexPtr& index, int lastStage);
  Document* document_;
  SearchQuery query_;
  CancelToken cancel_;
  int first_ = 0;
  int until_ = -1;       // the last stage that was asked for
  int newer_ = 0;        // as it was told last
  int number_ = 0;       // of the search: answers of an older one are thrown away
  std::set<int> left_;   // stages whose hits have not arrived
  std::set<int> given_;  // stages that a worker has
  QThreadPool pool_;
};

}  // namespace rx::views
