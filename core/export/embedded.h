// Files of the package runtime that are part of this program: the compiled runtime, the header, the runner.
#pragma once

#include <string_view>

namespace rx::exporter {

std::string_view runtimeObject();  ///< relocatable ELF object
std::string_view packageHeader();  ///< rxs_package.h
std::string_view packageRunner();  ///< rxs_runner.c

}  // namespace rx::exporter
