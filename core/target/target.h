// core/target: what code is made for: kind, attributes, tag, keys, host, processor, memory scopes. A target is read
// once, from TVM's text ("cuda -arch=sm_80"), JSON, a tag ("nvidia/geforce-rtx-3070"), a short form (x86-64-v3) or an
// attribute of the IR, with every default spelled out; from then on it is asked, and no text is searched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attrs.h"
#include "core/support/result.h"
#include "core/target/kinds.h"
#include "core/target/processor.h"

namespace rx::target {

class Target;
/// A target; null where none is known.
using TargetRef = Ref<Target>;

class Target : public Object {
 public:
  std::string_view kind() const { return row_->name; }
  /// Number of DLPack for the devices that it runs on.
  int64_t deviceType() const;
  std::string_view tag() const { return tag_; }
  const std::vector<std::string>& keys() const { return keys_; }
  bool hasKey(std::string_view key) const;
  bool isGpu() const { return hasKey("gpu"); }
  /// Everything that it says beside kind, tag, keys and host, defaults and "feature.…" included.
  const ir::Attrs& attrs() const { return attrs_; }
  /// An attribute with an integer or truth value, or a text; nothing where the target does not say it.
  std::optional<int64_t> number(std::string_view name) const;
  std::string_view text(std::string_view name) const { return ir::strAttrOf(attrs_, name); }
  /// The target of the code that calls it; null where it names none.
  const TargetRef& host() const { return host_; }
  /// The same with another host (null: with none).
  TargetRef withHost(TargetRef host) const;
  TargetRef withoutHost() const { return withHost(nullptr); }

  /// What code for the CPU may count on; for a target that names no processor the least one of its architecture.
  const Processor& processor() const { return processor_; }
  /// Whether code may be made for the very machine that compiles: an llvm target that names no processor and no other
  /// system.
  bool isThisMachine() const;
  /// Whether code may count on all of these features, written with spaces between them: where it is made for this
  /// machine, on what the processor of this machine has.
  bool has(std::string_view features) const;
  /// Width of the vectors that code computes with at once.
  int64_t vectorBits() const;
  /// Whether vectors of that width add up products of bytes in one or a few instructions: by products of bytes, or
  /// where there are none of these by those of shorts.
  bool multipliesBytes() const;
  /// Storage scopes that buffers can lie in, "global" first.
  std::vector<std::string_view> scopes() const;

  /// As the IR holds it: its kind alone, or a dictionary without what is a default.
  NodeRef form() const;
  /// A dictionary with everything spelled out.
  ir::Attrs fullForm() const;
  /// The full form as JSON with sorted keys, as TVM writes a target.
  std::string json() const;

 private:
  friend class TargetReader;
  const KindRow* row_ = nullptr;
  std::string tag_;
  std::vector<std::string> keys_;
  ir::Attrs attrs_;
  TargetRef host_;
  Processor processor_;
};

/// Reads what --target takes. Errors: target.syntax, target.unknown-kind, target.unknown-attribute,
/// target.unknown-feature, target.unknown-processor, target.value; near names are offered.
Result<TargetRef> parseTarget(std::string_view text);
/// The target of an attribute of the IR, or of an option of a pass: a text as parseTarget takes it, or a dictionary.
/// The same errors.
Result<TargetRef> targetOf(const NodeRef& value);
/// Whether they are one target with one host; null is none.
bool sameTarget(const TargetRef& a, const TargetRef& b);

/// The form in which the IR holds what a text says about a target: two texts of one target give equal forms. What is
/// no target that this version knows (texts of older eras) is kept as it stands.
NodeRef targetForm(const NodeRef& target);

}  // namespace rx::target
