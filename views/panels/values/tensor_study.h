// What is known of the value that is looked at, asked from the engine bit by bit: one page of numbers, the histogram of
// all, pictures of planes, and the element that table, picture and histogram mark alike. No widgets.
#pragma once

#include "views/panels/values/tensor_page.h"

namespace rx::views {

/// Asks one question at a time and the next when the answer is there, so that an engine that is busy with a large
/// tensor never has more than one outdated question to answer.
class TensorStudy : public QObject {
  Q_OBJECT

 public:
  explicit TensorStudy(DebugSession* debug, QObject* parent = nullptr);

  /// Looks at a value, or at its distances to another; the same ones again change nothing. The first element shown is
  /// the first that is not finite, else the one of the largest magnitude.
  void setValue(const ValueSummary& value, const ElementSource& source);
  const ValueSummary& value() const { return value_; }
  const ElementSource& source() const { return page_->source(); }
  TensorPage* page() const { return page_; }
  bool busy() const { return asking_ || page_->busy(); }

  /// The survey of the present tensor; null until it is there.
  const TensorSurvey* survey() const { return surveyed_ ? &survey_ : nullptr; }
  /// How far the two sides are apart; null until it is there or where nothing is compared.
  const TensorComparison* comparison() const { return compared_ ? &comparison_ : nullptr; }
  /// The pictures that the view wants now, in the order in which they are asked for.
  void wantPlanes(const std::vector<PlaneQuery>& queries);
  /// The picture of a query; null until it is there.
  const TensorPlane* plane(const PlaneQuery& query) const;
  /// The query of the plane that the page lies in.
  PlaneQuery planeOfPage(int rows, int columns) const;

  /// The marked element; empty before there is one.
  const std::vector<qint64>& current() const { return current_; }
  void setCurrent(const std::vector<qint64>& index);
  /// Marks the next element that is looked for. A large tensor is searched part by part; what is marked or looked at
  /// otherwise meanwhile ends the search.
  void find(const ElementQuery& query);
  /// How far the search that is under way is, or that the last one found nothing; null where there is nothing to say.
  const ElementFound* search() const { return searched_ ? &*searched_ : nullptr; }

 Q_SIGNALS:
  /// Something that was asked for is there, or another value is looked at.
  void changed();
  void currentMoved();

 private:
  void go();
  void answered();
  void askSearch();
  void endSearch();
  void takeFound(const ElementFound& found);
  DebugSession* debug_;
  TensorPage* page_;
  ValueSummary value_;
  TensorSurvey survey_;
  TensorComparison comparison_;
  bool surveyed_ = false;
  bool compared_ = false;
  bool asking_ = false;
  std::vector<PlaneQuery> wanted_;
  std::vector<std::pair<PlaneQuery, TensorPlane>> planes_;
  std::vector<qint64> current_;
  std::optional<ElementQuery> search_;
  std::optional<ElementFound> searched_;
  quint64 searchNumber_ = 0;  // answers about an earlier search are told by it
  quint64 value_number_ = 0;  // answers about an earlier value are told by it
};

}  // namespace rx::views
