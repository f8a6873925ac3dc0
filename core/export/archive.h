// A package in one file: a tar archive of the files of its set.
#pragma once

#include <string>
#include <vector>

#include "core/support/result.h"

namespace rx::exporter {

/// Whether a name asks for an archive.
inline bool isArchiveName(std::string_view path) { return path.ends_with(".tar"); }

/// Writes files of a folder, by their names, as an archive; the same files give the same bytes. Fails with file.read
/// and file.write.
Result<Unit> writeArchive(const std::string& folder, const std::vector<std::string>& names, const std::string& path);

/// Writes the files of an archive, weights too, into a folder that is made for them. Fails with file.read where it is
/// no archive or cut, with file.write, and with file.set where a member is no plain file of the folder, or stands there
/// twice; nothing is written outside.
Result<Unit> unpackArchive(const std::string& path, const std::string& folder);

}  // namespace rx::exporter
