// The metadata of a printed text, in the form that TVM up to 0.19 reads.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/ir/relay.h"

namespace rx::relay {

/// Collects what a text refers to.
class MetadataWriter {
 public:
  MetadataWriter();
  ~MetadataWriter();
  /// `meta[relay.Constant][0]`: the reference to a constant, a symbolic dimension, a record or a dictionary; one index
  /// an object.
  std::string reference(const NodeRef& node);
  /// Leaves the index of a reference that the text could not resolve to what is missing there. To be called before any
  /// other object gets its index.
  void reserve(std::string_view reference);
  /// Whether nothing was referred to that there is.
  bool empty() const;
  /// The JSON of all that was referred to.
  std::string json() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rx::relay
