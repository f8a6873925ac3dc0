// Processors: what LLVM's name of one and a list of features ("+avx2") mean: the rows of processors.def.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace rx::target {

enum class Architecture : uint8_t { Unknown, X86_64, Aarch64, Arm, Riscv };

/// What machine code may count on. Where nothing is known of a processor it is the least one of its architecture.
struct Processor {
  Architecture architecture = Architecture::Unknown;
  std::string name;  ///< as LLVM names it; empty where the target names none
  /// Names of features, as LLVM has them; those that others imply are in it.
  std::set<std::string, std::less<>> features;
  int64_t cacheBytes[2] = {0, 0};  ///< first data cache and second cache of a core; 0 = not known

  bool has(std::string_view feature) const { return features.contains(feature); }
};

/// Architecture of a triple of LLVM ("aarch64-linux-gnu").
Architecture architectureOf(std::string_view triple);
/// The architecture that has a processor of this name; Unknown when none has or several do.
Architecture architectureWithProcessor(std::string_view name);
/// The processor of this name (empty: the least one) with features switched on ("+avx2", with what they imply) and off
/// ("-avx2", with what implies them). Names that x86-64 and aarch64 do not have are errors (target.unknown-processor,
/// target.unknown-feature) that offer the near ones; other architectures are not checked.
Result<Processor> makeProcessor(Architecture architecture, std::string_view name,
                                std::span<const std::string> features);

}  // namespace rx::target
