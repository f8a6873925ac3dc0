// Pictures of the program for people to look at: every pair of sample, state, layout, theme, size and scale stands in
// one of them. They go to build/screenshots. A picture that is not of its size, or that shows little more than its
// ground, fails. Beside them stand scenes: what is raised or in front in one sample alone, each dialog among it, in two
// looks by turns. A few are made by default, all of them with RX_PICTURES=all (`tests/run --all`).
#include <QDir>
#include <QImage>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "pairwise.h"

namespace {

const QString kProgram = QStringLiteral(RX_BINARY_DIR "/bin/relaxscope");
const QString kPictures = QStringLiteral(RX_SOURCE_DIR "/build/screenshots/pairs");
constexpr int kFew = 12;  // pictures, scenes among them
constexpr int kFewScenes = 2;
constexpr size_t kMost = 120;

/// What is on screen: lines of a script behind the opening of the sample, and those behind the choice of the layout,
/// which a first run and a profile change. `%1` is a file of inputs that fit nothing.
struct State {
  const char* name;
  const char* script;
  const char* shown = "";
};
constexpr State kStates[] = {
    {"open", ""},
    {"stopped", "debug.start main seed=1\ndebug.stepOver 3\n"},
    {"lowered", "pass.goTo StaticPlanBlockMemory\n"},
    {"end", "debug.start main seed=1 stop=none mode=release\n"},
    {"failure", "fails debug.start main inputs=%1\n"},
    {"difference", "pass.goTo LegalizeOps\n", "view.panel diff\n"},
    {"profile", "profile.run main\n", "view.panel profile\n"},
    {"pipeline", "", "view.panel pipeline\n"},
    {"bisect", "debug.bisect\n", "view.panel bisect\n"},
};
/// A scene. `%1` is a module that runs for long, `%2` a file that does not open, `%3` a folder of stages, one of which
/// can not be read.
struct Scene {
  const char* name;
  const char* script;
};
constexpr const char* kStopped =
    "file.sample attention_fp16\ndebug.start main\ndebug.continue\nselect.binding scores\n";
constexpr Scene kScenes[] = {
    {"empty", ""},
    {"running", "file.open %1\nselect.function main\nbegin debug.start main seed=1 stop=none\n"},
    {"refused", "fails file.open %2\n"},
    {"bad_stage", "file.open %3\npass.goTo 1\n"},
    {"kernel",
     "file.sample mlp\npass.goTo LegalizeOps\nselect.function main\nselect.binding lv1\nview.panel kernel\n"
     "kernel.stages\n"},
    {"memory",
     "file.sample attention_fp16\npass.goTo StaticPlanBlockMemory\nselect.function main\nview.panel memory\n"},
    {"rule", "fails file.open %2\nkey Escape\nview.panel problems\nproblem.explain\n"},
    {"open", "file.open\n"},
    {"run", "file.sample decoder\ndebug.start\n"},
    {"about", "help.about\n"},
    {"shortcuts", "help.shortcuts\n"},
    {"attach", "file.sample mlp\ndebug.attach\n"},
    {"tour", "begin help.tour\nshows ir scores\n"},
    // The following stand over a run.
    {"over_palette", "view.palette\ntype sco\n"},
    {"over_condition", "debug.logPoint\n"},
    {"over_export", "export.package\n"},
    {"over_settings", "view.settings\n"},
    {"over_budgets", "view.settings budgets\n"},
    {"over_colours", "view.settings colours\n"},
    {"over_pipeline", "pass.pipeline\n"},
    {"over_help", "help.panel kernel\n"},
    {"over_compare", "debug.compareRuns\n"},
    {"over_save", "view.savePicture\n"},
};
/// Folders of samples that open as they are, and files in others.
constexpr const char* kSamples[] = {
    "attention", "attention_fp16", "branch",   "decoder", "dynamic", "mlp", "relay_passes/basic_blocks.relay",
    "resnet18",  "scan",           "tree_lstm"};
constexpr const char* kLayouts[] = {"Read", "Debug", "Profile"};
constexpr const char* kThemes[] = {"light", "dark"};
constexpr const char* kSizes[] = {"1024x700", "1280x800", "1600x1000", "1920x1080"};
constexpr const char* kScales[] = {"1", "1.25", "1.5", "2"};

template <class T, size_t N>
constexpr int sizeOf(const T (&)[N]) {
  return static_cast<int>(N);
}

std::vector<std::vector<int>> rows() {
  return rx::test::Pairwise(
             {sizeOf(kSamples), sizeOf(kStates), sizeOf(kLayouts), sizeOf(kThemes), sizeOf(kSizes), sizeOf(kScales)})
      .rows();
}

class PicturesTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

