// Threads of one launch that touch the same element, one of them writing, with nothing that puts them in order: neither
// have they waited for each other between the two, nor are both of them the same thread, nor do both add atomically.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/support/source.h"

namespace rx::launch {

/// Who touches an element, and when: waits are counted by group and by warp.
struct Toucher {
  int64_t group = -1;
  int32_t thread = 0, warp = 0;
  int32_t groupWaits = 0, warpWaits = 0;
  Span place;                                                         ///< of its statement
  enum class How : uint8_t { Reads, Writes, Adds } how = How::Reads;  ///< Adds: atomically
};

struct Race {
  std::string buffer;
  int64_t index = 0;  ///< of the element
  Toucher first, second;
};

/// Of one launch. Each pair of statements is told once for a buffer, as many as kMost.
class Races {
 public:
  static constexpr size_t kMost = 50;
  /// Elements that are watched at one time; with more, `complete` says that not all were.
  static constexpr size_t kMostElements = size_t{1} << 21;

  /// `grain`: bytes of the smallest element that the kernel accesses.
  explicit Races(int64_t grain) : grain_(grain) {}
  /// Whose memory is touched: the device's, or that of the group, which no other one has.
  enum class Memory : uint8_t { Device, Group };
  /// `bytes` at an address; `index` is the element there.
  void touched(Memory memory, const std::byte* at, int64_t bytes, const Toucher& by, std::string_view buffer,
               int64_t index);
  const std::vector<Race>& found() const { return found_; }
  bool complete() const { return complete_; }

 private:
  /// Enough of those who touched an element in one way to say of anyone whether he is in order with all of them.
  struct Touchers {
    Toucher last;
    Toucher inWarp;     ///< the last one of another thread of that one's warp, since the same waits
    Toucher inGroup;    ///< of another warp of its group, since the same waits
    Toucher elsewhere;  ///< of another group
    void note(const Toucher& by);
  };
  /// Of one grain of memory. What lies before the last write is in order with what is in order with that.
  struct Cell {
    Toucher write;
    Touchers reads;
    std::unique_ptr<Touchers> adds;  ///< of few elements
  };
  void compare(const Touchers& earlier, const Toucher& by, std::string_view buffer, int64_t index);
  void report(const Toucher& first, const Toucher& second, std::string_view buffer, int64_t index);

  const int64_t grain_;
  bool complete_ = true;
  using Cells = std::unordered_map<const std::byte*, Cell>;
  Cells device_, group_;
  int64_t groupOf_ = -1;  ///< whose memory group_ is
  std::vector<Race> found_;
};

}  // namespace rx::launch
