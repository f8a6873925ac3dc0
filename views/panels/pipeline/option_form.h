// The options of a pass as fields, made from its row in the pass table.
#pragma once

#include <QWidget>

#include "views/panels/pipeline/pipeline_rows.h"

class QFormLayout;

namespace rx::views {

class OptionForm : public QWidget {
  Q_OBJECT

 public:
  explicit OptionForm(QWidget* parent = nullptr);
  /// Shows the fields of a row; null for none.
  void setRow(const PipelineRow* row);

 Q_SIGNALS:
  /// A field was changed: the value as withOption takes it.
  void changed(const QString& option, const QString& value);

 private:
  QWidget* makeField(const PipelineRow& row, const pass::OptionSpec& spec);
  QFormLayout* form_;
};

}  // namespace rx::views
