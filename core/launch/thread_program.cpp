#include "core/launch/thread_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/lower/constant_bytes.h"

namespace rx::launch {

using namespace tir;
using interpret::Code;

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

class ThreadCompiler final : public interpret::Compiler {
 public:
  ThreadProgram made(interpret::Program program) {
    return {std::move(program), std::move(exchanges_), std::move(axes_), std::move(shared_)};
  }

 protected:
  bool isStepped() const override { return true; }

  bool ownAttr(const AttrStmt& node) override {
    const auto* thread = as<IterVar>(node.node);
    if (!thread || node.key != "thread_extent") return false;
    const std::string tag = thread->threadTag.string();
    auto known = std::find_if(axes_.begin(), axes_.end(), [&](const ThreadAxis& axis) { return axis.tag == tag; });
    if (known == axes_.end()) known = axes_.insert(known, {tag, fresh(), asInt(node.value)});
    variables_[thread->var.get()] = {known->reg};
    return true;
  }

  bool ownAllocation(const BufferRef& buffer) override {
    if (!buffer->scope().starts_with("shared")) return false;
    const auto bytes = lower::constantBytes(*buffer);
    if (!bytes) {
      fail("interpret.unavailable",
           fmt::format("threads share {}, whose size is not known before", buffer->name.view()), buffer->span);
      return true;
    }
    const uint32_t slot = program_.pointers++;
    shared_.push_back({buffer->name, slot, *bytes});
    pointers_[buffer->data.get()] = slot;
    defineBuffer(buffer, slot);
    return true;
  }

  std::optional<uint32_t> ownCall(std::string_view name, const Call& node, int lane) override {
    if (name == "tvm_storage_sync" && !node.args.empty()) {
      const auto* memory = as<StringImm>(node.args[0]);
      emit({.code = Code::Wait, .imm = memory && memory->value == "warp"});
      return constant(0);
    }
    if (name == "tvm_warp_activemask") return constant(0xffffffff);
    const auto* row = std::find_if(std::begin(kExchanges), std::end(kExchanges),
                                   [&](const ExchangeRow& one) { return one.name == name; });
    if (row == std::end(kExchanges) || node.args.size() != 5) return std::nullopt;
    const uint32_t value = expr(node.args[1], lane), by = expr(node.args[2]), part = expr(node.args[3]);
    return give({.code = Code::Exchange, .a = value, .imm = numberOf(exchanges_, {row->from, by, part})});
  }

 private:
  std::vector<ExchangeSite> exchanges_;
  std::vector<ThreadAxis> axes_;
  std::vector<SharedMemory> shared_;
};

}  // namespace

Result<ThreadProgram> compileThread(const PrimFuncRef& function, std::string_view name) {
  RX_TRY(signature, lower::Signature::of(function));
  ThreadCompiler compiler;
  RX_TRY(program, compiler.run(signature));
  program.name = name;
  return compiler.made(std::move(program));
}

}  // namespace rx::launch
