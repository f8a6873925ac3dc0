// The registers and the shape heap of the frame that is shown, as a list: beside the bytecode, or in a panel of its
// own. The row that holds the selected value is current, and a row that is made current selects what it holds.
#pragma once

#include "views/models/list_models.h"
#include "views/models/stale_rows.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"

namespace rx::views {

class RegisterList : public ListView {
  Q_OBJECT

 public:
  RegisterList(const PanelContext& context, QWidget* parent);
  /// Shows what the run has now; the panel says when.
  void refresh();
  void showSelection(bool scroll);
  /// Scrolls to the last register that changed.
  void revealChanged();
  QString dump() const { return modelText(*model_); }

 private:
  void select(const QModelIndex& index);
  PanelContext context_;
  StaleRows<RegisterModel>* model_;
  bool showing_ = false;    // a row is made current by the window, not by the user
  bool selecting_ = false;  // the user's click is on its way to the selection
};

/// Makes a row current, or none, without a scroll that was not asked for.
void makeCurrent(ListView* view, const QModelIndex& wanted, bool scroll);

}  // namespace rx::views
