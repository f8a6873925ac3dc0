#include "core/target/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/support/nearest.h"
#include "core/target/kinds.h"

namespace rx::target {

namespace {

struct FeatureRow {
  Architecture architecture;
  std::string_view name, implies;
  bool isLevel;  ///< a name for several features, none by itself
};
struct ProcessorRow {
  Architecture architecture;
  std::string_view names, features;
  int64_t firstCacheKib, secondCacheKib;
};
constexpr FeatureRow kFeatures[] = {
#define RX_FEATURE(architecture, name, implies) {Architecture::architecture, name, implies, false},
#define RX_LEVEL(architecture, name, features) {Architecture::architecture, name, features, true},
#define RX_PROCESSORS(architecture, names, features, first, second)
#include "core/target/processors.def"
};
constexpr ProcessorRow kProcessors[] = {
#define RX_FEATURE(architecture, name, implies)
#define RX_LEVEL(architecture, name, features)
#define RX_PROCESSORS(architecture, names, features, first, second) \
  {Architecture::architecture, names, features, first, second},
#include "core/target/processors.def"
};

/// Arm's 32-bit processors share names of features with the 64-bit ones.
Architecture tableOf(Architecture architecture) {
  return architecture == Architecture::Arm ? Architecture::Aarch64 : architecture;
}
bool isChecked(Architecture architecture) {
  return architecture == Architecture::X86_64 || architecture == Architecture::Aarch64;
}

const FeatureRow* findFeature(Architecture architecture, std::string_view name) {
  for (const FeatureRow& row : kFeatures) {
    if (row.architecture == tableOf(architecture) && row.name == name) return &row;
  }
  return nullptr;
}

const ProcessorRow* findProcessor(Architecture architecture, std::string_view name) {
  for (const ProcessorRow& row : kProcessors) {
    if (row.architecture != architecture) continue;
    const std::vector<std::string_view> names = wordsOf(row.names);
    if (std::find(names.begin(), names.end(), name) != names.end()) return &row;
  }
  return nullptr;
}

/// Switches the words on, and what they imply.
void switchOn(Processor& processor, std::string_view words) {
  std::vector<std::string_view> open = wordsOf(words);
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    const FeatureRow* row = findFeature(processor.architecture, name);
    if (!row || !row->isLevel) {
      if (!processor.features.emplace(name).second) continue;
    }
    if (!row) continue;
    for (std::string_view implied : wordsOf(row->implies)) open.push_back(implied);
  }
}

/// Switches a feature off, and all that imply it.
void switchOff(Processor& processor, std::string_view name) {
  std::vector<std::string> open{std::string(name)};
  while (!open.empty()) {
    const std::string gone = open.back();
    open.pop_back();
    processor.features.erase(gone);
    for (const FeatureRow& row : kFeatures) {
      if (row.architecture != tableOf(processor.architecture) || !processor.has(row.name)) continue;
      const std::vector<std::string_view> implied = wordsOf(row.implies);
      if (std::find(implied.begin(), implied.end(), gone) != implied.end()) open.emplace_back(row.name);
    }
  }
}

Failure unknownProcessor(Architecture architecture, std::string_view name) {
  Diagnostic error = errorAt({}, "target.unknown-processor", fmt::format("no processor is named '{}'", name));
  Nearest nearest(name);
  for (const ProcessorRow& row : kProcessors) {
    if (row.architecture != architecture) continue;
    for (std::string_view other : wordsOf(row.names)) nearest.offer(other);
  }
  error.fix = nearest.fix();
  return fail(std::move(error));
}

Failure unknownFeature(Architecture architecture, std::string_view name) {
  Diagnostic error = errorAt({}, "target.unknown-feature", fmt::format("no processor has a feature '{}'", name));
  Nearest nearest(name);
  for (const FeatureRow& row : kFeatures) {
    if (row.architecture == architecture && !row.isLevel) nearest.offer(row.name);
  }
  error.fix = nearest.fix();
  return fail(std::move(error));
}

struct TripleRow {
  std::string_view prefix;
  Architecture architecture;
};
constexpr TripleRow kTriples[] = {
    {"x86_64", Architecture::X86_64}, {"amd64", Architecture::X86_64}, {"aarch64", Architecture::Aarch64},
    {"arm64", Architecture::Aarch64}, {"arm", Architecture::Arm},      {"thumb", Architecture::Arm},
    {"riscv", Architecture::Riscv},
};

}  // namespace

Architecture architectureOf(std::string_view triple) {
  for (const TripleRow& row : kTriples) {
    if (triple.starts_with(row.prefix)) return row.architecture;
  }
  return Architecture::Unknown;
}

Architecture architectureWithProcessor(std::string_view name) {
  const bool x86 = findProcessor(Architecture::X86_64, name), arm = findProcessor(Architecture::Aarch64, name);
  if (x86 == arm) return Architecture::Unknown;
  return x86 ? Architecture::X86_64 : Architecture::Aarch64;
}

Result<Processor> makeProcessor(Architecture architecture, std::string_view name,
                                std::span<const std::string> features) {
  Processor processor;
  processor.architecture = architecture;
  processor.name = name;
  if (isChecked(architecture)) {
    const ProcessorRow* row = findProcessor(architecture, name.empty() ? "generic" : name);
    if (!row) return unknownProcessor(architecture, name);
    switchOn(processor, row->features);
    processor.cacheBytes[0] = row->firstCacheKib * 1024;
    processor.cacheBytes[1] = row->secondCacheKib * 1024;
  }
  for (const std::string& feature : features) {
    const std::string_view plain = std::string_view(feature).substr(feature.empty() ? 0 : 1);
    if (feature.empty() || (feature[0] != '+' && feature[0] != '-')) {
      Diagnostic error = errorAt({}, "target.value", fmt::format("a feature is written +{0} or -{0}", feature));
      return fail(std::move(error));
    }
    const FeatureRow* row = findFeature(architecture, plain);
    if (isChecked(architecture) && (!row || row->isLevel)) return unknownFeature(architecture, plain);
    feature[0] == '+' ? switchOn(processor, plain) : switchOff(processor, plain);
  }
  return processor;
}

}  // namespace rx::target
