#include "views/models/search_job.h"

#include <QPointer>
#include <algorithm>
#include <functional>
#include <utility>

#include "views/models/worker.h"

namespace rx::views {

SearchJob::SearchJob(Document* document, QObject* parent) : QObject(parent), document_(document) {
  pool_.setMaxThreadCount(1);
  connect(document, &Document::stageReady, this, &SearchJob::searchReady);
  connect(document, &Document::opened, this, &SearchJob::cancel);
  connect(document, &Document::stepsChanged, this, &SearchJob::stepsMoved);
}

SearchJob::~SearchJob() {
  cancel_.cancel();
  pool_.waitForDone();
}

void SearchJob::cancel() {
  cancel_.cancel();
  ++number_;
  left_.clear();
  given_.clear();
  until_ = -1;
}

void SearchJob::start(const SearchQuery& query, int firstStage) {
  cancel();
  cancel_ = CancelToken();
  query_ = query;
  first_ = firstStage;
  extend();
}

void SearchJob::extend() {
  if (!query_.empty() && document_->state() == Document::State::Ready) {
    for (int stage = until_ + 1; stage <= document_->lastStage(); ++stage) left_.insert(stage);
    until_ = document_->lastStage();
  }
  if (std::exchange(newer_, newer()) != newer_) Q_EMIT newerChanged();
  if (left_.empty()) {
    Q_EMIT finished();
    return;
  }
  for (const int stage : std::set<int>(left_)) document_->stage(stage);
  searchReady();
}

int SearchJob::newer() const { return query_.empty() || until_ < 0 ? 0 : std::max(0, document_->lastStage() - until_); }

void SearchJob::stepsMoved() {
  if (until_ > document_->lastStage()) {
    cancel();
    return Q_EMIT outdated();
  }
  if (std::exchange(newer_, newer()) != newer_) Q_EMIT newerChanged();
}

/// Gives the worker what is there, the first stage before the others. A run of stages with one text is searched once.
void SearchJob::searchReady() {
  if (left_.empty() || query_.empty()) return;
  std::vector<std::pair<StageIndexPtr, int>> runs;
  for (const int stage : left_) {
    const StageIndexPtr index = given_.count(stage) ? nullptr : document_->stage(stage, false);
    if (!index) continue;
    const bool same = !runs.empty() && runs.back().second == stage - 1 && runs.back().first->text == index->text;
    if (same) {
      runs.back().second = stage;
    } else {
      runs.emplace_back(index, stage);
    }
  }
  const auto holdsFirst = [this](const std::pair<StageIndexPtr, int>& run) {
    return run.first->stage <= first_ && first_ <= run.second;
  };
  for (const auto& run : runs)
    if (holdsFirst(run)) search(run.first, run.second);
  for (const auto& run : runs)
    if (!holdsFirst(run)) search(run.first, run.second);
}

void SearchJob::search(const StageIndexPtr& index, int lastStage) {
  const int firstStage = index->stage;
  const auto ofRun = [lastStage](std::vector<SearchHit> hits) {
    for (SearchHit& hit : hits) hit.lastStage = lastStage;
    return hits;
  };
  // A person waits for the first hits of the first stage: they come ahead of what takes longer to find there.
  std::function<void(std::vector<SearchHit>)> ahead;
  if (given_.empty())
    ahead = [job = QPointer<SearchJob>(this), number = number_, ofRun](std::vector<SearchHit> hits) {
      if (!qApp) return;
      const auto tell = [job, number, hits = ofRun(std::move(hits))] {
        if (job && number == job->number_) Q_EMIT job->found(hits);
      };
      QMetaObject::invokeMethod(qApp, tell, Qt::QueuedConnection);
    };
  for (int stage = firstStage; stage <= lastStage; ++stage) given_.insert(stage);
  runOnWorker(
      pool_, this,
      [index, ofRun, ahead, query = query_, cancel = cancel_] {
        return ofRun(searchStage(*index, query, cancel, ahead));
      },
      [this, firstStage, lastStage, number = number_](const std::vector<SearchHit>& hits) {
        if (number != number_) return;
        for (int stage = firstStage; stage <= lastStage; ++stage) left_.erase(stage);
        Q_EMIT found(hits);
        if (number == number_ && left_.empty()) Q_EMIT finished();
      });
}

}  // namespace rx::views
