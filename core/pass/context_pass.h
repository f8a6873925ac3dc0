// PassContext as a step of a pipeline: what the passes behind it run under. And what a pass says would let it do what
// it left undone.
#pragma once

#include <optional>

#include "core/pass/pass.h"

namespace rx::pass {

/// The name and the options of the row, as TVM's PassContext has them.
inline constexpr const char* kContextPass = "PassContext";
std::span<const OptionSpec> contextOptions();

/// What a call says put into a context, whose other fields stay; a call of another row changes nothing. Fails with
/// pass.config and pass.option-kind.
Result<Unit> enter(const PassCall& call, PassContext& context);

/// A config whose keys, fields and values are those of the table, numbers and flags that are written as TVM prints them
/// included; fails with pass.config, all faults at once. Places of faults point into `json`, the text that it was read
/// from; of a config that was not they are unknown.
Result<ir::Attrs> checkedConfig(const ir::Attrs& config, std::string_view json = {});

/// A change of the pipeline that lets a pass do what it left.
struct WayForward {
  std::string says = {};  ///< "2 bindings are left that would not be behind LegalizeOps()"
  /// Calls to put in front of the pass, as pipeline text; "FILE" is a file that is to be named.
  std::string before = {};
  std::string config = {};  ///< or a key of the config to set, and
  std::string value = {};   ///< to what, as pipeline text
};
/// Says so among the messages of the running pass, where somebody listens for remarks. `bindings`: how many it left for
/// this reason, 0 where it is one of the whole pass; `way.says` is made of that.
void sayWay(PassContext& context, size_t bindings, const WayForward& way);
/// The way that a message is; nothing where it is another message. Its parts are fields of the message, so that it goes
/// wherever messages go (JSON, the protocol): the context is the key, and the fix the calls or the value.
std::optional<WayForward> wayIn(const Diagnostic& message);

}  // namespace rx::pass
