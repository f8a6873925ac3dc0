#include "views/models/watched_item.h"

#include "core/expression/expression.h"

namespace rx::views {
namespace {

/// Has no values: writes down which name is looked up, and which items are taken of it.
class Path : public debug::Environment {
 public:
  Result<debug::Quantity> lookUp(std::string_view name) override {
    if (!item.name.isEmpty()) return no();
    item.name = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    return debug::Quantity(debug::Handle{});
  }
  Result<debug::Quantity> member(debug::Handle, std::string_view) override { return no(); }
  Result<debug::Quantity> element(debug::Handle, const std::vector<int64_t>& index) override {
    if (index.size() != 1 || index.front() < 0) return no();
    item.at.push_back(index.front());
    return debug::Quantity(debug::Handle{});
  }
  Result<debug::Quantity> apply(std::string_view, debug::Handle) override { return no(); }

  WatchedItem item;

 private:
  static Failure no() { return fail("debug.expression", "it is no item of a tuple"); }
};

}  // namespace

std::optional<WatchedItem> watchedItem(const QString& expression) {
  Path path;
  const Result<debug::Quantity> value = debug::evaluate(expression.toStdString(), path);
  if (!value || !std::holds_alternative<debug::Handle>(*value) || path.item.at.empty()) return std::nullopt;
  return std::move(path.item);
}

}  // namespace rx::views
