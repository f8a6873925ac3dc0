#include "core/export/kernel_info.h"

#include "core/export/runtime/session.h"
#include "core/ir/symbols.h"
#include "core/lower/signature.h"

namespace rx::exporter {

namespace {

/// How a parameter is put together from the inputs, in a letter each: t tensor, s shape, i integer, f real, ( ) tuple,
/// a anything that is one input.
std::string formOf(const relax::StructInfo& root) {
  std::string text;
  std::vector<const relax::StructInfoNode*> open{root.get()};  // null: the end of a tuple
  while (!open.empty()) {
    const relax::StructInfoNode* info = open.back();
    open.pop_back();
    if (!info) {
      text += ')';
    } else if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
      text += '(';
      open.push_back(nullptr);
      for (size_t i = tuple->items.size(); i-- > 0;) open.push_back(tuple->items[i].get());
    } else if (const auto* prim = as<relax::PrimStructInfo>(info)) {
      text += prim->dtype.isFloat() ? 'f' : 'i';
    } else {
      text += isa<relax::ShapeStructInfo>(info) ? 's' : isa<relax::TensorStructInfo>(info) ? 't' : 'a';
    }
  }
  return text;
}

}  // namespace

Result<std::string> kernelInfo(const ir::Module& lowered) {
  package::KernelInfo info;
  for (size_t i = 0; i < lowered->size(); ++i) {
    const ir::BaseFunc& each = lowered->functions[i];
    std::string name = ir::symbolOf(*lowered->vars[i], *each);
    if (const auto kernel = refAs<tir::PrimFunc>(each)) {
      RX_TRY(signature, lower::Signature::of(kernel));
      info.kernels.emplace_back(std::move(name), signature.kernel());
    } else if (const auto* function = as<relax::Function>(each)) {
      package::FunctionForms& row = info.forms.emplace_back(package::FunctionForms{std::move(name), {}});
      for (const relax::VarRef& param : function->params)
        row.params.push_back(param->sinfo ? formOf(param->sinfo) : std::string("a"));
    }
  }
  ByteWriter out;
  out(info);
  return out.take();
}

}  // namespace rx::exporter
