// What the tests of the text view share: a program with everything that can be drawn around it, and pictures.
#pragma once

#include <QDir>
#include <QScrollBar>
#include <QtTest>
#include <cmath>

#include "views/text/text_view.h"

namespace rx {

inline const char* const kProgram = R"(# from tvm.script import relax as R
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def matmul(x: T.Buffer((16, 512), "float16"), out: T.Buffer((16, 512), "float16")):
        for i, j in T.grid(16, 512):
            with T.block("matmul"):
                out[i, j] = x[i, j] * T.float16(2.0)

    @R.function
    def main(x: R.Tensor(("n", 512), dtype="float16"), wq: R.Tensor((512, 512), dtype="float16")) -> R.Tensor(("n", 512), dtype="float16"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            q = R.call_tir(cls.matmul, (x, wq), out_sinfo=R.Tensor((n, 512), dtype="float16"))
            k: R.Tensor((n, 512), dtype="float16") = R.permute_dims(q, axes=None)
            s = R.call_tir(cls.matmul2, (q, k), out_sinfo=R.Tensor((n, n), dtype="float16"))
            gv: R.Tensor((n, n), dtype="float16") = R.nn.softmax(s, axis=-1)
            R.output(gv)
        return gv
)";

inline Link linkOf(const std::string& text, const std::string& word, uint64_t id, LinkRole role, size_t from = 0) {
  const auto begin = static_cast<uint32_t>(text.find(word, from));
  return {begin, begin + static_cast<uint32_t>(word.size()), id, role};
}

/// Definitions, uses and callees of the program.
inline std::vector<Link> programLinks() {
  const std::string text = kProgram;
  const size_t s = text.find("s = R.call_tir");
  Link callee = linkOf(text, "matmul,", 9, LinkRole::Callee);
  callee.end -= 1;
  callee.hasKind = true;
  callee.kind = OpKind::Compute;
  Link softmax = linkOf(text, "R.nn.softmax", 0, LinkRole::Callee);
  softmax.hasKind = true;
  softmax.kind = OpKind::Reduction;
  Link permute = linkOf(text, "R.permute_dims", 0, LinkRole::Callee);
  permute.hasKind = true;
  permute.kind = OpKind::Movement;
  return {linkOf(text, "q", 1, LinkRole::Definition, text.find("            q = ")),
          linkOf(text, "k", 2, LinkRole::Definition, text.find("            k: ")),
          linkOf(text, "q", 1, LinkRole::Use, text.find("dims(q")),
          linkOf(text, "s", 3, LinkRole::Definition, s),
          linkOf(text, "q", 1, LinkRole::Use, text.find("2, (q") + 3),
          linkOf(text, "s", 3, LinkRole::Use, text.find("max(s") + 4),
          callee,
          softmax,
          permute};
}

/// The program with links, bands, values, squiggles, breakpoints and the line that runs next.
inline void decorate(TextView& view) {
  view.setBuffer(TextBuffer::from(kProgram));
  view.setLinks(programLinks());
  view.setBands({{13, 18}});
  view.setNotes({{10, {{"n = 17", NoteRole::Chip}, {"bound by x, axis 0", NoteRole::Grey}}, {}},
                 {14, {{"(17, 512) f16", NoteRole::Grey}, {"-3.1 … 2.9", NoteRole::Grey}}, {}},
                 {15, {{"(17, 512) f16", NoteRole::Stale}}, {}},
                 {16, {{"2 Inf", NoteRole::Error}, {"of 289 · first at [4, 11]", NoteRole::Grey}}, "whole note"}});
  const std::string text = kProgram;
  const auto at = static_cast<uint32_t>(text.find("axis=-1"));
  view.setSquiggles({{at, at + 7, MarkKind::Warning, "axis -1 is the last axis"},
                     {static_cast<uint32_t>(text.find("matmul2")), static_cast<uint32_t>(text.find("matmul2") + 7),
                      MarkKind::Error, "matmul2 is not in the module"}});
  view.setMarks({{14, BreakpointState::Disabled},
                 {15, BreakpointState::Conditional},
                 {16, BreakpointState::Enabled},
                 {17, BreakpointState::Unbound}});
  view.setCurrentLine(16);
}

/// Where a click hits the character at `offset`; of lines that are not wrapped.
inline QPoint pointOf(const TextView& view, uint32_t offset) {
  const uint32_t line = view.buffer()->lineOf(offset);
  // The caret's rectangle is where a click has to land; take it from a copy of the view's own arithmetic.
  const qreal y = (view.rows().rowOf(line) + 0.5) * view.lineHeight() - view.verticalScrollBar()->value();
  const QFontMetricsF metrics(view.viewport()->font(), view.viewport());
  const qreal width = metrics.horizontalAdvance(QLatin1Char('0'));
  const auto digits = std::max<qsizetype>(3, QString::number(view.buffer()->lineCount()).size());
  const qreal left = std::ceil(view.lineHeight() * 2.5 + digits * width);
  return QPointF(left + (offset - view.buffer()->lineStart(line) + 0.4) * width, y).toPoint();
}

/// A view of the program that is shown and has the keyboard; null when its window does not come up.
inline std::unique_ptr<TextView> shownProgram() {
  auto view = std::make_unique<TextView>();
  view->resize(1000, 520);
  decorate(*view);
  view->show();
  view->setFocus();
  return QTest::qWaitForWindowActive(view.get()) ? std::move(view) : nullptr;
}

/// With RX_SCREENSHOTS set, leaves a picture in that folder.
inline void shoot(TextView& view, const QString& name) {
  const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
  if (folder.isEmpty()) return;
  QDir().mkpath(folder);
  QVERIFY(view.grab().save(folder + "/text_" + name + ".png"));
}

}  // namespace rx
