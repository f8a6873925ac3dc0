// A profile as rows: instructions that belong together, and how near they come to what the machine can do.
#pragma once

#include "core/profile/profile.h"

namespace rx::profile {

/// What a row stands for.
enum class By : uint8_t { Kernel, Call };

/// What keeps a row from being faster.
enum class Bound : uint8_t {
  None,     ///< it is no kernel, or nothing is known of its work
  Compute,  ///< the arithmetic of the processor
  Memory,   ///< the bandwidth of memory
  Cache,    ///< nothing of those: what it works on comes from caches, faster than memory gives it
  Latency,  ///< the call itself: it is over before either counts
  Code,     ///< its own instructions, far from what arithmetic and memory would allow
};
std::string_view boundName(Bound bound);

/// A binding of the imported module.
struct Source {
  std::string function;
  int binding = -1;  ///< its number in the order of the text
  std::string variable;
  uint32_t line = 0;  ///< one-based, 0 when unknown
  bool operator==(const Source&) const = default;
};

struct Row {
  std::string name;                 ///< of the kernel, or of the binding that the call is for
  std::string callee;               ///< by calls: what is called
  std::vector<Source> sources;      ///< what it was imported as, each once
  std::vector<Source> parts;        ///< all that the first call does of the imported module: what was fused to it
  std::vector<Argument> arguments;  ///< of the first call
  std::map<std::string, int64_t> sizes = {};  ///< of the kernel's symbolic variables in the first call, by name
  bool parallel = false;                      ///< runs on several threads
  bool weightsOnly = false;                   ///< reads nothing but weights: what it makes is the same in each run
  std::vector<std::string> rules;             ///< that scheduled the kernel: "matmul: host.Products"
  std::string noRule;                  ///< which conditions of rules failed, where blocks of it stay as they were
  bool kernel = false;                 ///< else builtins, moves and jumps
  int64_t calls = 0;                   ///< in a run
  int64_t nanoseconds = 0;             ///< of a run: the mean of the middle half of all, by their time
  int64_t first = 0;                   ///< in the first run
  int64_t onDevice = 0;                ///< nanoseconds of a run that a device worked, by its own clock; 0: none did
  double share = 0;                    ///< of all rows
  std::optional<double> flops = 0;     ///< of a run
  std::optional<double> integers = 0;  ///< operations of whole numbers, of a run
  double bytes = 0;
  double ofLimit = 0;  ///< of what the machine could do in that time; 0 where not known
  Bound bound = Bound::None;
  std::optional<double> occupancy;  ///< the part of a device's threads that may run at one time which are the kernel's
  std::vector<size_t> instructions;

  /// Nanoseconds that its work took: of a device's without what it takes to start it there and to wait.
  int64_t working() const { return onDevice > 0 ? onDevice : nanoseconds; }
};

struct Table {
  std::string function;
  By by = By::Kernel;
  std::vector<Row> rows;  ///< slowest first; what is no kernel is two rows by kernels
  size_t runs = 0;
  int64_t wall = 0;  ///< nanoseconds of a run that nobody looked at, median
  int64_t sum = 0;   ///< of all rows
  int64_t onDevice = 0;
  /// Of the runs: half the range of the middle half of them, of fewer than four that of all, relative to the median.
  double spread = 0;
  int64_t first = 0;
  int64_t calls = 0;
  double busy = 0;          ///< the part of the processors' time that other programs took meanwhile
  std::string noOccupancy;  ///< why no row of a device has one
};

/// `program` names the instructions; its stage 0 is the imported module.
Table tableOf(const Profile& profile, const debug::Program& program, By by, const Hardware& hardware);

/// Where the rows and the wall clock are more than 5 % apart, that they are, and by how much runs differed; else empty.
std::string apartText(const Table& table);

std::string tableText(const Table& table, const Hardware& hardware);
/// {"function", "runs", "wall_nanoseconds", ..., "kernels": rows, "calls": rows, "flame": [[index in "calls", begin,
/// duration, frames around it]], "hardware"}; the flame is the last run, as far as kMostFlames.
Json toJson(const Profile& profile, const Table& kernels, const Table& calls, const Hardware& hardware);
constexpr size_t kMostFlames = 20'000;
/// The last measured run in the format of Chrome's trace viewer.
Json chromeTrace(const Profile& profile, const debug::Program& program);

}  // namespace rx::profile
