#include "core/pass/context_pass.h"

#include <fmt/format.h>

#include "core/pass/options.h"

namespace rx::pass {

namespace {

constexpr OptionSpec kContextOptions[] = {
    {"opt_level", OptionKind::Int, "2", "passes of a higher level are left out"},
    {"config", OptionKind::Dict, "{}", "keys that passes look at, as rxs opt --list-passes lists them"},
    {"disabled_pass", OptionKind::TextList, "[]", "names of passes that are left out"},
    {"required_pass", OptionKind::TextList, "[]", "names of passes that run whatever the level"},
};

constexpr const char* kWayBefore = "pass.way-before";
constexpr const char* kWayConfig = "pass.way-config";

std::vector<std::string> namesOf(const ir::Attrs& options, std::string_view option) {
  const std::vector<std::string_view> names = textsOf(options, option);
  return {names.begin(), names.end()};
}

}  // namespace

std::span<const OptionSpec> contextOptions() { return kContextOptions; }

Result<Unit> enter(const PassCall& call, PassContext& context) {
  if (call.row->name != std::string_view(kContextPass)) return Unit{};
  if (ir::attrOf(call.options, "opt_level")) context.optLevel = static_cast<int>(numberOf(call.options, "opt_level"));
  if (const auto config = refAs<ir::DictAttrs>(ir::attrOf(call.options, "config"))) {
    RX_TRY(checked, checkedConfig(config));
    context.config = checked;
  }
  if (ir::attrOf(call.options, "disabled_pass")) context.disabled = namesOf(call.options, "disabled_pass");
  if (ir::attrOf(call.options, "required_pass")) context.required = namesOf(call.options, "required_pass");
  return Unit{};
}

void sayWay(PassContext& context, size_t bindings, const WayForward& way) {
  if (!context.remarks) return;
  const std::string how =
      way.before.empty() ? fmt::format("with {}={}", way.config, way.value) : "behind " + way.before;
  const std::string left = bindings == 1 ? "1 binding is" : fmt::format("{} bindings are", bindings);
  Diagnostic message{
      Severity::Note, kWayBefore,
      bindings > 0 ? fmt::format("{} left that would not be {}", left, how) : "it is meant to run " + how};
  message.fix = way.before;
  if (way.before.empty()) {
    message.rule = kWayConfig;
    message.context = way.config;
    message.fix = way.value;
  }
  context.messages.push_back(std::move(message));
}

std::optional<WayForward> wayIn(const Diagnostic& message) {
  if (message.rule == kWayBefore) return WayForward{message.message, message.fix, {}, {}};
  if (message.rule == kWayConfig) return WayForward{message.message, {}, message.context, message.fix};
  return std::nullopt;
}

}  // namespace rx::pass
