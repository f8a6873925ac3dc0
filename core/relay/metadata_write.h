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
  bool empty() const;
  /// The JSON of all that was referred to.
  std::string json() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rx::relay
