#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/profile/other_work.h"
#include "core/profile/rows.h"

namespace rx::profile {

namespace {

double milliseconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-6; }
/// Of what is done in some nanoseconds: so many billions a second.
double giga(double amount, int64_t nanoseconds) {
  return nanoseconds > 0 ? amount / static_cast<double>(nanoseconds) : 0;
}

std::string cell(bool known, double value, int digits) { return known ? fmt::format("{:.{}f}", value, digits) : "-"; }

/// Columns of text: the first and the last to the left, the numbers between them to the right.
class Columns {
 public:
  void add(std::vector<std::string> cells) { lines_.push_back(std::move(cells)); }
  std::string text() const {
    std::vector<size_t> widths;
    for (const std::vector<std::string>& line : lines_) {
      widths.resize(std::max(widths.size(), line.size()));
      for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const std::vector<std::string>& line : lines_) {
      std::string row;
      for (size_t i = 0; i < line.size(); ++i)
        row += isText(i) ? fmt::format("{:<{}}  ", line[i], widths[i]) : fmt::format("{:>{}}  ", line[i], widths[i]);
      text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }
  void setTexts(std::vector<size_t> columns) { texts_ = std::move(columns); }

 private:
  bool isText(size_t column) const { return std::ranges::find(texts_, column) != texts_.end(); }
  std::vector<std::vector<std::string>> lines_;
  std::vector<size_t> texts_;
};

bool hasOccupancy(const Table& table) {
  return std::ranges::any_of(table.rows, [](const Row& row) { return row.occupancy.has_value(); });
}

std::vector<std::string> headOf(const Table& table) {
  std::vector<std::string> head = {table.by == By::Kernel ? "kernel" : "binding"};
  if (table.by == By::Call) head.insert(head.end(), {"calls what", "from"});
  head.insert(head.end(), {"calls", "ms"});
  if (table.onDevice > 0) head.emplace_back("on device");
  if (hasOccupancy(table)) head.emplace_back("occupancy");
  head.insert(head.end(), {"share", "GFLOP/s", "GB/s", "of limit", "limited by"});
  return head;
}

/// "lv7, line 17".
std::string fromText(const Row& row) {
  if (row.sources.empty()) return "-";
  const Source& source = row.sources.front();
  return source.line > 0 ? fmt::format("{}, line {}", source.variable, source.line) : source.variable;
}

/// The names of fused kernels are longer than a line.
std::string shortName(const std::string& name) {
  constexpr size_t kMost = 56, kEnd = 16;
  if (name.size() <= kMost) return name.empty() ? "-" : name;
  return name.substr(0, kMost - kEnd - 3) + "..." + name.substr(name.size() - kEnd);
}

std::vector<std::string> cellsOf(const Row& row, const Table& table) {
  std::vector<std::string> cells = {shortName(row.name)};
  if (table.by == By::Call) cells.insert(cells.end(), {shortName(row.callee), fromText(row)});
  const bool computes = row.kernel && row.flops && *row.flops > 0;
  const double integers = row.integers.value_or(0);
  const std::string gigaflops = row.kernel && !row.flops ? "?"
                                : !computes && row.kernel && integers > 0
                                    ? fmt::format("{:.2f} int", giga(integers, row.working()))
                                    : cell(computes, giga(row.flops.value_or(0), row.working()), 2);
  cells.insert(cells.end(), {std::to_string(row.calls), fmt::format("{:.4f}", milliseconds(row.nanoseconds))});
  if (table.onDevice > 0) cells.push_back(cell(row.onDevice > 0, milliseconds(row.onDevice), 4));
  if (hasOccupancy(table)) cells.push_back(row.occupancy ? fmt::format("{:.0f} %", *row.occupancy * 100) : "-");
  cells.insert(cells.end(),
               {fmt::format("{:.1f} %", row.share * 100), gigaflops,
                cell(row.kernel && row.bytes > 0, giga(row.bytes, row.working()), 2),
                row.ofLimit > 0 ? fmt::format("{:.0f} %", row.ofLimit * 100) : "-", std::string(boundName(row.bound))});
  return cells;
}

Json toJson(const std::vector<Source>& sources) {
  Json made = Json::array();
  for (const Source& source : sources)
    made.push_back({{"function", source.function},
                    {"binding", source.binding},
                    {"variable", source.variable},
                    {"line", source.line}});
  return made;
}

/// What is said of a kernel: what it was given, how it was made, and of what.
void addKernel(const Row& row, Json& made) {
  Json arguments = Json::array();
  for (const Argument& argument : row.arguments)
    arguments.push_back({{"type", argument.type}, {"shape", argument.shape}, {"written", argument.written}});
  made["arguments"] = std::move(arguments);
  if (!row.sizes.empty()) made["sizes"] = row.sizes;
  made["parallel"] = row.parallel;
  made["weights_only"] = row.weightsOnly;
  made["rules"] = row.rules;
  made["no_rule"] = row.noRule.empty() ? Json() : Json(row.noRule);
  made["parts"] = toJson(row.parts);
}

Json toJson(const Row& row) {
  Json made = {{"name", row.name}, {"kernel", row.kernel}};
  if (!row.callee.empty()) made["callee"] = row.callee;
  made.update({{"calls", row.calls},
               {"nanoseconds", row.nanoseconds},
               {"first_nanoseconds", row.first},
               {"device_nanoseconds", row.onDevice > 0 ? Json(row.onDevice) : Json()},
               {"share", row.share},
               {"flops", row.flops ? Json(*row.flops) : Json()},
               {"integers", row.integers ? Json(*row.integers) : Json()},
               {"bytes", row.bytes},
               {"of_limit", row.ofLimit > 0 ? Json(row.ofLimit) : Json()},
               {"occupancy", row.occupancy ? Json(*row.occupancy) : Json()},
               {"limited_by", row.bound == Bound::None ? Json() : Json(boundName(row.bound))},
               {"from", toJson(row.sources)}});
  if (row.kernel) addKernel(row, made);
  return made;
}

Json toJson(const std::vector<Row>& rows) {
  Json made = Json::array();
  for (const Row& row : rows) made.push_back(toJson(row));
  return made;
}

/// The events by the rows of calls that they belong to.
Json flameOf(const Profile& profile, const Table& calls) {
  std::map<size_t, size_t> rows;
  for (size_t row = 0; row < calls.rows.size(); ++row)
    for (const size_t instruction : calls.rows[row].instructions) rows[instruction] = row;
  Json flame = Json::array();
  for (const Event& event : profile.events) {
    if (flame.size() == kMostFlames) break;
    flame.push_back({rows[event.instruction], event.begin, event.duration, event.depth});
  }
  return flame;
}

}  // namespace

std::string apartText(const Table& table) {
  constexpr double kApart = 0.05;
  const auto wall = static_cast<double>(table.wall), sum = static_cast<double>(table.sum);
  if (table.wall <= 0 || std::abs(sum - wall) <= kApart * wall) return {};
  return fmt::format("the rows are of other runs than the wall clock, and runs differed by {:.0f} %",
                     table.spread * 100);
}

std::string tableText(const Table& table, const Hardware& hardware) {
  std::string text =
      fmt::format("profile of {}: {:.4f} ms a run (median of {}, spread {:.1f} %), the first {:.4f} ms\n",
                  table.function, milliseconds(table.wall), table.runs, table.spread * 100, milliseconds(table.first));
  Columns columns;
  const std::vector<std::string> head = headOf(table);
  columns.setTexts(table.by == By::Kernel ? std::vector<size_t>{0, head.size() - 1}
                                          : std::vector<size_t>{0, 1, 2, head.size() - 1});
  columns.add(head);
  for (const Row& row : table.rows) columns.add(cellsOf(row, table));
  text += columns.text();
  text += fmt::format("sum of {} calls: {:.4f} ms, {:.1f} % of the wall clock\n", table.calls, milliseconds(table.sum),
                      table.wall > 0 ? 100.0 * static_cast<double>(table.sum) / static_cast<double>(table.wall) : 0.0);
  if (const std::string apart = apartText(table); !apart.empty()) text += apart + "\n";
  if (table.onDevice > 0)
    text +=
        fmt::format("the device worked {:.4f} ms of it, by its own clock; the rest is starting kernels and waiting\n",
                    milliseconds(table.onDevice));
  if (!table.noOccupancy.empty()) text += fmt::format("occupancy not available: {}\n", table.noOccupancy);
  if (const std::string busy = busyText(table.busy); !busy.empty())
    text += fmt::format("measured {}: alone it takes less\n", busy);
  const std::string busy = busyText(hardware.busy);
  const std::string integers =
      hardware.one.integers > 0 ? fmt::format(", {:.1f} Gop/s of int8", hardware.one.integers * 1e-9) : "";
  return text + fmt::format("limits of {}: {:.1f} GFLOP/s of fp32{}, {:.1f} GB/s {}, measured {}{}\n",
                            hardware.device.empty() ? "one thread" : hardware.device, hardware.one.flops * 1e-9,
                            integers, hardware.one.bytes * 1e-9,
                            hardware.device.empty() ? "from memory" : "of its memory",
                            hardware.measured.empty() ? "on it just now" : hardware.measured,
                            busy.empty() ? busy : fmt::format(" {}, so that it can do more", busy));
}

Json toJson(const Profile& profile, const Table& kernels, const Table& calls, const Hardware& hardware) {
  const std::string apart = apartText(kernels);
  return {{"function", kernels.function},
          {"runs", kernels.runs},
          {"wall_nanoseconds", kernels.wall},
          {"sum_nanoseconds", kernels.sum},
          {"first_nanoseconds", kernels.first},
          {"spread", kernels.spread},
          {"busy", kernels.busy},
          {"apart", apart.empty() ? Json() : Json(apart)},
          {"no_occupancy", kernels.noOccupancy.empty() ? Json() : Json(kernels.noOccupancy)},
          {"kernels", toJson(kernels.rows)},
          {"calls", toJson(calls.rows)},
          {"flame", flameOf(profile, calls)},
          {"hardware", toJson(hardware)}};
}

Json chromeTrace(const Profile& profile, const debug::Program& program) {
  Json events = Json::array();
  for (const Event& event : profile.events) {
    const debug::Instruction& instruction = program.instructions[event.instruction];
    const auto found = profile.instructions.find(event.instruction);
    const bool kernel = found != profile.instructions.end() && found->second.kernel;
    events.push_back({{"name", instruction.what()},
                      {"cat", kernel ? "kernel" : "builtin"},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", static_cast<double>(event.begin) * 1e-3},
                      {"dur", static_cast<double>(event.duration) * 1e-3},
                      {"args", {{"binding", instruction.variable}, {"instruction", event.instruction}}}});
  }
  return {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
}

}  // namespace rx::profile
