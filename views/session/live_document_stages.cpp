// What the passes made, as a file for the engine: passes run once, here.
#include <QFile>

#include "core/compile/request/history_bytes.h"
#include "core/script/json.h"
#include "core/support/file.h"
#include "views/models/worker.h"
#include "views/session/live_document.h"
#include "views/theme/qt_text.h"

namespace rx::views {

void LiveDocument::writeStages(QObject* context, std::function<void(Result<QString>)> answer) {
  answerStages(fail("pass.cancelled", "the stages were asked for again"));
  stagesFor_ = context;
  stagesAnswer_ = std::move(answer);
  passFailure_.clear();
  runPassesTo(static_cast<int>(calls_.size()));
  settleStages();
}

void LiveDocument::moduleJson(QObject* context, std::function<void(const QString&)> answer) {
  runOnWorker(
      pool_, context, [module = opened_.imported] { return qtText(script::moduleToJson(module)); }, std::move(answer));
}

void LiveDocument::answerStages(Result<QString> answer) {
  const auto ask = std::exchange(stagesAnswer_, nullptr);
  if (ask && stagesFor_) ask(std::move(answer));
}

void LiveDocument::settleStages() {
  if (!stagesAnswer_ || target_ > lastStage_) return;
  if (lastStage_ < static_cast<int>(calls_.size()))
    return answerStages(passFailure_.empty() ? fail("pass.cancelled", "the passes did not run") : fail(passFailure_));
  if (stagesGeneration_ == generation_) return answerStages(stagesFile_);
  const QString path = copies_.filePath(QStringLiteral("stages_%1").arg(generation_));
  runOnWorker(
      pool_, this,
      [path, history = pass::History{opened_.imported, records_}, token = cancelToken_]() -> Result<QString> {
        RX_TRY(bytes, compile::historyToBytes(history, token));
        RX_CHECK(writeFile(path.toStdString(), bytes));
        return path;
      },
      [this, generation = generation_](Result<QString> written) {
        if (generation != generation_) return;  // who waited was told
        if (written) {
          // Who asked again before it was written has the same file.
          if (!stagesFile_.isEmpty() && stagesFile_ != *written) QFile::remove(stagesFile_);
          stagesFile_ = *written;
          stagesGeneration_ = generation;
        }
        answerStages(std::move(written));
      });
}

}  // namespace rx::views
