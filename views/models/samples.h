// The samples that come with the program, and what belongs to a module by its place on disk.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

struct SampleRow {
  QString name;    // the folder's name
  QString folder;  // absolute
  QString help;    // first sentence of its README
};

/// Folder with the samples: RELAXSCOPE_SAMPLES, else `samples` in a folder above the program; empty when there is none.
QString samplesFolder();
std::vector<SampleRow> sampleRows();

/// `params.npz` / `inputs.npz` beside a module, or empty when there is no such file.
QString fileBeside(const QString& folder, const QString& name);

}  // namespace rx::views
