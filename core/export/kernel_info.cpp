#include "core/export/kernel_info.h"

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

void writeForms(ByteWriter& out, const ir::Module& lowered) {
  std::vector<std::pair<std::string, const relax::Function*>> functions;
  for (size_t i = 0; i < lowered->size(); ++i) {
    if (const auto* function = as<relax::Function>(lowered->functions[i]))
      functions.emplace_back(ir::symbolOf(*lowered->vars[i], *function), function);
  }
  out.put<uint64_t>(functions.size());
  for (const auto& [name, function] : functions) {
    out.text(name);
    out.put<uint64_t>(function->params.size());
    for (const relax::VarRef& param : function->params)
      out.text(param->sinfo ? formOf(param->sinfo) : std::string("a"));
  }
}

}  // namespace

Result<std::string> kernelInfo(const ir::Module& lowered) {
  ByteWriter out;
  std::vector<std::pair<std::string, lower::Signature>> kernels;
  for (size_t i = 0; i < lowered->size(); ++i) {
    auto function = refAs<tir::PrimFunc>(lowered->functions[i]);
    if (!function) continue;
    RX_TRY(signature, lower::Signature::of(function));
    kernels.emplace_back(ir::symbolOf(*lowered->vars[i], *function), std::move(signature));
  }
  out.put<uint64_t>(kernels.size());
  for (const auto& [name, signature] : kernels) {
    out.text(name);
    signature.kernel().write(out);
  }
  writeForms(out, lowered);
  return out.take();
}

}  // namespace rx::exporter
