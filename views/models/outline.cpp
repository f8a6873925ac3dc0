#include "views/models/outline.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "views/models/function_graph.h"

namespace rx::views {
namespace {

/// The ordinal that a node stands for, -1 for a parameter, a constant or the result.
int ordinalOf(const GraphNode& node) {
  const NodeTarget target = nodeTarget(node.id);
  return target.kind == NodeTarget::Kind::Binding ? target.index : -1;
}

class OutlineWriter {
 public:
  OutlineWriter(const FunctionRow& function, const FunctionGraph& graph)
      : function_(function), graph_(graph), nodeOf_(function.bindings.size(), -1) {
    std::vector<int> nodes(function.bindings.size(), -1);
    for (size_t n = 0; n < graph.model.nodes.size(); ++n)
      if (const int ordinal = ordinalOf(graph.model.nodes[n]); ordinal >= 0)
        nodes[static_cast<size_t>(ordinal)] = static_cast<int>(n);
    for (size_t b = 0; b < nodeOf_.size(); ++b)
      if (const NodeTarget shown = nodeTarget(graph.shownBy[b]); shown.kind == NodeTarget::Kind::Binding)
        nodeOf_[b] = nodes[static_cast<size_t>(shown.index)];
  }

  std::vector<OutlineRow> run(const std::vector<LayerRun>& runs) {
    for (const LayerRun& run : runs)
      for (uint32_t r = 0; r < run.repeats; ++r) add(run, r);
    return std::move(rows_);
  }

 private:
  void add(const LayerRun& run, uint32_t repeat) {
    const uint32_t begin = run.begin + repeat * run.period, end = begin + run.period;
    OutlineRow row;
    row.name = QString::fromStdString(run.names[repeat]);
    row.kind = QString::fromStdString(run.kind);
    row.first = ordinalOf(graph_.model.nodes[begin]);
    if (row.first < 0) return;
    row.block = function_.bindings[static_cast<size_t>(row.first)].block;
    // The allocation of what the first call writes stands before it.
    const int after = rows_.empty() ? -1 : rows_.back().last;
    const auto isInside = [&](int ordinal) {
      const int node = nodeOf_[static_cast<size_t>(ordinal)];
      return node >= static_cast<int>(begin) && node < static_cast<int>(end);
    };
    while (row.first - 1 > after && isInside(row.first - 1)) --row.first;
    if (!rows_.empty() && rows_.back().block == row.block && rows_.back().last >= row.first)
      rows_.back().last = row.first - 1;
    row.last = lastOf(row, end);
    rows_.push_back(row);
  }

  /// The last of the block's bindings before the node behind it.
  int lastOf(const OutlineRow& row, uint32_t end) const {
    const int next = end < graph_.model.nodes.size() ? ordinalOf(graph_.model.nodes[end]) : -1;
    const auto& bindings = function_.blocks[static_cast<size_t>(row.block)].bindings;
    if (next < 0) return bindings.back();
    const auto at = std::lower_bound(bindings.begin(), bindings.end(), next);
    return at == bindings.begin() ? row.first : std::max(row.first, *std::prev(at));
  }

  const FunctionRow& function_;
  const FunctionGraph& graph_;
  std::vector<int> nodeOf_;  // one a binding: the node that shows it, -1 for none
  std::vector<OutlineRow> rows_;
};

/// The blocks of the first stage by the source bindings in them.
class OriginNames {
 public:
  explicit OriginNames(const StageIndex& first) {
    for (const FunctionRow& function : first.functions)
      for (const OutlineRow& row : function.outline)
        for (int b = row.first; b <= row.last; ++b) {
          const BindingRow& binding = function.bindings[static_cast<size_t>(b)];
          if (binding.block != row.block) continue;
          for (const OriginRow& origin : binding.origins) rowOf_.try_emplace(origin.key, &row);
        }
  }

  void rename(const FunctionRow& function, std::vector<OutlineRow>* rows) const {
    std::vector<const OutlineRow*> sources;
    std::map<const OutlineRow*, int> taken;
    for (const OutlineRow& row : *rows) {
      sources.push_back(sourceOf(function, row));
      ++taken[sources.back()];
    }
    std::vector<OutlineRow> named = *rows;
    std::set<QString> names;
    for (size_t r = 0; r < named.size(); ++r) {
      // Two blocks that were one have names of their own.
      if (sources[r] && taken[sources[r]] == 1) named[r].name = sources[r]->name, named[r].kind = sources[r]->kind;
      names.insert(named[r].name);
    }
    if (names.size() == named.size()) *rows = std::move(named);
  }

