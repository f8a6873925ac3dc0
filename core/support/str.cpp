#include "core/support/str.h"

namespace rx {

Str::Str(std::string_view text) {
  if (!text.empty()) data_ = make<Data>(text);
}

}  // namespace rx
