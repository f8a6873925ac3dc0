#include "core/export/link.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <filesystem>

#include "core/export/embedded.h"
#include "core/support/file.h"

LLD_HAS_DRIVER(elf)

namespace rx::exporter {

namespace {

/// An open folder.
struct Folder {
  explicit Folder(const std::string& path) : descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (descriptor >= 0) ::close(descriptor);
  }
  int descriptor;
};

}  // namespace

Result<Unit> linkLibrary(target::Architecture architecture, const std::vector<std::string>& objects,
                         const std::string& path) {
  // The linker makes random digits of every % in the path of its output, so it is told a way there that has none.
  const std::filesystem::path target(path);
  const Folder folder(target.parent_path());
  const std::string output = fmt::format("/proc/self/fd/{}/{}", folder.descriptor, target.filename().string());
  const std::string exported = output + ".map";
  const bool arm = architecture == target::Architecture::Aarch64;
  std::vector<std::string> arguments{"ld.lld", "-m", arm ? "aarch64linux" : "elf_x86_64", "-shared", "--gc-sections",
                                     "-z", "noexecstack", "-z", "relro", "--hash-style=gnu",
                                     // lld keeps this symbol of the link before where a link has no use for it, and
                                     // writes to it: asked for, it is made anew each time.
                                     "--undefined=_GLOBAL_OFFSET_TABLE_", "--version-script", exported, "-o", output};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  // The C library is that of the machine that loads the package; none has to be here.
  const std::pair<std::string, std::string_view> libraries[] = {{output + ".libm", standInLibm(architecture)},
                                                                {output + ".libc", standInLibc(architecture)}};
  for (const auto& [path, bytes] : libraries) {
    RX_CHECK(writeFile(path, bytes));
    arguments.push_back(path);
  }
  // The interface and nothing else: what the runtime needs of the C++ library is no business of who loads it.
  RX_CHECK(writeFile(exported, "{ global: rxs_*; local: *; };\n"));
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  std::string out, errors;
  llvm::raw_string_ostream outStream(out), errorStream(errors);
  lld::Result result = lld::lldMain(pointers, outStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  std::error_code ignored;
  for (const auto& library : libraries) std::filesystem::remove(library.first, ignored);
  std::filesystem::remove(exported, ignored);
  if (result.retCode != 0) return fail("export.link", "linking failed: " + errors);
  return Unit{};
}

}  // namespace rx::exporter