 private Q_SLOTS:
  void everyPairIsThere() {
    const std::vector<std::vector<int>> all = rows();
    QVERIFY(all.size() + std::size(kScenes) <= kMost);
    QVERIFY(all.size() >= static_cast<size_t>(sizeOf(kSamples) * sizeOf(kStates)));
    QSet<QString> pairs;
    for (const std::vector<int>& row : all) {
      for (size_t a = 0; a < row.size(); ++a) {
        for (size_t b = a + 1; b < row.size(); ++b)
          pairs.insert(QStringLiteral("%1=%2 %3=%4").arg(a).arg(row[a]).arg(b).arg(row[b]));
      }
    }
    const int sizes[] = {sizeOf(kSamples), sizeOf(kStates), sizeOf(kLayouts),
                         sizeOf(kThemes),  sizeOf(kSizes),  sizeOf(kScales)};
    int wanted = 0;
    for (size_t a = 0; a < std::size(sizes); ++a) {
      for (size_t b = a + 1; b < std::size(sizes); ++b) wanted += sizes[a] * sizes[b];
    }
    QCOMPARE(static_cast<int>(pairs.size()), wanted);
    // Nothing is seen much more often than what stands beside it.
    for (size_t factor = 0; factor < std::size(sizes); ++factor) {
      std::vector<size_t> count(static_cast<size_t>(sizes[factor]), 0);
      for (const std::vector<int>& row : all) ++count[static_cast<size_t>(row[factor])];
      const auto [least, most] = std::ranges::minmax(count);
      QVERIFY2(most - least <= 2, qPrintable(QString("factor %1: %2 to %3").arg(factor).arg(least).arg(most)));
    }
  }

