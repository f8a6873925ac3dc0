// The code of a program for devices, as its text and what the host does to run it.
#pragma once

#include <set>

#include "core/compile/compile.h"

namespace rx::compile {

codegen::DeviceOptions deviceOptionsOf(const Program& program, const Control& control);

/// The devices of a program in the order in which its instructions number them, as ProgramCode has them: what the
/// module lists, where another kind than the target's is the host; the first device of that kind where it lists none.
Result<std::vector<int64_t>> rowsOf(const ir::IRModule& module, const target::Target& target);

/// The code of a program for devices, and the PrimFuncs by their symbols that the host runs: those that the device has
/// none of, and those that are called there.
struct DeviceCode {
  device::ProgramCode code;
  std::set<std::string, std::less<>> onHost;
};
/// For each of these targets, which differ from the request's in their architectures. Fails with codegen.target where
/// no code is made for one of them.
Result<DeviceCode> deviceCodeOf(const Program& program, const std::vector<target::TargetRef>& targets,
                                const Control& control);
/// A target for each architecture, the oldest first; itself where none is named. Fails with codegen.target where its
/// devices have none.
Result<std::vector<target::TargetRef>> targetsFor(const target::TargetRef& target,
                                                  const std::vector<std::string>& architectures);

/// Whether a text, as target::parseTarget takes it, leaves open which of several architectures the devices have.
bool leavesArchitectureOpen(std::string_view target);
/// As target::parseTarget; one that leaves its architecture open is for the nearest that there is code for to this
/// machine's first device, where there is one, else for the oldest.
Result<target::TargetRef> targetHere(std::string_view text);

}  // namespace rx::compile
