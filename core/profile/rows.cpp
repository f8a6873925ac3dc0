#include "core/profile/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace rx::profile {

namespace {

/// Under so many nanoseconds a call is mostly the call itself.
constexpr double kShortCall = 2000;
/// The fraction of a limit below which it is not what counts.
constexpr double kFar = 0.5;
/// More bindings are not named of what one kernel does.
constexpr size_t kMostParts = 32;

struct Key {
  std::string name, callee;
  debug::StagePlace place;  ///< imported
  bool kernel = false;
  auto operator<=>(const Key&) const = default;
};

class TableMaker {
 public:
  TableMaker(const Profile& profile, const debug::Program& program, By by, const Hardware& hardware)
      : profile_(profile),
        program_(program),
        by_(by),
        hardware_(hardware),
        imported_(program, 0),
        usual_(usualRuns(profile)) {}

  Table run() {
    std::map<Key, Group> groups;
    for (const auto& [pc, times] : profile_.instructions) add(groups[keyOf(pc, times)], pc, times);
    Table table;
    table.function = profile_.function;
    table.by = by_;
    table.runs = profile_.wall.size();
    for (const auto& [key, group] : groups) {
      table.rows.push_back(rowOf(key, group));
      table.sum += table.rows.back().nanoseconds;
      table.onDevice += table.rows.back().onDevice;
      table.calls += table.rows.back().calls;
    }
    for (Row& row : table.rows)
      row.share = table.sum > 0 ? static_cast<double>(row.nanoseconds) / static_cast<double>(table.sum) : 0;
    std::ranges::sort(table.rows, {},
                      [](const Row& row) { return std::pair(-row.nanoseconds, row.instructions.front()); });
    table.wall = median(profile_.wall);
    table.first = profile_.first;
    table.spread = spreadOf(profile_.wall);
    table.busy = profile_.busy;
    return table;
  }

 private:
  /// The middle half of the runs, by the time that they took. All rows are of these: medians of their own would add up
  /// to less than any run took, each having left out what disturbed it.
  static std::vector<size_t> usualRuns(const Profile& profile) {
    std::vector<int64_t> totals;
    for (const auto& [pc, times] : profile.instructions) {
      totals.resize(std::max(totals.size(), times.nanoseconds.size()));
      for (size_t run = 0; run < times.nanoseconds.size(); ++run) totals[run] += times.nanoseconds[run];
    }
    std::vector<size_t> runs(totals.size());
    std::iota(runs.begin(), runs.end(), size_t{0});
    std::ranges::sort(runs, {}, [&](size_t run) { return std::pair(totals[run], run); });
    const size_t left = (runs.size() + 1) / 4;  // of three runs the middle one, as of their times
    return {runs.begin() + static_cast<std::ptrdiff_t>(left), runs.end() - static_cast<std::ptrdiff_t>(left)};
  }

  /// The mean of the usual runs.
  int64_t usualTime(const std::vector<int64_t>& nanoseconds) const {
    int64_t sum = 0;
    for (const size_t run : usual_) sum += run < nanoseconds.size() ? nanoseconds[run] : 0;
    return usual_.empty() ? 0 : sum / static_cast<int64_t>(usual_.size());
  }

  struct Group {
    std::vector<size_t> instructions;
    std::vector<int64_t> nanoseconds, onDevice;  ///< of each run
    int64_t calls = 0, first = 0;
    bool parallel = false, weightsOnly = true;
    std::optional<double> flops = 0, integers = 0;
    double bytes = 0;
  };

  Key keyOf(size_t pc, const InstructionTimes& times) const {
    const debug::Instruction& instruction = program_.instructions[pc];
    if (by_ == By::Kernel) {
      const char* machine = instruction.housekeeping ? "allocation and checks" : "builtins, moves and jumps";
      return {times.kernel ? instruction.callee : machine, "", {}, times.kernel};
    }
    constexpr std::string_view kOps[] = {"call", "return", "jump", "branch"};
    const std::string what =
        instruction.callee.empty() ? std::string(kOps[static_cast<size_t>(instruction.op)]) : instruction.callee;
    return {instruction.variable, what, importedOf(pc), times.kernel};
  }

  debug::StagePlace importedOf(size_t pc) const {
    return program_.stages.empty() ? debug::StagePlace() : imported_.placeOf(static_cast<int64_t>(pc));
  }

  std::vector<Source> sourcesOf(const std::vector<size_t>& instructions) const {
    std::vector<Source> sources;
    for (const size_t pc : instructions) addSource(importedOf(pc), sources);
    return sources;
  }

