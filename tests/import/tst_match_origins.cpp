// Origins that are matched in a folder of dumps, beside those that the passes themselves carried.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <set>

#include "core/compile/request/passes.h"
#include "core/import/match_origins.h"
#include "core/ir/origin.h"
#include "core/pass/runner.h"
#include "core/script/parse.h"
#include "core/support/file.h"

using namespace rx;

namespace {

using Sites = std::set<std::tuple<std::string, uint32_t, uint32_t>>;

Sites sitesOf(const relax::BindingNode& binding) {
  Sites sites;
  if (!binding.origin) return sites;
  for (const OriginSite& site : binding.origin->sites) sites.insert({site.function.string(), site.block, site.binding});
  return sites;
}

/// The bindings of a function's own blocks, in order.
std::vector<const relax::BindingNode*> bindingsOf(const ir::Module& module, std::string_view name) {
  std::vector<const relax::BindingNode*> all;
  const auto function = refAs<relax::Function>(module->find(name));
  if (!function) return all;
  for (const relax::BlockRef& block : function->body->blocks)
    for (const relax::Binding& binding : block->bindings) all.push_back(binding.get());
  return all;
}

pass::History historyOf(const QString& sample) {
  const std::string path = (QStringLiteral(RX_SOURCE_DIR "/samples/") + sample + "/module.py").toStdString();
  auto text = readFile(path, 1 << 20);
  auto module = script::parseModule(make<SourceFile>(path, *text), {});
  giveOwnOrigins(**module);
  auto calls = pass::parsePipeline(compile::passTable(), compile::defaultPipeline());
  return pass::runPipeline(*module, *calls, {});
}

}  // namespace

class TestMatchOrigins : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void agreeWithThePasses_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"attention_fp16", "mlp", "dynamic", "decoder"}) QTest::newRow(name) << name;
  }
  void agreeWithThePasses() {
    QFETCH(QString, sample);
    const pass::History told = historyOf(sample);
    QTemporaryDir folder;
    QVERIFY(import::writeHistory(told, folder.path().toStdString()).ok());
    auto stages = import::readStages(folder.path().toStdString());
    QVERIFY(stages.ok());
    QCOMPARE(stages->size(), told.steps.size() + 1);
    import::matchOrigins(*stages);
    int all = 0, same = 0, apart = 0;
    QStringList differ;
    for (size_t s = 0; s < stages->size(); ++s) {
      const auto wanted = bindingsOf(told.stage(s), "main"), got = bindingsOf((*stages)[s].module, "main");
      QCOMPARE(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i) {
        const Sites a = sitesOf(*wanted[i]), b = sitesOf(*got[i]);
        if (a.empty()) continue;
        ++all;
        same += a == b;
        const bool shares = std::any_of(a.begin(), a.end(), [&](const auto& site) { return b.contains(site); });
        apart += !b.empty() && !shares;
        if (a != b && differ.size() < 12)
          differ << QString("%1 %2").arg(s).arg(QString::fromStdString(got[i]->var->name.string()));
      }
    }
    const QString said =
        QString("%1 of %2 alike, %3 apart; others: %4").arg(same).arg(all).arg(apart).arg(differ.join(", "));
    qInfo("%s", qPrintable(said));
    QVERIFY2(all > 50 && same >= all * 9 / 10, qPrintable(said));
    QVERIFY2(apart <= all / 25, qPrintable(said));
  }

  /// Places point into the first stage's file, whatever stage they are asked of.
  void placesAreOfTheFirstStage() {
    QTemporaryDir folder;
    QVERIFY(import::writeHistory(historyOf("mlp"), folder.path().toStdString()).ok());
    auto stages = import::readStages(folder.path().toStdString());
    QVERIFY(stages.ok());
    import::matchOrigins(*stages);
    const import::DumpedStage& last = stages->back();
    int known = 0;
    for (const relax::BindingNode* binding : bindingsOf(last.module, "main")) {
      if (!binding->origin) continue;
      for (const OriginSite& site : binding->origin->sites) {
        QVERIFY(site.span.known() && site.span.file < last.module->sources->size());
        const SourceFile& file = *(*last.module->sources)[site.span.file];
        QVERIFY(file.name().ends_with("00_imported.py"));
        const auto written = file.text().substr(site.span.begin, site.name.view().size());
        QCOMPARE(QString::fromStdString(std::string(written)), QString::fromStdString(site.name.string()));
        ++known;
      }
    }
    QVERIFY(known > 5);
  }

  /// Real dumps of another compiler, one stage of which can not be read: it is passed over.
  void overAStageThatCanNotBeRead() {
    auto stages = import::readStages(RX_SOURCE_DIR "/tests/dumps/llama");
    QVERIFY(stages.ok());
    import::matchOrigins(*stages);
    QVERIFY((*stages)[1].refused());
    const auto first = bindingsOf(stages->front().module, "decode");
    for (size_t s = 2; s < stages->size(); ++s) {
      const auto got = bindingsOf((*stages)[s].module, "decode");
      size_t known = 0;
      for (const relax::BindingNode* binding : got) known += binding->origin != nullptr;
      QVERIFY2(known * 10 >= got.size() * 9, qPrintable(QString("%1 of %2").arg(known).arg(got.size())));
      const auto named = [](const auto& list, std::string_view name) {
        return *std::find_if(list.begin(), list.end(), [&](const auto* b) { return b->var->name == name; });
      };
      QCOMPARE(sitesOf(*named(got, "lv24")), sitesOf(*named(first, "lv24")));
    }
  }
};

QTEST_GUILESS_MAIN(TestMatchOrigins)
#include "tst_match_origins.moc"
