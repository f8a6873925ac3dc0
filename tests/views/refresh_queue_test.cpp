// Panels take turns: each that takes long in an event of its own, those that nobody sees when somebody does.
#include "views/panels/refresh_queue.h"

#include <QtTest>

#include "views/panels/panel.h"

using namespace rx::views;

namespace {

struct Shown : Panel {
  Shown(QString name, QStringList* log, RefreshQueue* queue) : name_(std::move(name)), log_(log) { setQueue(queue); }
  QString dump() const override { return {}; }
  bool busy() const override { return Panel::busy() || works; }
  void ask(unsigned parts) { want(parts); }
  bool titleCounts() const override { return counts; }
  bool counts = false;
  bool works = false;
  int takes = 1;  // milliseconds

 protected:
  void catchUp(unsigned parts) override {
    QTest::qSleep(takes);
    log_->append(QStringLiteral("%1 %2").arg(name_).arg(parts));
    QMetaObject::invokeMethod(
        this, [this] { log_->append(QStringLiteral("after ") + name_); }, Qt::QueuedConnection);
  }
  bool obey(const QString& name, const QStringList&) override {
    log_->append(name);
    return true;
  }

 private:
  QString name_;
  QStringList* log_;
};

void turn() { QTest::qWait(60); }

}  // namespace

class RefreshQueueTest : public QObject {
  Q_OBJECT
  QStringList log_;

 private Q_SLOTS:
  void init() { log_.clear(); }

  /// What the window has to do between two panels that take long is done between them; what is asked for twice is
  /// shown once.
  void eachThatTakesLongHasAnEventOfItsOwn() {
    RefreshQueue queue(nullptr);
    Shown a("a", &log_, &queue), b("b", &log_, &queue);
    a.takes = b.takes = 20;
    a.show(), b.show();
    a.ask(1), b.ask(1), a.ask(4);
    QVERIFY(log_.isEmpty() && a.busy() && b.busy());
    turn();
    QCOMPARE(log_, QStringList({"a 5", "after a", "b 1", "after b"}));
    QVERIFY(!a.busy() && !b.busy());
  }

  void hiddenOnesWait() {
    RefreshQueue queue(nullptr);
    Shown a("a", &log_, &queue), b("b", &log_, &queue);
    a.ask(1), a.ask(2);
    b.show(), b.ask(1), b.hide();  // its turn comes while nobody sees it
    turn();
    QVERIFY2(log_.isEmpty(), qPrintable(log_.join(' ')));
    a.show();
    QCOMPARE(log_, QStringList{"a 3"});  // before anything old could be seen
    b.show();                            // the second in this event
    QCOMPARE(log_, QStringList{"a 3"});
    turn();
    QVERIFY(log_.contains("b 1"));
    a.hide(), a.show();
    QCOMPARE(log_.count("a 3"), 1);
  }

  /// Who asks a hidden panel gets what comes later too, until it is done; one whose title counts never waits.
  void askedOnesDoNotWait() {
    RefreshQueue queue(nullptr);
    Shown a("a", &log_, &queue), b("b", &log_, &queue);
    a.works = true;
    a.ask(1);
    a.bringUpToDate();
    QCOMPARE(log_, QStringList{"a 1"});
    a.ask(2);
    turn();
    QVERIFY(log_.contains("a 2"));
    a.works = false;
    a.bringUpToDate();
    a.ask(4);
    b.counts = true;
    b.ask(1);
    turn();
    QVERIFY(!log_.contains("a 4"));
    QVERIFY(log_.contains("b 1"));
  }

  void commandsFindAllShown() {
    RefreshQueue queue(nullptr);
    Shown a("a", &log_, &queue);
    a.ask(1);
    QVERIFY(a.command("fit", {}));
    QCOMPARE(log_, QStringList({"a 1", "fit"}));
  }

  void aPanelMayGoAndAQueueToo() {
    auto queue = std::make_unique<RefreshQueue>(nullptr);
    auto a = std::make_unique<Shown>("a", &log_, queue.get());
    Shown b("b", &log_, queue.get());
    a->show(), b.show();
    a->ask(1), b.ask(1);
    a.reset();
    turn();
    QCOMPARE(log_, QStringList({"b 1", "after b"}));
    queue.reset();
    b.ask(2);  // without one, at once
    QCOMPARE(log_.last(), QString("b 2"));
  }
};

QTEST_MAIN(RefreshQueueTest)
#include "refresh_queue_test.moc"
