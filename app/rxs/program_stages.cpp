#include "app/rxs/program_stages.h"

#include <fmt/format.h>

#include "core/ir/structural_hash.h"

namespace rx::cli {

std::vector<std::shared_ptr<const debug::Stage>> stagesOf(const pass::History& history) {
  std::vector<std::shared_ptr<const debug::Stage>> stages;
  for (size_t i = 0; i <= history.steps.size(); ++i) {
    std::string title = i == 0 ? "imported" : history.steps[i - 1].name;
    const ir::Module& stage = history.stage(i);
    std::string hash = i == 0 ? fmt::format("{:x}", structuralHash(stage)) : std::string();
    stages.push_back(std::make_shared<debug::Stage>(std::move(title), stage, std::move(hash)));
  }
  return stages;
}

}  // namespace rx::cli
