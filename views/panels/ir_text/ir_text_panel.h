// Dock "IR": the text of the selected stage. Clicks select, the selection scrolls, a run writes its values beside the
// lines.
#pragma once

#include "views/models/document.h"
#include "views/models/place.h"
#include "views/models/stage_index.h"
#include "views/panels/panel.h"
#include "views/text/decorations.h"
#include "views/text/folding.h"

namespace rx {
class BannerView;
class TextView;
}  // namespace rx

namespace rx::views {

class IrTextPanel : public Panel {
  Q_OBJECT

 public:
  IrTextPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  QRect caretRect() const override;
  bool busy() const override;
  /// goToLine LINE, goToDefinition (of the name at the caret), toggleBreakpoint, foldAll, foldBlocks, unfoldAll,
  /// condition [FIELD].
  bool obey(const QString& name, const QStringList& arguments) override;
  TextView* view() const { return view_; }

 protected:
  void changeEvent(QEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  /// What the text view gets of a stage.
  struct Prepared {
    std::shared_ptr<const TextBuffer> buffer;
    std::vector<FoldRegion> regions;
    std::vector<Link> links;
    std::vector<LineBand> bands;
    std::vector<FoldRegion> blocks;
  };
  struct Ready {
    StageIndexPtr stage;
    bool rowsFollow;  // it is only a text yet
    Prepared made;    // without a buffer where the text is shown already
  };
  static Prepared prepared(const StageIndex& stage, bool text);
  void takeStage(Ready ready);
  void applyTheme();
  void showStage();
  void showSelection(bool scroll);
  /// The same by the name alone, while the rows are missing.
  void showNamed(bool scroll);
  /// Marks a line; with `scroll` the caret goes there too. Of a `head` one wants to see what is below it.
  void markLine(uint32_t line, bool head, bool scroll);
  /// The line that the selected thing stands on, 1-based, 0 for none, and its id; of a function of the stage.
  std::pair<int, uint64_t> spotOf(size_t function, const Place& place) const;
  void showRun();
  void foldBlocks();
  void showCaller();
  /// Bookmarks and notes of places in the stage, in the gutter.
  void showPlaces();
  void showProblems();
  void addBadge(const FunctionRow& function, std::vector<Squiggle>* squiggles) const;
  /// What the lit search found in the stage.
  void showLit();
  void showEmptyState();
  void showBanner(const QString& text);
  void activate(quint64 id);
  /// A click selects what is defined under the pointer, else what the line binds; so do keys that move the caret.
  void click(uint32_t line, quint64 id, LinkRole role);
  void selectLine(uint32_t line);
  void selectHere(const Place& place);
  void toggleBreakpoint(uint32_t line);
  /// Opens the editor of the breakpoint at the selected binding under its line.
  bool editCondition(const QString& field);
  void endCondition();
  QString tipAt(uint32_t offset) const;
  void updateTitle();
  PanelContext context_;
  BannerView* page_;
  TextView* view_;
  StageIndexPtr stage_;
  CancelToken litCancel_;                  // of the search for what is lit
  int lighting_ = 0;                       // its number
  const StageIndex* preparing_ = nullptr;  // the stage that a worker makes ready, only to be compared
  bool rowsFollow_ = false;                // stage_ is only a text yet
  int textTop_ = 0;                        // where that was scrolled to
  std::optional<uint32_t> clicked_;        // a line of it that somebody selected
  Place selecting_;                        // what a click here just selected: the text must not jump
  bool compared_ = false;                  // a comparison of runs had found something
  bool foldsBlocks_ = true;                // until somebody unfolds all of a text
};

}  // namespace rx::views
