/* The builtins that lowered programs call, one row each. `signature` has one letter an argument, checked before the
 * call: t tensor, h shape heap or null, s shape, i integer, S storage, n text, d type, a anything, * any more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

static const rxs_value null_value = {RXS_NULL, {0}};
static const rxs_tensor* view(rxs_value v) { return &v.as.object->as.tensor.view; }
static const char* text_of(rxs_value v) { return v.kind == RXS_STRING ? v.as.object->as.string.text : ""; }
static const int64_t* dims_of(rxs_value v) { return v.as.object->as.shape.dims; }
static int64_t rank_of(rxs_value v) { return v.as.object->as.shape.count; }

static int64_t* slot(rxs_session* s, rxs_value heap, int64_t index) {
  if (heap.kind != RXS_TENSOR || index < 0 || index >= view(heap)->shape[0]) rxs_fail(s, "shape heap slot %lld does not exist", (long long)index);
  return (int64_t*)view(heap)->data + index;
}
static int64_t integer(rxs_session* s, rxs_value v) {
  if (v.kind != RXS_INT) rxs_fail(s, "the program is broken: an integer is expected");
  return v.as.integer;
}

static rxs_value alloc_shape_heap(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  int64_t slots = a[1].as.integer;
  rxs_dtype type = {0, 64, 1};
  return rxs_tensor_value(s, rxs_new_storage(s, rxs_checked_bytes(s, &slots, 1, type)), 0, &slots, 1, type);
}

/* Codes: 0 equals the immediate, 1 store, 2 skip, 3 equals the slot. `axis` -1 stands for a scalar. */
static void match_one(rxs_session* s, rxs_value heap, int64_t code, int64_t operand, int64_t actual, int64_t axis, const char* where) {
  if (code == 2) return;
  if (code == 1) {
    *slot(s, heap, operand) = actual;
    return;
  }
  int64_t expected = code == 3 ? *slot(s, heap, operand) : operand;
  if (expected == actual) return;
  if (axis < 0) rxs_fail(s, "the value has to be %lld, it is %lld %s", (long long)expected, (long long)actual, where);
  rxs_fail(s, "axis %lld has to be %lld, it is %lld %s", (long long)axis, (long long)expected, (long long)actual, where);
}

static rxs_value match_shape(rxs_session* s, const rxs_value* a, int64_t n) {
  int64_t rank = a[2].as.integer;
  if (rank < 0 || n != 4 + 2 * rank) rxs_fail(s, "the program is broken: match_shape");
  const char* where = text_of(a[n - 1]);
  int is_tensor = a[0].kind == RXS_TENSOR;
  if (!is_tensor && a[0].kind != RXS_SHAPE) rxs_fail(s, "a tensor or a shape is needed %s", where);
  int64_t have = is_tensor ? view(a[0])->rank : rank_of(a[0]);
  const int64_t* dims = is_tensor ? view(a[0])->shape : dims_of(a[0]);
  if (have != rank) rxs_fail(s, "%lld dimensions are needed, there are %lld %s", (long long)rank, (long long)have, where);
  for (int64_t i = 0; i < rank; ++i) match_one(s, a[1], integer(s, a[3 + 2 * i]), integer(s, a[4 + 2 * i]), dims[i], i, where);
  return null_value;
}
static rxs_value match_prim_value(rxs_session* s, const rxs_value* a, int64_t n) {
  match_one(s, a[1], integer(s, a[2]), integer(s, a[3]), integer(s, a[0]), -1, text_of(a[n - 1]));
  return null_value;
}

static int64_t make_one(rxs_session* s, rxs_value heap, rxs_value code, rxs_value operand) {
  return integer(s, code) == 0 ? integer(s, operand) : *slot(s, heap, integer(s, operand));
}
static rxs_value make_shape(rxs_session* s, const rxs_value* a, int64_t n) {
  int64_t rank = a[1].as.integer, dims[RXS_MAX_RANK];
  if (rank < 0 || rank > RXS_MAX_RANK || n != 2 + 2 * rank) rxs_fail(s, "the program is broken: make_shape");
  for (int64_t i = 0; i < rank; ++i) dims[i] = make_one(s, a[0], a[2 + 2 * i], a[3 + 2 * i]);
  return rxs_shape_value(s, dims, rank);
}
static rxs_value make_prim_value(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  return rxs_int(make_one(s, a[0], a[1], a[2]));
}

static const char* kind_name(rxs_dtype t) {
  static const char* const names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
  return t.code < sizeof names / sizeof *names ? names[t.code] : "type ";
}

