#define _DEFAULT_SOURCE /* posix_memalign, sysconf */
/* Compiled kernels: their parameters, the checks before a call, and what their code calls back. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rxs_internal.h"

static rxs_dim load_dim(rxs_reader* r) {
  rxs_dim dim;
  dim.code = rxs_word(r);
  dim.value = rxs_word(r);
  return dim;
}
static void load_param(rxs_reader* r, rxs_kernel_param* p) {
  p->place = rxs_word(r);
  p->dtype = rxs_type(r);
  p->rank = rxs_count(r, 16);
  p->dims = rxs_allocate(r->s, p->rank * 2 * (int64_t)sizeof(rxs_dim));
  for (int64_t i = 0; i < p->rank; ++i) p->dims[i] = load_dim(r);
  p->stride_count = rxs_count(r, 16);
  if (p->stride_count > p->rank) rxs_fail(r->s, "a kernel of this package has more strides than dimensions");
  for (int64_t i = 0; i < p->stride_count; ++i) p->dims[p->rank + i] = load_dim(r);
  p->offset = load_dim(r);
}

void rxs_load_kernels(rxs_session* s) {
  rxs_reader r = {s, rxs_kernel_info, rxs_kernel_info + rxs_kernel_info_size};
  int64_t count = rxs_count(&r, 32);
  s->kernels = rxs_allocate(s, count * (int64_t)sizeof(rxs_kernel_row));
  for (; s->kernel_count < count; ++s->kernel_count) {
    rxs_kernel_row* k = &s->kernels[s->kernel_count];
    k->run = rxs_kernels[s->kernel_count];
    k->name = rxs_text(&r);
    k->result = rxs_word(&r);
    k->symbol_count = rxs_word(&r);
    k->param_count = rxs_count(&r, 20);
    k->params = rxs_allocate(s, k->param_count * (int64_t)sizeof(rxs_kernel_param));
    for (int64_t i = 0; i < k->param_count; ++i) load_param(&r, &k->params[i]);
  }
  s->forms = r.at;
}

void rxs_load_forms(rxs_session* s) {
  rxs_reader r = {s, s->forms, rxs_kernel_info + rxs_kernel_info_size};
  for (int64_t left = rxs_count(&r, 16); left > 0; --left) {
    char* name = rxs_text(&r);
    rxs_function* f = NULL;
    for (int64_t i = 0; i < s->function_count; ++i) {
      if (s->functions[i].kind == 1 && !strcmp(s->functions[i].name, name)) f = &s->functions[i];
    }
    free(name);
    int64_t count = rxs_count(&r, 8);
    if (f) f->forms = rxs_allocate(s, count * (int64_t)sizeof(char*));
    for (int64_t i = 0; i < count; ++i) {
      char* form = rxs_text(&r);
      if (f) {
        f->forms[f->form_count++] = form;
      } else {
        free(form);
      }
    }
  }
}

void rxs_free_kernels(rxs_session* s) {
  for (int64_t i = 0; i < s->kernel_count; ++i) {
    for (int64_t p = 0; p < s->kernels[i].param_count; ++p) free(s->kernels[i].params[p].dims);
    free(s->kernels[i].params);
    free(s->kernels[i].name);
  }
  free(s->kernels);
}

/* Symbols start as this and are bound by the first dimension that is one. */
#define UNBOUND INT64_MIN

/* Strides and the offset of a buffer, as of a tensor that lies in order from the start of its memory. */
static void bind_layout(rxs_session* s, const rxs_kernel_row* k, int64_t index, const rxs_tensor* t, int64_t* symbols) {
  const rxs_kernel_param* p = &k->params[index];
  int64_t stride = 1;
  for (int64_t i = p->stride_count; i-- > 0;) {
    const rxs_dim* dim = &p->dims[p->rank + i];
    int64_t want = dim->code == 0 ? dim->value : stride;
    if (dim->code == 1 && symbols[dim->value] == UNBOUND) symbols[dim->value] = stride;
    if (dim->code == 1) want = symbols[dim->value];
    if (want != stride && t->shape[i] != 1) {
      rxs_fail(s, "%s: the stride of axis %lld of argument %lld has to be %lld, it is %lld", k->name, (long long)i, (long long)index, (long long)want, (long long)stride);
    }
    stride *= t->shape[i];
  }
  if (p->offset.code == 1 && symbols[p->offset.value] == UNBOUND) symbols[p->offset.value] = 0;
}

