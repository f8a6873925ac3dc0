#include "core/debug/program.h"

#include <algorithm>
#include <map>
#include <set>

namespace rx::debug {

namespace {

/// What prepares the work of a binding that has other instructions too.
constexpr std::string_view kPreparing[] = {"vm.builtin.make_shape", "vm.builtin.make_prim_value"};
/// What reads the condition of an `if`: a step of the binding, but never its value.
constexpr std::string_view kReadsCondition = "vm.builtin.read_if_cond";

bool prepares(const Instruction& instruction) {
  return std::find(std::begin(kPreparing), std::end(kPreparing), instruction.callee) != std::end(kPreparing);
}

/// Of a program seen from a stage: the instructions that come before the one whose value is that of their binding, and
/// those that give sizes alone. Where an operator became several calls one behind the other (the sizes of a result,
/// then the result), the last one gives the value; so do calls of the same function before it, as a function that was
/// inlined twice has them. Where the last of these calls became part of a kernel that other bindings are in, what it
/// reads of those before it is not the value either.
class Preparations {
 public:
  Preparations(const Program& program, const Stage& rows, const std::vector<StagePlace>& places)
      : program_(program), rows_(rows), places_(places), found_(places.size()) {}

  std::vector<bool> find() {
    for (const VmFunction& function : program_.functions) {
      heaps_.clear();
      givers_.clear();
      for (int64_t i = function.begin; i < function.end; ++i) take(static_cast<size_t>(i));
      close();
    }
    return std::move(found_);
  }

 private:
  void take(size_t at) {
    const Instruction& instruction = program_.instructions[at];
    if (instruction.op != OpKind::Call) return close();
    if (instruction.allocatesShapeHeap()) heaps_.insert(instruction.dst);
    noteReads(at);
    if (!places_[at].known() || instruction.housekeeping) return;
    if (!run_.empty() && places_[run_.front()] != places_[at]) close();
    const bool sizes = instruction.dst < 0 && std::any_of(instruction.arguments.begin(), instruction.arguments.end(),
                                                          [this](int reg) { return heaps_.contains(reg); });
    if (sizes) {
      found_[at] = true;
    } else if (instruction.dst >= 0 || instruction.callsKernel()) {
      run_.push_back(at);
    }
  }

  /// Which instructions each register has its value from: that which gave it, or was the first to be given the room for
  /// it, and those that gave it another name.
  void noteReads(size_t at) {
    const Instruction& instruction = program_.instructions[at];
    if (instruction.allocatesTensor()) {
      givers_[instruction.dst].clear();
      return;
    }
    if (instruction.renames() && !instruction.arguments.empty()) {
      const auto named = givers_.find(instruction.arguments.front());
      std::vector<size_t> givers = named == givers_.end() ? std::vector<size_t>() : named->second;
      givers.push_back(at);
      givers_[instruction.dst] = std::move(givers);
      return;
    }
    if (instruction.housekeeping) return;
    for (const int reg : instruction.arguments) {
      const auto givers = givers_.find(reg);
      if (givers == givers_.end()) continue;
      if (givers->second.empty()) givers->second.push_back(at);
      for (const size_t earlier : givers->second)
        if (continues(at, earlier)) found_[earlier] = true;
    }
    if (instruction.dst >= 0) givers_[instruction.dst] = {at};
  }

  /// Whether an instruction came from all that an earlier one came from, and is no other binding of the stage that did.
  bool continues(size_t at, size_t earlier) const {
    const StageBinding* row = rows_.binding(places_[earlier]);
    if (!row || row->sites.empty() || places_[at] == places_[earlier]) return false;
    const StageBinding* other = rows_.binding(places_[at]);
    return holdsAll(program_.instructions[at].sites, row->sites) && !(other && holdsAll(other->sites, row->sites));
  }

  template <class Sites>
  static bool holdsAll(const Sites& all, const Array<OriginSite>& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](const OriginSite& site) { return std::find(all.begin(), all.end(), site) != all.end(); });
  }

  void close() {
    const auto calleeOf = [this](size_t at) -> const std::string& { return program_.instructions[at].callee; };
    const auto last = std::find_if(run_.rbegin(), run_.rend(),
                                   [&](size_t at) { return !program_.instructions[at].renames(); });
    for (auto at = last; at != run_.rend(); ++at)
      if (calleeOf(*at) != calleeOf(*last)) found_[*at] = true;
    run_.clear();
  }

  const Program& program_;
  const Stage& rows_;
  const std::vector<StagePlace>& places_;
  std::vector<bool> found_;
  std::map<int, std::vector<size_t>> givers_;  ///< by registers of the function; of room none
  std::set<int> heaps_;      ///< registers of the function with sizes that it works out
  std::vector<size_t> run_;  ///< instructions of one binding that give something, with none of another between
};

