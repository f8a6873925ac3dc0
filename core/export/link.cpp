#include "core/export/link.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>

LLD_HAS_DRIVER(elf)

namespace rx::exporter {

namespace {

/// Where Debian and its kin keep the C library of this machine.
constexpr const char* kLibraryFolders[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"};

std::string systemLibrary(const char* name) {
  for (const char* folder : kLibraryFolders) {
    std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path.string();
  }
  return {};
}

}  // namespace

Result<Unit> linkLibrary(const std::vector<std::string>& objects, const std::string& output) {
  std::vector<std::string> arguments{"ld.lld", "-shared",          "--gc-sections", "-z", "noexecstack", "-z",
                                     "relro",  "--hash-style=gnu", "--as-needed",   "-o", output};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  for (const char* name : {"libm.so.6", "libc.so.6"}) {
    std::string path = systemLibrary(name);
    if (path.empty()) return fail("export.link", fmt::format("{} is not on this machine", name));
    arguments.push_back(path);
  }
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  std::string out, errors;
  llvm::raw_string_ostream outStream(out), errorStream(errors);
  lld::Result result = lld::lldMain(pointers, outStream, errorStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) return fail("export.link", "linking failed: " + errors);
  return Unit{};
}

}  // namespace rx::exporter
