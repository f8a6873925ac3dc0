#include "core/relay/text_marks.h"

#include <cstring>

namespace rx::relay {

namespace {
// A mark is the byte that opens it and its number, in the bytes of an integer; another byte ends what it stands for.
constexpr char kOpen = '\1', kClose = '\2', kForeign = '\3';
constexpr std::string_view kSpecial = "\1\2\3";
}  // namespace

std::string TextMarks::marked(const Mark& mark, std::string text) {
  if (!on_) return text;
  char head[1 + sizeof(uint32_t)] = {kOpen};
  const auto number = static_cast<uint32_t>(marks_.size());
  std::memcpy(head + 1, &number, sizeof number);
  marks_.push_back(mark);
  text.insert(0, head, sizeof head);
  text += kClose;
  return text;
}

std::string TextMarks::anchor(const Node* node, std::string text) {
  return marked({node, script::NameRole::Use, false}, std::move(text));
}

std::string TextMarks::name(const Node* node, script::NameRole role, std::string text) {
  return marked({node, role, true}, std::move(text));
}

std::string TextMarks::foreign(std::string text) const {
  if (!on_ || text.find_first_of(kSpecial) == std::string::npos) return text;
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += kForeign;
    out += c;
  }
  return out;
}

script::PrintResult TextMarks::taken(std::string text) const {
  script::PrintResult out;
  if (!on_) {
    out.text = std::move(text);
    return out;
  }
  struct Open {
    bool isName;
    size_t index;
  };
  std::vector<Open> open;
  out.text.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const auto here = static_cast<uint32_t>(out.text.size());
    if (text[at] == kOpen) {
      uint32_t number = 0;
      std::memcpy(&number, text.data() + at + 1, sizeof number);
      at += sizeof number;
      const Mark& mark = marks_[number];
      open.push_back({mark.isName, mark.isName ? out.names.size() : out.anchors.size()});
      if (mark.isName) {
        out.names.push_back({mark.node, here, here, mark.role});
      } else {
        out.anchors.push_back({mark.node, here, here});
      }
    } else if (text[at] == kClose) {
      (open.back().isName ? out.names[open.back().index].end : out.anchors[open.back().index].end) = here;
      open.pop_back();
    } else {
      at += text[at] == kForeign ? 1 : 0;
      out.text += text[at];
    }
  }
  return out;
}

}  // namespace rx::relay