  /// Of every imported binding whose work an instruction does, in the order of the text.
  std::vector<Source> partsOf(size_t pc) const {
    std::vector<debug::StagePlace> places;
    for (const OriginSite& site : program_.instructions[pc].sites) {
      if (program_.stages.empty()) break;
      const std::vector<debug::StagePlace>& all = program_.stages.front()->placesOf(site);
      places.insert(places.end(), all.begin(), all.end());
    }
    std::ranges::sort(places);
    std::vector<Source> parts;
    for (const debug::StagePlace& place : places)
      if (parts.size() < kMostParts) addSource(place, parts);
    return parts;
  }

  void addSource(debug::StagePlace place, std::vector<Source>& sources) const {
    const debug::StageBinding* binding = place.known() ? program_.stages.front()->binding(place) : nullptr;
    if (!binding) return;
    const debug::StageFunction& function = program_.stages.front()->functions()[static_cast<size_t>(place.function)];
    Source source{function.name.string(), binding->ordinal, binding->variable.string(), binding->line};
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }

  static void add(Group& group, size_t pc, const InstructionTimes& times) {
    group.instructions.push_back(pc);
    group.calls += times.calls;
    group.first += times.first;
    group.parallel |= times.parallel;
    group.weightsOnly &= times.weightsOnly;
    addKnown(group.flops, times.flops);
    addKnown(group.integers, times.integers);
    group.bytes += times.bytes;
    addTimes(group.nanoseconds, times.nanoseconds);
    addTimes(group.onDevice, times.onDevice);
  }

  static void addTimes(std::vector<int64_t>& sums, const std::vector<int64_t>& times) {
    sums.resize(std::max(sums.size(), times.size()));
    for (size_t run = 0; run < times.size(); ++run) sums[run] += times[run];
  }

  Row rowOf(const Key& key, const Group& group) const {
    Row row;
    row.name = key.name;
    row.callee = key.callee;
    row.kernel = key.kernel;
    row.calls = group.calls;
    row.nanoseconds = usualTime(group.nanoseconds);
    row.onDevice = usualTime(group.onDevice);
    row.first = group.first;
    row.flops = group.flops;
    row.integers = group.integers;
    row.bytes = group.bytes;
    row.instructions = group.instructions;
    row.parallel = group.parallel;
    if (key.kernel) {
      row.weightsOnly = group.weightsOnly;
      const InstructionTimes& first = profile_.instructions.at(group.instructions.front());
      row.arguments = first.arguments;
      row.sizes = first.sizes;
      row.parts = partsOf(group.instructions.front());
    }
    if (key.kernel || by_ == By::Call) row.sources = sourcesOf(group.instructions);
    if (key.kernel && group.flops && group.integers && group.calls > 0 && row.working() > 0)
      setBound(row, group.parallel ? hardware_.all : hardware_.one);
    return row;
  }

  void setBound(Row& row, const Limits& limits) const {
    const double seconds = static_cast<double>(row.working()) * 1e-9;
    // Of what nobody measured there is no limit.
    const double integers = limits.integers > 0 ? *row.integers / limits.integers : 0;
    const double computing = *row.flops / limits.flops + integers, moving = row.bytes / limits.bytes;
    row.ofLimit = std::max(computing, moving) / seconds;
    row.bound = computing >= moving ? Bound::Compute : Bound::Memory;
    const auto calls = static_cast<double>(row.calls);
    if (row.ofLimit < kFar)
      row.bound = static_cast<double>(row.working()) / calls < kShortCall ? Bound::Latency : Bound::Code;
    const bool cached =
        !hardware_.caches.empty() && row.bytes / calls < static_cast<double>(hardware_.caches.back().bytes);
    if (row.bound == Bound::Memory && row.ofLimit > 1 && cached) row.bound = Bound::Cache;
  }

  static double spreadOf(std::vector<int64_t> values) {
    const int64_t middle = median(values);
    if (values.empty() || middle <= 0) return 0;
    std::ranges::sort(values);
    const size_t quarter = values.size() < 4 ? 0 : values.size() / 4;
    const int64_t half = values[values.size() - 1 - quarter] - values[quarter];
    return static_cast<double>(half) / 2 / static_cast<double>(middle);
  }

  const Profile& profile_;
  const debug::Program& program_;
  const By by_;
  const Hardware& hardware_;
  const debug::StageMap imported_;
  const std::vector<size_t> usual_;  ///< the runs that rows are of
};

}  // namespace

std::string_view boundName(Bound bound) {
  constexpr std::string_view kNames[] = {"", "compute", "memory", "cache", "latency", "its code"};
  return kNames[static_cast<size_t>(bound)];
}

Table tableOf(const Profile& profile, const debug::Program& program, By by, const Hardware& hardware) {
  return TableMaker(profile, program, by, hardware).run();
}

}  // namespace rx::profile
