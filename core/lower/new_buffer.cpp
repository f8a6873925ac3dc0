#include "core/lower/new_buffer.h"

namespace rx::lower {

using namespace tir;

namespace {

BufferRef named(Buffer* buffer, Str name, Array<PrimExpr> shape, std::string_view scope) {
  BufferRef made(buffer);
  buffer->name = std::move(name);
  buffer->data = bufferPointer(buffer->dtype, buffer->name, Str(scope));
  buffer->shape = std::move(shape);
  return made;
}

}  // namespace

BufferRef newBuffer(Str name, DataType dtype, Array<PrimExpr> shape, std::string_view scope) {
  auto* buffer = new Buffer;
  buffer->dtype = dtype;
  return named(buffer, std::move(name), std::move(shape), scope);
}

BufferRef bufferLike(const Buffer& like, Str name, Array<PrimExpr> shape, std::string_view scope) {
  return named(new Buffer(like), std::move(name), std::move(shape), scope);
}

}  // namespace rx::lower
