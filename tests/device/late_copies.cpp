#include "tests/device/late_copies.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/codegen/intrinsic_name.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"

namespace rx::cuda_double {

using namespace tir;

namespace {

/// Copies that a thread may have noted at a time, and numbers of each.
constexpr int64_t kMost = 256, kWords = 10, kGiven = 2;

const DataType kLong = DataType::Int(64);

PrimExpr at(const BufferRef& buffer, PrimExpr place) {
  return make<BufferLoad>(buffer, Array<PrimExpr>{std::move(place)}, kLong);
}
Stmt put(const BufferRef& buffer, PrimExpr place, const PrimExpr& value) {
  return make<BufferStore>(buffer, arith::cast(kLong, value), Array<PrimExpr>{std::move(place)});
}
PrimExpr rowOf(const PrimExpr& number, int64_t word) {
  return arith::add(arith::mul(arith::floorMod(number, intImm(kMost)), intImm(kWords)), intImm(word));
}
Stmt assertion(PrimExpr condition, const char* text) {
  return make<AssertStmt>(std::move(condition), make<StringImm>(Str("RuntimeError")),
                          Array<PrimExpr>{make<StringImm>(Str(text))});
}

struct CopyRow {
  std::string_view name;
  int barrier;  ///< the argument that is the barrier; -1: groups count it
};
constexpr CopyRow kCopies[] = {{"ptx_cp_async", -1}, {"ptx_cp_async_bulk", 5}, {"rx_copy_tile", 3}};

const CopyRow* copyNamed(std::string_view name) {
  const auto* row = std::ranges::find(kCopies, name, &CopyRow::name);
  return row == std::end(kCopies) ? nullptr : row;
}

/// Whether an argument is a number that the thread computes.
bool isComputed(const PrimExpr& argument) {
  return !argument->dtype.isHandle() && !isa<StringImm>(argument) && !asInt(argument);
}

}  // namespace

LateCopies::LateCopies(const Stmt& kernel) {
  walk(*kernel, Into::Parts, [&](const Node& node) {
    const auto* call = as<tir::Call>(&node);
    if (call && copyNamed(codegen::intrinsicName(*call))) copies_.push_back(call);
    return true;
  });
  for (List* list : {&grouped_, &counted_}) {
    list->rows = lower::newBuffer(Str("copies"), kLong, {intImm(kMost * kWords)}, "local");
    list->state = lower::newBuffer(Str("copied"), kLong, {intImm(kStates)}, "local");
  }
}

Stmt LateCopies::note(const tir::Call& call, const List& list, PrimExpr countedBy) const {
  const PrimExpr next = at(list.state, intImm(Next));
  const auto number = std::ranges::find(copies_, &call) - copies_.begin();
  const PrimExpr waiting = arith::sub(next, at(list.state, intImm(First)));
  std::vector<Stmt> made{assertion(arith::lt(waiting, intImm(kMost)), "more copies than the double notes"),
                         put(list.rows, rowOf(next, 0), intImm(number)), put(list.rows, rowOf(next, 1), countedBy)};
  int64_t word = kGiven;
  for (const PrimExpr& argument : call.args)
    if (isComputed(argument)) made.push_back(put(list.rows, rowOf(next, word++), argument));
  made.push_back(put(list.state, intImm(Next), arith::add(next, intImm(1))));
  return lower::inOrder(made);
}

Stmt LateCopies::arrive(const List& list, const std::function<PrimExpr(const PrimExpr&)>& due,
                        const std::function<Stmt(const tir::Call&)>& copy) const {
  const PrimExpr first = at(list.state, intImm(First));
  std::vector<Stmt> made;
  for (size_t i = 0; i < copies_.size(); ++i) {
    const bool counted = copyNamed(codegen::intrinsicName(*copies_[i]))->barrier >= 0;
    if (counted != (&list == &counted_)) continue;
    std::vector<PrimExpr> args = copies_[i]->args.vector();
    int64_t word = kGiven;
    for (PrimExpr& argument : args)
      if (isComputed(argument)) argument = arith::cast(argument->dtype, at(list.rows, rowOf(first, word++)));
    const PrimExpr noted =
        lower::intrinsic(copies_[i]->dtype, codegen::intrinsicName(*copies_[i]), Array<PrimExpr>(std::move(args)));
    const PrimExpr isThis = arith::eq(at(list.rows, rowOf(first, 0)), intImm(static_cast<int64_t>(i)));
    made.push_back(make<IfThenElse>(isThis, copy(*as<tir::Call>(noted)), Stmt()));
  }
  made.push_back(put(list.state, intImm(First), arith::add(first, intImm(1))));
  const PrimExpr any = arith::lt(first, at(list.state, intImm(Next)));
  return make<While>(arith::logicalAnd(any, due(at(list.rows, rowOf(first, 1)))), lower::inOrder(made));
}

std::optional<Stmt> LateCopies::of(const tir::Call& call, const std::function<Stmt(const tir::Call&)>& copy) const {
  const std::string_view name = codegen::intrinsicName(call);
  if (copies_.empty()) return std::nullopt;
  const PrimExpr group = at(grouped_.state, intImm(Group));
  if (const CopyRow* row = copyNamed(name))
    return row->barrier < 0 ? note(call, grouped_, group)
                            : note(call, counted_, call.args[static_cast<size_t>(row->barrier)]);
  if (name == "ptx_commit_group" || name == "ptx_cp_async_commit_group")
    return put(grouped_.state, intImm(Group), arith::add(group, intImm(1)));
  if (name == "ptx_wait_group" || name == "ptx_cp_async_wait_group") {
    const PrimExpr done = arith::sub(group, arith::cast(kLong, call.args[0]));
    return arrive(
        grouped_, [&](const PrimExpr& its) { return arith::lt(its, done); }, copy);
  }
  // From then on a barrier counts them; whoever waits for it finds them.
  if (name == "ptx_cp_async_barrier")
    return arrive(
        grouped_, [](const PrimExpr&) { return boolImm(true); }, copy);
  if (name != "ptx_wait_barrier") return std::nullopt;
  const PrimExpr barrier = arith::cast(kLong, call.args[0]);
  const Stmt made[] = {arrive(
                           counted_, [&](const PrimExpr& its) { return arith::eq(its, barrier); }, copy),
                       lower::effect("tvm_storage_sync", {make<StringImm>(Str("shared"))})};
  return lower::inOrder(made);
}

Stmt LateCopies::around(Stmt kernel) const {
  if (copies_.empty()) return kernel;
  std::vector<Stmt> made;
  for (const List& list : {grouped_, counted_}) {
    for (const BufferRef& buffer : {list.rows, list.state}) made.push_back(make<AllocBuffer>(buffer));
    for (int64_t i = 0; i < kStates; ++i) made.push_back(put(list.state, intImm(i), intImm(0)));
  }
  made.push_back(std::move(kernel));
  // The device takes the memory back with copies on their way to it.
  made.push_back(assertion(arith::eq(at(counted_.state, intImm(First)), at(counted_.state, intImm(Next))),
                           "a copy that a barrier counts, and that nobody waited for"));
  return lower::inOrder(made);
}

}  // namespace rx::cuda_double