static void bind_tensor(rxs_session* s, const rxs_kernel_row* k, int64_t index, const rxs_value* arg, int64_t* symbols) {
  const rxs_kernel_param* p = &k->params[index];
  if (arg->kind != RXS_TENSOR) rxs_fail(s, "%s: argument %lld has to be a tensor", k->name, (long long)index);
  const rxs_tensor* t = &arg->as.object->as.tensor.view;
  if (p->rank != t->rank && p->dtype.bits) {
    rxs_fail(s, "%s: argument %lld has %d dimensions, %lld are needed", k->name, (long long)index, t->rank, (long long)p->rank);
  }
  for (int64_t i = 0; p->dtype.bits && i < p->rank; ++i) {
    int64_t want = p->dims[i].code == 0 ? p->dims[i].value : t->shape[i];
    if (p->dims[i].code == 1) {
      int64_t* symbol = &symbols[p->dims[i].value];
      if (*symbol == UNBOUND) *symbol = t->shape[i];
      want = *symbol;
    }
    if (want != t->shape[i]) {
      rxs_fail(s, "%s: axis %lld of argument %lld has to be %lld, it is %lld", k->name, (long long)i, (long long)index, (long long)want, (long long)t->shape[i]);
    }
  }
  if (p->dtype.bits) bind_layout(s, k, index, t, symbols);
}

rxs_value rxs_call_kernel(rxs_session* s, const rxs_kernel_row* k, const rxs_value* args, int64_t count) {
  rxs_value value = {RXS_NULL, {0}};
  if (count != k->param_count) rxs_fail(s, "%s takes %lld arguments, %lld were given", k->name, (long long)k->param_count, (long long)count);
  int64_t slots = count + k->symbol_count + 1;
  void** buffers = rxs_allocate(s, slots * 8);
  int64_t* ints = rxs_allocate(s, slots * 8);
  double* reals = rxs_allocate(s, slots * 8);
  int64_t buffer_count = 0, int_count = 0, real_count = 0, result = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (k->params[i].place == 0) {
      if (args[i].kind == RXS_TENSOR) buffers[buffer_count] = args[i].as.object->as.tensor.view.data;
      ++buffer_count;
    } else if (k->params[i].place == 1) {
      if (args[i].kind != RXS_INT) rxs_fail(s, "%s: argument %lld has to be an integer", k->name, (long long)i);
      ints[int_count++] = args[i].as.integer;
    } else {
      reals[real_count++] = args[i].kind == RXS_FLOAT ? args[i].as.real : (double)args[i].as.integer;
    }
  }
  int64_t* symbols = ints + int_count;
  for (int64_t i = 0; i < k->symbol_count; ++i) symbols[i] = UNBOUND;
  for (int64_t i = 0; i < count; ++i) {
    if (k->params[i].place == 0) bind_tensor(s, k, i, &args[i], symbols);
  }
  int32_t status = k->run(buffers, ints, reals, &result, s);
  free(buffers);
  free(ints);
  free(reals);
  if (status) {
    if (!s->error[0]) rxs_fail(s, "kernel %s failed", k->name);
    longjmp(s->fail, 1);
  }
  if (k->result == 1) return rxs_int(result);
  if (k->result == 2) {
    value.kind = RXS_FLOAT;
    memcpy(&value.as.real, &result, 8);
  }
  return value;
}

/* What compiled code calls back. */
void* rx_allocate(void* session, int64_t bytes) {
  (void)session;
  void* data = NULL;
  size_t size = bytes > 0 ? ((size_t)bytes + 63) / 64 * 64 : 64;
  return posix_memalign(&data, 64, size) ? NULL : memset(data, 0, size);
}
void rx_release(void* session, void* memory) {
  (void)session;
  free(memory);
}
/* The parts of a parallel loop report and call from several threads. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void rx_report(void* session, const char* message) {
  rxs_session* s = session;
  pthread_mutex_lock(&one_at_a_time);
  if (!s->error[0]) strncpy(s->error, message, sizeof s->error - 1);
  pthread_mutex_unlock(&one_at_a_time);
}

/* A parallel loop: the steps in parts, which threads take until none is left. */
typedef struct {
  int32_t (*part)(int64_t begin, int64_t end, void* record, void* session);
  void *record, *session;
  int64_t extent, parts;
  _Atomic int64_t next;
  _Atomic int32_t failed;
} parallel_loop;

static void* take_parts(void* argument) {
  parallel_loop* loop = argument;
  for (;;) {
    int64_t i = loop->next++;
    if (i >= loop->parts || loop->failed) return NULL;
    int64_t whole = loop->extent / loop->parts, more = loop->extent % loop->parts;
    int64_t begin = whole * i + (i < more ? i : more), end = whole * (i + 1) + (i + 1 < more ? i + 1 : more);
    if (loop->part(begin, end, loop->record, loop->session)) loop->failed = 1;
  }
}

