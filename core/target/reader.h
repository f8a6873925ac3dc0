// What reading a target and writing its short form share.
#pragma once

#include <optional>
#include <utility>

#include "core/target/target.h"

namespace rx::target {

/// The triple of the machine that compiles.
std::string_view hostTriple();
/// The value that stands for an attribute of text that is not said ("arch" of a cuda target); empty where none does.
std::string_view filledValue(std::string_view kind, std::string_view key);
/// The "feature.…" attributes that follow from the others, for Arm processors.
std::vector<std::pair<Str, NodeRef>> featureAttrs(std::string_view kind, const ir::Attrs& attrs,
                                                  const Processor& processor);
/// The keys of a target that says these, or none.
std::vector<std::string> keysOf(const KindRow& kind, const ir::Attrs& attrs,
                                const std::optional<std::vector<std::string>>& said);
/// A text as a dictionary: JSON, a tag, a short form, or a kind and "-name=value".
Result<ir::Attrs> attrsOfText(std::string_view text);

/// Reads one target.
class TargetReader {
 public:
  /// `depth` counts the targets whose host this one is.
  static Result<TargetRef> read(const NodeRef& value, int depth);

 private:
  explicit TargetReader(ir::Attrs said) : said_(std::move(said)) {}
  Result<TargetRef> run(int depth);
  Result<Unit> applyTag();
  Result<Unit> readAttributes();
  void fill();
  Result<Unit> readProcessor();
  Result<Unit> readKeys();

  ir::Attrs said_;
  std::vector<std::pair<Str, NodeRef>> entries_, features_;
  Target target_;
};

}  // namespace rx::target