 private:
  /// The block that most of what it comes from stood in; null where there is none.
  const OutlineRow* sourceOf(const FunctionRow& function, const OutlineRow& row) const {
    std::set<uint64_t> keys;
    for (int b = row.first; b <= row.last; ++b) {
      const BindingRow& binding = function.bindings[static_cast<size_t>(b)];
      if (binding.block != row.block) continue;
      for (const OriginRow& origin : binding.origins) keys.insert(origin.key);
    }
    std::map<const OutlineRow*, size_t> votes;
    for (const uint64_t key : keys)
      if (const auto found = rowOf_.find(key); found != rowOf_.end()) ++votes[found->second];
    for (const auto& [source, count] : votes)
      if (count * 2 > keys.size()) return source;
    return nullptr;
  }

  std::unordered_map<uint64_t, const OutlineRow*> rowOf_;
};

}  // namespace

std::vector<OutlineRow> outlineOf(const FunctionRow& function, const StageIndex* first) {
  if (function.bindings.size() < kOutlineFrom / 2) return {};
  const FunctionGraph graph = undrawnGraph(function);
  if (graph.model.nodes.size() < kOutlineFrom) return {};
  std::vector<OutlineRow> rows = OutlineWriter(function, graph).run(findLayers(graph.model));
  if (first && !rows.empty()) OriginNames(*first).rename(function, &rows);
  return rows;
}

size_t stackFrom(const FunctionRow& function, size_t row) {
  const std::vector<OutlineRow>& rows = function.outline;
  /// The next ordinal of the block whose binding makes a value: what only holds or frees one is no node of the graph.
  const auto nextOf = [&](const OutlineRow& of, int ordinal) {
    const auto holds = [&](int at) {
      const FlowRole role = function.bindings[static_cast<size_t>(at)].role;
      return role != FlowRole::Computes && role != FlowRole::View;
    };
    while (ordinal <= of.last && holds(ordinal)) ++ordinal;
    return ordinal;
  };
  // As the graph has it: the same operations of the same types.
  const auto equal = [&](const OutlineRow& a, const OutlineRow& b) {
    if (a.kind.isEmpty() || a.kind != b.kind || a.block != b.block) return false;
    int one = nextOf(a, a.first), other = nextOf(b, b.first);
    for (; one <= a.last && other <= b.last; one = nextOf(a, one + 1), other = nextOf(b, other + 1)) {
      const BindingRow& left = function.bindings[static_cast<size_t>(one)];
      const BindingRow& right = function.bindings[static_cast<size_t>(other)];
      if (left.label != right.label || left.info != right.info) return false;
    }
    return one > a.last && other > b.last;
  };
  size_t end = row + 1;
  while (end < rows.size() && equal(rows[row], rows[end])) ++end;
  return end - row;
}

const OutlineRow* exampleBlock(const FunctionRow& function, const StageIndex* first) {
  const FunctionRow* imported = first ? first->function(function.name) : nullptr;
  if (imported && imported != &function && !imported->outline.empty()) {
    const OutlineRow* example = exampleBlock(*imported);
    const auto same = [&](const OutlineRow& row) { return example && row.name == example->name; };
    const auto found = std::find_if(function.outline.begin(), function.outline.end(), same);
    return found == function.outline.end() ? nullptr : &*found;
  }
  constexpr int kMostRead = 48;
  const std::vector<OutlineRow>& rows = function.outline;
  const auto sizeOf = [](const OutlineRow& row) { return row.last - row.first + 1; };
  const OutlineRow *single = nullptr, *stacked = nullptr;
  for (size_t r = 0, count = 0; r < rows.size(); r += count) {
    count = stackFrom(function, r);
    if (rows[r].kind.isEmpty() || sizeOf(rows[r]) > kMostRead) continue;
    const OutlineRow*& best = count > 1 ? stacked : single;
    if (!best || sizeOf(rows[r]) > sizeOf(*best)) best = &rows[r];
  }
  return single ? single : stacked;
}

void takeNames(const FunctionRow& function, const GraphModel& graph, std::vector<LayerRun>* runs) {
  std::vector<LayerRun> named = *runs;
  std::set<std::string> names;
  size_t blocks = 0;
  for (LayerRun& run : named) {
    for (uint32_t r = 0; r < run.repeats; ++r, ++blocks) {
      const OutlineRow* row = function.outlineAt(ordinalOf(graph.nodes[run.begin + r * run.period]));
      if (!row) return;
      run.names[r] = row->name.toStdString();
      if (r == 0) run.kind = row->kind.toStdString();
      names.insert(run.names[r]);
    }
  }
  if (names.size() == blocks) *runs = std::move(named);
}

}  // namespace rx::views
