/* Builtins over the elements of tensors: nonzero, unique, sampling, sorting. */
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

static const rxs_value null_value = {RXS_NULL, {0}};
static const rxs_dtype index_type = {0, 64, 1};
static const rxs_tensor* view(rxs_value v) { return &v.as.object->as.tensor.view; }
static int is_float(const rxs_tensor* t) { return t->dtype.code == 2 || t->dtype.code == 4 || t->dtype.code > 6; }
static int64_t bytes_of_one(const rxs_tensor* t) { return (t->dtype.bits + 7) / 8; }
static int64_t element_count(const rxs_tensor* t) {
  int64_t n = 1;
  for (int32_t i = 0; i < t->rank; ++i) n *= t->shape[i];
  return n;
}

/* -1, 0, 1; NaN is larger than every number. */
static int compare_elements(rxs_session* s, const rxs_tensor* t, int64_t a, int64_t b) {
  if (!is_float(t)) {
    int64_t x = rxs_integer_at(s, t, a), y = rxs_integer_at(s, t, b);
    if (t->dtype.code == 1 && t->dtype.bits == 64) return (uint64_t)x < (uint64_t)y ? -1 : (uint64_t)x > (uint64_t)y;
    return x < y ? -1 : x > y;
  }
  double x = rxs_number_at(s, t, a), y = rxs_number_at(s, t, b);
  if (x != x || y != y) return (x != x) - (y != y);
  return x < y ? -1 : x > y;
}

/* The slices of a tensor along an axis, or its elements (axis -1): element i of slice k is at place(k, i). */
typedef struct {
  const rxs_tensor* t;
  int64_t count, length, inner; /* slices, elements of one, elements after the axis */
} slices;
static slices slices_of(const rxs_tensor* t, int64_t axis) {
  slices v = {t, element_count(t), 1, 1};
  if (axis < 0) return v;
  v.count = t->shape[axis];
  for (int32_t i = 0; i < t->rank; ++i) {
    if (i != axis) v.length *= t->shape[i];
    if (i > axis) v.inner *= t->shape[i];
  }
  return v;
}
static int64_t place(const slices* v, int64_t slice, int64_t i) { return (i / v->inner * v->count + slice) * v->inner + i % v->inner; }
static int64_t axis_of(rxs_session* s, const rxs_tensor* t, int64_t axis) {
  int64_t given = axis < 0 ? axis + t->rank : axis;
  if (given < 0 || given >= t->rank) rxs_fail(s, "axis %lld of a tensor of rank %d", (long long)axis, t->rank);
  return given;
}

/* What an order is made of: whole slices, or the elements of one line across them. */
typedef struct {
  const slices* v;
  int64_t line; /* -1: whole slices */
  int descending;
} ordering;
static int compare_items(rxs_session* s, const ordering* o, int64_t a, int64_t b) {
  int sign = 0;
  if (o->line >= 0) sign = compare_elements(s, o->v->t, place(o->v, a, o->line), place(o->v, b, o->line));
  for (int64_t i = 0; o->line < 0 && !sign && i < o->v->length; ++i) sign = compare_elements(s, o->v->t, place(o->v, a, i), place(o->v, b, i));
  return o->descending ? -sign : sign;
}

/* 0 .. n - 1 in order; equal items keep theirs. A merge sort from the bottom up. The caller frees. */
static int64_t* sorted_order(rxs_session* s, const ordering* o, int64_t n) {
  int64_t* from = rxs_allocate(s, n * 8);
  int64_t* to = rxs_allocate(s, n * 8);
  for (int64_t i = 0; i < n; ++i) from[i] = i;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t start = 0; start < n; start += 2 * width) {
      int64_t middle = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
      int64_t a = start, b = middle;
      for (int64_t k = start; k < end; ++k) {
        int left = a < middle && (b >= end || compare_items(s, o, from[a], from[b]) <= 0);
        to[k] = left ? from[a++] : from[b++];
      }
    }
    int64_t* swap = from;
    from = to;
    to = swap;
  }
  free(to);
  return from;
}

static rxs_value new_tensor(rxs_session* s, const int64_t* shape, int64_t rank, rxs_dtype type) {
  return rxs_tensor_value(s, rxs_new_storage(s, rxs_checked_bytes(s, shape, rank, type)), 0, shape, rank, type);
}
static rxs_value index_tensor(rxs_session* s, const int64_t* values, int64_t count) {
  rxs_value v = new_tensor(s, &count, 1, index_type);
  if (count) memcpy(view(v)->data, values, (size_t)count * 8);
  return v;
}

