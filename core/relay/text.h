// core/relay: the language before Relax. Its text (format 0.0.5, as TVM 0.6 to 0.19 wrote it) in and out, its
// operators, types and their inference, and its passes. Nothing of a text is ever evaluated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/script/print.h"
#include "core/support/cancel.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"

namespace rx::relay {

/// Nesting of parentheses, blocks and types beyond this is refused with relay.nesting.
constexpr uint32_t kMaxNesting = 1000;

/// Attribute of the only function of a module that stands for an expression on its own: its body is the expression.
constexpr const char* kLoneExpression = "relay.lone_expression";

/// The attribute that holds the reference to all attributes of a call whose text has no metadata.
constexpr const char* kUnresolvedAttrs = "unresolved";

/// Whether a text is Relay's and not TVMScript.
bool looksLikeRelay(std::string_view text);

struct ReadText {
  ir::Module module;
  std::vector<Diagnostic> diagnostics;  ///< warnings
};
/// Reads a module, or one expression as a module of one function. All errors of it when it is refused. `file`: the
/// number of the text among the sources of the module that it becomes part of.
Result<ReadText> readText(const Ref<SourceFile>& source, const CancelToken& cancel = {}, uint32_t file = 0);

struct TextOptions {
  bool showMetadata = true;  ///< else what the text can not say is left out
  bool showTypes = true;     ///< checked types as comments
  bool wantAnchors = false;  ///< fill anchors and names of the result, as script::PrintOptions says
};
/// The text of a module, or of the expression that it stands for, and where its functions, type definitions and
/// bindings (ir::TextBinding::node) stand. Ends without a line break.
script::PrintResult print(const ir::Module& module, const TextOptions& options = {});
std::string printText(const ir::Module& module, const TextOptions& options = {});
/// One-line texts for messages.
std::string typeText(const NodeRef& type);
std::string attributeText(const NodeRef& value);
/// The text of a type, an expression, or the name of what the node is.
std::string nodeText(const NodeRef& node);

}  // namespace rx::relay
