// The program as bytes, for the head of a trace file: a table of all texts, each once, then the rows, which name texts
// by their number. A large module's head is written before its run can start, so it has to be cheap.
#include <unordered_map>

#include "core/debug/trace_codec.h"

namespace rx::debug {

namespace {

/// Least bytes of a row, so that a damaged count never asks for more rows than the rest can hold.
constexpr size_t kSiteBytes = 16;
constexpr size_t kBindingBytes = 47;

class Encoder {
 public:
  std::string encode(const Program& program) {
    list(program.functions, [this](const VmFunction& f) { function(f); });
    list(program.instructions, [this](const Instruction& i) { instruction(i); });
    list(program.stages, [this](const std::shared_ptr<const Stage>& s) { stage(*s); });
    TraceOut all;
    all.number<uint64_t>(texts_.size());
    for (std::string_view text : texts_) all.text(text);
    all.text(rows_.bytes());
    return all.bytes();
  }

 private:
  template <class Rows, class Write>
  void list(const Rows& rows, Write write) {
    rows_.number<uint64_t>(rows.size());
    for (const auto& row : rows) write(row);
  }
  /// The views live as long as the program.
  void text(std::string_view value) {
    auto [at, added] = numbers_.try_emplace(value, static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(value);
    rows_.number(at->second);
  }
  template <class Sites>
  void sites(const Sites& sites) {
    list(sites, [this](const OriginSite& site) {
      text(site.function.view());
      rows_.number(site.block);
      rows_.number(site.binding);
      text(site.name.view());
    });
  }
  void function(const VmFunction& f) {
    text(f.name);
    rows_.number(f.begin);
    rows_.number(f.end);
    rows_.number(f.arguments);
    rows_.number(f.registers);
    list(f.registerNames, [this](const std::string& name) { text(name); });
    rows_.number(f.heapRegister);
    list(f.heap, [this](const HeapSlot& slot) {
      text(slot.expression);
      text(slot.origin);
    });
  }
  void instruction(const Instruction& i) {
    rows_.number(static_cast<uint8_t>(i.op));
    rows_.number(i.function);
    text(i.text);
    text(i.callee);
    rows_.number(i.calledFunction);
    rows_.number(i.dst);
    list(i.arguments, [this](int reg) { rows_.number(reg); });
    sites(i.sites);
    text(i.variable);
    rows_.number<uint8_t>(i.builtin);
    rows_.number<uint8_t>(i.housekeeping);
  }
  void stage(const Stage& stage) {
    text(stage.title());
    text(stage.hash());
    list(stage.files(), [this](const std::string& file) { text(file); });
    list(stage.functions(), [this](const StageFunction& f) {
      text(f.name.view());
      list(f.params, [this](const Str& param) { text(param.view()); });
      list(f.bindings, [this](const StageBinding& b) {
        rows_.number(b.parent);
        text(b.variable.view());
        rows_.number(b.file);
        rows_.number(b.line);
        rows_.number(b.lastLine);
        sites(b.sites);
        text(b.pass.view());
        rows_.number<uint8_t>(b.works);
        rows_.number<uint8_t>(b.manages);
        rows_.number(b.outputs);
        rows_.number(b.source);
        rows_.number(b.buffer);
        rows_.number<uint8_t>(b.echo);
      });
    });
  }

  std::unordered_map<std::string_view, uint32_t> numbers_;
  std::vector<std::string_view> texts_;
  TraceOut rows_;
};

/// Reads what Encoder wrote. A number that names nothing makes sound() false, as a missing byte does.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rows_({}) {
    TraceIn all(bytes);
    texts_.resize(all.count(sizeof(uint64_t)));
    for (std::string& text : texts_) text = all.text();
    rows_ = TraceIn(all.text());
    sound_ = all.ok() && all.atEnd();
  }

  Program decode() {
    Program program;
    list(program.functions, 1, [this](VmFunction& f) { function(f); });
    list(program.instructions, 1, [&](Instruction& i) { instruction(i, program.functions.size()); });
    list(program.stages, 1, [this](std::shared_ptr<const Stage>& s) { s = stage(); });
    return program;
  }
  bool sound() const { return sound_ && rows_.ok() && rows_.atEnd(); }

