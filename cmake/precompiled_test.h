// The same for the files of tests, with Qt Test.
#pragma once

#include "precompiled_qt.h"

#include <QtTest/QtTest>
