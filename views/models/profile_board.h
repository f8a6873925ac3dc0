// The profiles of a window and what is chosen in them: what the panels of the profile share, so that table, roofline,
// flame chart, shares and text select each other.
#pragma once

#include <QJsonObject>
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

/// The part of a profile that is looked at: a layer, or what one kind of operators takes; without a name all of it.
struct ProfileScope {
  bool kind = false;
  QString name = {};
  bool operator==(const ProfileScope&) const = default;
  bool all() const { return name.isEmpty(); }
};

/// More than a profile has: 20,000 events are some two megabytes.
inline constexpr qint64 kMostProfileBytes = 64 << 20;

/// A profile that is kept until it is removed.
struct ProfileEntry {
  ProfilePtr profile;
  QString name;     // what it is known by
  QByteArray json;  // as rxs wrote it
  QString input;    // what the function was given, in words; empty where nobody knows
  // What a profile was made of; those of files are of nobody knows what.
  bool here = false;
  QByteArray text;  // hash of the text
  QString pipeline;
};

/// One for each window, whose panels all see the same.
class ProfileBoard : public QObject {
  Q_OBJECT

 public:
  /// The document outlives it.
  explicit ProfileBoard(Document* document, QObject* parent = nullptr);

  /// Reads a file that `rxs run --profile-out` wrote and shows it, beside what was shown. `title`: what was profiled;
  /// empty for a file that somebody opened. `input`: what it was given, in words. False with a sentence in `problem`
  /// where it is none.
  bool load(const QString& file, const QString& title, const QString& input, QString* problem);
  const std::vector<ProfileEntry>& entries() const { return entries_; }
  /// False where there is no such profile, or the name is empty.
  bool rename(int number, const QString& name);
  /// Forgets a profile; what was shown or held against stays, unless it was that. False where there is none.
  bool remove(int number);
  /// All profiles with what they were made of, for a session; the oldest are left out where they take too much room.
  /// Empty without any.
  QJsonObject toSession() const;
  /// Puts the profiles of a session in place of those that are kept. The answer is empty, or why they are left as they
  /// are.
  QString restore(const QJsonObject& session);
  /// Number of the profile that is shown and of that which it is held against, from 0; -1 for none.
  int shownNumber() const { return shown_; }
  int againstNumber() const { return against_; }
  ProfilePtr shown() const { return at(shown_); }
  ProfilePtr against() const { return at(against_); }
  /// False where there is no such profile. The one that it was held against changes places with it.
  bool show(int number);
  /// -1 for none. What is shown gives way to what was shown before it.
  bool holdAgainst(int number);
  ProfileBy by() const { return by_; }
  void setBy(ProfileBy by);

  /// Rows that do not hold the text in what they are called, or where they come from, are left out.
  void setFilter(const QString& text);
  const QString& filter() const { return filter_; }
  bool holdsText(const ProfileRow& row) const;
  /// Whether a row of calls or kernels is neither left out by that text nor by the scope.
  bool matches(const ProfileRow& row) const;
  /// The part that is looked at: other rows, events and dots are left out, and of a kernel its other calls.
  const ProfileScope& scope() const { return scope_; }
  void setScope(const ProfileScope& scope);
  /// What kind of work a row of calls or kernels is, by its name; the machine's own is a kind too.
  QString kindNameOf(const ProfileRow& row) const;

  const ProfileChoice& choice() const { return choice_; }
  void choose(const ProfileChoice& choice);
  /// The row of kernels, or of calls where one was chosen; nothing for a layer.
  std::optional<ProfileRow> chosenRow() const;
  /// Whether a row of calls belongs to what is chosen. `number` is that of the row; -1 in another profile.
  bool isChosen(const ProfileRow& call, int number) const;
  /// Chooses what does the work of a binding of a stage; leaves the choice where that does it already, or nothing does.
  void follow(int stage, const QString& function, int binding);

  /// The rows of the table that belong to the scope; of calls all, as their numbers count.
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
  ProfilePtr at(int number) const;
  int numberOf(const ProfilePtr& profile) const;
  const QByteArray& textHash() const;
  const BindingRow* imported(const ProfileSource& source) const;
  bool inScope(const ProfileRow& call) const;

  Document* document_;
  std::vector<ProfileEntry> entries_;
  int made_ = 0;                 // all that there ever were
  mutable QByteArray textHash_;  // of the text of the document; empty until somebody asks
  int shown_ = -1, against_ = -1;
  std::weak_ptr<const Profile> before_;  // what was shown last before
  ProfileBy by_ = ProfileBy::Kernel;
  ProfileChoice choice_;
  QString filter_;
  ProfileScope scope_;
};

}  // namespace rx::views
