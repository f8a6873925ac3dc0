// JSON of the IR, from the field tables: for tools, and to hand a module from the window to the engine.
//
// One object: `format` ("relaxscope-ir"), `version`, `sources` [{name, text}], `tensors` [{dtype, shape, data base64}],
// `origins` [{pass, sites}], `nodes`, `root`. A node is an object with `node` (TVM's type key) and its fields by name;
// a node field is an index into `nodes` of an earlier entry, a shared node stands once. What has its plain value (null,
// empty, false) is left out. A place is [file, begin, end].
#pragma once

#include <string>
#include <string_view>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::script {

struct JsonOptions {
  bool spans = true;    ///< places, and the sources that they point into
  bool origins = true;  ///< origins of bindings and calls
};
std::string moduleToJson(const ir::Module& module, const JsonOptions& options = {});

/// The module again: equal to what was written, with places and origins. Anything may be in `text`: it fails with
/// json.syntax, json.form (a field or kind that is none), json.type (a value that does not fit its field).
Result<ir::Module> moduleFromJson(std::string_view text);

}  // namespace rx::script
