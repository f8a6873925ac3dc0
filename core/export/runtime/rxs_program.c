/* Reads the program that is linked into the library: an executable of the Relax VM, "0.14", format V2. It was verified
 * when it was exported; lengths are checked all the same. */
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

void rxs_take(rxs_reader* r, void* to, int64_t bytes) {
  if (bytes < 0 || bytes > r->end - r->at) rxs_fail(r->s, "the program of this package is cut off");
  memcpy(to, r->at, (size_t)bytes);
  r->at += bytes;
}
int64_t rxs_word(rxs_reader* r) {
  int64_t v;
  rxs_take(r, &v, 8);
  return v;
}
static int32_t half(rxs_reader* r) {
  int32_t v;
  rxs_take(r, &v, 4);
  return v;
}
int64_t rxs_count(rxs_reader* r, int64_t each) {
  int64_t n = rxs_word(r);
  if (n < 0 || n > (r->end - r->at) / each) rxs_fail(r->s, "the program of this package has a wrong length");
  return n;
}
char* rxs_text(rxs_reader* r) {
  int64_t n = rxs_count(r, 1);
  char* out = rxs_allocate(r->s, n + 1);
  rxs_take(r, out, n);
  return out;
}
static int64_t* words(rxs_reader* r, int64_t* n) {
  *n = rxs_count(r, 8);
  int64_t* out = rxs_allocate(r->s, *n * 8);
  rxs_take(r, out, *n * 8);
  return out;
}
rxs_dtype rxs_type(rxs_reader* r) {
  rxs_dtype t;
  rxs_take(r, &t.code, 1);
  rxs_take(r, &t.bits, 1);
  rxs_take(r, &t.lanes, 2);
  return t;
}

static rxs_value tensor(rxs_reader* r) {
  rxs_word(r); /* magic */
  rxs_word(r);
  half(r); /* device */
  half(r);
  int32_t rank = half(r);
  rxs_dtype dtype = rxs_type(r);
  int64_t shape[RXS_MAX_RANK];
  if (rank < 0 || rank > RXS_MAX_RANK) rxs_fail(r->s, "a constant of rank %d", rank);
  for (int32_t i = 0; i < rank; ++i) shape[i] = rxs_word(r);
  int64_t bytes = rxs_word(r);
  if (bytes != rxs_checked_bytes(r->s, shape, rank, dtype)) rxs_fail(r->s, "a constant has a wrong size");
  rxs_object* storage = rxs_new_storage(r->s, bytes);
  rxs_take(r, storage->as.storage.data, bytes);
  return rxs_tensor_value(r->s, storage, 0, shape, rank, dtype);
}

static rxs_value constant(rxs_reader* r) {
  rxs_value v = {RXS_NULL, {0}};
  int64_t n;
  switch (half(r)) {
    case 1: return rxs_int(rxs_word(r));
    case 3:
      v.kind = RXS_FLOAT;
      rxs_take(r, &v.as.real, 8);
      return v;
    case 5:
      v.kind = RXS_TYPE;
      v.as.dtype = rxs_type(r);
      return v;
    case 65: {
      char* t = rxs_text(r);
      v = rxs_string_value(r->s, t, (int64_t)strlen(t));
      free(t);
      return v;
    }
    case 69: {
      int64_t* dims = words(r, &n);
      v = rxs_shape_value(r->s, dims, n);
      free(dims);
      return v;
    }
    case 70: return tensor(r);
    default: rxs_fail(r->s, "the program holds a constant of an unknown kind");
  }
}

static void link_function(rxs_session* s, rxs_function* f) {
  f->builtin = -1;
  if (f->kind == 1) return;
  for (int64_t i = 0; i < s->kernel_count; ++i) {
    if (!strcmp(s->kernels[i].name, f->name)) f->kernel = &s->kernels[i];
  }
  if (!f->kernel) f->builtin = rxs_find_builtin(f->name);
  if (!f->kernel && f->builtin < 0) rxs_fail(s, "the program calls \"%s\", which this package does not hold", f->name);
}

void rxs_load_program(rxs_session* s) {
  rxs_reader r = {s, rxs_program_bytes, rxs_program_bytes + rxs_program_size};
  rxs_word(&r); /* magic */
  free(rxs_text(&r));
  s->function_count = rxs_count(&r, 52);
  s->functions = rxs_allocate(s, s->function_count * (int64_t)sizeof(rxs_function));
  for (int64_t i = 0; i < s->function_count; ++i) {
    rxs_function* f = &s->functions[i];
    f->kind = half(&r);
    f->name = rxs_text(&r);
    f->start = rxs_word(&r);
    f->end = rxs_word(&r);
    f->arg_count = rxs_word(&r);
    f->register_count = rxs_word(&r);
    f->param_count = rxs_count(&r, 8);
    f->params = rxs_allocate(s, f->param_count * (int64_t)sizeof(char*));
    for (int64_t p = 0; p < f->param_count; ++p) f->params[p] = rxs_text(&r);
    link_function(s, f);
  }
  int64_t scopes = rxs_count(&r, 16);
  for (int64_t i = 0; i < scopes; ++i) {
    rxs_word(&r);
    free(rxs_text(&r));
  }
  int64_t constants = rxs_count(&r, 4);
  s->constants = rxs_allocate(s, constants * (int64_t)sizeof(rxs_value));
  for (; s->constant_count < constants; ++s->constant_count) s->constants[s->constant_count] = constant(&r);
  s->offsets = words(&r, &s->offset_count);
  s->words = words(&r, &s->word_count);
}
