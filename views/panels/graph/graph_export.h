// Writes a graph to a file: DOT by ourselves, SVG and PDF through Graphviz in a process of its own.
#pragma once

#include <QObject>
#include <functional>

class QProcess;

namespace rx::views {

class GraphExport : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  ~GraphExport() override;

  /// Starts; `done` gets why it failed, or an empty text. The kind of file follows from the ending of `path` (.dot,
  /// .gv, .svg, .pdf, .png). False with `error` set where it can not begin.
  bool start(const QString& path, const QByteArray& dot, std::function<void(const QString&)> done, QString* error);
  bool busy() const { return process_ != nullptr; }

 private:
  void finish(const QString& error);
  QProcess* process_ = nullptr;
  std::function<void(const QString&)> done_;
};

}  // namespace rx::views
