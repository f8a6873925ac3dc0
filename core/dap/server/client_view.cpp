#include "core/dap/server/client_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rx::dap {

namespace {

constexpr std::string_view kScheme = "file://";

/// DAP calls lines and columns by the same names wherever they stand.
enum class Counts { Lines, Columns };
constexpr int kBoth = 0, kAnswers = -1;
struct CountedField {
  std::string_view name;
  Counts what;
  int where = kBoth;  ///< in requests and answers, or in one of them: another number has its name in the other
};
constexpr CountedField kCounted[] = {{"line", Counts::Lines},        {"endLine", Counts::Lines},
                                     {"lines", Counts::Lines},       {"column", Counts::Columns},
                                     {"endColumn", Counts::Columns}, {"start", Counts::Columns, kAnswers}};

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/-_.~").find(c) != std::string_view::npos;
}

void shift(Json& value, int by) {
  if (value.is_number_integer()) value = value.get<int64_t>() + by;
  if (!value.is_array()) return;
  for (Json& item : value)
    if (item.is_number_integer()) item = item.get<int64_t>() + by;
}

}  // namespace

std::string fileUri(std::string_view path) {
  std::string uri(kScheme);
  for (char c : path) uri += isPlain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

std::string pathOfUri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::string(uri);
  std::string path;
  for (size_t at = kScheme.size(); at < uri.size(); ++at) {
    unsigned value = 0;
    const char* digits = uri.data() + at + 1;
    const bool escaped =
        uri[at] == '%' && at + 2 < uri.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
    path += escaped ? static_cast<char>(value) : uri[at];
    at += escaped ? 2 : 0;
  }
  return path;
}

ClientView::ClientView(const InitializeArguments& client)
    : linesFromZero_(!client.linesStartAt1),
      columnsFromZero_(!client.columnsStartAt1),
      uris_(client.pathFormat == "uri") {}

void ClientView::convert(Json& root, int direction) const {
  if (!linesFromZero_ && !columnsFromZero_ && !uris_) return;
  std::vector<Json*> open{&root};
  while (!open.empty()) {
    Json& at = *open.back();
    open.pop_back();
    if (!at.is_structured()) continue;
    for (auto item = at.begin(); item != at.end(); ++item) {
      const std::string_view name = at.is_object() ? std::string_view(item.key()) : std::string_view();
      const auto counted = std::find_if(std::begin(kCounted), std::end(kCounted), [&](const CountedField& f) {
        return f.name == name && (f.where == kBoth || f.where == direction);
      });
      if (counted != std::end(kCounted)) {
        if (counted->what == Counts::Lines ? linesFromZero_ : columnsFromZero_) shift(*item, direction);
      } else if (uris_ && name == "path" && item->is_string()) {
        const auto& text = item->get_ref<const std::string&>();
        *item = direction > 0 ? pathOfUri(text) : fileUri(text);
      } else {
        open.push_back(&*item);
      }
    }
  }
}

}  // namespace rx::dap
