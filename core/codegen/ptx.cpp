#include "core/codegen/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/codegen/assembly_text.h"
#include "core/codegen/line_marks.h"
#include "core/codegen/llvm_module.h"
#include "core/codegen/ptx_emitter.h"
#include "core/schedule/vector_math.h"
#include "core/support/text_lines.h"

namespace rx::codegen {

namespace {

/// Architectures, and the version of PTX that each needs; 7.0 is what the oldest driver takes that is asked for.
struct ArchitectureRow {
  std::string_view name, features;
};
constexpr ArchitectureRow kArchitectures[] = {
    {"sm_50", "+ptx70"}, {"sm_52", "+ptx70"}, {"sm_53", "+ptx70"}, {"sm_60", "+ptx70"}, {"sm_61", "+ptx70"},
    {"sm_62", "+ptx70"}, {"sm_70", "+ptx70"}, {"sm_72", "+ptx70"}, {"sm_75", "+ptx70"}, {"sm_80", "+ptx70"},
    {"sm_86", "+ptx71"}, {"sm_87", "+ptx74"}, {"sm_89", "+ptx78"}, {"sm_90", "+ptx78"}, {"sm_90a", "+ptx80"},
};

Result<const ArchitectureRow*> architectureOf(const target::TargetRef& target) {
  const std::string name = rx::codegen::architectureOf(*target);
  const auto* row = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                 [&](const ArchitectureRow& one) { return one.name == name; });
  if (row != std::end(kArchitectures)) return row;
  return fail("codegen.target", fmt::format("no code is made for the architecture {}, but for {}", name,
                                            fmt::join(ptxArchitectures(), ", ")));
}

/// LLVM counts calls over the whole process, in comments behind them: the text would be another each time.
std::string withoutCallNumbers(std::string_view text) {
  constexpr std::string_view kComment = "// callseq ";
  std::string made;
  for (size_t at = 0; at < text.size();) {
    const size_t comment = std::min(text.find(kComment, at), text.size());
    made += text.substr(at, comment - at);
    at = std::min(text.find('\n', comment), text.size());
  }
  return made;
}

/// The text as it is without marks, and the lines that these say. What LLVM adds for them: directives, labels of its
/// own and, behind all code, sections.
ListedText withoutMarks(std::string_view text) {
  constexpr std::string_view kLoc = ".loc", kLabels[] = {"$L__func_begin", "$L__func_end", "$L__tmp"};
  ListedText made;
  uint32_t of = 0;
  while (const auto taken = takeLine(text)) {
    const std::string_view line = *taken, word = line.substr(std::min(line.find_first_not_of("\t "), line.size()));
    if (word.starts_with(".section")) break;
    if (word.starts_with(".file")) continue;
    if (std::any_of(std::begin(kLabels), std::end(kLabels), [&](auto label) { return word.starts_with(label); }))
      continue;
    if (word.starts_with(kLoc)) {
      unsigned file = 0, number = 0;
      if (std::sscanf(std::string(word).c_str(), ".loc %u %u", &file, &number) == 2) of = number;
      continue;
    }
    const bool entry = word.starts_with(".visible") || word == "}";
    if (entry) of = 0;
    const bool code = !word.empty() && word.front() != '.' && word.front() != '/' && line.front() == '\t';
    made.text += std::string(line) + "\n";
    made.from.push_back(code ? of : 0);
  }
  return made;
}

class PtxWriter final : public DeviceWriter {
 public:
  PtxWriter(KernelOptions options, PreparedModule module, const MarkedText& marked)
      : options_(std::move(options)), module_(std::move(module)) {
    if (marked.text) marks_.emplace(*module_.module, *marked.text, marked.file);
  }

  Result<Unit> add(const lower::DeviceForm& form) override {
    const size_t sites = sites_.size(), kernels = sharedBytes_.size();
    Result<Unit> added = kernelsOf(form);
    if (added) return added;
    sites_.resize(sites);
    sharedBytes_.resize(kernels);
    std::vector<llvm::Function*> begun;
    for (const lower::DeviceKernel& kernel : form.kernels) {
      for (const std::string& name : {kernel.symbol, kernel.symbol + ".body"})
        if (llvm::Function* function = module_.module->getFunction(name)) begun.push_back(function);
    }
    // They call each other: none goes while another one names it.
    for (llvm::Function* function : begun) function->deleteBody();
    for (llvm::Function* function : begun) function->eraseFromParent();
    return added;
  }

  Result<DeviceText> finish() override {
    if (marks_) marks_->finish();
    RX_CHECK(verified(*module_.module));
    optimize(module_, options_);
    RX_TRY(machine, writerFor(*module_.module, options_));
    RX_TRY(text, codeOf(*machine, *module_.module, llvm::CodeGenFileType::AssemblyFile,
                        "LLVM writes no text for this target"));
    text = withoutCallNumbers(text);
    if (marks_) {
      ListedText listed = withoutMarks(text);
      text = std::move(listed.text);
      from_ = std::move(listed.from);
    }
    return DeviceText{std::move(text), std::move(sites_), std::move(sharedBytes_)};
  }

  const std::vector<uint32_t>& linesFrom() const override { return from_; }

 private:
  Result<Unit> kernelsOf(const lower::DeviceForm& form) {
    for (const lower::DeviceKernel& kernel : form.kernels) {
      if (!isDeviceName(kernel.symbol)) return fail("codegen.unsupported", kernel.symbol + " is no name of PTX");
      // The common functions on float32 stay in that type; all others are computed as float64.
      auto* function = new tir::PrimFunc(*kernel.function);
      function->body = schedule::withVectorMath(function->body, /*fused=*/true);
      const lower::DeviceKernel ready{kernel.symbol, tir::PrimFuncRef(function)};
      RX_TRY(bytes, PtxEmitter(*module_.module, ready, options_.checkAccess, options_.machine.processor, sites_,
                               marks_ ? &*marks_ : nullptr)
                        .run());
      sharedBytes_.push_back(bytes);
    }
    return Unit{};
  }

  const KernelOptions options_;
  PreparedModule module_;
  std::optional<LineMarks> marks_;
  std::vector<uint32_t> from_;
  std::vector<FaultSite> sites_;
  std::vector<int64_t> sharedBytes_;
};

}  // namespace

std::vector<std::string_view> ptxArchitectures() {
  std::vector<std::string_view> names;
  for (const ArchitectureRow& row : kArchitectures) names.push_back(row.name);
  return names;
}

Result<std::unique_ptr<DeviceWriter>> ptxWriter(const WriterOptions& options) {
  RX_TRY(architecture, architectureOf(options.target));
  KernelOptions made;
  made.optLevel = 2;
  made.checkAccess = options.checkAccess;
  made.machine = {"nvptx64-nvidia-cuda", std::string(architecture->name), std::string(architecture->features)};
  RX_TRY(module, prepare(made));
  return std::unique_ptr<DeviceWriter>(std::make_unique<PtxWriter>(std::move(made), std::move(module), options.marked));
}

}  // namespace rx::codegen
