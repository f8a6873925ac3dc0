// The samples that come with the program, and what belongs to a module by its place on disk.
#pragma once

#include <QString>
#include <vector>

namespace rx::views {

struct SampleRow {
  QString name;    // the folder's name, or "eras/v016.py"
  QString folder;  // absolute; the file itself where the sample is a single one
  QString help;    // first sentence of its README, or the file's first comment
};

/// Folder with the samples: RELAXSCOPE_SAMPLES, else `samples` in a folder above the program; empty when there is none.
QString samplesFolder();
std::vector<SampleRow> sampleRows();

/// A file as lists name it: its folder and its name, "mlp / module.py"; a folder by its own name and the one around it.
/// Whether a file holds a recorded run: by how it begins.
bool isRecording(const QString& path);
/// The folder of values of a traced run that a path means: a folder with trace.json that is no module, or that list
/// itself; empty where it is neither.
QString tracedFolder(const QString& path);
QString placeTitle(const QString& path);

/// The arrays beside a module by the stem of their file, "params" or "inputs": an .npz, else a .safetensors; empty
/// when there is no such file.
QString fileBeside(const QString& folder, const QString& stem);

}  // namespace rx::views
