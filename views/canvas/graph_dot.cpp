#include "views/canvas/graph_dot.h"

namespace rx {
namespace {

/// A quoted DOT string. Backslashes too are doubled: DOT has escapes of its own (\N, \G).
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

std::string colorName(const QColor& color) { return quoted(color.name().toStdString()); }

class Writer {
 public:
  Writer(const GraphModel& model, const Palette& palette) : model_(model), palette_(palette) {}

  std::string run(const std::string& name) {
    out_ = "digraph " + quoted(name) + " {\n  rankdir=TB; compound=true; fontname=\"sans-serif\"; fontsize=10;\n" +
           "  bgcolor=" + colorName(palette_.base) + "; fontcolor=" + colorName(palette_.grey) + ";\n" +
           "  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=10, fontcolor=" +
           colorName(palette_.text) + "];\n  edge [color=" + colorName(palette_.grey) + ", arrowsize=0.6];\n";
    std::vector<std::vector<uint32_t>> members(model_.regions.size() + 1);
    std::vector<std::vector<uint32_t>> children(model_.regions.size() + 1);
    for (uint32_t n = 0; n < model_.nodes.size(); ++n)
      members[static_cast<size_t>(model_.nodes[n].region + 1)].push_back(n);
    for (uint32_t r = 0; r < model_.regions.size(); ++r)
      children[static_cast<size_t>(model_.regions[r].parent + 1)].push_back(r);
    writeRegions(members, children);
    writeEdges();
    return out_ + "}\n";
  }

 private:
  /// Opens and closes clusters with a stack of its own: regions nest as deep as the program does.
  void writeRegions(const std::vector<std::vector<uint32_t>>& members,
                    const std::vector<std::vector<uint32_t>>& children) {
    struct Open {
      size_t group, next;
    };
    std::vector<Open> stack{{0, 0}};
    for (uint32_t n : members[0]) writeNode(n);
    while (!stack.empty()) {
      Open& open = stack.back();
      if (open.next == children[open.group].size()) {
        if (open.group > 0) out_ += "  }\n";
        stack.pop_back();
        continue;
      }
      const uint32_t region = children[open.group][open.next++];
      const bool dataflow = model_.regions[region].kind == RegionKind::Dataflow;
      out_ += "  subgraph cluster_" + std::to_string(region) + " {\n  label=" + quoted(model_.regions[region].title) +
              "; labeljust=l; style=" + (dataflow ? "\"rounded,filled\"" : "\"rounded,dashed\"") +
              "; color=" + colorName(dataflow ? palette_.dataflowEdge : palette_.border) +
              "; fillcolor=" + colorName(palette_.dataflow) + ";\n";
      for (uint32_t n : members[region + 1]) writeNode(n);
      stack.push_back({region + 1u, 0});
    }
  }

  void writeNode(uint32_t index) {
    const GraphNode& node = model_.nodes[index];
    if (node.stubOnly) return;
    writeBox("n" + std::to_string(index), node);
  }

  void writeBox(const std::string& id, const GraphNode& node) {
    // The two lines are quoted apart, so that a backslash of a name can not meet the line break of ours.
    std::string label = quoted(node.title);
    if (!node.subtitle.empty()) {
      label.pop_back();
      label += "\\n" + quoted(node.subtitle).substr(1);
    }
    const KindColors& colors = palette_.of(node.kind);
    out_ += "  " + id + " [label=" + label + ", color=" + colorName(node.impure ? palette_.error : colors.line) +
            ", fillcolor=" + colorName(colors.fill);
    if (node.stubOnly) out_ += ", fontsize=8, height=0.2, margin=\"0.06,0.02\"";
    if (node.impure) out_ += ", style=\"rounded,filled,dashed\"";
    out_ += "];\n";
  }

  void writeEdges() {
    for (size_t e = 0; e < model_.edges.size(); ++e) {
      const GraphEdge& edge = model_.edges[e];
      std::string from = "n" + std::to_string(edge.from);
      if (model_.nodes[edge.from].stubOnly) {
        from = "s" + std::to_string(e);
        writeBox(from, model_.nodes[edge.from]);
      }
      if (!model_.nodes[edge.to].stubOnly) out_ += "  " + from + " -> n" + std::to_string(edge.to) + ";\n";
    }
  }

  const GraphModel& model_;
  const Palette& palette_;
  std::string out_;
};

}  // namespace

std::string dotText(const GraphModel& model, const Palette& palette, const std::string& name) {
  return Writer(model, palette).run(name);
}

}  // namespace rx
