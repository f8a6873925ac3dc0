#define _POSIX_C_SOURCE 200809L /* posix_memalign */
/* Values and objects of the package runtime. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

void rxs_fail(rxs_session* s, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(s->error, sizeof s->error, format, args);
  va_end(args);
  longjmp(s->fail, 1);
}

void* rxs_allocate(rxs_session* s, int64_t bytes) {
  void* memory = bytes < 0 ? NULL : calloc(1, bytes ? (size_t)bytes : 1);
  if (!memory) rxs_fail(s, "out of memory: %lld bytes", (long long)bytes);
  return memory;
}

rxs_object* rxs_new(rxs_session* s, rxs_kind kind) {
  rxs_object* object = rxs_allocate(s, sizeof(rxs_object));
  object->kind = kind;
  return object;
}

static int is_object(rxs_value v) { return v.kind == RXS_STRING || v.kind >= RXS_TENSOR; }

void rxs_retain(rxs_value v) {
  if (is_object(v)) ++v.as.object->references;
}

/* Items of tuples and closures are released in turn; they nest only as deep as the program's types do. */
void rxs_release(rxs_value* v) {
  rxs_object* o = is_object(*v) ? v->as.object : NULL;
  v->kind = RXS_NULL;
  if (!o || --o->references > 0) return;
  rxs_value inner;
  switch (o->kind) {
    case RXS_STRING: free(o->as.string.text); break;
    case RXS_SHAPE: free(o->as.shape.dims); break;
    case RXS_TUPLE:
      for (int64_t i = 0; i < o->as.tuple.count; ++i) rxs_release(&o->as.tuple.items[i]);
      free(o->as.tuple.items);
      break;
    case RXS_CLOSURE:
      for (int64_t i = 0; i < o->as.closure.count; ++i) rxs_release(&o->as.closure.captured[i]);
      free(o->as.closure.captured);
      break;
    case RXS_STORAGE:
      if (o->as.storage.owned) free(o->as.storage.data);
      break;
    case RXS_TENSOR:
      inner = rxs_of(o->as.tensor.storage);
      rxs_release(&inner);
      break;
    default: break;
  }
  free(o);
}

rxs_value rxs_int(int64_t v) {
  rxs_value value = {RXS_INT, {.integer = v}};
  return value;
}

rxs_value rxs_of(rxs_object* object) {
  rxs_value value = {object->kind, {.object = object}};
  return value;
}

static rxs_value owned(rxs_object* object) {
  ++object->references;
  return rxs_of(object);
}

rxs_value rxs_shape_value(rxs_session* s, const int64_t* dims, int64_t count) {
  rxs_object* o = rxs_new(s, RXS_SHAPE);
  o->as.shape.count = count;
  o->as.shape.dims = rxs_allocate(s, count * 8);
  if (count) memcpy(o->as.shape.dims, dims, (size_t)count * 8);
  return owned(o);
}

rxs_value rxs_tuple_value(rxs_session* s, const rxs_value* items, int64_t count) {
  rxs_object* o = rxs_new(s, RXS_TUPLE);
  o->as.tuple.items = rxs_allocate(s, count * (int64_t)sizeof(rxs_value));
  o->as.tuple.count = count;
  for (int64_t i = 0; i < count; ++i) {
    o->as.tuple.items[i] = items[i];
    rxs_retain(items[i]);
  }
  return owned(o);
}

rxs_value rxs_string_value(rxs_session* s, const char* text, int64_t length) {
  rxs_object* o = rxs_new(s, RXS_STRING);
  o->as.string.text = rxs_allocate(s, length + 1);
  memcpy(o->as.string.text, text, (size_t)length);
  return owned(o);
}

rxs_object* rxs_new_storage(rxs_session* s, int64_t bytes) {
  rxs_object* o = rxs_new(s, RXS_STORAGE);
  void* data = NULL;
  /* Vector loads of kernels need 64-byte alignment. */
  if (posix_memalign(&data, 64, bytes > 0 ? ((size_t)bytes + 63) / 64 * 64 : 64)) {
    free(o);
    rxs_fail(s, "out of memory: a storage of %lld bytes", (long long)bytes);
  }
  memset(data, 0, bytes > 0 ? (size_t)bytes : 1);
  o->as.storage.bytes = bytes;
  o->as.storage.data = data;
  o->as.storage.owned = 1;
  return o;
}

int64_t rxs_checked_bytes(rxs_session* s, const int64_t* shape, int64_t rank, rxs_dtype dtype) {
  int64_t total = (dtype.bits * (dtype.lanes ? dtype.lanes : 1) + 7) / 8;
  if (rank < 0 || rank > RXS_MAX_RANK) rxs_fail(s, "a tensor of rank %lld", (long long)rank);
  for (int64_t i = 0; i < rank; ++i) {
    if (shape[i] < 0 || __builtin_mul_overflow(total, shape[i], &total)) {
      rxs_fail(s, "a tensor with the dimension %lld on axis %lld is not possible", (long long)shape[i], (long long)i);
    }
  }
  return total;
}

rxs_value rxs_tensor_value(rxs_session* s, rxs_object* storage, int64_t offset, const int64_t* shape, int64_t rank, rxs_dtype dtype) {
  int64_t bytes = rxs_checked_bytes(s, shape, rank, dtype);
  if (offset < 0 || offset > storage->as.storage.bytes || bytes > storage->as.storage.bytes - offset) {
    rxs_fail(s, "a tensor of %lld bytes does not fit into its storage of %lld bytes", (long long)bytes, (long long)storage->as.storage.bytes);
  }
  rxs_object* o = rxs_new(s, RXS_TENSOR);
  o->as.tensor.storage = storage;
  ++storage->references;
  o->as.tensor.view.data = storage->as.storage.data + offset;
  o->as.tensor.view.rank = (int32_t)rank;
  o->as.tensor.view.dtype = dtype;
  for (int64_t i = 0; i < rank; ++i) o->as.tensor.view.shape[i] = shape[i];
  return owned(o);
}

int64_t rxs_tensor_bytes(const rxs_tensor* t) {
  int64_t total = (t->dtype.bits * (t->dtype.lanes ? t->dtype.lanes : 1) + 7) / 8;
  for (int32_t i = 0; i < t->rank; ++i) total *= t->shape[i];
  return total;
}
