// The same for the files of the window and of the tests, with Qt.
#pragma once

#include "precompiled_core.h"

#include <QtCore/QtCore>
#include <QtGui/QtGui>
#include <QtWidgets/QtWidgets>
