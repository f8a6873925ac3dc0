// A file that is being written: a new one beside the target, renamed over it when it is whole; or the device or FIFO
// that stands there, into which is written.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "core/support/result.h"

namespace rx {

/// Whoever has the name open sees the old content or the new, never a part. Links are followed, also one to nowhere;
/// the mode (and, for root, the owner) of a file that is replaced stays. The new file has a name of its own beside the
/// target and is locked while its writer lives: two writers of one target do not meet, and what a killed one left goes
/// with the next.
class OutputFile {
 public:
  static constexpr std::chrono::seconds kReaderPatience{10};
  /// Fails with file.write, also where the old file may not be written, and where nobody reads from a FIFO for so long.
  static Result<OutputFile> open(const std::string& path, std::chrono::seconds patience = kReaderPatience);
  OutputFile(OutputFile&& other) noexcept
      : target_(std::move(other.target_)),
        beside_(std::exchange(other.beside_, {})),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  OutputFile& operator=(OutputFile&&) = delete;
  /// What was not committed is removed.
  ~OutputFile();

  /// A device, a FIFO or a descriptor that was open before: written into, and nothing to commit.
  bool isStream() const { return beside_.empty(); }
  /// Fails with file.write.
  Result<Unit> write(std::string_view bytes);
  /// Puts the file in its place; it stays open, and locked, for as long as this object lives.
  Result<Unit> commit();
  /// The same of a file that goes on growing: the system is not made to store first what it holds by now.
  Result<Unit> commitGrowing();
  int descriptor() const { return descriptor_; }

 private:
  OutputFile(std::string target, std::string beside, int descriptor)
      : target_(std::move(target)), beside_(std::move(beside)), descriptor_(descriptor) {}
  static Result<OutputFile> openStream(const std::string& path, std::chrono::seconds patience);
  static Result<OutputFile> openBeside(const std::string& target);

  std::string target_;  ///< behind links
  std::string beside_;  ///< where the bytes are until then; empty for a stream, and once committed
  int descriptor_;
};

/// Removes what killed writers of any target in this folder left.
void removeLeftovers(const std::string& folder);

}  // namespace rx
