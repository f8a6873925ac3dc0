// The program as bytes, for the head of a recording: a table of all texts, each once, then the rows, which name texts
// by their number. A large module's head is written before its run can start, so it has to be cheap.
#include "core/debug/program_codec.h"

#include <algorithm>

#include "core/support/chunk_hash.h"
#include "core/support/coding.h"

namespace rx::debug {

namespace {

/// Texts by number, in the order of their first mention. They live elsewhere.
class TextNumbers {
 public:
  uint32_t numberOf(std::string_view text) {
    if ((texts_.size() + 1) * 2 > slots_.size()) grow();
    const uint64_t hash = chunkHash(text);
    Slot& slot = find(text, hash);
    if (slot.number == kFree) {
      slot = {hash, static_cast<uint32_t>(texts_.size())};
      texts_.push_back(text);
    }
    return slot.number;
  }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  static constexpr uint32_t kFree = UINT32_MAX;
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = kFree;
  };
  Slot& find(std::string_view text, uint64_t hash) {
    for (size_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.number == kFree || (slot.hash == hash && texts_[slot.number] == text)) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(std::max<size_t>(1024, slots_.size() * 2));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kFree) find(texts_[slot.number], slot.hash) = slot;
  }

  std::vector<Slot> slots_;  ///< a power of two of them, half of them free
  std::vector<std::string_view> texts_;
};

class Encoder {
 public:
  std::string encode(const Program& program) {
    list(program.functions, [this](const VmFunction& f) { function(f); });
    list(program.instructions, [this](const Instruction& i) { instruction(i); });
    list(program.stages, [this](const std::shared_ptr<const Stage>& s) { stage(*s); });
    list(program.devices, [this](const std::string& name) { text(name); });
    list(program.constructors, [this](const std::string& name) { text(name); });
    ByteOut all;
    all.number(texts_.texts().size());
    for (std::string_view text : texts_.texts()) all.text(text);
    all.text(rows_.bytes());
    return std::string(all.bytes());
  }

 private:
  template <class Rows, class Write>
  void list(const Rows& rows, Write write) {
    rows_.number(rows.size());
    for (const auto& row : rows) write(row);
  }
  /// The views live as long as the program.
  void text(std::string_view value) { rows_.number(texts_.numberOf(value)); }
  template <class Sites>
  void sites(const Sites& sites) {
    list(sites, [this](const OriginSite& site) {
      text(site.function.view());
      rows_.signedNumber(site.block);
      rows_.signedNumber(site.binding);
      text(site.name.view());
    });
  }
  void function(const VmFunction& f) {
    text(f.name);
    rows_.signedNumber(f.begin);
    rows_.signedNumber(f.end);
    rows_.signedNumber(f.arguments);
    rows_.signedNumber(f.registers);
    list(f.registerNames, [this](const std::string& name) { text(name); });
    rows_.signedNumber(f.heapRegister);
    list(f.heap, [this](const HeapSlot& slot) {
      text(slot.expression);
      text(slot.origin);
    });
  }
  void instruction(const Instruction& i) {
    rows_.byte(static_cast<uint8_t>(i.op));
    rows_.signedNumber(i.function);
    text(i.text);
    text(i.callee);
    rows_.signedNumber(i.calledFunction);
    rows_.signedNumber(i.dst);
    list(i.arguments, [this](int reg) { rows_.signedNumber(reg); });
    sites(i.sites);
    text(i.variable);
    rows_.byte(i.builtin);
    rows_.byte(i.housekeeping);
  }
  void stage(const Stage& stage) {
    text(stage.title());
    text(stage.hash());
    list(stage.files(), [this](const std::string& file) { text(file); });
    list(stage.functions(), [this](const StageFunction& f) {
      text(f.name.view());
      list(f.params, [this](const Str& param) { text(param.view()); });
      rows_.signedNumber(f.file);
      rows_.signedNumber(f.line);
      rows_.signedNumber(f.lastLine);
      list(f.bindings, [this](const StageBinding& b) {
        rows_.signedNumber(b.parent);
        rows_.signedNumber(b.sequence);
        text(b.variable.view());
        rows_.signedNumber(b.file);
        rows_.signedNumber(b.line);
        rows_.signedNumber(b.lastLine);
        sites(b.sites);
        text(b.pass.view());
        rows_.byte(b.works);
        rows_.byte(b.manages);
        rows_.signedNumber(b.outputs);
        rows_.signedNumber(b.source);
        rows_.signedNumber(b.buffer);
        // Recordings from before items had values of their own hold no second bit.
        rows_.byte(static_cast<uint8_t>(b.echo | (b.items.empty() ? 0 : 2)));
        if (!b.items.empty()) list(b.items, [this](int item) { rows_.signedNumber(item); });
      });
    });
  }

  TextNumbers texts_;
  ByteOut rows_;
};