int32_t rx_parallel(void* session, int32_t (*part)(int64_t, int64_t, void*, void*), void* record, int64_t extent) {
  enum { MOST_THREADS = 64, PARTS_PER_THREAD = 4 };
  if (extent <= 0) return 0;
  int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  if (threads < 1) threads = 1;
  int64_t parts = threads * PARTS_PER_THREAD < extent ? threads * PARTS_PER_THREAD : extent;
  parallel_loop loop = {part, record, session, extent, parts, 0, 0};
  pthread_t others[MOST_THREADS];
  int64_t started = 0;
  /* Where no further thread is to be had, those that are there do the work. */
  while (started < threads - 1 && started < parts - 1 && !pthread_create(&others[started], NULL, take_parts, &loop)) ++started;
  take_parts(&loop);
  for (int64_t i = 0; i < started; ++i) pthread_join(others[i], NULL);
  return loop.failed;
}

/* An argument of a packed call in six words: kind (0 integer, 1 real, 2 bool, 3 text, 4 tensor), then the value; of a
 * tensor its data, shape, rank, type (code << 32 | bits << 16 | lanes, codes as the compiler numbers them) and offset. */
enum { PACKED_WORDS = 6 };
static rxs_value packed_value(rxs_session* s, const int64_t* words) {
  rxs_value v = {RXS_FLOAT, {0}};
  switch (words[0]) {
    case 1: memcpy(&v.as.real, &words[1], 8); return v;
    case 3: return rxs_string_value(s, (const char*)(intptr_t)words[1], (int64_t)strlen((const char*)(intptr_t)words[1]));
    case 4: break;
    default: return rxs_int(words[1]);
  }
  uint8_t code = (uint8_t)(words[4] >> 32);
  rxs_dtype type = {(uint8_t)(code >= 5 ? code + 1 : code), (uint8_t)(words[4] >> 16), (uint16_t)words[4]};
  const int64_t* shape = (const int64_t*)(intptr_t)words[2];
  int64_t bytes = rxs_checked_bytes(s, shape, words[3], type);
  rxs_object* storage = rxs_new(s, RXS_STORAGE);
  storage->as.storage.data = (unsigned char*)(intptr_t)words[1] + words[5] * ((type.bits + 7) / 8);
  storage->as.storage.bytes = bytes;
  return rxs_tensor_value(s, storage, 0, shape, words[3], type);
}

/* A failure comes back to the kernel as a status, so that it is not jumped over. */
static int32_t call_packed(rxs_session* s, const char* name, const int64_t* words, int64_t count) {
  int32_t builtin = rxs_find_builtin(name);
  if (builtin < 0) {
    snprintf(s->error, sizeof s->error, "a kernel calls \"%s\", which packages do not hold", name);
    return 1;
  }
  jmp_buf outer;
  memcpy(&outer, &s->fail, sizeof outer);
  rxs_value* volatile args = NULL;
  volatile int64_t made = 0;
  volatile int32_t status = 0;
  if (setjmp(s->fail)) {
    status = 1;
  } else {
    args = rxs_allocate(s, count * (int64_t)sizeof(rxs_value));
    for (; made < count; ++made) args[made] = packed_value(s, words + made * PACKED_WORDS);
    rxs_value result = rxs_call_builtin(s, builtin, args, count);
    rxs_release(&result);
  }
  for (int64_t i = 0; i < made; ++i) rxs_release(&args[i]);
  free(args);
  memcpy(&s->fail, &outer, sizeof outer);
  return status;
}

int32_t rx_call_packed(void* session, const char* name, const int64_t* words, int64_t count) {
  pthread_mutex_lock(&one_at_a_time);
  int32_t status = call_packed(session, name, words, count);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}

/* Half precision, where the processor has no conversion: bits in, bits out. */
static float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, mantissa = h & 0x3ff;
  float out;
  if (exponent == 0) {
    out = ldexpf((float)mantissa, -24);
    return sign ? -out : out;
  }
  uint32_t bits = exponent == 31 ? sign | 0x7f800000 | mantissa << 13 : sign | (exponent + 112) << 23 | mantissa << 13;
  memcpy(&out, &bits, 4);
  return out;
}
/* Round to nearest, ties to even. */
static uint16_t double_to_half(double value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  double magnitude = fabs(value);
  if (isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520.0) return sign | 0x7c00;
  int exponent;
  frexp(magnitude, &exponent);
  if (exponent < -13) exponent = -13; /* subnormal numbers share one exponent */
  double scaled = nearbyint(ldexp(magnitude, 11 - exponent));
  if (scaled >= 2048.0) {
    scaled /= 2;
    ++exponent;
  }
  if (scaled < 1024.0) return sign | (uint16_t)scaled;
  return sign | (uint16_t)((exponent + 14) << 10) | (uint16_t)((uint32_t)scaled - 1024);
}
_Float16 __truncdfhf2(double value) {
  uint16_t bits = double_to_half(value);
  _Float16 out;
  memcpy(&out, &bits, 2);
  return out;
}
_Float16 __truncsfhf2(float value) { return __truncdfhf2((double)value); }
float __extendhfsf2(_Float16 value) {
  uint16_t bits;
  memcpy(&bits, &value, 2);
  return half_to_float(bits);
}

