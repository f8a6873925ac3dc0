// Kernels of devices, as one thread runs them: which thread it is, what it shares with others, where it waits for them.
#include <fmt/format.h>

#include <algorithm>

#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/lower/constant_bytes.h"

namespace rx::interpret {

using namespace tir;

namespace {

struct ExchangeRow {
  std::string_view name;
  ExchangeSite::From from;
};
constexpr ExchangeRow kExchanges[] = {
    {"tvm_warp_shuffle", ExchangeSite::From::Lane},
    {"tvm_warp_shuffle_up", ExchangeSite::From::Up},
    {"tvm_warp_shuffle_down", ExchangeSite::From::Down},
    {"tvm_warp_shuffle_xor", ExchangeSite::From::Xor},
};

}  // namespace

void Compiler::axis(const IterVar& axis, const PrimExpr& extent) {
  const std::string tag = axis.threadTag.string();
  auto known =
      std::find_if(program_.axes.begin(), program_.axes.end(), [&](const ThreadAxis& a) { return a.tag == tag; });
  if (known == program_.axes.end()) known = program_.axes.insert(known, {tag, fresh(), asInt(extent)});
  variables_[axis.var.get()] = {known->reg};
}

void Compiler::shareBuffer(const BufferRef& buffer) {
  const auto bytes = lower::constantBytes(*buffer);
  if (!bytes)
    return fail("interpret.unavailable",
                fmt::format("threads share {}, whose size is not known before", buffer->name.view()), buffer->span);
  const uint32_t slot = program_.pointers++;
  program_.shared.push_back({buffer->name, slot, *bytes});
  pointers_[buffer->data.get()] = slot;
  defineBuffer(buffer, slot);
}

std::optional<uint32_t> Compiler::threadCall(std::string_view name, const Call& node, int lane) {
  if (name == "tvm_storage_sync" && !node.args.empty()) {
    const auto* memory = as<StringImm>(node.args[0]);
    emit({.code = Code::Wait, .imm = memory && memory->value == "warp"});
    return constant(0);
  }
  if (name == "tvm_warp_activemask") return constant(0xffffffff);
  const auto* row = std::find_if(std::begin(kExchanges), std::end(kExchanges),
                                 [&](const ExchangeRow& one) { return one.name == name; });
  if (row == std::end(kExchanges) || node.args.size() != 5) return std::nullopt;
  const uint32_t value = expr(node.args[1], lane), by = expr(node.args[2]), part = expr(node.args[3]), dst = fresh();
  program_.exchanges.push_back({row->from, by, part});
  emit({.code = Code::Exchange, .dst = dst, .a = value, .imm = static_cast<int64_t>(program_.exchanges.size()) - 1});
  return dst;
}

/// (index, extent, buffer, dimension)
uint32_t Compiler::checkedIndex(const Call& node, int lane) {
  const auto* buffer = as<tir::StringImm>(node.args[2]);
  const uint32_t index = expr(node.args[0], lane), extent = expr(node.args[1]);
  program_.checks.push_back({buffer ? buffer->value : Str(), asInt(node.args[3]).value_or(0)});
  emit({.code = Code::CheckIndex, .a = index, .b = extent, .imm = static_cast<int64_t>(program_.checks.size()) - 1});
  return index;
}

Result<Program> compileLowered(const PrimFuncRef& kernel, std::string_view name) {
  RX_TRY(signature, lower::Signature::of(kernel));
  RX_TRY(program, Compiler(Compiler::Of::Thread).run(signature));
  program.name = name;
  return std::move(program);
}

}  // namespace rx::interpret
