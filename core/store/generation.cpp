#include "core/store/generation.h"

namespace rx::store {

Generation::Generation(FileSpace& space, uint64_t root)
    : space_(space),
      root_(root),
      before_(space.total()),
      heap_(space),
      versions_(space, root + offsetof(GenerationRoot, versions)),
      frames_(space, heap_, versions_, root + offsetof(GenerationRoot, activations)),
      storages_(space, heap_, versions_, root + offsetof(GenerationRoot, storages)),
      steps_(space, root + offsetof(GenerationRoot, steps)),
      edits_(space, root + offsetof(GenerationRoot, edits)) {}

std::unique_ptr<Generation> Generation::begin(FileSpace& space, uint32_t firstStep, uint32_t next,
                                              const Generation* before) {
  const uint64_t root = space.take(kPieceBytes, kPieceBytes);
  if (root == 0 || !space.back(root, kPieceBytes)) return nullptr;
  space.as<GenerationRoot>(root).firstStep = firstStep;
  std::unique_ptr<Generation> generation(new Generation(space, root));
  if (before && (!generation->frames_.carry(before->frames_) || !generation->storages_.carry(before->storages_)))
    return nullptr;
  generation->sealFirst(next);
  return space.stopped().empty() ? std::move(generation) : nullptr;
}

void Generation::sealFirst(uint32_t next) {
  GenerationRoot& root = rootRow();
  root.firstVersions = versions_.end();
  root.next = next;
  root.nextActivation = frames_.running();
}

void Generation::trim() {
  heap_.trim();
  versions_.trim();
  frames_.trim();
  storages_.trim();
  steps_.trim();
  edits_.trim();
}

bool Generation::edited(uint32_t state) {
  uint32_t* row = edits_.next();
  if (!row) return false;
  *row = state;
  edits_.push();
  return true;
}

}  // namespace rx::store