/* The small floats that no instruction knows. `format` is the type code times 256 plus the bits. */
float rx_decode_float(int32_t format, uint32_t bits);
uint32_t rx_encode_float(int32_t format, float value);

static const struct {
  int code, exponent, mantissa, bias, infinite; /* infinite: has infinities (IEEE-like) */
} formats[] = {{4, 8, 7, 127, 1}, {2, 5, 10, 15, 1}, {9, 4, 3, 7, 0}, {11, 5, 2, 15, 1}};

static int format_of(int32_t number) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    if (formats[i].code == number >> 8) return (int)i;
  }
  return 0;
}
float rx_decode_float(int32_t number, uint32_t bits) {
  int f = format_of(number), m = formats[f].mantissa, top = (1 << formats[f].exponent) - 1;
  int exponent = (int)(bits >> m) & top;
  uint32_t mantissa = bits & ((1u << m) - 1);
  double sign = bits >> (m + formats[f].exponent) & 1 ? -1 : 1;
  if (exponent == top && formats[f].infinite) return (float)(mantissa ? (double)NAN : sign * (double)INFINITY);
  if (exponent == top && mantissa == (1u << m) - 1) return NAN;
  if (!exponent) return (float)(sign * ldexp(mantissa, 1 - formats[f].bias - m));
  return (float)(sign * ldexp((double)mantissa + (double)(1u << m), exponent - formats[f].bias - m));
}
uint32_t rx_encode_float(int32_t number, float value) {
  int f = format_of(number), m = formats[f].mantissa, top = (1 << formats[f].exponent) - 1;
  uint32_t sign = (uint32_t)(signbit(value) ? 1 : 0) << (m + formats[f].exponent);
  uint32_t nan = sign | (uint32_t)top << m | (formats[f].infinite ? 1u << (m - 1) : (1u << m) - 1);
  uint32_t overflow = formats[f].infinite ? sign | (uint32_t)top << m : nan;
  if (isnan(value)) return nan;
  if (isinf(value)) return overflow;
  int exponent;
  double magnitude = fabs((double)value);
  frexp(magnitude, &exponent);
  if (exponent < 2 - formats[f].bias) exponent = 2 - formats[f].bias;
  double scaled = nearbyint(ldexp(magnitude, m + 1 - exponent));
  if (scaled >= ldexp(1, m + 1)) {
    scaled /= 2;
    ++exponent;
  }
  if (scaled < ldexp(1, m)) return sign | (uint32_t)scaled;
  int stored = exponent - 1 + formats[f].bias;
  uint32_t packed = (uint32_t)stored << m | ((uint32_t)scaled - (1u << m));
  int last = formats[f].infinite ? top << m : (top << m | ((1 << m) - 1));
  return packed >= (uint32_t)last ? overflow : sign | packed;
}
float rx_round_float(int32_t number, float value) { return rx_decode_float(number, rx_encode_float(number, value)); }

/* One number of a tensor. The codes of the small floats here are DLPack's, those of the formats are the compiler's. */
int64_t rxs_integer_at(rxs_session* s, const rxs_tensor* t, int64_t i) {
  if (t->dtype.code == 2 || t->dtype.code == 4 || t->dtype.code > 6) rxs_fail(s, "integers are needed, not floats");
  switch (t->dtype.bits) {
    case 8: return t->dtype.code == 0 ? ((int8_t*)t->data)[i] : ((uint8_t*)t->data)[i];
    case 16: return t->dtype.code == 0 ? ((int16_t*)t->data)[i] : ((uint16_t*)t->data)[i];
    case 32: return t->dtype.code == 0 ? ((int32_t*)t->data)[i] : (int64_t)((uint32_t*)t->data)[i];
    case 64: return ((int64_t*)t->data)[i];
    default: rxs_fail(s, "integers of %d bits can not be read", t->dtype.bits);
  }
}
double rxs_number_at(rxs_session* s, const rxs_tensor* t, int64_t i) {
  if (t->dtype.code == 2 && t->dtype.bits == 64) return ((double*)t->data)[i];
  if (t->dtype.code == 2 && t->dtype.bits == 32) return (double)((float*)t->data)[i];
  if (t->dtype.code == 2) return (double)half_to_float(((uint16_t*)t->data)[i]);
  if (t->dtype.code == 4) return (double)rx_decode_float(4 << 8 | 16, ((uint16_t*)t->data)[i]);
  if (t->dtype.code == 10 || t->dtype.code == 12) return (double)rx_decode_float((t->dtype.code - 1) << 8 | 8, ((uint8_t*)t->data)[i]);
  return (double)rxs_integer_at(s, t, i);
}