 private:
  template <class Row, class Read>
  void list(std::vector<Row>& rows, size_t bytes, Read read) {
    const size_t count = sound_ ? rows_.count(bytes) : 0;
    for (size_t i = 0; i < count && sound_ && rows_.ok(); ++i) read(rows.emplace_back());
  }
  std::string text() {
    const auto number = rows_.number<uint32_t>();
    if (number < texts_.size()) return texts_[number];
    sound_ = false;
    return {};
  }
  std::vector<OriginSite> sites() {
    std::vector<OriginSite> sites;
    list(sites, kSiteBytes, [this](OriginSite& site) {
      site.function = text();
      site.block = rows_.number<uint32_t>();
      site.binding = rows_.number<uint32_t>();
      site.name = text();
    });
    return sites;
  }
  void function(VmFunction& f) {
    f.name = text();
    f.begin = rows_.number<int64_t>();
    f.end = rows_.number<int64_t>();
    f.arguments = rows_.number<int>();
    f.registers = rows_.number<int>();
    list(f.registerNames, sizeof(uint32_t), [this](std::string& name) { name = text(); });
    f.heapRegister = rows_.number<int>();
    list(f.heap, 2 * sizeof(uint32_t), [this](HeapSlot& slot) {
      slot.expression = text();
      slot.origin = text();
    });
  }
  void instruction(Instruction& i, size_t functions) {
    const auto op = rows_.number<uint8_t>();
    i.function = rows_.number<int>();
    if (op > static_cast<uint8_t>(OpKind::If) || i.function < 0 || i.function >= static_cast<int>(functions))
      sound_ = false;
    i.op = static_cast<OpKind>(op);
    i.text = text();
    i.callee = text();
    i.calledFunction = rows_.number<int>();
    i.dst = rows_.number<int>();
    list(i.arguments, sizeof(int), [this](int& reg) { reg = rows_.number<int>(); });
    i.sites = sites();
    i.variable = text();
    i.builtin = rows_.number<uint8_t>() != 0;
    i.housekeeping = rows_.number<uint8_t>() != 0;
  }
  std::shared_ptr<const Stage> stage() {
    std::string title = text();
    std::string hash = text();
    std::vector<std::string> files;
    list(files, sizeof(uint32_t), [this](std::string& file) { file = text(); });
    std::vector<StageFunction> functions;
    list(functions, sizeof(uint32_t), [this](StageFunction& f) {
      f.name = text();
      list(f.params, sizeof(uint32_t), [this](Str& param) { param = text(); });
      list(f.bindings, kBindingBytes, [&](StageBinding& b) {
        b.ordinal = static_cast<int>(f.bindings.size()) - 1;
        b.parent = rows_.number<int>();
        b.variable = text();
        b.file = rows_.number<uint32_t>();
        b.line = rows_.number<uint32_t>();
        b.lastLine = rows_.number<uint32_t>();
        b.sites = Array<OriginSite>(sites());
        b.pass = text();
        b.works = rows_.number<uint8_t>() != 0;
        b.manages = rows_.number<uint8_t>() != 0;
        b.outputs = rows_.number<int>();
        b.source = rows_.number<int>();
        b.buffer = rows_.number<int>();
        b.echo = rows_.number<uint8_t>() != 0;
        // What gives a binding its value comes before it.
        if (b.source >= b.ordinal || b.buffer >= b.ordinal) sound_ = false;
      });
    });
    return std::make_shared<Stage>(std::move(title), std::move(functions), std::move(files), std::move(hash));
  }

  std::vector<std::string> texts_;
  TraceIn rows_;
  bool sound_ = true;
};

}  // namespace

std::string programBytes(const Program& program) { return Encoder().encode(program); }

Result<Program> programFrom(std::string_view bytes) {
  Decoder decoder(bytes);
  Program program = decoder.decode();
  if (!decoder.sound()) return fail("trace.program", "the head of the trace is damaged");
  if (program.stages.empty()) return fail("trace.program", "the trace names no stage of the module");
  return program;
}

}  // namespace rx::debug
