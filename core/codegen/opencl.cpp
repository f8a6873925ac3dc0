#include "core/codegen/opencl.h"

#include <algorithm>

#include "core/codegen/opencl_emitter.h"

namespace rx::codegen {

struct OpenClWriter::Parts {
  Options options;
  HelperTexts helpers;
  std::vector<FaultSite> sites;
  std::string kernels;
};

OpenClWriter::OpenClWriter(Options options) : parts_(std::make_unique<Parts>()) { parts_->options = options; }
OpenClWriter::~OpenClWriter() = default;

Result<Unit> OpenClWriter::add(const lower::DeviceForm& form) {
  HelperTexts helpers = parts_->helpers;
  std::vector<FaultSite> sites = parts_->sites;
  std::string kernels = parts_->kernels;
  for (const lower::DeviceKernel& kernel : form.kernels) {
    RX_TRY(text, OpenClEmitter(kernel, form.exact, parts_->options.checkAccess, helpers, sites).run());
    kernels += (kernels.empty() ? "" : "\n") + text;
  }
  parts_->helpers = std::move(helpers);
  parts_->sites = std::move(sites);
  parts_->kernels = std::move(kernels);
  return Unit{};
}

DeviceText OpenClWriter::finish() const {
  std::string text = "// OpenCL C. The last argument of a kernel tells what went wrong: which site, index, extent.\n";
  const auto mentions = [&](std::string_view word) {
    const auto in = [&](const std::string& part) { return part.find(word) != std::string::npos; };
    return in(parts_->kernels) || std::any_of(parts_->helpers.begin(), parts_->helpers.end(),
                                              [&](const auto& helper) { return in(helper.second); });
  };
  if (mentions("double")) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text += "#pragma OPENCL FP_CONTRACT OFF\n\n";
  // Helpers call each other, in whatever order they stand.
  for (const auto& [name, helper] : parts_->helpers) text += helper.substr(0, helper.find(" {")) + ";\n";
  for (const auto& [name, helper] : parts_->helpers) text += helper + "\n";
  if (!parts_->helpers.empty()) text += "\n";
  return {text + parts_->kernels, parts_->sites};
}

}  // namespace rx::codegen
