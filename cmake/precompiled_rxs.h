// The same for the files of rxs, with its reader of command lines.
#pragma once

#include "precompiled_ir.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>
