// A package in one file: written, verified and run as a folder is, with inputs in order or by name; an archive that is
// cut, changed or holds what no package has is refused.
#include <archive.h>
#include <archive_entry.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "../support/program.h"
#include "core/tensor/npy.h"

using namespace rx;
using rx::test::Answer;

namespace {

const char* const kModule = R"(from tvm.script import ir as I, relax as R
@I.ir_module
class Module:
    @R.function
    def main(left: R.Tensor((2,), dtype="float32"), right: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        with R.dataflow():
            y = R.subtract(left, right)
            R.output(y)
        return y
)";

using Members = std::vector<std::pair<QByteArray, QByteArray>>;

/// What a member is: a file, or a link to somewhere.
struct Kind {
  unsigned type = AE_IFREG;
  const char* link = nullptr;
  bool hard = false;
};

/// An archive of files; the kind is that of the first.
bool writeTar(const QString& path, const Members& members, const Kind& kind = {}) {
  archive* out = archive_write_new();
  archive_write_set_format_ustar(out);
  bool good = archive_write_open_filename(out, path.toUtf8().constData()) == ARCHIVE_OK;
  for (size_t i = 0; good && i < members.size(); ++i) {
    const auto& [name, content] = members[i];
    const Kind is = i == 0 ? kind : Kind();
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.constData());
    archive_entry_set_filetype(entry, is.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, is.link ? 0 : content.size());
    if (is.link && is.hard) archive_entry_set_hardlink(entry, is.link);
    if (is.link && !is.hard) archive_entry_set_symlink(entry, is.link);
    good = archive_write_header(out, entry) == ARCHIVE_OK &&
           (is.link || archive_write_data(out, content.constData(), size_t(content.size())) == content.size());
    archive_entry_free(entry);
  }
  good = archive_write_close(out) == ARCHIVE_OK && good;
  archive_write_free(out);
  return good;
}

Members membersOf(const QString& path) {
  Members members;
  archive* in = archive_read_new();
  archive_read_support_format_tar(in);
  archive_entry* entry = nullptr;
  if (archive_read_open_filename(in, path.toUtf8().constData(), 10240) == ARCHIVE_OK) {
    while (archive_read_next_header(in, &entry) == ARCHIVE_OK) {
      QByteArray content(qsizetype(archive_entry_size(entry)), '\0');
      if (archive_read_data(in, content.data(), size_t(content.size())) != content.size()) break;
      members.emplace_back(archive_entry_pathname(entry), content);
    }
  }
  archive_read_free(in);
  return members;
}

Ref<HostTensor> pairOf(double first, double second) {
  const double values[] = {first, second};
  return *HostTensor::fromDoubles({2}, DataType::Float(32), values);
}

}  // namespace

class ArchiveTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  Answer run(const QString& program, const QStringList& arguments) {
    return rx::test::runProgram(program, arguments, {.folder = folder_.path()});
  }
  Answer rxs(const QStringList& arguments) { return rx::test::rxs(arguments, {.folder = folder_.path()}); }
  QByteArray bytesOf(const QString& name) {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  bool write(const QString& name, const QByteArray& bytes) {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
  }

  void writeInputs() {
    const Ref<HostTensor> left = pairOf(5, 7), right = pairOf(1, 2);
    QVERIFY(writeNpy(at("left.npy"), *left).ok() && writeNpy(at("right.npy"), *right).ok());
    QVERIFY(writeNpz(at("both.npz"), {{"right", right}, {"left", left}}).ok());
    QVERIFY(writeNpz(at("one.npz"), {{"left", left}}).ok());
    QVERIFY(writeNpz(at("more.npz"), {{"left", left}, {"right", right}, {"middle", left}}).ok());
  }
  void craft(const char* name, const Members& added, const Kind& kind = {}) {
    Members members = added;
    for (const auto& member : membersOf(folder_.filePath("p.tar"))) members.push_back(member);
    QVERIFY(writeTar(folder_.filePath(name), members, kind));
  }
  /// Archives that are no packages, with the members of one that is.
  void craftArchives() {
    Members members = membersOf(folder_.filePath("p.tar"));
    QCOMPARE(members.size(), size_t(5));
    craft("plain.tar", {});
    craft("outside.tar", {{"../stray", "stray"}});
    craft("absolute.tar", {{"/tmp/stray", "stray"}});
    craft("twice.tar", {members.back()});
    craft("link.tar", {{"link", ""}}, {AE_IFLNK, "/etc/passwd", false});
    craft("hard.tar", {{"link", ""}}, {AE_IFREG, "manifest.json", true});
    Members many;
    for (int i = 0; i < 100; ++i) many.emplace_back(QByteArray("file") + QByteArray::number(i), "");
    craft("many.tar", many);
    QVERIFY(writeTar(folder_.filePath("missing.tar"), Members(members.begin() + 1, members.end())));
    const auto library =
        std::find_if(members.begin(), members.end(), [](const auto& member) { return member.first.endsWith(".so"); });
    QVERIFY(library != members.end());
    library->second.back() ^= 1;
    QVERIFY(writeTar(folder_.filePath("changed.tar"), members));
  }
  std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(write("module.py", kModule));
    const Answer built = rxs({"build", "module.py", "-o", "p.tar", "--verify"});
    QVERIFY2(built.code == 0, qPrintable(built.err));
    QVERIFY2(built.out.contains("verified: "), qPrintable(built.out));
    writeInputs();
    craftArchives();
  }

  /// What is verified without a function main: the only one there is, or the one that is named.
  void verifiedByAnyName() {
    QByteArray one = kModule, two = kModule;
    one.replace("def main(", "def forward(");
    two.replace("def main(", "def encode(");
    two.insert(two.lastIndexOf("    @R.function"), one.mid(one.indexOf("    @R.function")));
    QVERIFY(write("one.py", one) && write("two.py", two));
    QVERIFY(rxs({"build", "one.py", "-o", "one.tar", "--verify"}).out.contains("verified: 1 result is equal"));
    const Answer unnamed = rxs({"build", "two.py", "-o", "two.tar", "--verify"});
    QCOMPARE(unnamed.code, 1);
    QVERIFY2(unnamed.err.contains("export.function") && unnamed.err.contains("encode"), qPrintable(unnamed.err));
    QVERIFY(rxs({"build", "two.py", "-o", "two.tar", "--verify", "--func", "forward"}).out.contains("verified: 1"));
    QCOMPARE(rxs({"build", "two.py", "-o", "two.tar", "--verify", "--func", "nobody"}).code, 1);
  }

  /// The same program gives the same file, and leaves nothing beside it.
  void written() {
    const Answer again = rxs({"build", "module.py", "-o", "again.tar", "--name", "p"});
    QVERIFY2(again.code == 0, qPrintable(again.err));
    const Answer listed = run("tar", {"tf", "p.tar"});
    QVERIFY2(listed.code == 0, qPrintable(listed.err));
    QVERIFY2(listed.out.contains("manifest.json") && listed.out.contains(".so"), qPrintable(listed.out));
    QVERIFY(!QFileInfo::exists(folder_.filePath("p")));
    const Answer third = rxs({"build", "module.py", "-o", "third.tar", "--name", "p"});
    QCOMPARE(third.code, 0);
    QCOMPARE(bytesOf("again.tar"), bytesOf("third.tar"));
  }

  /// A name is its bytes, whatever language the program speaks.
  void names() {
    const QString name = QStringLiteral("größe");
    const Answer built = rxs({"build", "module.py", "-o", "named.tar", "--name", name});
    QVERIFY2(built.code == 0, qPrintable(built.err));
    const Members members = membersOf(folder_.filePath("named.tar"));
    QVERIFY(std::any_of(members.begin(), members.end(),
                        [&](const auto& member) { return member.first == "lib" + name.toUtf8() + ".so"; }));
    const Answer ran = rxs({"package", "named.tar", "both.npz"});
    QVERIFY2(ran.code == 0 && ran.out.contains("[4. 5.]"), qPrintable(ran.err));
  }

  void runs_data() {
    QTest::addColumn<QString>("package");
    QTest::addColumn<QStringList>("inputs");
    QTest::newRow("in order") << "p.tar" << QStringList{"left.npy", "right.npy"};
    QTest::newRow("by name") << "p.tar" << QStringList{"both.npz"};
    QTest::newRow("of another writer") << "plain.tar" << QStringList{"both.npz"};
  }
  void runs() {
    QFETCH(QString, package);
    QFETCH(QStringList, inputs);
    const Answer ran = rxs(QStringList{"package", package} + inputs);
    QVERIFY2(ran.code == 0, qPrintable(ran.err));
    QVERIFY2(ran.out.contains("[4. 5.]"), qPrintable(ran.out));
  }

  void refusedInputs_data() {
    QTest::addColumn<QStringList>("inputs");
    QTest::addColumn<QString>("says");
    QTest::newRow("a name is missing") << QStringList{"one.npz"} << "no array is named \"right\", which main takes";
    QTest::newRow("a name too many") << QStringList{"more.npz"} << "main has no input \"middle\"";
    QTest::newRow("no function") << QStringList{"both.npz", "--func", "other"}
                                 << "has no function \"other\"; it has main";
    QTest::newRow("no arrays") << QStringList{"module.py"} << "error[";
  }
  void refusedInputs() {
    QFETCH(QStringList, inputs);
    QFETCH(QString, says);
    const Answer ran = rxs(QStringList{"package", "p.tar"} + inputs);
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
  }

  void refusedArchives_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    QTest::newRow("path that leads out") << "outside.tar"
                                         << "error[file.set]: outside.tar: the member \"../stray\"";
    QTest::newRow("absolute path") << "absolute.tar"
                                   << "error[file.set]: absolute.tar: the member \"/tmp/stray\"";
    QTest::newRow("member twice") << "twice.tar"
                                  << "is there twice";
    QTest::newRow("symbolic link") << "link.tar"
                                   << "is no plain file";
    QTest::newRow("hard link") << "hard.tar"
                               << "is no plain file";
    QTest::newRow("many members") << "many.tar"
                                  << "a package has fewer files";
    QTest::newRow("member missing") << "missing.tar"
                                    << "error[file.set]: missing.tar: ";
    QTest::newRow("member changed") << "changed.tar"
                                    << "error[file.set]: changed.tar: ";
    QTest::newRow("no archive") << "module.py"
                                << "error[file.read]";
  }
  void refusedArchives() {
    QFETCH(QString, file);
    QFETCH(QString, says);
    const Answer ran = rxs({"package", file, "both.npz"});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
    const Answer verified = rxs({"package", file, "--verify"});
    QCOMPARE(verified.code, 1);
    QVERIFY(!QFileInfo::exists(folder_.filePath("../stray")));
  }

  /// Cut at the boundaries of tar's blocks and between them: refused, whatever is left.
  void cut() {
    const QByteArray whole = bytesOf("p.tar");
    QVERIFY(whole.size() > 4096);
    constexpr qsizetype kTail = 1024;  // two empty blocks end an archive, and a reader may do without
    for (int i = 1; i < 24; ++i) {
      const qsizetype size = (whole.size() - kTail) * i / 24 + i % 3 - 1;
      QVERIFY(write("cut.tar", whole.first(size)));
      const Answer ran = rxs({"package", "cut.tar", "--verify"});
      QVERIFY2(ran.code == 1 && ran.err.contains("error["), qPrintable(QString("%1: %2").arg(size).arg(ran.err)));
    }
  }

  /// A byte of the first header, and of places all over the file, changed in one bit or in all: refused by name, or it
  /// is one that fills a block up, and what is run gives the same.
  void changed() {
    const QByteArray whole = bytesOf("p.tar");
    const Answer right = rxs({"package", "p.tar", "both.npz"});
    QCOMPARE(right.code, 0);
    std::vector<qsizetype> places;
    for (qsizetype at = 0; at < 512; at += 23) places.push_back(at);
    for (int i = 0; i < 48; ++i) places.push_back(whole.size() / 48 * i + i * 131 % 4096);
    int refused = 0;
    for (const qsizetype at : places) {
      if (at >= whole.size()) continue;
      QByteArray bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (at % 2 ? 0xff : 0x01));
      QVERIFY(write("flipped.tar", bytes));
      for (const QStringList& arguments :
           {QStringList{"package", "flipped.tar", "--verify"}, QStringList{"package", "flipped.tar", "both.npz"}}) {
        const Answer ran = rxs(arguments);
        const bool named = ran.code == 1 && ran.err.contains("error[");
        const bool same = ran.code == 0 && (arguments.back() == "--verify" || ran.out == right.out);
        QVERIFY2(named || same, qPrintable(QString("byte %1: %2").arg(at).arg(ran.err)));
        refused += named;
      }
    }
    QVERIFY(refused > 100);
  }
};

QTEST_GUILESS_MAIN(ArchiveTest)
#include "tst_archive.moc"
