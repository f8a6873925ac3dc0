// Profile: the times of a run's instructions, and what each did.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/debug/program.h"
#include "core/ir/module.h"
#include "core/profile/hardware.h"
#include "core/runtime/machine.h"

namespace rx::profile {

/// A tensor that a kernel was given.
struct Argument {
  std::string type;            ///< "(1, 64, 56, 56) float32"
  std::vector<int64_t> shape;  ///< the same extents
  bool written = false;
  bool operator==(const Argument&) const = default;
};
constexpr size_t kMostArguments = 16;

/// An instruction that ran. Numbers are of one run.
struct InstructionTimes {
  int64_t calls = 0;
  std::vector<int64_t> nanoseconds;           ///< of each measured run
  std::vector<int64_t> onDevice;              ///< of those, what a device worked by its own clock; empty where none did
  int64_t first = 0;                          ///< nanoseconds in the first run
  bool kernel = false;                        ///< calls a PrimFunc, or a function of a library or a plugin
  bool parallel = false;                      ///< of a kernel: runs on several threads
  std::optional<double> flops = 0;            ///< floating-point operations; nothing where they are not known
  std::optional<double> integers = 0;         ///< operations of whole numbers; nothing where they are not known
  double bytes = 0;                           ///< of arguments, read and written, each once a call
  std::vector<Argument> arguments;            ///< tensors of the first call, as far as kMostArguments
  std::map<std::string, int64_t> sizes = {};  ///< of a kernel: of its symbolic variables in the first call, by name
  bool weightsOnly = false;  ///< of a kernel: reads nothing but weights of the function, the same in each run
};

/// An instruction at a time, for a flame chart.
struct Event {
  size_t instruction = 0;
  int64_t begin = 0;  ///< nanoseconds from the start of the run
  int64_t duration = 0;
  size_t depth = 0;  ///< frames around it, itself counted
};

struct Profile {
  std::string function;
  std::map<size_t, InstructionTimes> instructions;  ///< by index
  std::vector<int64_t> wall;                        ///< nanoseconds of runs that nobody looked at, between the others
  int64_t first = 0;                                ///< nanoseconds of the first run
  double busy = 0;            ///< the part of the processors' time that other programs took meanwhile
  std::vector<Event> events;  ///< of the last measured run, as far as kMostEvents
  static constexpr size_t kMostEvents = 1'000'000;
};

/// The clock of the devices that a run uses.
struct DeviceClock {
  std::function<void(bool wanted)> measure;  ///< whether it goes from now on
  std::function<Result<int64_t>()> elapsed;  ///< nanoseconds that they worked since this was asked last
};

struct ProfileOptions {
  int runs = 0;  ///< measured ones; 0: as many as take a second, at least 3 and at most 100
  CancelToken cancel;
  std::optional<DeviceClock> devices = std::nullopt;
};

/// Runs a function once for what is made at the first call, then by turns as it is and with a clock at each
/// instruction. `module` has the kernels under their names. A fault of the run is its failure.
Result<Profile> profileRun(vm::Machine& machine, const std::string& function, const std::vector<vm::Value>& args,
                           const ir::Module& module, const ProfileOptions& options);

/// To what is known adds what is; nothing is known where one of them is not.
inline void addKnown(std::optional<double>& sum, const std::optional<double>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

int64_t median(std::vector<int64_t> values);

/// Takes off each instruction what watching it took: runs that are watched take longer than the others, by as much for
/// each, and by no more than `most` nanoseconds.
void takeWatchingOff(Profile& profile, int64_t most);

}  // namespace rx::profile