  void pictures_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("script");
    QTest::addColumn<QSize>("size");
    QDir().mkpath(kPictures);
    const std::vector<std::vector<int>> all = rows();
    const bool every = qEnvironmentVariable("RX_PICTURES") == "all";
    const size_t made = every ? all.size() : static_cast<size_t>(kFew - kFewScenes);
    for (size_t i = 0; i < made; ++i) addRow(all[i * all.size() / made]);
    QVERIFY(writeFiles());
    const size_t scenes = every ? std::size(kScenes) : static_cast<size_t>(kFewScenes);
    for (size_t i = 0; i < scenes; ++i) addScene(kScenes[i], i % 2 > 0);
  }

  void pictures() {
    QFETCH(QStringList, options);
    QFETCH(QString, script);
    QFETCH(QSize, size);
    const QString picture = QStringLiteral("%1/%2.png").arg(kPictures, QString::fromUtf8(QTest::currentDataTag()));
    QFile::remove(picture);
    QFile file(folder_.filePath("script.txt"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write((script + "screenshot " + picture + "\nquit\n").toUtf8());
    file.close();
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("RELAXSCOPE_SAMPLES", RX_SOURCE_DIR "/samples");
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(kProgram, QStringList{"--script", file.fileName()} + options);
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAll().constData());
    const QImage image(picture);
    QCOMPARE(image.size(), size);
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); y += 2) {
      for (int x = 0; x < image.width(); x += 2) colors.insert(image.pixel(x, y));
    }
    constexpr int kLeastColors = 200;  // text alone, smoothed, has more
    QVERIFY2(colors.size() > kLeastColors, qPrintable(QString::number(colors.size())));
  }

 private:
  QString path(const char* name) const { return folder_.filePath(QLatin1String(name)); }

  /// The files that scenes open.
  bool writeFiles() const {
    QByteArray slow =
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((640, 640), \"float32\")):\n";
    for (int i = 0; i < 8; ++i)
      slow += QStringLiteral("        big%1 = R.matmul(%2, x)\n")
                  .arg(i)
                  .arg(i > 0 ? QStringLiteral("big%1").arg(i - 1) : "x")
                  .toUtf8();
    QFile sample(RX_SOURCE_DIR "/samples/attention/module.py");
    if (!sample.open(QIODevice::ReadOnly)) return false;
    const QByteArray good = sample.readAll();
    QByteArray bad = good;
    bad.replace("R.matmul(q_t, k_t", "R.matmul(q_t, nothing");
    const std::pair<const char*, QByteArray> files[] = {{"slow.py", slow + "        return big7\n"},
                                                        {"refused.py", bad},
                                                        {"stages/00_imported.py", good},
                                                        {"stages/01_Broken.py", bad},
                                                        {"stages/02_Again.py", good}};
    QDir(folder_.path()).mkpath("stages");
    return std::ranges::all_of(files, [this](const auto& file) {
      QFile out(path(file.first));
      return out.open(QIODevice::WriteOnly) && out.write(file.second) == file.second.size();
    });
  }

  void addScene(const Scene& scene, bool other) const {
    const QString size = other ? "1920x1080" : "1280x800", theme = other ? "dark" : "light",
                  scale = other ? "1.5" : "1";
    QString script = QString::fromLatin1(scene.script);
    if (QString(scene.name).startsWith("over_")) script.prepend(kStopped);
    script.replace("%1", path("slow.py")).replace("%2", path("refused.py")).replace("%3", path("stages"));
    const QSizeF pixels = QSizeF(size.section('x', 0, 0).toInt(), size.section('x', 1, 1).toInt()) * scale.toDouble();
    QTest::newRow(qPrintable(QStringList({"scene", scene.name, theme, size, scale}).join('-')))
        << QStringList{"--size", size, "--scale", scale, "--theme", theme} << script << pixels.toSize();
  }

  static void addRow(const std::vector<int>& row) {
    const auto at = [&row](int factor) { return static_cast<size_t>(row[static_cast<size_t>(factor)]); };
    const QString sample = kSamples[at(0)];
    const State& state = kStates[at(1)];
    const QString layout = kLayouts[at(2)];
    const QString theme = kThemes[at(3)];
    const QString size = kSizes[at(4)];
    const QString scale = kScales[at(5)];
    QString lines = QString::fromLatin1(state.script);
    // Sixteen stages of a network take longer than a line of a script may: the search is shown at work.
    const bool atWork = sample == "resnet18" && lines.contains("debug.bisect");
    if (atWork) lines.replace("debug.bisect", "begin debug.bisect");
    // No sample takes the inputs of this one: its function is named f.
    if (lines.contains("%1"))
      lines = lines.arg(RX_SOURCE_DIR "/samples/" + QString(sample == "mlp" ? "simplenet" : "mlp") + "/inputs.npz");
    const QString opens =
        QStringLiteral("file.open %1\nselect.function main\n").arg(RX_SOURCE_DIR "/samples/" + sample);
    QString shows = QStringLiteral("view.layout %1\n").arg(layout) + state.shown;
    if (atWork) shows.replace("view.", "begin view.");
    const QSizeF pixels = QSizeF(size.section('x', 0, 0).toInt(), size.section('x', 1, 1).toInt()) * scale.toDouble();
    const QString name =
        QStringList{sample.section('/', -1), QString::fromLatin1(state.name), layout, theme, size, scale}.join('-');
    QTest::newRow(qPrintable(name)) << QStringList{"--size", size, "--scale", scale, "--theme", theme}
                                    << opens + lines + shows << pixels.toSize();
  }
};

}  // namespace

QTEST_GUILESS_MAIN(PicturesTest)
#include "tst_pictures.moc"