static rxs_value check_tensor_info(rxs_session* s, const rxs_value* a, int64_t n) {
  const char* where = text_of(a[n - 1]);
  if (a[0].kind != RXS_TENSOR) rxs_fail(s, "a tensor is needed %s", where);
  const rxs_tensor* t = view(a[0]);
  int64_t rank = integer(s, a[1]);
  if (rank >= 0 && rank != t->rank) rxs_fail(s, "%lld dimensions are needed, there are %d %s", (long long)rank, t->rank, where);
  if (n == 4 && a[2].kind == RXS_TYPE && a[2].as.dtype.bits) {
    rxs_dtype want = a[2].as.dtype;
    if (want.code != t->dtype.code || want.bits != t->dtype.bits) {
      rxs_fail(s, "elements have to be %s%d, they are %s%d %s", kind_name(want), want.bits, kind_name(t->dtype), t->dtype.bits, where);
    }
  }
  return null_value;
}
static rxs_value check_shape_info(rxs_session* s, const rxs_value* a, int64_t n) {
  if (a[0].kind != RXS_SHAPE) rxs_fail(s, "a shape is needed %s", text_of(a[n - 1]));
  int64_t rank = integer(s, a[1]);
  if (rank >= 0 && rank != rank_of(a[0])) rxs_fail(s, "a shape of %lld dimensions is needed %s", (long long)rank, text_of(a[n - 1]));
  return null_value;
}
static rxs_value check_prim_value_info(rxs_session* s, const rxs_value* a, int64_t n) {
  if (a[0].kind != RXS_INT && a[0].kind != RXS_FLOAT) rxs_fail(s, "a number is needed %s", text_of(a[n - 1]));
  return null_value;
}
static rxs_value check_tuple_info(rxs_session* s, const rxs_value* a, int64_t n) {
  if (a[0].kind != RXS_TUPLE || a[0].as.object->as.tuple.count != integer(s, a[1])) {
    rxs_fail(s, "a tuple of %lld is needed %s", (long long)integer(s, a[1]), text_of(a[n - 1]));
  }
  return null_value;
}
static rxs_value check_func_info(rxs_session* s, const rxs_value* a, int64_t n) {
  if (a[0].kind != RXS_CLOSURE) rxs_fail(s, "a function is needed %s", text_of(a[n - 1]));
  return null_value;
}

