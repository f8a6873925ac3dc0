#include "core/export/data_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace rx::exporter {

namespace {

/// Of a section that code may reach over any distance, by the ABI of x86-64.
constexpr uint64_t kFarSection = 0x10000000;
constexpr uint64_t kDataAt = 64;
static_assert(sizeof(Elf64_Ehdr) <= kDataAt && kDataAt % Storage::kAlignment == 0);

/// The sections, in order.
enum Section : uint16_t { kNone, kData, kSymbols, kNames, kSections };

/// Texts with a zero behind each, the first of them empty.
class Names {
 public:
  uint32_t add(const std::string& name) {
    const auto at = static_cast<uint32_t>(bytes.size());
    bytes += name + '\0';
    return at;
  }
  std::string bytes{'\0'};
};

/// What follows the data: two symbols, names, and the table of sections.
struct Tail {
  Elf64_Sym symbols[2] = {};
  Elf64_Shdr sections[kSections] = {};
  Names names;
};

Tail tailOf(bool far, const std::string& symbol, uint64_t bytes) {
  Tail tail;
  Elf64_Sym& entry = tail.symbols[1];
  entry.st_name = tail.names.add(symbol);
  entry.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  entry.st_other = STV_HIDDEN;
  entry.st_shndx = kData;
  entry.st_size = bytes;
  Elf64_Shdr& data = tail.sections[kData];
  data.sh_name = tail.names.add(far ? ".lrodata" : ".rodata");
  data.sh_type = SHT_PROGBITS;
  data.sh_flags = SHF_ALLOC | (far ? kFarSection : 0);
  data.sh_offset = kDataAt;
  data.sh_size = bytes;
  data.sh_addralign = Storage::kAlignment;
  Elf64_Shdr& symbols = tail.sections[kSymbols];
  symbols.sh_name = tail.names.add(".symtab");
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = (kDataAt + bytes + 7) / 8 * 8;
  symbols.sh_size = sizeof tail.symbols;
  symbols.sh_entsize = sizeof(Elf64_Sym);
  symbols.sh_link = kNames;
  symbols.sh_info = 1;  // the first that is not local
  symbols.sh_addralign = 8;
  Elf64_Shdr& names = tail.sections[kNames];
  names.sh_name = tail.names.add(".strtab");
  names.sh_type = SHT_STRTAB;
  tail.names.bytes.resize((tail.names.bytes.size() + 7) / 8 * 8);
  names.sh_offset = symbols.sh_offset + symbols.sh_size;
  names.sh_size = tail.names.bytes.size();
  names.sh_addralign = 1;
  return tail;
}

Elf64_Ehdr headerOf(uint16_t machine, const Tail& tail) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = header.e_version = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine;
  header.e_shoff = tail.sections[kNames].sh_offset + tail.sections[kNames].sh_size;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kSections;
  header.e_shstrndx = kNames;
  return header;
}

/// Writes at increasing places, with zeros between.
class Output {
 public:
  explicit Output(const std::string& path) : file_(path, std::ios::binary | std::ios::trunc) {}
  void put(uint64_t at, const void* data, size_t bytes) {
    for (; at_ < at; ++at_) file_.put('\0');
    file_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
    at_ += bytes;
  }
  bool finished() {
    file_.close();
    return !file_.fail();
  }

 private:
  std::ofstream file_;
  uint64_t at_ = 0;
};

}  // namespace

Result<Unit> writeDataObject(target::Architecture architecture, const std::string& symbol, const TensorBlocks& blocks,
                             const std::string& path) {
  const bool arm = architecture == target::Architecture::Aarch64;
  const Tail tail = tailOf(!arm, symbol, blocks.bytes());
  const Elf64_Ehdr header = headerOf(arm ? EM_AARCH64 : EM_X86_64, tail);
  Output out(path);
  out.put(0, &header, sizeof header);
  for (const auto& [at, tensor] : blocks.rows())
    out.put(kDataAt + at, tensor->data(), static_cast<size_t>(tensor->bytes()));
  out.put(tail.sections[kSymbols].sh_offset, tail.symbols, sizeof tail.symbols);
  out.put(tail.sections[kNames].sh_offset, tail.names.bytes.data(), tail.names.bytes.size());
  out.put(header.e_shoff, tail.sections, sizeof tail.sections);
  if (out.finished()) return Unit{};
  return fail("file.write", fmt::format("{}: {}", escapedForDisplay(path), std::strerror(errno)));
}

}  // namespace rx::exporter
