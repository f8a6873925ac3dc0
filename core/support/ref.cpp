#include "core/support/ref.h"

#include <vector>

namespace rx {

namespace {
/// Objects of this thread whose last reference is gone but that are not deleted yet; null while none is being deleted.
/// A plain pointer: static tables release objects after the thread's own variables are gone.
thread_local std::vector<const Object*>* graveyard = nullptr;
}  // namespace

void Object::destroy(const Object* object) {
  if (graveyard) {
    graveyard->push_back(object);
    return;
  }
  std::vector<const Object*> waiting;
  graveyard = &waiting;
  delete object;
  while (!waiting.empty()) {
    const Object* next = waiting.back();
    waiting.pop_back();
    delete next;
  }
  graveyard = nullptr;
}

}  // namespace rx
