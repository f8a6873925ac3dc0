// Kernels of a device as the text that its driver compiles, in whichever language that is.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/lower/device_lowering.h"
#include "core/runtime/kernel_fault.h"

namespace rx::codegen {

/// One place of a kernel that looks at what it does, by its number in the text.
struct FaultSite {
  vm::KernelFault fault = vm::KernelFault::Bounds;
  std::string text;       ///< name of the buffer that is accessed; else what is said
  int64_t dimension = 0;  ///< of the access
};

/// The words of a kernel's last argument, 64 bits each: the number of the site plus one (0: all went well), the index,
/// the extent that it should be below.
constexpr int64_t kFaultWords = 3;

/// Kernels in one text, with what they need before them.
struct DeviceText {
  std::string text;
  std::vector<FaultSite> sites;
  std::vector<int64_t> sharedBytes;  ///< of each kernel: what a launch gives to each group beside what is declared
};

/// Collects kernels.
class DeviceWriter {
 public:
  virtual ~DeviceWriter() = default;
  /// Adds the kernels of a function. Fails with codegen.unsupported, each with its place, and leaves what is there as
  /// it was.
  virtual Result<Unit> add(const lower::DeviceForm& form) = 0;
  /// The text of all that was added. Called once.
  virtual Result<DeviceText> finish() = 0;
};

struct WriterOptions {
  bool checkAccess = true;  ///< whether marked accesses are looked at
  target::TargetRef target;
};

/// A language that texts are made in, and the kind of target whose drivers take it.
struct DeviceLanguage {
  std::string_view name, target;
  /// Fails with codegen.target where the target asks for a device that the language has no words for.
  Result<std::unique_ptr<DeviceWriter>> (*writer)(const WriterOptions& options);
};
std::span<const DeviceLanguage> deviceLanguages();
/// Null where a kind of target has none.
const DeviceLanguage* languageOf(std::string_view targetKind);

/// Whether a name is one in every language: letters, digits and underscores.
bool isDeviceName(std::string_view text);

}  // namespace rx::codegen