rxs_value rxs_nonzero(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  const rxs_tensor* t = view(a[0]);
  int64_t total = element_count(t), count = 0;
  for (int64_t i = 0; i < total; ++i) count += rxs_number_at(s, t, i) != 0;
  /* A scalar counts as a vector of one. */
  int64_t shape[2] = {t->rank ? t->rank : 1, count};
  rxs_value result = new_tensor(s, shape, 2, index_type);
  int64_t* out = view(result)->data;
  for (int64_t i = 0, k = 0; i < total; ++i) {
    if (rxs_number_at(s, t, i) == 0) continue;
    int64_t flat = i;
    for (int64_t axis = t->rank; axis-- > 0;) {
      out[axis * count + k] = flat % t->shape[axis];
      flat /= t->shape[axis];
    }
    ++k;
  }
  return result;
}

/* unique(x, sorted, return_index, return_inverse, return_counts[, axis]). */
rxs_value rxs_unique(rxs_session* s, const rxs_value* a, int64_t n) {
  const rxs_tensor* t = view(a[0]);
  int64_t axis = n > 5 && a[5].kind == RXS_INT ? axis_of(s, t, a[5].as.integer) : -1;
  slices v = slices_of(t, axis);
  ordering by_value = {&v, -1, 0};
  int64_t* order = sorted_order(s, &by_value, v.count);
  int64_t* group = rxs_allocate(s, v.count * 8);  /* of each slice: the first slice that is equal, then its group */
  int64_t* first = rxs_allocate(s, v.count * 8);  /* of each group, in the order of the result */
  int64_t* counts = rxs_allocate(s, v.count * 8);
  int64_t groups = 0;
  for (int64_t i = 0; i < v.count; ++i) {
    int starts = i == 0 || compare_items(s, &by_value, order[i - 1], order[i]) != 0;
    group[order[i]] = starts ? order[i] : group[order[i - 1]];
    if (starts) first[groups++] = order[i];
  }
  if (!a[1].as.integer) {
    groups = 0;
    for (int64_t i = 0; i < v.count; ++i) {
      if (group[i] == i) first[groups++] = i;
    }
  }
  int64_t* number = rxs_allocate(s, v.count * 8);
  for (int64_t g = 0; g < groups; ++g) number[first[g]] = g;
  for (int64_t i = 0; i < v.count; ++i) {
    group[i] = number[group[i]];
    ++counts[group[i]];
  }
  int64_t shape[RXS_MAX_RANK];
  for (int32_t i = 0; i < t->rank; ++i) shape[i] = t->shape[i];
  shape[axis < 0 ? 0 : axis] = groups;
  rxs_value results[4] = {new_tensor(s, shape, axis < 0 ? 1 : t->rank, t->dtype)};
  slices out = slices_of(view(results[0]), axis);
  int64_t size = bytes_of_one(t), made = 1;
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t i = 0; i < v.length; ++i)
      memcpy((char*)view(results[0])->data + place(&out, g, i) * size, (char*)t->data + place(&v, first[g], i) * size, (size_t)size);
  }
  if (a[2].as.integer) results[made++] = index_tensor(s, first, groups);
  if (a[3].as.integer) results[made++] = index_tensor(s, group, v.count);
  if (a[4].as.integer) results[made++] = index_tensor(s, counts, groups);
  free(order);
  free(group);
  free(first);
  free(counts);
  free(number);
  if (made == 1) return results[0];
  rxs_value tuple = rxs_tuple_value(s, results, made);
  for (int64_t i = 0; i < made; ++i) rxs_release(&results[i]);
  return tuple;
}

/* multinomial_from_uniform(probabilities (n, k), uniform (m, 1)[, row of each sample]). */
rxs_value rxs_multinomial(rxs_session* s, const rxs_value* a, int64_t n) {
  const rxs_tensor* weights = view(a[0]);
  const rxs_tensor* samples = view(a[1]);
  const rxs_tensor* rows = n > 2 && a[2].kind == RXS_TENSOR ? view(a[2]) : NULL;
  int64_t count = element_count(samples), shape[2] = {count, 1};
  if (weights->rank != 2 || weights->shape[1] == 0 || (rows && element_count(rows) != count)) {
    rxs_fail(s, "multinomial_from_uniform takes (n, k) probabilities and one row for each sample");
  }
  rxs_value result = new_tensor(s, shape, 2, index_type);
  int64_t choices = weights->shape[1];
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = rows ? rxs_integer_at(s, rows, i) : i, chosen = 0;
    if (row < 0 || row >= weights->shape[0]) rxs_fail(s, "there are no probabilities for row %lld", (long long)row);
    double sum = 0, sample = rxs_number_at(s, samples, i);
    for (chosen = 0; chosen < choices - 1; ++chosen) {
      sum += rxs_number_at(s, weights, row * choices + chosen);
      if (sample < sum) break;
    }
    ((int64_t*)view(result)->data)[i] = chosen;
  }
  return result;
}

static void put_index(rxs_session* s, const rxs_tensor* t, int64_t at, int64_t value) {
  if (is_float(t) && t->dtype.bits == 32) {
    ((float*)t->data)[at] = (float)value;
  } else if (is_float(t)) {
    rxs_fail(s, "indices can not be written as floats of %d bits", t->dtype.bits);
  } else {
    memcpy((char*)t->data + at * bytes_of_one(t), &value, (size_t)bytes_of_one(t));
  }
}

