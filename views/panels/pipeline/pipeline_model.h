// The rows of the pipeline with what each pass did when it ran.
#pragma once

#include <functional>

#include "views/models/document.h"
#include "views/models/row_model.h"

namespace rx::views {

struct PipelineLine {
  QString name;
  QString options;
  QString help;
  bool on = true;
  int stage = -1;     // of its result; -1 where it is off
  StepRow step = {};  // of that stage
  double share = 0;   // of the time of all passes
};

/// Its first column is a check box: on or off.
class PipelineModel : public RowModel<PipelineLine> {
 public:
  enum : int { kOn, kStage, kName, kOptions, kChanged, kSize, kBytes, kTime };
  explicit PipelineModel(QObject* parent = nullptr);
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  /// The tip over the times says what all of them are together.
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  /// Asked when the user clicks a box.
  std::function<void(int row, bool on)> onSwitch;
};

/// The lines of a document's pipeline.
std::vector<PipelineLine> pipelineLines(const Document& document);

}  // namespace rx::views
