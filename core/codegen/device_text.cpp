#include "core/codegen/device_text.h"

#include <fmt/format.h>

#include "core/codegen/device_plan.h"
#include "core/ir/symbols.h"

namespace rx::codegen {

namespace {

Result<Unit> addForm(device::ModuleCode& made, DeviceWriter& writer, const std::string& name,
                     const lower::Signature& signature, const lower::DeviceForm& form) {
  RX_TRY(plan, devicePlan(form, signature));
  device::FunctionCode code{name, signature.kernel(), std::move(plan), {}};
  RX_CHECK(writer.add(form));
  for (const lower::DeviceKernel& kernel : form.kernels) {
    code.kernels.push_back(made.symbols.size());
    made.symbols.push_back(kernel.symbol);
  }
  made.functions.push_back(std::move(code));
  return Unit{};
}

/// How the function is called, where a device can run it.
Result<lower::Signature> signatureOf(const tir::PrimFuncRef& function) {
  RX_TRY(signature, lower::Signature::of(function));
  if (signature.resultType().isVoid()) return std::move(signature);
  return fail("codegen.unsupported", "it gives the host a number, which a kernel of a device can not");
}

Result<Unit> addFunction(device::ModuleCode& made, DeviceWriter& writer, const std::string& name,
                         const tir::PrimFuncRef& function, const DeviceOptions& options) {
  RX_TRY(signature, signatureOf(function));
  RX_TRY(form, lower::loweredForDevice(name, function, options.cancel, options.target));
  RX_CHECK(addForm(made, writer, name, signature, form));
  if (options.onForm) options.onForm(name, form);
  return Unit{};
}

}  // namespace

bool writesDeviceText(std::string_view kind) { return languageOf(kind) != nullptr; }

DeviceModule deviceModule(const ir::Module& module, const DeviceOptions& options) {
  DeviceModule all;
  const auto functions = ir::primFuncsBySymbol(*module);
  const auto leave = [&](const std::string& name, Diagnostic why) {
    why.context = fmt::format("PrimFunc {}", name);
    all.left.insert_or_assign(name, std::move(why));
  };
  const auto leaveAll = [&](const Diagnostic& why) {
    for (const auto& [name, function] : functions) leave(name, why);
    all.made = {};
    return std::move(all);
  };
  const DeviceLanguage* language = languageOf(options.target->kind());
  RX_ASSERT(language, "{} is no target of a device", options.target->kind());
  Result<std::unique_ptr<DeviceWriter>> writer = language->writer({options.checkAccess, options.target});
  if (!writer) return leaveAll(writer.diagnostics().front());
  for (const auto& [name, function] : functions) {
    const Result<Unit> added = addFunction(all.made, **writer, name, function, options);
    if (!added) leave(name, added.diagnostics().front());
  }
  Result<DeviceText> text = (*writer)->finish();
  if (!text) return leaveAll(text.diagnostics().front());
  all.made.code = std::move(*text);
  all.made.architecture = architectureOf(*options.target);
  return all;
}

Result<DeviceListing> listOnDevice(const std::string& name, const tir::PrimFuncRef& function,
                                   const lower::DeviceForm& form, const MarkedText& marked,
                                   const DeviceOptions& options) {
  const DeviceLanguage* language = languageOf(options.target->kind());
  RX_ASSERT(language, "{} is no target of a device", options.target->kind());
  RX_TRY(signature, signatureOf(function));
  RX_TRY(writer, language->writer({options.checkAccess, options.target, marked}));
  DeviceListing listing;
  RX_CHECK(addForm(listing.code, *writer, name, signature, form));
  RX_TRY(text, writer->finish());
  listing.code.code = std::move(text);
  listing.text = {listing.code.code.text, writer->linesFrom()};
  return listing;
}

ModuleText deviceText(const ir::Module& module, const DeviceOptions& options) {
  DeviceModule all = deviceModule(module, options);
  ModuleText text{std::move(all.made.code), {}};
  for (auto& [name, why] : all.left) text.left.push_back(std::move(why));
  return text;
}

}  // namespace rx::codegen