/// Reads what Encoder wrote. A number that names nothing makes sound() false, as a missing byte does.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rows_({}) {
    ByteIn all(bytes);
    texts_.resize(all.count());
    for (std::string& text : texts_) text = all.text();
    rows_ = ByteIn(all.text());
    sound_ = all.ok() && all.atEnd();
  }

  Program decode() {
    Program program;
    list(program.functions, [this](VmFunction& f) { function(f); });
    list(program.instructions, [&](Instruction& i) { instruction(i, program.functions.size()); });
    list(program.stages, [this](std::shared_ptr<const Stage>& s) { s = stage(); });
    // Recordings of before there were devices end here, and those of before constructors had names behind them.
    if (!rows_.atEnd()) list(program.devices, [this](std::string& name) { name = text(); });
    if (!rows_.atEnd()) list(program.constructors, [this](std::string& name) { name = text(); });
    return program;
  }
  bool sound() const { return sound_ && rows_.ok() && rows_.atEnd(); }

 private:
  template <class Row, class Read>
  void list(std::vector<Row>& rows, Read read) {
    const size_t count = sound_ ? rows_.count() : 0;
    for (size_t i = 0; i < count && sound_ && rows_.ok(); ++i) read(rows.emplace_back());
  }
  std::string text() {
    const uint64_t number = rows_.number();
    if (number < texts_.size()) return texts_[number];
    sound_ = false;
    return {};
  }
  std::vector<OriginSite> sites() {
    std::vector<OriginSite> sites;
    list(sites, [this](OriginSite& site) {
      site.function = text();
      site.block = static_cast<uint32_t>(rows_.signedNumber());
      site.binding = static_cast<uint32_t>(rows_.signedNumber());
      site.name = text();
    });
    return sites;
  }
  void function(VmFunction& f) {
    f.name = text();
    f.begin = static_cast<int64_t>(rows_.signedNumber());
    f.end = static_cast<int64_t>(rows_.signedNumber());
    f.arguments = static_cast<int>(rows_.signedNumber());
    f.registers = static_cast<int>(rows_.signedNumber());
    list(f.registerNames, [this](std::string& name) { name = text(); });
    f.heapRegister = static_cast<int>(rows_.signedNumber());
    list(f.heap, [this](HeapSlot& slot) {
      slot.expression = text();
      slot.origin = text();
    });
  }
  void instruction(Instruction& i, size_t functions) {
    const auto op = rows_.byte();
    i.function = static_cast<int>(rows_.signedNumber());
    if (op > static_cast<uint8_t>(OpKind::If) || i.function < 0 || i.function >= static_cast<int>(functions))
      sound_ = false;
    i.op = static_cast<OpKind>(op);
    i.text = text();
    i.callee = text();
    i.calledFunction = static_cast<int>(rows_.signedNumber());
    i.dst = static_cast<int>(rows_.signedNumber());
    list(i.arguments, [this](int& reg) { reg = static_cast<int>(rows_.signedNumber()); });
    i.sites = sites();
    i.variable = text();
    i.builtin = rows_.byte() != 0;
    i.housekeeping = rows_.byte() != 0;
  }
  std::shared_ptr<const Stage> stage() {
    std::string title = text();
    std::string hash = text();
    std::vector<std::string> files;
    list(files, [this](std::string& file) { file = text(); });
    std::vector<StageFunction> functions;
    list(functions, [this](StageFunction& f) {
      f.name = text();
      list(f.params, [this](Str& param) { param = text(); });
      f.file = static_cast<uint32_t>(rows_.signedNumber());
      f.line = static_cast<uint32_t>(rows_.signedNumber());
      f.lastLine = static_cast<uint32_t>(rows_.signedNumber());
      list(f.bindings, [&](StageBinding& b) {
        b.ordinal = static_cast<int>(f.bindings.size()) - 1;
        b.parent = static_cast<int>(rows_.signedNumber());
        b.sequence = static_cast<int>(rows_.signedNumber());
        b.variable = text();
        b.file = static_cast<uint32_t>(rows_.signedNumber());
        b.line = static_cast<uint32_t>(rows_.signedNumber());
        b.lastLine = static_cast<uint32_t>(rows_.signedNumber());
        b.sites = Array<OriginSite>(sites());
        b.pass = text();
        b.works = rows_.byte() != 0;
        b.manages = rows_.byte() != 0;
        b.outputs = static_cast<int>(rows_.signedNumber());
        b.source = static_cast<int>(rows_.signedNumber());
        b.buffer = static_cast<int>(rows_.signedNumber());
        const uint8_t marks = rows_.byte();
        b.echo = (marks & 1) != 0;
        if ((marks & 2) != 0) list(b.items, [this](int& item) { item = static_cast<int>(rows_.signedNumber()); });
        // What gives a binding its value comes before it, but for the call that writes an allocation.
        if (b.isRoom() ? b.source <= b.ordinal : b.source >= b.ordinal || b.buffer >= b.ordinal) sound_ = false;
      });
    });
    return std::make_shared<Stage>(std::move(title), std::move(functions), std::move(files), std::move(hash));
  }

  std::vector<std::string> texts_;
  ByteIn rows_;
  bool sound_ = true;
};

}  // namespace

std::string programBytes(const Program& program) { return Encoder().encode(program); }

Result<Program> programFrom(std::string_view bytes) {
  Decoder decoder(bytes);
  Program program = decoder.decode();
  if (!decoder.sound()) return fail("store.program", "the program of the recording is damaged");
  if (program.stages.empty()) return fail("store.program", "the recording names no stage of the module");
  return program;
}

}  // namespace rx::debug
