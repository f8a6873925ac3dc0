#include "core/support/ref.h"

#include <vector>

namespace rx {

namespace {
/// Objects of this thread whose last reference is gone but that are not deleted yet.
struct Graveyard {
  std::vector<const Object*> waiting;
  bool draining = false;
};
thread_local Graveyard graveyard;
}  // namespace

void Object::destroy(const Object* object) {
  if (graveyard.draining) {
    graveyard.waiting.push_back(object);
    return;
  }
  graveyard.draining = true;
  delete object;
  while (!graveyard.waiting.empty()) {
    const Object* next = graveyard.waiting.back();
    graveyard.waiting.pop_back();
    delete next;
  }
  graveyard.draining = false;
}

}  // namespace rx
