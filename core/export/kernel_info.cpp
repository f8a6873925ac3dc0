#include "core/export/kernel_info.h"

#include "core/codegen/signature.h"

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
    uint8_t code = dtype.isBool() ? 6 : static_cast<uint8_t>(dtype.code);
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
    kernels.emplace_back(ir::strAttrOf(function->attrs, "global_symbol", lowered->vars[i]->name.view()),
                         std::move(signature));
  }
  out.word(static_cast<int64_t>(kernels.size()));
  for (const auto& [name, signature] : kernels) {
    out.text(name);
    out.word(resultOf(*signature.function()));
    out.word(static_cast<int64_t>(signature.symbols().size()));
    out.word(static_cast<int64_t>(signature.params().size()));
    for (size_t p = 0; p < signature.params().size(); ++p) writeParam(out, signature, p);
  }
  return out.take();
}

}  // namespace rx::exporter
