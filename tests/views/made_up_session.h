// A made-up module, document and debugger for tests of panels: attention in half precision, stopped where an Inf
// appears.
#pragma once

#include <QTimer>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/panel.h"

// The interfaces grow; what they add later is answered here before the tests need it.
#pragma clang diagnostic ignored "-Winconsistent-missing-override"

namespace rx::views {

/// The operator, the kernel and the operands of a binding that stands at the end of the text, in text order.
inline void addNames(const QByteArray& text, const BindingRow& row, std::vector<NameRow>* names) {
  qsizetype at = text.indexOf(" = ", row.range.begin) + 3;
  auto add = [&](const QByteArray& name, int target, NameRow::Kind kind, OpKind color) {
    at = text.indexOf(name, at);
    names->push_back({{int(at), int(at + name.size())}, target, kind, false, color});
    at += name.size();
  };
  const bool legal = text.indexOf("R.call_tir(", at) == at;
  add(text.mid(at, text.indexOf('(', at) - at), -1, NameRow::Kind::Operator, row.kind);
  if (legal) add("matmul", 0, NameRow::Kind::Function, row.kind);
  ++at;
  for (const OperandRow& operand : row.operands)
    add(operand.name.toUtf8(), operand.index,
        operand.kind == OperandRow::Kind::Param ? NameRow::Kind::Param : NameRow::Kind::Binding, OpKind::Other);
}

inline StageIndexPtr madeUpStage(int number) {
  auto index = std::make_shared<StageIndex>();
  index->stage = number;
  index->title = number == 0 ? "imported" : number == 1 ? "LegalizeOps" : "FuseOps";
  struct Op {
    const char *name, *call, *label, *op, *shape;
    OpKind kind;
    std::vector<const char*> operands;
  };
  const bool legal = number > 0;
  std::vector<Op> ops = {
      {"q",
       legal ? "R.call_tir(cls.matmul, (x, wq), out_sinfo=R.Tensor((n, 512), dtype=\"float16\"))"
             : "R.matmul(x, wq, out_dtype=\"void\")",
       "matmul",
       legal ? "" : "relax.matmul",
       "(n, 512)",
       OpKind::Compute,
       {"x", "wq"}},
      {"k",
       legal ? "R.call_tir(cls.matmul, (x, wk), out_sinfo=R.Tensor((n, 512), dtype=\"float16\"))"
             : "R.matmul(x, wk, out_dtype=\"void\")",
       "matmul",
       legal ? "" : "relax.matmul",
       "(n, 512)",
       OpKind::Compute,
       {"x", "wk"}},
      {"v",
       legal ? "R.call_tir(cls.matmul, (x, wv), out_sinfo=R.Tensor((n, 512), dtype=\"float16\"))"
             : "R.matmul(x, wv, out_dtype=\"void\")",
       "matmul",
       legal ? "" : "relax.matmul",
       "(n, 512)",
       OpKind::Compute,
       {"x", "wv"}},
      {"kt", "R.permute_dims(k, axes=None)", "permute_dims", "relax.permute_dims", "(512, n)", OpKind::Movement, {"k"}},
      {"s", "R.matmul(q, kt, out_dtype=\"void\")", "matmul", "relax.matmul", "(n, n)", OpKind::Compute, {"q", "kt"}},
      {"p", "R.nn.softmax(s, axis=-1)", "softmax", "relax.nn.softmax", "(n, n)", OpKind::Reduction, {"s"}},
      {"o", "R.matmul(p, v, out_dtype=\"void\")", "matmul", "relax.matmul", "(n, 512)", OpKind::Compute, {"p", "v"}},
  };
  if (number == 2) ops.erase(ops.begin() + 3), ops[3].operands = {"q", "k"};
  QByteArray text = "# from tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n";
  if (legal)
    text +=
        "    @T.prim_func(private=True)\n    def matmul(x: T.handle, w: T.handle, out: T.handle):\n        "
        "T.evaluate(0)\n\n";
  FunctionRow main;
  main.language = "Relax";
  main.name = "main";
  main.signature = "(n, 512) f16";
  main.result = "R.Tensor((n, 512), dtype=\"float16\")";
  text += "    @R.function\n";
  text += "    def ";
  main.names.push_back({{int(text.size()), int(text.size()) + 4}, legal ? 1 : 0, NameRow::Kind::Function, true});
  text += "main(";
  for (const char* name : {"x", "wq", "wk", "wv"}) {
    ParamRow param;
    param.name = name;
    param.shape = param.name == "x" ? "(n, 512)" : "(512, 512)";
    param.dtype = "float16";
    param.info = "R.Tensor(" + param.shape + ", dtype=\"float16\")";
    if (!main.params.empty()) text += ", ";
    param.nameRange = {int(text.size()), int(text.size() + qstrlen(name))};
    main.names.push_back({param.nameRange, int(main.params.size()), NameRow::Kind::Param, true});
    text += name + QByteArray(": ") + param.info.toUtf8().replace("(n, ", "(\"n\", ");
    main.params.push_back(param);
  }
  text += ") -> R.Tensor((\"n\", 512), dtype=\"float16\"):\n        n = T.int64()\n";
  if (legal) text += "        cls = Module\n";
  text += "        with R.dataflow():\n";
  BlockRow block;
  block.dataflow = true;
  for (const Op& op : ops) {
    BindingRow row;
    row.ordinal = int(main.bindings.size());
    row.name = row.called = op.name, row.label = op.label, row.op = op.op, row.shape = op.shape, row.dtype = "float16";
    row.info = "R.Tensor(" + row.shape + ", dtype=\"float16\")";
    row.kind = op.kind;
    row.dataflowVar = true;
    text += "            ";
    row.range.begin = int(text.size());
    main.names.push_back(
        {{row.range.begin, row.range.begin + int(qstrlen(op.name))}, row.ordinal, NameRow::Kind::Binding, true});
    text += op.name + (": " + row.info.toUtf8()) + " = " + op.call;
    row.range.end = int(text.size());
    text += "\n";
    for (const char* name : op.operands) {
      OperandRow operand{OperandRow::Kind::Param, -1, name};
      for (size_t p = 0; p < main.params.size(); ++p)
        if (main.params[p].name == name) operand.index = int(p), main.params[p].usedBy.push_back(row.ordinal);
      for (BindingRow& earlier : main.bindings)
        if (earlier.name == name) {
          operand = {OperandRow::Kind::Binding, earlier.ordinal, name};
          earlier.usedBy.push_back(row.ordinal);
        }
      row.operands.push_back(operand);
    }
    addNames(text, row, &main.names);
    row.pass = legal ? "LegalizeOps" : "";
    row.origins.push_back(
        {"main", op.name, "attention.py", 27 + row.ordinal, originKeyOf("main", 0, uint32_t(row.ordinal))});
    block.bindings.push_back(row.ordinal);
    main.bindings.push_back(row);
  }
  text += "            R.output(o)\n        return o\n";
  main.names.push_back(
      {{int(text.size()) - 2, int(text.size()) - 1}, int(main.bindings.size()) - 1, NameRow::Kind::Binding});
  main.results = {{OperandRow::Kind::Binding, int(main.bindings.size()) - 1, "o"}};
  index->text = text;
  findLines(index.get());
  for (BindingRow& row : main.bindings) row.line = index->lineOf(row.range.begin);
  block.firstLine = main.bindings.front().line - 1;
  block.lastLine = main.bindings.back().line + 1;
  main.blocks.push_back(block);
  main.headLine = index->lineOf(main.params[0].nameRange.begin);
  main.firstLine = main.headLine - 1;
  main.lastLine = block.lastLine + 1;
  main.symbols.push_back({"n", "x axis 0", main.headLine});
  if (legal) {
    FunctionRow prim;
    prim.name = "matmul";
    prim.kind = FunctionKind::Prim;
    prim.language = "TIR";
    prim.firstLine = 5, prim.headLine = 6, prim.lastLine = 7;
    index->functions.push_back(prim);
  }
  index->functions.push_back(main);
  indexOrigins(index.get());
  return index;
}

class MadeUpDocument : public Document {
 public:
  MadeUpDocument() {
    for (int i = 0; i < 3; ++i) {
      stages_.push_back(madeUpStage(i));
      StepRow row;
      row.number = i;
      row.name = stages_.back()->title;
      row.state = StepState::Done;
      steps_.push_back(row);
    }
  }
  State state() const override { return state_; }
  QString path() const override { return "attention.py"; }
  QString folder() const override { return {}; }
  QString title() const override { return "attention"; }
  QString dialect() const override { return "v0.25 text"; }
  QStringList moduleNames() const override { return {"Module"}; }
  QString moduleName() const override { return "Module"; }
  QString sourceText() const override { return QString::fromUtf8(stages_[0]->text); }
  bool isStale() const override { return false; }
  const std::vector<StepRow>& steps() const override { return steps_; }
  int lastStage() const override { return state_ == State::Empty ? -1 : 2; }
  StageIndexPtr stage(int number, bool = true) override {
    if (number < 0 || number > 2 || number == missing_) return nullptr;
    return stages_[size_t(number)];
  }
  StageIndexPtr stageText(int number) const override { return number == missing_ ? text_ : nullptr; }
  QString pipeline() const override { return "LegalizeOps, FuseOps"; }
  bool canRunPasses() const override { return true; }
  const std::vector<ProblemRow>& problems() const override { return problems_; }
  QString openError() const override { return {}; }
  QString pipelineError() const override { return {}; }
  bool busy() const override { return false; }
  Progress progress() const override { return {}; }
  QString commandLine(int) const override { return {}; }
  QString programPath(int) override { return {}; }
  void writeStages(QObject*, std::function<void(Result<QString>)> answer) override { answer(QString()); }
  void open(const QString&, const QString&) override {}
  void openAt(const Place&) override {}
  void reload() override {}
  void close() override {}
  void runPassesTo(int) override {}
  void setPipeline(const QString&) override {}
  void checkStage(int) override {}
  void cancel() override {}
  void setProblems(const QString&, const std::vector<ProblemRow>&) override {}

