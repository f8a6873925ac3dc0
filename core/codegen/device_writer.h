// Kernels of a device as the text that its driver compiles, in whichever language that is.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/codegen/device_tools.h"
#include "core/device/run/code.h"
#include "core/lower/device_lowering.h"
#include "core/support/source.h"

namespace rx::codegen {

using device::DeviceText;
using device::FaultSite;
using device::kFaultWords;

/// Collects kernels.
class DeviceWriter {
 public:
  virtual ~DeviceWriter() = default;
  /// Adds the kernels of a function. Fails with codegen.unsupported, each with its place, and leaves what is there as
  /// it was.
  virtual Result<Unit> add(const lower::DeviceForm& form) = 0;
  /// The text of all that was added. Called once.
  virtual Result<DeviceText> finish() = 0;
  /// Of that text, by line: the line of WriterOptions::marked that it came from, 0 for none; nothing without one.
  virtual const std::vector<uint32_t>& linesFrom() const = 0;
};

/// The text that places of statements lie in, where lines are asked for.
struct MarkedText {
  const SourceFile* text = nullptr;
  uint32_t file = 0;  ///< what those places name as their file

  uint32_t lineOf(const Span& place) const {
    return text && place.file == file ? text->lineColumn(place.begin).line : 0;
  }
};

struct WriterOptions {
  bool checkAccess = true;  ///< whether marked accesses are looked at
  target::TargetRef target;
  MarkedText marked = {};
};

/// A language that texts are made in, and the kind of target whose drivers take it.
struct DeviceLanguage {
  std::string_view name, target;
  /// Fails with codegen.target where the target asks for a device that the language has no words for.
  Result<std::unique_ptr<DeviceWriter>> (*writer)(const WriterOptions& options);
  /// The attribute of a target that says for which devices a text is, and what one is for that has none; empty where a
  /// text is for every device.
  std::string_view attribute, least;
  /// Those that there are texts for, the oldest first.
  std::vector<std::string_view> (*architectures)();
  /// What the vendor's tools make of a text for an architecture; null where there are none.
  std::optional<AssembledText> (*assembled)(std::string_view text, const std::string& architecture);
};
std::span<const DeviceLanguage> deviceLanguages();
/// Null where a kind of target has none.
const DeviceLanguage* languageOf(std::string_view targetKind);

/// What a text for a target is for, as device::ModuleCode has it.
std::string architectureOf(const target::Target& target);

/// The architecture that texts are best made for where they are for a device of this one; empty where it runs none.
std::string_view architectureFor(const DeviceLanguage& language, std::string_view device);

/// Whether a name is one in every language: letters, digits and underscores.
bool isDeviceName(std::string_view text);

}  // namespace rx::codegen
