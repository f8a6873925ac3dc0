#include "core/export/kernel_info.h"

#include "core/codegen/signature.h"
#include "core/ir/symbols.h"

namespace rx::exporter {

namespace {

class Writer {
 public:
  void word(int64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view value) {
    word(static_cast<int64_t>(value.size()));
    out_ += value;
  }
  /// DLPack's code, bits and lanes.
  void type(DataType dtype) {
    // DLPack has one code that ours lack, before bool.
    const auto code = static_cast<uint8_t>(static_cast<int>(dtype.code) + (dtype.code >= TypeCode::Bool ? 1 : 0));
    uint16_t lanes = static_cast<uint16_t>(dtype.lanes);
    out_ += static_cast<char>(code);
    out_ += static_cast<char>(dtype.isVoid() ? 0 : dtype.bits);
    out_.append(reinterpret_cast<const char*>(&lanes), sizeof lanes);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Codes of the runtime: 0 constant, 1 symbol by number, 2 anything.
void writeDim(Writer& out, const tir::PrimExpr& dim, const codegen::Signature& signature) {
  if (std::optional<int64_t> constant = tir::asInt(dim)) {
    out.word(0);
    return out.word(*constant);
  }
  const auto& symbols = signature.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] == dim) {
      out.word(1);
      return out.word(static_cast<int64_t>(i));
    }
  }
  out.word(2);
  out.word(0);
}

void writeParam(Writer& out, const codegen::Signature& signature, size_t index) {
  const tir::PrimFunc& function = *signature.function();
  const tir::BufferRef& buffer = function.buffers[index];
  out.word(static_cast<int64_t>(signature.params()[index].place));
  out.type(buffer ? buffer->dtype : DataType::Void());
  out.word(buffer ? static_cast<int64_t>(buffer->shape.size()) : 0);
  for (size_t i = 0; buffer && i < buffer->shape.size(); ++i) writeDim(out, buffer->shape[i], signature);
  out.word(buffer ? static_cast<int64_t>(buffer->strides.size()) : 0);
  for (size_t i = 0; buffer && i < buffer->strides.size(); ++i) writeDim(out, buffer->strides[i], signature);
  writeDim(out, buffer && buffer->elemOffset ? buffer->elemOffset : tir::intImm(0), signature);
}

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

void writeForms(Writer& out, const ir::Module& lowered) {
  std::vector<std::pair<std::string, const relax::Function*>> functions;
  for (size_t i = 0; i < lowered->size(); ++i) {
    if (const auto* function = as<relax::Function>(lowered->functions[i]))
      functions.emplace_back(ir::symbolOf(*lowered->vars[i], *function), function);
  }
  out.word(static_cast<int64_t>(functions.size()));
  for (const auto& [name, function] : functions) {
    out.text(name);
    out.word(static_cast<int64_t>(function->params.size()));
    for (const relax::VarRef& param : function->params)
      out.text(param->sinfo ? formOf(param->sinfo) : std::string("a"));
  }
}

int64_t resultOf(const tir::PrimFunc& function) {
  const auto* type = as<tir::PrimType>(function.retType);
  if (!type || type->dtype.isVoid()) return 0;
  return type->dtype.isFloat() ? 2 : 1;
}

}  // namespace

Result<std::string> kernelInfo(const ir::Module& lowered) {
  Writer out;
  std::vector<std::pair<std::string, codegen::Signature>> kernels;
  for (size_t i = 0; i < lowered->size(); ++i) {
    auto function = refAs<tir::PrimFunc>(lowered->functions[i]);
    if (!function) continue;
    RX_TRY(signature, codegen::Signature::of(function));
    kernels.emplace_back(ir::symbolOf(*lowered->vars[i], *function), std::move(signature));
  }
  out.word(static_cast<int64_t>(kernels.size()));
  for (const auto& [name, signature] : kernels) {
    out.text(name);
    out.word(resultOf(*signature.function()));
    out.word(static_cast<int64_t>(signature.symbols().size()));
    out.word(static_cast<int64_t>(signature.params().size()));
    for (size_t p = 0; p < signature.params().size(); ++p) writeParam(out, signature, p);
  }
  writeForms(out, lowered);
  return out.take();
}

}  // namespace rx::exporter