/* One line of a sort: the first `length` elements take part, the first `keep` of them are written. */
typedef struct {
  const rxs_tensor *data, *values, *indices; /* values or indices may be NULL */
  int64_t axis, length, keep;
  int descending;
} sorting;
static void sort_line(rxs_session* s, const sorting* what, int64_t line) {
  slices from = slices_of(what->data, what->axis);
  ordering o = {&from, line, what->descending};
  int64_t* order = sorted_order(s, &o, what->length);
  slices to = slices_of(what->values ? what->values : what->indices, what->axis);
  int64_t size = bytes_of_one(what->data);
  for (int64_t i = 0; i < what->keep; ++i) {
    int64_t source = i < what->length ? order[i] : i, at = place(&to, i, line);
    if (what->values) memcpy((char*)what->values->data + at * size, (char*)what->data->data + place(&from, source, line) * size, (size_t)size);
    if (what->indices) put_index(s, what->indices, at, source);
  }
  free(order);
}
static void sort_lines(rxs_session* s, const sorting* what) {
  slices from = slices_of(what->data, what->axis);
  for (int64_t line = 0; from.count && line < from.length; ++line) sort_line(s, what, line);
}

static void same_shape(rxs_session* s, const rxs_tensor* a, const rxs_tensor* b) {
  int same = a->rank == b->rank;
  for (int32_t i = 0; same && i < a->rank; ++i) same = a->shape[i] == b->shape[i];
  if (!same) rxs_fail(s, "the result of a sort has another shape than the data");
}

/* (data, out[, axis, ascending]). */
static rxs_value sort_into(rxs_session* s, const rxs_value* a, int64_t n, int indices) {
  const rxs_tensor *data = view(a[0]), *out = view(a[1]);
  same_shape(s, data, out);
  sorting what = {data, indices ? NULL : out, indices ? out : NULL, axis_of(s, data, n > 2 ? a[2].as.integer : -1), 0, 0, n > 3 && !a[3].as.integer};
  what.length = what.keep = data->shape[what.axis];
  sort_lines(s, &what);
  return null_value;
}
rxs_value rxs_sort(rxs_session* s, const rxs_value* a, int64_t n) { return sort_into(s, a, n, 0); }
rxs_value rxs_argsort(rxs_session* s, const rxs_value* a, int64_t n) { return sort_into(s, a, n, 1); }

/* (data, valid counts, out, axis, ascending): the first `count` elements of a line take part, the others stay. */
rxs_value rxs_argsort_nms(rxs_session* s, const rxs_value* a, int64_t n) {
  (void)n;
  const rxs_tensor *data = view(a[0]), *valid = view(a[1]), *out = view(a[2]);
  same_shape(s, data, out);
  sorting what = {data, NULL, out, axis_of(s, data, a[3].as.integer), 0, 0, !a[4].as.integer};
  what.keep = data->shape[what.axis];
  slices from = slices_of(data, what.axis);
  if (element_count(valid) < from.length) rxs_fail(s, "argsort_nms: there are fewer counts than lines");
  for (int64_t line = 0; from.count && line < from.length; ++line) {
    int64_t length = rxs_integer_at(s, valid, line);
    what.length = length < 0 ? 0 : length > from.count ? from.count : length;
    sort_line(s, &what, line);
  }
  return null_value;
}

/* topk(data, outs..., k, axis, "both" | "values" | "indices", ascending); k < 1 means all. */
rxs_value rxs_topk(rxs_session* s, const rxs_value* a, int64_t n) {
  int64_t tensors = 1;
  while (tensors < n && a[tensors].kind == RXS_TENSOR) ++tensors;
  int64_t outputs = tensors - 1;
  if (outputs < 1 || outputs > 2 || n != tensors + 4 || a[tensors + 2].kind != RXS_STRING) {
    rxs_fail(s, "topk takes data, one or two results, k, axis, what to return, and the order");
  }
  const char* returned = a[tensors + 2].as.object->as.string.text;
  const rxs_tensor* data = view(a[0]);
  sorting what = {data, strcmp(returned, "indices") ? view(a[1]) : NULL, strcmp(returned, "values") ? view(a[outputs]) : NULL,
                  axis_of(s, data, a[tensors + 1].as.integer), 0, 0, !a[tensors + 3].as.integer};
  what.length = what.keep = data->shape[what.axis];
  int64_t k = a[tensors].as.integer;
  if (k >= 1 && k < what.keep) what.keep = k;
  const rxs_tensor* results[2] = {what.values, what.indices};
  for (int i = 0; i < 2; ++i) {
    slices lines = slices_of(data, what.axis);
    if (results[i] && (results[i]->rank != data->rank || results[i]->shape[what.axis] != what.keep || element_count(results[i]) != lines.length * what.keep)) {
      rxs_fail(s, "a result of topk has a wrong shape");
    }
  }
  sort_lines(s, &what);
  return null_value;
}
