// The family files of the operator table; each gives its rows.
#pragma once

#include <span>

#include "core/op/op_table.h"

namespace rx::op {

std::span<const OpSpec> unaryOps();
std::span<const OpSpec> binaryOps();
std::span<const OpSpec> createOps();
std::span<const OpSpec> manipulateOps();
std::span<const OpSpec> gatherOps();
std::span<const OpSpec> indexOps();
std::span<const OpSpec> linearAlgebraOps();
std::span<const OpSpec> statisticalOps();
std::span<const OpSpec> searchOps();
std::span<const OpSpec> nnOps();
std::span<const OpSpec> normOps();
std::span<const OpSpec> convOps();
std::span<const OpSpec> poolOps();
std::span<const OpSpec> imageOps();
std::span<const OpSpec> visionOps();
std::span<const OpSpec> gradOps();
std::span<const OpSpec> distributedOps();
std::span<const OpSpec> coreOps();
std::span<const OpSpec> memoryOps();

}  // namespace rx::op
