#include "core/codegen/opencl.h"

#include <algorithm>

#include "core/codegen/opencl_emitter.h"

namespace rx::codegen {

namespace {

class OpenClWriter final : public DeviceWriter {
 public:
  explicit OpenClWriter(const WriterOptions& options) : checkAccess_(options.checkAccess), marked_(options.marked) {}

  Result<Unit> add(const lower::DeviceForm& form) override {
    HelperTexts helpers = helpers_;
    std::vector<FaultSite> sites = sites_;
    std::string kernels = kernels_;
    std::vector<uint32_t> from = from_;
    for (const lower::DeviceKernel& kernel : form.kernels) {
      RX_TRY(lines, OpenClEmitter(kernel, form.exact, checkAccess_, helpers, sites).run());
      if (!kernels.empty()) lines.insert(lines.begin(), ClLine{});
      for (const ClLine& line : lines) {
        kernels += line.text + "\n";
        from.push_back(marked_.lineOf(line.of));
      }
    }
    from_ = std::move(from);
    helpers_ = std::move(helpers);
    sites_ = std::move(sites);
    kernels_ = std::move(kernels);
    count_ += form.kernels.size();
    return Unit{};
  }

  Result<DeviceText> finish() override {
    std::string text = "// OpenCL C. The last argument of a kernel tells what went wrong: which site, index, extent.\n";
    if (mentions("double")) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    if (mentions("atom_add")) text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n";
    text += "#pragma OPENCL FP_CONTRACT OFF\n\n";
    // Helpers call each other, in whatever order they stand.
    for (const auto& [name, helper] : helpers_) text += helper.substr(0, helper.find(" {")) + ";\n";
    for (const auto& [name, helper] : helpers_) text += helper + "\n";
    if (!helpers_.empty()) text += "\n";
    from_.insert(from_.begin(), static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), 0);
    return DeviceText{text + kernels_, std::move(sites_), std::vector<int64_t>(count_, 0)};
  }

  const std::vector<uint32_t>& linesFrom() const override { return from_; }

 private:
  bool mentions(std::string_view word) const {
    const auto in = [&](const std::string& part) { return part.find(word) != std::string::npos; };
    return in(kernels_) ||
           std::any_of(helpers_.begin(), helpers_.end(), [&](const auto& helper) { return in(helper.second); });
  }

  const bool checkAccess_;
  const MarkedText marked_;
  HelperTexts helpers_;
  std::vector<FaultSite> sites_;
  std::string kernels_;
  std::vector<uint32_t> from_;  ///< of each line of the kernels
  size_t count_ = 0;
};

}  // namespace

Result<std::unique_ptr<DeviceWriter>> openClWriter(const WriterOptions& options) {
  return std::unique_ptr<DeviceWriter>(std::make_unique<OpenClWriter>(options));
}

}  // namespace rx::codegen
