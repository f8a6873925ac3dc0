#include "core/codegen/code_lines.h"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <memory>

#include "core/codegen/llvm_module.h"

namespace rx::codegen {

namespace {

/// What stands between instructions to align them, and in no listing.
constexpr std::string_view kPadding[] = {"nop", "xchg", "cs", "data16", "int3"};

/// The section that the kernel's entry is in, and where.
struct Place {
  llvm::StringRef bytes;
  uint64_t entry = 0;
};
Result<Place> placeOf(const llvm::object::ObjectFile& file) {
  for (const llvm::object::SymbolRef& symbol : file.symbols()) {
    auto name = symbol.getName();
    if (!name) return llvmFailure(name.takeError());
    if (*name != kKernelSymbol) continue;
    auto section = symbol.getSection();
    if (!section) return llvmFailure(section.takeError());
    auto bytes = (*section)->getContents();
    if (!bytes) return llvmFailure(bytes.takeError());
    auto address = symbol.getAddress();
    if (!address) return llvmFailure(address.takeError());
    return Place{*bytes, *address - (*section)->getAddress()};
  }
  return fail("codegen.llvm", "the object holds no kernel");
}

}  // namespace

Result<std::vector<CodeLine>> codeLines(const std::string& object, const MachineCode& listing) {
  RX_TRY(machine, hostMachine());
  llvm::InitializeNativeTargetDisassembler();
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, kKernelSymbol));
  if (!file) return llvmFailure(file.takeError());
  RX_TRY(place, placeOf(**file));
  const std::unique_ptr<void, void (*)(void*)> reader(
      LLVMCreateDisasm(machine.getTargetTriple().str().c_str(), nullptr, 0, nullptr, nullptr), LLVMDisasmDispose);
  if (!reader) return fail("codegen.llvm", "this processor has no disassembler");
  if (machine.getTargetTriple().isX86()) LLVMSetDisasmOptions(reader.get(), LLVMDisassembler_Option_AsmPrinterVariant);
  std::vector<CodeLine> lines;
  std::string bytes = place.bytes.str();
  size_t line = 0;
  for (size_t at = 0; at < bytes.size();) {
    char text[256];
    const size_t size = LLVMDisasmInstruction(reader.get(), reinterpret_cast<uint8_t*>(bytes.data()) + at,
                                              bytes.size() - at, at, text, sizeof text);
    std::string_view name(size ? text : "");
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_first_of(" \t"));
    while (line < listing.lines.size() && listing.lines[line].name.empty()) ++line;
    if (line < listing.lines.size() && listing.lines[line].name == name) {
      const auto begin = static_cast<int64_t>(at) - static_cast<int64_t>(place.entry);
      lines.push_back({begin, begin + static_cast<int64_t>(size), static_cast<uint32_t>(++line)});
    } else if (std::find(std::begin(kPadding), std::end(kPadding), name) == std::end(kPadding)) {
      return fail("codegen.llvm", fmt::format("the code at byte {} is {}, which is not what is listed", at, name));
    }
    at += std::max<size_t>(size, 1);
  }
  if (lines.size() != listing.counts().instructions)
    return fail("codegen.llvm", "the code ends before what is listed does");
  return lines;
}

}  // namespace rx::codegen