  void setState(State state) {
    state_ = state;
    Q_EMIT stateChanged();
  }
  /// The text of the missing stage comes before its rows.
  void setText(int stage) {
    auto text = std::make_shared<StageIndex>(*stages_[size_t(stage)]);
    text->functions = {};
    text_ = text;
    Q_EMIT textReady(stage);
  }
  void setMissing(int stage) {
    missing_ = stage;
    if (stage < 0) Q_EMIT stageReady(0);
  }
  /// The stage after `stage` is equal to it.
  void repeatStage(int stage) {
    auto copy = std::make_shared<StageIndex>(*stages_[size_t(stage)]);
    copy->stage = stage + 1;
    stages_[size_t(stage) + 1] = copy;
  }
  void addProblem(const ProblemRow& row) {
    problems_.push_back(row);
    Q_EMIT problemsChanged();
  }

 private:
  State state_ = State::Ready;
  int missing_ = -1;
  StageIndexPtr text_;
  std::vector<StageIndexPtr> stages_;
  std::vector<StepRow> steps_;
  std::vector<ProblemRow> problems_;
};

class MadeUpDebug : public DebugSession {
 public:
  RunState state() const override { return state_; }
  bool hasTrace() const override { return state_ == RunState::Stopped; }
  bool idle() const override { return true; }
  const StopInfo& stop() const override { return stop_; }
  const RunConfig& config() const override { return config_; }
  qint64 engineId() const override { return 0; }
  QString deathReport() const override { return {}; }
  QString commandLine() const override { return {}; }
  QString memoryText() const override { return {}; }
  const std::vector<FrameRow>& frames() const override { return frames_; }
  const std::vector<InstructionRow>& instructions() const override { return instructions_; }
  const std::vector<RegisterRow>& registers() const override { return registers_; }
  const std::vector<HeapRow>& heap() const override { return heap_; }
  int recorded() const override { return 0; }
  const std::vector<BreakpointRow>& breakpoints() const override { return breakpoints_; }
  const std::vector<LogLine>& log() const override { return log_; }
  void addLog(const LogLine& line) override { log_.push_back(line); }
  ValueSummary valueOf(const QString& function, int binding) const override {
    if (state_ != RunState::Stopped || function != "main" || binding > 4) return {};
    ValueSummary value;
    value.known = value.isTensor = true;
    value.reference = binding + 1;
    value.dtype = "float16";
    value.shape = binding == 4 ? "(17, 17)" : binding == 3 ? "(512, 17)" : "(17, 512)";
    value.text = value.shape + " float16";
    value.count = binding == 4 ? 289 : 8704;
    value.bytes = value.count * 2;
    value.finite = value.count - (binding == 4 ? 2 : 0);
    value.min = binding == 4 ? -61216 : -3.125, value.max = binding == 4 ? 65472 : 2.90625, value.mean = -0.0125;
    value.inf = binding == 4 ? 2 : 0;
    if (binding == 4) value.firstBad = {4, 11};
    value.step = binding;
    return value;
  }
  ValueSummary valueOfParam(const QString&, const QString& name) const override {
    ValueSummary value = valueOf("main", 0);
    value.variable = name;
    return value;
  }
  std::vector<std::pair<QString, qint64>> symbols(const QString& function) const override {
    if (state_ != RunState::Stopped || function != "main") return {};
    return {{"n", 17}};
  }
  const BreakpointRow* breakpointAt(int, const QString&, int binding) const override {
    for (const BreakpointRow& row : breakpoints_)
      if (row.binding == binding) return &row;
    return nullptr;
  }
  ValueSummary valueAt(const QString& function, int binding, int) const override { return valueOf(function, binding); }
  void fetchSurvey(const ElementSource&, std::vector<qint64>, QObject* context,
                   std::function<void(const TensorSurvey&)> answer) override {
    QTimer::singleShot(0, context, [answer] {
      TensorSurvey none;
      none.error = "made up";
      answer(none);
    });
  }
  void fetchPlane(const ElementSource&, const PlaneQuery&, QObject* context,
                  std::function<void(const TensorPlane&)> answer) override {
    QTimer::singleShot(0, context, [answer] {
      TensorPlane none;
      none.error = "made up";
      answer(none);
    });
  }
  void findElement(const ElementSource&, const ElementQuery& query, std::vector<qint64>, QObject* context,
                   std::function<void(const ElementFound&)> answer) override {
    // `searchParts` parts of a hundred elements; the last one finds `searchFinds`, where that is anything.
    const qint64 looked = std::min<qint64>(query.looked + 100, searchParts * 100);
    ElementFound found{{}, {}, false, looked, searchParts * 100};
    if (looked == found.count && !searchFinds.empty()) found.index = searchFinds, found.found = true;
    QTimer::singleShot(0, context, [answer, found] { answer(found); });
  }
  void fetchComparison(const ElementSource&, std::vector<qint64>, QObject* context,
                       std::function<void(const TensorComparison&)> answer) override {
    QTimer::singleShot(0, context, [answer] {
      TensorComparison none;
      none.error = "made up";
      answer(none);
    });
  }
  void fetchArrays(const QString&, QObject* context,
                   std::function<void(const QString&, const std::vector<ArrayRow>&)> answer) override {
    QTimer::singleShot(0, context, [answer] { answer(QStringLiteral("made up"), {}); });
  }
  void fetchSlice(const ElementSource& source, std::vector<qint64> begin, std::vector<qint64> extent, QObject* context,
                  std::function<void(const TensorSlice&)> answer) override {
    const int reference = source.reference;
    ++fetches;
    TensorSlice slice;
    slice.shape = reference == 5   ? std::vector<qint64>{17, 17}
                  : reference == 9 ? std::vector<qint64>{2, 3, 300, 120}
                  : reference == 8 ? std::vector<qint64>{}
                  : reference == 7 ? std::vector<qint64>{0, 4}
                                   : std::vector<qint64>{17, 512};
    if (reference == 6) slice.error = "the engine has ended";
    slice.dtype = "float16";
    qint64 count = 1;
    for (size_t d = 0; d < slice.shape.size(); ++d) {
      slice.begin.push_back(d < begin.size() ? begin[d] : 0);
      slice.extent.push_back(
          std::max<qint64>(0, std::min(d < extent.size() ? extent[d] : 1, slice.shape[d] - slice.begin[d])));
      count *= slice.extent.back();
    }
    for (qint64 i = 0; i < count; ++i) {
      const qint64 columns = slice.extent.empty() ? 1 : slice.extent.back();
      const qint64 row = i / std::max<qint64>(1, columns), column = i % std::max<qint64>(1, columns);
      double value = std::sin(double(row * 31 + column * 7)) * (reference == 5 ? 900 : 3);
      if (reference == 5 && row == 4 && column == 11) value = std::numeric_limits<double>::infinity();
      if (reference == 5 && row == 9 && column == 2) value = std::numeric_limits<double>::quiet_NaN();
      slice.values.push_back(value);
    }
    QTimer::singleShot(0, context, [answer, slice] { answer(slice); });
  }
  void saveValue(int, const QString&, QObject*, std::function<void(const QString&)>) override {}
  void start(const RunConfig&) override {}
  void restart() override {}
  void stopEngine() override {}
  void continueRun() override {}
  void pause() override {}
  void stepOver() override {}
  void stepInto() override {}
  void stepOut() override {}
  void stepBack() override {}
  void reverseContinue() override {}
  void stepInstruction() override {}
  void stepInstructionBack() override {}
  void goToStep(int) override {}
  void selectStage(int) override {}
  void runTo(const QString&, int) override {}
  void toggleBreakpoint(int stage, const QString& function, int binding, const QString& variable) override {
    BreakpointRow row;
    row.id = 1, row.enabled = row.verified = true, row.stage = stage, row.function = function, row.binding = binding;
    row.variable = variable;
    const auto same = [&](const BreakpointRow& b) { return b.binding == binding && b.stage == stage; };
    if (std::erase_if(breakpoints_, same) == 0) breakpoints_.push_back(row);
    Q_EMIT breakpointsChanged();
  }
  void setBreakpointEnabled(int, bool) override {}
  void setBreakpointRule(int, const BreakpointRule&) override {}
  int addBreakpoint(const BreakpointRow& row) override {
    breakpoints_.push_back(row);
    return row.id;
  }
  const std::vector<WatchRow>& watches() const override { return watches_; }
  void evaluate(const QString&, QObject*, std::function<void(const WatchRow&)>) override {}
  void fetchPlot(const QString&, QObject*, std::function<void(const WatchPlot&)>) override {}
  int addWatch(const QString& expression) override {
    WatchRow row;
    row.expression = expression;
    watches_.push_back(row);
    return 0;
  }
  void setWatch(int, const QString&) override {}
  void removeWatch(int) override {}
  void clearWatches() override { watches_.clear(); }
  void removeBreakpoint(int) override {}
  void clearBreakpoints() override {}
  void setStopOnNonFinite(bool) override {}

