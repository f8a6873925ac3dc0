// The profiles of a window and what is chosen in them: what the panels of the profile share, so that table, roofline,
// flame chart, shares and text select each other.
#pragma once

#include <QObject>
#include <optional>

#include "views/models/profile.h"
#include "views/theme/palette.h"

namespace rx::views {

class Document;
struct BindingRow;

/// What a row of the table is.
enum class ProfileBy : uint8_t { Kernel, Call, Layer };

/// What is chosen: a kernel with all of its calls, one of its calls, or a layer.
struct ProfileChoice {
  QString kernel = {};
  int call = -1;  // of the profile that is shown
  QString layer = {};
  bool operator==(const ProfileChoice&) const = default;
  bool none() const { return kernel.isEmpty() && call < 0 && layer.isEmpty(); }
};

/// Of several panels of one window all see the same: it belongs to the document.
class ProfileBoard : public QObject {
  Q_OBJECT

 public:
  /// That of a document, which is made where there is none yet.
  static ProfileBoard* of(Document* document);

  /// Reads a file that `rxs run --profile-out` wrote and shows it, beside what was shown. `title`: what was profiled;
  /// empty for a file that somebody opened. False with a sentence in `problem` where it is none.
  bool load(const QString& file, const QString& title, QString* problem);
  const std::vector<ProfilePtr>& profiles() const { return profiles_; }
  /// Number of the profile that is shown and of that which it is held against, from 0; -1 for none.
  int shownNumber() const { return shown_; }
  int againstNumber() const { return against_; }
  ProfilePtr shown() const { return at(shown_); }
  ProfilePtr against() const { return at(against_); }
  /// False where there is no such profile.
  bool show(int number);
  bool holdAgainst(int number);
  ProfileBy by() const { return by_; }
  void setBy(ProfileBy by);

  /// Rows that do not hold the text in what they are called, or where they come from, are left out.
  void setFilter(const QString& text);
  const QString& filter() const { return filter_; }
  bool matches(const ProfileRow& row) const;

  const ProfileChoice& choice() const { return choice_; }
  void choose(const ProfileChoice& choice);
  /// The row of kernels, or of calls where one was chosen; nothing for a layer.
  std::optional<ProfileRow> chosenRow() const;
  /// Whether a row of calls belongs to what is chosen. `number` is that of the row; -1 in another profile.
  bool isChosen(const ProfileRow& call, int number) const;
  /// Chooses what does the work of a binding of a stage; leaves the choice where that does it already, or nothing does.
  void follow(int stage, const QString& function, int binding);

  std::vector<ProfileRow> rowsOf(const Profile& profile) const;
  std::vector<ProfileRow> layersHere(const Profile& profile) const;
  /// The block of the imported function that a binding stands in, or the binding where that stands in none.
  QString layerOf(const ProfileSource& source) const;
  /// "layer2.0"; of several "layer2" where that is what their names begin with, else how many they are.
  QString layersOfRow(const ProfileRow& row) const;
  /// What of the imported function a kernel does, in its operators: "conv2d + batch_norm + relu"; its name where that
  /// is not known.
  QString nameOf(const ProfileRow& row) const;
  OpKind kindOf(const ProfileRow& row) const;
  /// Why what is shown is not of what is open, as a sentence; empty where it is, or nobody knows.
  QString staleness() const;

 Q_SIGNALS:
  /// Other profiles, rows or rows that are left out.
  void changed();
  void chosen();

 private:
  explicit ProfileBoard(Document* document);
  ProfilePtr at(int number) const;
  const BindingRow* imported(const ProfileSource& source) const;

  /// What a profile was made of; those of files are of nobody knows what.
  struct Made {
    bool here = false;
    int text = 0;  // number of the text
    QString pipeline;
  };
  Document* document_;
  std::vector<ProfilePtr> profiles_;
  std::vector<Made> made_;  // of each
  int texts_ = 0;           // that were opened
  int shown_ = -1, against_ = -1;
  ProfileBy by_ = ProfileBy::Kernel;
  ProfileChoice choice_;
  QString filter_;
};

}  // namespace rx::views
