// Must not compile: core/op sees core/arith, but a layer that links core/op alone does not.
#include "core/arith/canon.h"
