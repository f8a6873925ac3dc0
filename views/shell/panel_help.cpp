#include "views/shell/panel_help.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/row_model.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/shell/actions.h"
#include "views/shell/command.h"
#include "views/shell/dialogs.h"
#include "views/shell/key_map.h"
#include "views/shell/panel_table.h"

namespace rx::views {
namespace {

/// What a page says beside the panel's row and the rows of its commands.
struct HelpRow {
  const char* panel;
  const char* purpose;
  const char* commands;  // ids, separated by blanks
};
constexpr HelpRow kRows[] = {
    {"module",
     "Functions, dataflow blocks and bindings of the selected stage as a tree; where memory is planned, calls of "
     "kernels and storages apart. What is selected here is selected in text, graph and Inspector too.",
     "select.nextBinding select.previousBinding select.definition select.use edit.goToName search.calls"},
    {"symbols",
     "Symbolic variables of the selected function: who binds each, its bounds, where it is used, and its "
     "value while a run is stopped. Enter goes to the binder.",
     "edit.goToName search.find"},
    {"passes",
     "The pipeline, one row a stage. Choosing a row runs the passes as far as it and shows the module "
     "after it; the row says what changed and how long it took.",
     "pass.next pass.previous pass.goTo pass.last pass.compareBefore pass.compare pass.pipeline "
     "pass.cancel"},
    {"pipeline",
     "The passes as they are going to run. Space or the box switches one off, Del removes it, "
     "Ctrl+Shift+Up and Down move it, Insert goes to the field that adds one behind it; the fields below are its "
     "options, "
     "and under them stands what it left and what would let it go on. What was run before a change stays. Enter runs "
     "as far as the selected pass and shows its result.",
     "pipeline.add pass.forward pass.config pipeline.undo pipeline.redo pipeline.copy pass.pipeline pass.last"},
    {"context",
     "What the passes run under, as the PassContext of TVM: the level, names of passes that never or always run, and "
     "the keys that they look at. A key is added by its name, with =VALUE or its default. While a name or a key is "
     "wrong no pass runs; what ran before stays, and every change can be undone.",
     "pass.config pipeline.undo pipeline.redo pass.last"},
    {"ir",
     "The text of the stage as the compiler has it, with the values of a stopped run beside the bindings. "
     "The line of the caret is what the other panels show. Blocks that come again are folded, but for one as an "
     "example, and fields of tuples that nobody takes, until Unfold All.",
     "select.definition select.use debug.toggleBreakpoint debug.runToCursor edit.find edit.goToLine "
     "edit.foldText edit.foldBlocks edit.unfoldText view.shortTypes view.wrapLines export.text share.stage"},
    {"source",
     "The file as it is written, with what is wrong in it underlined. It follows the selection to the line "
     "that a binding comes from.",
     "edit.find view.wrapLines file.reload file.copyLink"},
    {"kernel",
     "The text of what the selected binding calls in this stage. Beside Source and IR it is the third of three "
     "texts of the same thing: as imported, now, and its kernel. Stages shows what becomes of a kernel by the passes "
     "of the window, two stages side by side, three where there is room: which lines came from which, and the loop "
     "around the caret; below them why a rule applied or did not, and what the vector registers are for. Samples runs "
     "it for half a second, says which lines take the time and how near it comes to what the machine does. Edit trace "
     "shows its schedule as text, to be changed and applied again.",
     "kernel.stages kernel.samples kernel.trace kernel.cross kernel.left kernel.right view.three edit.find view.wrapLines "
     "pass.applyTo"},
    {"steps",
     "What becomes of the kernel whose stages are shown: its TIR, its schedule a primitive a row, lowering a pass a row, "
     "and machine code. A row shows the text after it, with the lines that are new in it; primitives in grey only look "
     "something up.",
     "kernel.step kernel.stepBack kernel.stages kernel.trace"},
    {"diff",
     "Two stages side by side: the selected one and the one before it, or another that was chosen for "
     "comparison.",
     "pass.compareBefore pass.compare edit.find view.wrapLines share.diff"},
    {"graph",
     "Dataflow of the selected function: an edge for each value that a binding reads. Layers that repeat "
     "are folded; a node is selected everywhere by one click. Weights stand in the rail at the right, in full with W; "
     "what a search found has a halo, F3 walks from one to the next.",
     "select.definition select.use graph.weights search.light diff.graphs export.graph view.savePicture"},
    {"inspector",
     "Everything about the selected thing: its type, value, origin through the passes, what it reads and "
     "who reads it.",
     "select.definition select.use file.copyLink share.value"},
    {"origin",
     "Where the selected binding comes from: the line that was imported, and each pass that made something else of it. "
     "A click goes to that stage; the rows stay, so that one can walk along them with Up and Down.",
     "select.definition pass.compareBefore file.copyLink"},
    {"bytecode",
     "The program of the virtual machine with its registers. The arrow is the instruction that runs next; a click in "
     "front of an instruction, or the key of breakpoints, stops a run before it.",
     "debug.toggleInstruction debug.instructionCondition debug.stepInstruction debug.stepInstructionBack "
     "debug.stepOver debug.continue"},
    {"registers",
     "The registers and the shape heap of the frame that is shown, with the bindings whose values they hold. In a wide "
     "window they stand beside the bytecode.",
     "debug.stepInstruction debug.stepOver export.value view.layoutDebug"},
    {"stack", "Frames of the machine, the innermost first. Choosing one shows the binding where it stands.",
     "debug.stepOut debug.stepInto"},
    {"threads",
     "The threads of a device's kernel that a run was stepped into, in the interpreter: the statement that each runs "
     "next, who waits at a barrier, what the current one sees, shared memory too, and the races that were found. Above "
     "them are chosen the launch, of the kernels that the function starts, and the group of its threads. Steps "
     "move the current thread, its warp or its group; Step Out leaves, and the device makes the call.",
     "debug.enterThreads debug.stepOver debug.stepWarp debug.stepGroup debug.stepBack debug.stepOut"},
    {"breakpoints",
     "Where a run stops. The box in front of a row switches it off; a condition is an expression over "
     "values.",
     "debug.toggleBreakpoint debug.clearBreakpoints debug.stopOnNonFinite"},
    {"bookmarks",
     "Places with a bookmark or a note, in the order of stages and bindings. They belong to the module and come back "
     "with it. Enter goes to a place, Delete takes its bookmark away.",
     "bookmark.toggle bookmark.note bookmark.next bookmark.previous session.save"},
    {"watch",
     "Expressions over values, computed at the step that is shown: min(scores), nan(weights), x[0, 3]. What changed "
     "since the last stop is marked; a row shows its course over the run.",
     "watch.add watch.edit watch.remove watch.clear"},
    {"values",
     "Numbers of the selected binding at the step that is shown. NaN and Inf are marked; a table shows any "
     "two axes.",
     "export.value share.value debug.stepBack"},
    {"profiles",
     "All profiles of this window, until they are removed. A click shows one (B) and keeps what it is held against (A); "
     "the menu of a row makes it A. Below, what B was measured by: passes, input, runs, threads and machine.",
     "profile.run profile.load profile.against profile.rename profile.remove profile.save profile.saveTrace"},
    {"profile",
     "Where the time of a run goes: a row for each kernel, call or layer, with how near it comes to what this machine "
     "reaches; the last row is their sum, beside the wall clock. A second profile is held against the one before it. "
     "Choosing a row chooses it in roofline, flame chart and text too, and what is selected there is chosen here.",
     "profile.run profile.byKernel profile.byCall profile.byLayer profile.filter profile.against profile.copyText "
     "profile.save profile.saveTrace"},
    {"shares",
     "The time of the profile by the layers of the imported function, or by the kind of what its kernels do; grey above "
     "it that of the profile that it is held against. A click shows nothing else in table, flame chart and "
     "roofline, a second one everything again.",
     "profile.run profile.shares profile.byLayer profile.against"},
    {"roofline",
     "How fast each kernel computes by how much it computes for each byte that it moves, under what arithmetic and "
     "memory of this machine allow. Below, what bounds the chosen kernel, which rules scheduled it, and what it does "
     "otherwise than in the profile that is held against.",
     "profile.run profile.binding kernel.stages profile.tune profile.against"},
    {"flame",
     "The last run over time: layers, and below them the calls. Of two profiles one stands under the other, on one "
     "scale. The wheel, + and - zoom, a drag and the arrows scroll, Space shows all; a click chooses a call, a double "
     "click goes to its binding.",
     "profile.run profile.flameFit profile.flameLarger profile.flameSmaller profile.filter"},
    {"bisect",
     "Every stage run on the same inputs beside the first one, by a binary search and then the others: bit for bit "
     "equal, "
     "within the limit, or how far off. Above, a bar for every binding after every pass, over the limit where it is off; "
     "Left and Right go by stages, Up and Down by values. Below, the values of the stage that is chosen: by how much "
     "they are off, and whether that is their own or comes from their inputs; and why the guilty stage is so, with the "
     "bytes that two values share. The same of one run beside a file of values that are known.",
     "debug.bisect debug.bisectWith debug.reproducer debug.compareRuns pass.compareBefore pass.disable"},
    {"traced",
     "The values of a folder that rxs run --trace wrote, one row a value with its statistics. Choosing one shows its "
     "numbers in Values, and its binding where the open module has it. Memory that nothing wrote yet is grey.",
     "file.open export.value"},
    {"memory",
     "The pieces of memory that are alive at the step that is shown, the largest first, and the bytes that were alive "
     "over the run. Choosing a row selects the binding that made it, Enter shows that step; so does a click in the "
     "plot. Where nothing runs, what the stage plans, from CallTIRRewrite on: the calls of a function across, its "
     "pieces "
     "of memory from the bottom up, and the buffers in them from the call that writes to the last that reads; before "
     "planning, each buffer in memory of its own. Symbols have the sizes of a run or of the files beside the module, "
     "or those that are tried here. Beside the picture stands what is alive at the peak, the largest first, or at the "
     "moment that was clicked.",
     "memory.planned memory.top memory.writer memory.reader memory.size pass.bounds debug.goToStep "
     "debug.stepBack debug.stepOver"},
    {"problems", "Findings of every layer with their place and what to do. Enter goes there.", "module.check"},
    {"results", "What a search over all stages found. The list stays while one walks through it.",
     "search.find search.next search.previous search.calls view.palette"},
    {"log", "What the window, the engine and the program that runs have said, with the time.",
     "help.saveDiagnostics edit.copyPanel"},
    {"timeline", "One bar a recorded step of the run; a click shows the machine as it was then. Nothing runs again.",
     "debug.goToStep debug.stepBack debug.reverseContinue debug.stepOver"},
};

/// Commands that every panel has.
constexpr const char* kEverywhere =
    "edit.find edit.back edit.forward view.nextPanel view.closePanel view.palette help.panel";

using Row = KeyedCommand;
constexpr Column<Row> kColumns[] = {
    {"key", [](const Row& r) { return r.keys; }, false, true},
    {"command", [](const Row& r) { return QString::fromUtf8(r.command->title); }},
    {"what it does", [](const Row& r) { return QString::fromUtf8(r.command->help); }, false, false, nullptr,
     [](const Row& r) { return QString::fromUtf8(r.command->help); }},
};

const PanelRow* panelRow(const QString& id) {
  for (const PanelRow& row : panelTable()) {
    if (id == QLatin1String(row.id)) return &row;
  }
  return nullptr;
}

QString purposeOf(const QString& id) {
  for (const HelpRow& row : kRows) {
    if (id == QLatin1String(row.panel)) return QString::fromUtf8(row.purpose);
  }
  const PanelRow* row = panelRow(id);
  return row ? QString::fromUtf8(row->help) : QString();
}

std::vector<Row> commandsOf(const QString& id, const Settings& settings) {
  QStringList ids;
  for (const HelpRow& row : kRows) {
    if (id == QLatin1String(row.panel)) ids = QString::fromLatin1(row.commands).split(' ', Qt::SkipEmptyParts);
  }
  for (const QString& everywhere : QString::fromLatin1(kEverywhere).split(' ')) {
    if (!ids.contains(everywhere)) ids << everywhere;
  }
  std::vector<const Command*> rows;
  for (const QString& command : ids) {
    if (const Command* row = findCommand(command)) rows.push_back(row);
  }
  return withKeys(rows, settings);
}

}  // namespace

QString panelHelpText(const QString& panel, const Settings& settings) {
  const QString id = panel.section('.', 0, 0);  // a copy has the page of its panel
  const PanelRow* row = panelRow(id);
  if (!row) return {};
  RowModel<Row> model(kColumns, nullptr);
  model.setRows(commandsOf(id, settings));
  return QString::fromUtf8(row->title) + '\n' + purposeOf(id) + '\n' + modelText(model);
}

QDialog* makeHelpDialog(Desk& desk, Commands* commands, QWidget* parent) {
  QString id = QStringLiteral("ir");
  for (const QString& panel : desk.window.panelIds()) {
    if (desk.window.panel(panel) == desk.window.focusedPanel()) id = panel.section('.', 0, 0);
  }
  const PanelRow* row = panelRow(id);
  auto* dialog = new QDialog(parent);
  dialog->setObjectName("help." + id);
  dialog->setWindowTitle(QStringLiteral("Help: %1").arg(row ? QString::fromUtf8(row->title) : id));
  auto* column = new QVBoxLayout(dialog);
  auto* purpose = new QLabel(purposeOf(id), dialog);
  purpose->setWordWrap(true);
  auto* model = new RowModel<Row>(kColumns, dialog);
  model->setPalette(Palette::forQt(dialog->palette()));
  model->setRows(commandsOf(id, desk.settings));
  auto* view = new ListView(dialog);
  view->setModel(model);
  view->setStretchColumn(2);
  view->setAccessibleName("Commands of the panel");
  view->setCurrentIndex(model->index(0, 0));
  column->addWidget(purpose);
  column->addWidget(view, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* all = buttons->addButton("All keys and commands", QDialogButtonBox::ActionRole);
  auto* tour = buttons->addButton("Take the tour", QDialogButtonBox::ActionRole);
  column->addWidget(buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  // What runs here may close this dialog: the commands outlive it.
  QObject::connect(all, &QPushButton::clicked, parent, [commands] { commands->run("help.shortcuts"); });
  QObject::connect(tour, &QPushButton::clicked, parent, [commands] { commands->run("help.tour"); });
  QObject::connect(view, &ListView::chosen, dialog, [commands, model, dialog](const QModelIndex& index) {
    const Row* chosen = model->row(index);
    const QString command = chosen ? QString::fromUtf8(chosen->command->id) : QString();
    dialog->close();
    if (!command.isEmpty()) commands->run(command);
  });
  dialog->resize(std::min(parent->width() - 40, parent->fontMetrics().averageCharWidth() * 110),
                 std::min(parent->height() - 60, parent->fontMetrics().height() * 26));
  return dialog;
}

}  // namespace rx::views