static rxs_value alloc_storage(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  rxs_object* storage = rxs_new_storage(s, rxs_checked_bytes(s, dims_of(a[1]), rank_of(a[1]), a[3].as.dtype));
  ++storage->references;
  return rxs_of(storage);
}
static rxs_value alloc_tensor(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  return rxs_tensor_value(s, a[0].as.object, a[1].as.integer, dims_of(a[2]), rank_of(a[2]), a[3].as.dtype);
}
static rxs_value view_of(rxs_session* s, rxs_value tensor, const int64_t* dims, int64_t rank, rxs_dtype type, int64_t offset) {
  rxs_object* o = tensor.as.object;
  int64_t start = (unsigned char*)o->as.tensor.view.data - o->as.tensor.storage->as.storage.data;
  if (offset < 0 || rxs_checked_bytes(s, dims, rank, type) + offset > rxs_tensor_bytes(&o->as.tensor.view)) {
    rxs_fail(s, "a view does not lie in its tensor");
  }
  return rxs_tensor_value(s, o->as.tensor.storage, start + offset, dims, rank, type);
}
static rxs_value reshape(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  rxs_dtype type = view(a[0])->dtype;
  if (rxs_checked_bytes(s, dims_of(a[1]), rank_of(a[1]), type) != rxs_tensor_bytes(view(a[0]))) rxs_fail(s, "a reshape changes the number of elements");
  return view_of(s, a[0], dims_of(a[1]), rank_of(a[1]), type, 0);
}
static rxs_value create_view(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  return view_of(s, a[0], dims_of(a[1]), rank_of(a[1]), a[2].as.dtype, a[3].as.integer);
}
static rxs_value same(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)s;
  (void)n;
  rxs_retain(a[0]);
  return a[0];
}
static rxs_value nothing(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)s;
  (void)a;
  (void)n;
  return null_value;
}
static rxs_value make_tuple(rxs_session* s, const rxs_value* a, int64_t n) { return rxs_tuple_value(s, a, n); }
static rxs_value tuple_getitem(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  if (a[0].kind != RXS_TUPLE || a[1].as.integer < 0 || a[1].as.integer >= a[0].as.object->as.tuple.count) {
    rxs_fail(s, "item %lld of a tuple does not exist", (long long)a[1].as.integer);
  }
  rxs_value item = a[0].as.object->as.tuple.items[a[1].as.integer];
  rxs_retain(item);
  return item;
}
static rxs_value read_if_cond(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  if (a[0].kind == RXS_INT) return rxs_int(a[0].as.integer != 0);
  if (a[0].kind != RXS_TENSOR || view(a[0])->dtype.code == 2) rxs_fail(s, "a condition is one bool or integer");
  for (int32_t i = 0; i < view(a[0])->rank; ++i) {
    if (view(a[0])->shape[i] != 1) rxs_fail(s, "a condition is one bool or integer, not a tensor");
  }
  return rxs_int(rxs_integer_at(s, view(a[0]), 0) != 0);
}
static rxs_value shape_of(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  return rxs_shape_value(s, view(a[0])->shape, view(a[0])->rank);
}
static rxs_value tensor_to_shape(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  const rxs_tensor* t = view(a[0]);
  int64_t dims[RXS_MAX_RANK];
  if (t->rank != 1 || t->shape[0] > RXS_MAX_RANK || t->dtype.code == 2) rxs_fail(s, "a shape is made from a vector of integers");
  for (int64_t i = 0; i < t->shape[0]; ++i) dims[i] = rxs_integer_at(s, t, i);
  return rxs_shape_value(s, dims, t->shape[0]);
}
static rxs_value shape_to_tensor(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  int64_t count = rank_of(a[0]);
  rxs_dtype type = {0, 64, 1};
  rxs_object* storage = rxs_new_storage(s, count * 8);
  if (count) memcpy(storage->as.storage.data, dims_of(a[0]), (size_t)count * 8);
  return rxs_tensor_value(s, storage, 0, &count, 1, type);
}
static rxs_value make_closure(rxs_session* s, const rxs_value* a, int64_t n) {
  if (a[0].kind != RXS_CLOSURE) rxs_fail(s, "a closure is made from a function of the module");
  const rxs_object* base = a[0].as.object;
  rxs_object* o = rxs_new(s, RXS_CLOSURE);
  o->as.closure.function = base->as.closure.function;
  o->as.closure.captured = rxs_allocate(s, (n - 1 + base->as.closure.count) * (int64_t)sizeof(rxs_value));
  for (int64_t i = 1; i < n; ++i) o->as.closure.captured[o->as.closure.count++] = a[i];
  for (int64_t i = 0; i < base->as.closure.count; ++i) o->as.closure.captured[o->as.closure.count++] = base->as.closure.captured[i];
  for (int64_t i = 0; i < o->as.closure.count; ++i) rxs_retain(o->as.closure.captured[i]);
  ++o->references;
  return rxs_of(o);
}
/* Leaves the call to the machine, so that it does not nest on the native stack. */
static void call_later(rxs_session* s, rxs_value callee, const rxs_value* args, int64_t n, const int64_t* more, int64_t more_count) {
  if (callee.kind != RXS_CLOSURE) rxs_fail(s, "only a function can be called");
  const rxs_object* o = callee.as.object;
  s->pending_count = 0;
  s->pending_args = rxs_allocate(s, (n + more_count + o->as.closure.count) * (int64_t)sizeof(rxs_value));
  for (int64_t i = 0; i < n; ++i) s->pending_args[s->pending_count++] = args[i];
  for (int64_t i = 0; i < more_count; ++i) s->pending_args[s->pending_count++] = rxs_int(more[i]);
  for (int64_t i = 0; i < o->as.closure.count; ++i) s->pending_args[s->pending_count++] = o->as.closure.captured[i];
  s->pending_function = o->as.closure.function;
}
static rxs_value invoke_closure(rxs_session* s, const rxs_value* a, int64_t n) {
  call_later(s, a[1], a + 2, n - 2, NULL, 0);
  return null_value;
}
static rxs_value call_tir_dyn(rxs_session* s, const rxs_value* a, int64_t n) {
  if (n < 2 || a[n - 1].kind != RXS_SHAPE) rxs_fail(s, "call_tir_dyn ends in a shape");
  call_later(s, a[0], a + 1, n - 2, dims_of(a[n - 1]), rank_of(a[n - 1]));
  return null_value;
}
/* The text with a value for each {}. */
static void fill_in(char* out, size_t size, const char* text, const rxs_value* a, int64_t n) {
  size_t used = 0;
  int64_t next = 0;
  out[0] = 0;
  while (*text && used + 1 < size) {
    int place = text[0] == '{' && text[1] == '}' && next < n;
    int more = 1;
    if (!place) {
      out[used] = *text;
      out[used + 1] = 0;
    } else if (a[next].kind == RXS_INT) {
      more = snprintf(out + used, size - used, "%lld", (long long)a[next].as.integer);
    } else if (a[next].kind == RXS_FLOAT) {
      more = snprintf(out + used, size - used, "%g", a[next].as.real);
    } else if (a[next].kind == RXS_TENSOR) {
      more = snprintf(out + used, size - used, "a tensor of rank %d", view(a[next])->rank);
    } else {
      more = snprintf(out + used, size - used, "%s", text_of(a[next]));
    }
    next += place;
    text += place ? 2 : 1;
    used += (size_t)more;
  }
}
static rxs_value print(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)s;
  printf("%s", text_of(a[0]));
  for (int64_t i = 1; i < n; ++i) {
    if (a[i].kind == RXS_INT) printf(" %lld", (long long)a[i].as.integer);
    if (a[i].kind == RXS_TENSOR) printf(" tensor of rank %d", view(a[i])->rank);
  }
  printf("\n");
  return null_value;
}
static rxs_value assert_op(rxs_session* s, const rxs_value* a, int64_t n) {
  rxs_value condition = read_if_cond(s, a, 1);
  char text[400];
  if (n > 1) fill_in(text, sizeof text, text_of(a[1]), a + 2, n - 2);
  if (!condition.as.integer) rxs_fail(s, "Assertion Failed%s%s", n > 1 && *text ? ": " : "", n > 1 ? text : "");
  return null_value;
}

