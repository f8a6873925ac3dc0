#include "views/panels/values/tensor_study.h"

#include <algorithm>

namespace rx::views {

TensorStudy::TensorStudy(DebugSession* debug, QObject* parent)
    : QObject(parent), debug_(debug), page_(new TensorPage(debug, this)) {
  connect(page_, &TensorPage::changed, this, &TensorStudy::changed);
}

void TensorStudy::setValue(const ValueSummary& value, const ElementSource& source) {
  const auto shape = shapeOf(value.shape);
  const bool tensor = value.known && value.isTensor && shape;
  const ElementSource shown = tensor ? source : ElementSource();
  const bool same = value.known == value_.known && value.reference == value_.reference && value.step == value_.step &&
                    value.shape == value_.shape && shown == page_->source();
  value_ = value;
  if (same) return Q_EMIT changed();
  ++value_number_;
  surveyed_ = compared_ = false;
  survey_ = {};
  comparison_ = {};
  planes_.clear();
  wanted_.clear();
  endSearch();
  current_ = shown.compares() ? std::vector<qint64>() : value.firstBad;
  page_->setTensor(shown, shape.value_or(std::vector<qint64>()), current_);
  if (!current_.empty()) Q_EMIT currentMoved();
  go();
}

void TensorStudy::wantPlanes(const std::vector<PlaneQuery>& queries) {
  if (queries == wanted_) return;
  wanted_ = queries;
  std::erase_if(planes_, [&](const auto& known) {
    return std::find(wanted_.begin(), wanted_.end(), known.first) == wanted_.end();
  });
  go();
}

const TensorPlane* TensorStudy::plane(const PlaneQuery& query) const {
  for (const auto& [known, plane] : planes_)
    if (known == query) return &plane;
  return nullptr;
}

PlaneQuery TensorStudy::planeOfPage(int rows, int columns) const {
  PlaneQuery query{page_->rowAxis(), page_->columnAxis(), page_->at(), rows, columns};
  // A vector lies down.
  if (query.columnAxis < 0) std::swap(query.rowAxis, query.columnAxis);
  for (const int axis : {query.rowAxis, query.columnAxis})
    if (axis >= 0) query.at[static_cast<size_t>(axis)] = 0;
  return query;
}

void TensorStudy::setCurrent(const std::vector<qint64>& index) {
  if (!page_->goTo(index)) return;
  endSearch();
  if (index == current_) return;
  current_ = index;
  Q_EMIT currentMoved();
}

void TensorStudy::find(const ElementQuery& query) {
  endSearch();
  search_ = query;
  if (search_->from.empty()) search_->from = current_;
  go();
}

void TensorStudy::endSearch() {
  ++searchNumber_;
  search_.reset();
  searched_.reset();
}

void TensorStudy::askSearch() {
  debug_->findElement(page_->source(), *search_, page_->shape(), this,
                      [this, number = searchNumber_](const ElementFound& found) {
                        if (number == searchNumber_) takeFound(found);
                        answered();
                      });
}

void TensorStudy::takeFound(const ElementFound& found) {
  if (found.found) return setCurrent(found.index);
  searched_ = found;
  if (found.goesOn()) {
    search_->looked = found.looked;
  } else {
    search_.reset();
  }
}

void TensorStudy::answered() {
  asking_ = false;
  go();
  Q_EMIT changed();
}

/// Asks for the first thing that is missing.
void TensorStudy::go() {
  if (asking_ || page_->source().reference == 0) return;
  const ElementSource& source = page_->source();
  const quint64 number = value_number_;
  // An answer about an earlier value is dropped, but the next question waits for it.
  const auto take = [this, number](auto store) {
    return [this, number, store](const auto& answer) {
      if (number == value_number_) store(answer);
      answered();
    };
  };
  asking_ = true;
  // The first part of a search comes first, the others when nothing else is missing.
  if (search_ && search_->looked == 0) return askSearch();
  if (!surveyed_)
    return debug_->fetchSurvey(source, page_->shape(), this, take([this](const TensorSurvey& survey) {
                                 surveyed_ = true;
                                 survey_ = survey;
                                 if (!current_.empty()) return;
                                 if (page_->source().compares() && survey.positiveInf > 0) return find({});
                                 if (!search_) setCurrent(survey.largest);
                               }));
  if (source.compares() && !compared_)
    return debug_->fetchComparison(source, page_->shape(), this, take([this](const TensorComparison& comparison) {
                                     compared_ = true;
                                     comparison_ = comparison;
                                   }));
  for (const PlaneQuery& query : wanted_) {
    if (plane(query)) continue;
    return debug_->fetchPlane(source, query, this, take([this, query](const TensorPlane& plane) {
                                if (std::find(wanted_.begin(), wanted_.end(), query) != wanted_.end())
                                  planes_.emplace_back(query, plane);
                              }));
  }
  if (search_) return askSearch();
  asking_ = false;
}

}  // namespace rx::views
