#include "views/session/constant_rows.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/host_tensor.h"
#include "core/tensor/sample.h"
#include "views/session/row_texts.h"

namespace rx::views {
namespace {

ConstantRow constantRow(const relax::Constant& constant) {
  constexpr int64_t kMostLooked = 1 << 16;
  ConstantRow row;
  row.info = infoText(constant.sinfo);
  if (!constant.data || !isStorable(constant.data->dtype())) return row;
  const HostTensor& tensor = *constant.data;
  const Sample sample(tensor.count(), kMostLooked);
  row.count = tensor.count();
  row.looked = sample.size();
  qint64 finite = 0;
  for (int64_t k = 0; k < sample.size(); ++k) {
    const double value = tensor.at(sample[k]);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? row.nan : row.inf);
      continue;
    }
    row.min = finite == 0 ? value : std::min(row.min, value);
    row.max = finite == 0 ? value : std::max(row.max, value);
    row.mean += value;
    ++finite;
  }
  if (finite > 0) row.mean /= static_cast<double>(finite);
  return row;
}

}  // namespace

/// Tuples and arguments are looked into without recursion.
std::vector<ConstantRow> constantRows(const relax::Expr& value) {
  constexpr size_t kMostConstants = 32;  // of one binding
  std::vector<ConstantRow> rows;
  std::vector<const relax::ExprNode*> left{value.get()};
  while (!left.empty() && rows.size() < kMostConstants) {
    const relax::ExprNode* expr = left.back();
    left.pop_back();
    if (const auto* constant = as<relax::Constant>(expr)) {
      rows.push_back(constantRow(*constant));
    } else if (const auto* call = as<relax::Call>(expr)) {
      for (size_t i = call->args.size(); i-- > 0;) left.push_back(call->args[i].get());
    } else if (const auto* tuple = as<relax::Tuple>(expr)) {
      for (size_t i = tuple->items.size(); i-- > 0;) left.push_back(tuple->items[i].get());
    }
  }
  return rows;
}

}  // namespace rx::views
