// The parameters of an operator, read from its signature in the operator table.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

/// "axis: int? = None" is the parameter axis of kind "int?" with the default None.
struct OperatorParameter {
  QString name;
  QString kind;
  QString fallback;  // empty where there is none
};
std::vector<OperatorParameter> operatorParameters(const QString& signature);

}  // namespace rx::views
