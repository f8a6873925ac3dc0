// Layouts of values: of a tensor a text, of a tuple the layouts of its fields.
#pragma once

#include <unordered_map>

#include "core/analysis/layout_text.h"
#include "core/ir/relax.h"

namespace rx::analysis {

/// What is no tensor, or a tensor of unknown rank, has an unknown layout.
struct NLayout {
  enum class Form : uint8_t { Unknown, Tensor, Tuple };
  Form form = Form::Unknown;
  LayoutText text;             ///< of a tensor
  std::vector<NLayout> items;  ///< of a tuple

  NLayout() = default;
  NLayout(LayoutText layout) : form(Form::Tensor), text(std::move(layout)) {}
  explicit NLayout(std::vector<NLayout> fields) : form(Form::Tuple), items(std::move(fields)) {}
  bool operator==(const NLayout&) const = default;
  bool isTensor() const { return form == Form::Tensor; }
};
using LayoutMap = std::unordered_map<const relax::Var*, NLayout>;

/// Of a value that nothing was done to.
NLayout initialNLayout(const relax::StructInfo& info);
/// Of an expression, where the layouts of variables are known.
NLayout layoutOf(const LayoutMap& layouts, const relax::Expr& expr);
/// Whether a tensor of unknown rank is among the values.
bool hasUnknown(const NLayout& layout);
/// True for tensors, and for tuples of nothing but tensors.
bool isNestedTensor(const relax::StructInfo& info);

}  // namespace rx::analysis