/// A kernel writes tensors and gives no tuple: one that came from a binding that gives a tuple and from a binding of an
/// item of that is the item's.
StagePlace itemOf(const Stage& rows, const Instruction& instruction, StagePlace place) {
  if (!instruction.callsKernel() || instruction.dst >= 0) return place;
  StagePlace last = place;
  for (const OriginSite& site : instruction.sites)
    for (const StagePlace& other : rows.placesOf(site)) {
      const StageBinding& row = *rows.binding(other);
      if (other.function == place.function && row.source == place.ordinal && !row.items.empty()) last = other;
    }
  return last;
}

}  // namespace

int Program::functionIndex(std::string_view name) const {
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name) return static_cast<int>(i);
  return -1;
}

StageMap::StageMap(const Program& program, int stage) : stage_(stage) {
  const Stage& rows = *program.stages[static_cast<size_t>(stage)];
  for (const Instruction& instruction : program.instructions) {
    StagePlace place =
        rows.bestPlace(Array<OriginSite>(instruction.sites),
                       program.functions[static_cast<size_t>(instruction.function)].name, instruction.variable);
    place = itemOf(rows, instruction, place);
    places_.push_back(place);
    const StageBinding* row = rows.binding(place);
    significant_.push_back(row && !instruction.housekeeping && !row->echo && !row->manages);
  }
  findGiven(program);
}

void StageMap::findGiven(const Program& program) {
  const Stage& rows = *program.stages[static_cast<size_t>(stage_)];
  std::map<StagePlace, std::vector<StagePlace>> names;  // of a binding's value
  for (size_t f = 0; f < rows.functions().size(); ++f)
    for (const StageBinding& row : rows.functions()[f].bindings)
      if (row.source >= 0) names[{static_cast<int>(f), row.source}].push_back({static_cast<int>(f), row.ordinal});
  std::set<StagePlace> worked;         // have an instruction that does more than prepare
  std::map<StagePlace, int> bufferAt;  // register of an allocation
  for (size_t i = 0; i < places_.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    if (significant_[i] && !prepares(instruction)) worked.insert(places_[i]);
    if (instruction.housekeeping && places_[i].known() && instruction.dst >= 0) bufferAt[places_[i]] = instruction.dst;
  }
  const std::vector<bool> before = Preparations(program, rows, places_).find();
  given_.resize(places_.size());
  for (size_t i = 0; i < places_.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    const StagePlace place = places_[i];
    const StageBinding* row = rows.binding(place);
    if (!row || row->echo || instruction.housekeeping || instruction.callee == kReadsCondition) continue;
    // What makes the shape of an allocation is not what is allocated.
    if (before[i] || (prepares(instruction) && (row->isRoom() || worked.contains(place)))) continue;
    // In the order of the text allocations come before the call, and other names behind it.
    std::vector<StagePlace> all{place};
    if (const auto others = names.find(place); others != names.end())
      all.insert(all.end(), others->second.begin(), others->second.end());
    std::sort(all.begin(), all.end());
    for (const StagePlace& each : all) {
      const std::vector<int>& items = rows.binding(each)->items;
      if (each != place && !items.empty()) {
        // An item that an instruction takes out has its value behind that one.
        if (!worked.contains(each)) given_[i].push_back({each, -1, items});
        continue;
      }
      const auto at = bufferAt.find({place.function, rows.binding(each)->buffer});
      if (each == place || row->outputs <= 1) {
        given_[i].push_back({each});
      } else if (at != bufferAt.end()) {
        given_[i].push_back({each, at->second});
      }
    }
  }
}

std::vector<int64_t> StageMap::instructionsOf(const Program& program, StagePlace place) const {
  const StageBinding* binding = program.stages[static_cast<size_t>(stage_)]->binding(place);
  std::vector<int64_t> all, work;
  if (!binding) return all;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    bool shares = std::any_of(instruction.sites.begin(), instruction.sites.end(), [&](const OriginSite& site) {
      return std::find(binding->sites.begin(), binding->sites.end(), site) != binding->sites.end();
    });
    // A binding of many origins (a fused call) shares origins with instructions that a closer binding names; those
    // are that binding's, unless nothing else would stand for this one.
    if (!shares) continue;
    all.push_back(static_cast<int64_t>(i));
    if (!instruction.housekeeping) work.push_back(static_cast<int64_t>(i));
  }
  std::vector<int64_t>& chosen = work.empty() ? all : work;
  std::vector<int64_t> own;
  for (int64_t i : chosen)
    if (placeOf(i) == place) own.push_back(i);
  return own.empty() ? chosen : own;
}

}  // namespace rx::debug