  void stopAt(int binding) {
    state_ = RunState::Stopped;
    stop_.function = "main", stop_.binding = binding, stop_.reason = "exception";
    stop_.description = "Inf produced", stop_.step = binding;
    stop_.nextFunction = stop_.function, stop_.nextBinding = binding;
    Q_EMIT stateChanged();
    Q_EMIT stopChanged();
  }
  int fetches = 0;
  int searchParts = 1;
  std::vector<qint64> searchFinds;

 private:
  RunState state_ = RunState::Off;
  StopInfo stop_;
  RunConfig config_;
  std::vector<FrameRow> frames_;
  std::vector<InstructionRow> instructions_;
  std::vector<RegisterRow> registers_;
  std::vector<HeapRow> heap_;
  std::vector<BreakpointRow> breakpoints_;
  std::vector<WatchRow> watches_;
  std::vector<LogLine> log_;
};

class MadeUpCommands : public Commands {
 public:
  bool run(const QString& id, const QStringList& arguments) override {
    ran += (QStringList(id) + arguments).join(' ');
    return true;
  }
  bool enabled(const QString&) const override { return true; }
  QString label(const QString& id) const override { return id; }
  QStringList ran;
};

/// All that a panel gets, in one.
struct MadeUpDesk {
  MadeUpDocument document;
  Selection selection;
  MadeUpDebug debug;
  MadeUpCommands commands;
  PanelContext context{&document, &selection, &debug, &commands};
};

}  // namespace rx::views
