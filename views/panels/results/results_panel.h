// Dock "Results": what a search over all stages found, as a list that stays while one walks through it with F4.
#pragma once

#include "views/models/row_model.h"
#include "views/models/search_job.h"
#include "views/panels/panel.h"

class QLabel;
class QLineEdit;

namespace rx::views {

class ListView;
class SearchChips;

class ResultsPanel : public Panel {
  Q_OBJECT

 public:
  ResultsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override { return job_->busy(); }
  /// find TEXT, calls NAME, next, previous, edit; `next` and `previous` are refused where there are no results.
  bool command(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;
  const std::vector<SearchHit>& hits() const { return hits_.rows(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void start(const SearchQuery& query);
  void take(const std::vector<SearchHit>& hits);
  void say();
  bool walk(int by);
  void go(const QModelIndex& index);
  PanelContext context_;
  QLineEdit* edit_;
  SearchChips* chips_;
  QLabel* count_;
  ListView* view_;
  RowModel<SearchHit>* model_;
  SearchJob* job_;
  HitList hits_;
};

}  // namespace rx::views
