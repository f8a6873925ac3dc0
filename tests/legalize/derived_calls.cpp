// Calls as calls.def has them, and as rows of the operator table allow them.
#include <fmt/format.h>

#include "cases.h"

namespace rx::test {

namespace {

const std::vector<CallRow>& written() {
  static const std::vector<CallRow> kRows{
#define RX_CALL(op, parameters, call) CallRow{op, parameters, call, {}, false},
#define RX_REFUSED(op, parameters, call, rule) CallRow{op, parameters, call, rule, false},
#include "calls.def"
  };
  return kRows;
}

constexpr const char* kRanks[] = {"", "N", "N M", "N M K", "N 2 M K"};

/// Whether the row says all that a call on tensors of one shape needs.
bool plain(const op::OpRow& row) {
  bool tensors = false;
  for (const op::OpParam& param : row.params) {
    const bool given = param.fallback || param.optional;
    if (param.variadic || (param.kind != op::ParamKind::Expr && !given)) return false;
    tensors = tensors || param.kind == op::ParamKind::Expr;
  }
  return tensors;
}

/// Attributes that every tensor admits, at random.
std::string attributesFor(const op::OpRow& row, size_t rank, Random& random) {
  std::string out;
  for (const op::OpParam& param : row.params) {
    const bool number = param.kind == op::ParamKind::Int || param.kind == op::ParamKind::Ints;
    if (param.kind == op::ParamKind::Bool)
      out += fmt::format(", {}={}", param.name.view(), random.in(0, 1) ? "True" : "False");
    if (number && param.name == "axis" && rank > 0 && random.in(0, 2))
      out += fmt::format(", axis={}", random.in(0, static_cast<int64_t>(rank) - 1));
  }
  return out;
}

CallRow derived(const op::OpRow& row, size_t rank, bool broadcast, Random& random) {
  std::string parameters, arguments;
  for (size_t i = 0; i < row.params.size(); ++i) {
    const op::OpParam& param = row.params[i];
    if (param.kind != op::ParamKind::Expr || param.fallback || param.optional) continue;
    // Broadcasting: the second has the last dimension alone.
    const char* dims = broadcast && i == 1 ? kRanks[1] : kRanks[rank];
    const bool last = broadcast && i == 1 && rank > 1;
    parameters += fmt::format("{}{}: {} any", i ? ", " : "", param.name.view(),
                              last ? std::string(rank == 2 ? "M" : "K") : std::string(dims));
    arguments += fmt::format("{}{}", i ? ", " : "", param.name.view());
  }
  std::string_view name = row.name();
  name.remove_prefix(std::string_view("relax.").size());
  return {std::string(row.name()),
          parameters,
          fmt::format("R.{}({}{})", name, arguments, attributesFor(row, rank, random)),
          {},
          true};
}

}  // namespace

std::vector<CallRow> callsOf(const op::OpRow& row, Random& random) {
  std::vector<CallRow> calls;
  for (const CallRow& each : written()) {
    if (each.op == row.name()) calls.push_back(each);
  }
  if (!calls.empty() || !plain(row)) return calls;
  // One rank with places for an axis, and any other: all of them come by with other seeds.
  const size_t rank = random.next() % 2 ? 2 : 3;
  calls.push_back(derived(row, rank, false, random));
  calls.push_back(derived(row, (rank + 1 + random.next() % 4) % std::size(kRanks), false, random));
  const bool pair = row.params.size() > 1 && row.params[1].kind == op::ParamKind::Expr;
  if (pair) calls.push_back(derived(row, 2 + random.next() % 3, true, random));
  return calls;
}

}  // namespace rx::test
