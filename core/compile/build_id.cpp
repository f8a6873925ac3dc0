#include "core/compile/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <span>

namespace rx::compile {

namespace {

/// The id among the notes of a segment: each a header, a name and a value, both padded to four bytes.
std::string idIn(std::span<const unsigned char> notes) {
  auto padded = [](size_t bytes) { return (bytes + 3) & ~size_t{3}; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const size_t value = sizeof header + padded(header.n_namesz), end = value + padded(header.n_descsz);
    if (end > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(notes.data() + sizeof header, "GNU", 4) == 0) {
      std::string id;
      for (const unsigned char byte : notes.subspan(value, header.n_descsz)) id += fmt::format("{:02x}", byte);
      return id;
    }
    notes = notes.subspan(end);
  }
  return {};
}

}  // namespace

const std::string& buildId() {
  static const std::string id = [] {
    std::string found;
    auto look = [](dl_phdr_info* info, size_t, void* out) {
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = info->dlpi_phdr[i];
        if (header.p_type != PT_NOTE) continue;
        const auto* notes = reinterpret_cast<const unsigned char*>(info->dlpi_addr + header.p_vaddr);
        auto& result = *static_cast<std::string*>(out);
        if (result.empty()) result = idIn({notes, header.p_memsz});
      }
      return 1;  // the program itself comes first; nothing else is asked
    };
    dl_iterate_phdr(look, &found);
    return found;
  }();
  return id;
}

}  // namespace rx::compile
