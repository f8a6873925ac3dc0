// Dock "Results": what a search over all stages found, as a list that stays while one walks through it with F4.
#pragma once

#include <optional>

#include "views/models/row_model.h"
#include "views/models/search_job.h"
#include "views/panels/panel.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace rx::views {

class ListView;
class SearchChips;

class ResultsPanel : public Panel {
  Q_OBJECT

 public:
  ResultsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override { return job_->busy(); }
  /// find TEXT, calls NAME, next, previous, again, edit; `next` and `previous` are refused where there are no results,
  /// `again` where there is no newer stage.
  bool obey(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;
  const std::vector<SearchHit>& hits() const { return hits_.rows(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void start(const SearchQuery& query);
  void take(const std::vector<SearchHit>& hits);
  void say();
  void sayNewer();
  QString refusal() const;
  /// What stands where there are no results.
  QString whyEmpty() const;
  bool walk(int by);
  void go(const QModelIndex& index);
  PanelContext context_;
  QLineEdit* edit_;
  SearchChips* chips_;
  QLabel* count_;
  QToolButton* again_;
  ListView* view_;
  RowModel<SearchHit>* model_;
  SearchJob* job_;
  HitList hits_;
  std::optional<SearchHit> walked_;  // the result that one went to last
};

}  // namespace rx::views