/* What a program asks of a tensor. */
static rxs_value dtype_code(rxs_session* s, const rxs_value* a, int64_t n) { return (void)s, (void)n, rxs_int(view(a[0])->dtype.code); }
static rxs_value dtype_bits(rxs_session* s, const rxs_value* a, int64_t n) { return (void)s, (void)n, rxs_int(view(a[0])->dtype.bits); }
static rxs_value dtype_lanes(rxs_session* s, const rxs_value* a, int64_t n) { return (void)s, (void)n, rxs_int(view(a[0])->dtype.lanes); }
static rxs_value rank_as_integer(rxs_session* s, const rxs_value* a, int64_t n) { return (void)s, (void)n, rxs_int(view(a[0])->rank); }
static rxs_value no_offset(rxs_session* s, const rxs_value* a, int64_t n) { return (void)s, (void)a, (void)n, rxs_int(0); }
static int64_t checked_axis(rxs_session* s, const rxs_value* a) {
  int64_t axis = a[1].as.integer;
  if (axis < 0 || axis >= view(a[0])->rank) rxs_fail(s, "axis %lld of a tensor of rank %d", (long long)axis, view(a[0])->rank);
  return axis;
}
static rxs_value extent_of(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  return rxs_int(view(a[0])->shape[checked_axis(s, a)]);
}
static rxs_value stride_of(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  int64_t stride = 1;
  for (int64_t i = checked_axis(s, a) + 1; i < view(a[0])->rank; ++i) stride *= view(a[0])->shape[i];
  return rxs_int(stride);
}

static const struct {
  const char* name;
  const char* signature;
  rxs_builtin run;
} rows[] = {
#define RXS_BUILTIN(name, signature, function) {name, signature, function},
#include "rxs_builtins.def"
};

int32_t rxs_find_builtin(const char* name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (!strcmp(rows[i].name, name)) return (int32_t)i;
  }
  return -1;
}

static int fits(char letter, rxs_value v) {
  switch (letter) {
    case 't': return v.kind == RXS_TENSOR;
    case 'h': return v.kind == RXS_TENSOR || v.kind == RXS_NULL;
    case 's': return v.kind == RXS_SHAPE;
    case 'i': return v.kind == RXS_INT;
    case 'S': return v.kind == RXS_STORAGE;
    case 'n': return v.kind == RXS_STRING;
    case 'd': return v.kind == RXS_TYPE;
    default: return 1;
  }
}

rxs_value rxs_call_builtin(rxs_session* s, int32_t row, const rxs_value* args, int64_t count) {
  const char* letter = rows[row].signature;
  for (int64_t i = 0; i < count; ++i) {
    if (*letter == '*') break;
    if (!*letter || !fits(*letter, args[i])) rxs_fail(s, "%s: argument %lld is of the wrong kind", rows[row].name, (long long)i);
    ++letter;
  }
  if (*letter && *letter != '*') rxs_fail(s, "%s: too few arguments", rows[row].name);
  return rows[row].run(s, args, count);
}
