// Files of the package runtime that are part of this program: the compiled runtime, the header, the runner.
#pragma once

#include <string_view>

#include "core/target/processor.h"

namespace rx::exporter {

/// Relocatable ELF object for x86-64 or aarch64.
std::string_view runtimeObject(target::Architecture architecture);
/// What a package with code for devices has beside it.
std::string_view devicesObject(target::Architecture architecture);
/// Empty shared libraries that stand for libm and libc of a machine whose own are not here: what is linked against them
/// asks the loader there for the real ones.
std::string_view standInLibm(target::Architecture architecture);
std::string_view standInLibc(target::Architecture architecture);
std::string_view packageHeader();  ///< rxs_package.h
std::string_view packageRunner();  ///< rxs_runner.c

}  // namespace rx::exporter
