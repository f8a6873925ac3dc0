#include "core/compile/request/passes.h"

#include "core/compile/request/pipelines.h"
#include "core/lower/passes.h"
#include "core/relay/passes.h"
#include "core/transform/passes.h"

namespace rx::compile {

const pass::PassTable& passTable() {
  static const pass::PassTable table{transform::passRows(), lower::passRows(), relay::passRows(), pipelineRows()};
  return table;
}

std::string_view defaultPipeline() { return passTable().find("default")->expandsTo; }

}  // namespace rx::compile
