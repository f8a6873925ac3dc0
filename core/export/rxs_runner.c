/* Runs a function of a package: rxs_runner PARAMS FUNCTION OUTPUT_PREFIX INPUT...
 * An input is a .npy file, a number, or a shape as [2,3]; a tuple takes one for each of its items.
 * Writes OUTPUT_PREFIX0.npy, OUTPUT_PREFIX1.npy, ... Ctrl-C ends the run, and says where it was (exit code 130); a second one
 * ends the process. Build: cc rxs_runner.c -L. -l:LIBRARY -Wl,-rpath,'$ORIGIN' */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxs_package.h"

static const struct {
  const char* name;
  rxs_dtype type;
} types[] = {{"<f8", {2, 64, 1}}, {"<f4", {2, 32, 1}}, {"<f2", {2, 16, 1}}, {"<i8", {0, 64, 1}}, {"<i4", {0, 32, 1}}, {"<i2", {0, 16, 1}},
             {"|i1", {0, 8, 1}},  {"<u8", {1, 64, 1}}, {"<u4", {1, 32, 1}}, {"<u2", {1, 16, 1}}, {"|u1", {1, 8, 1}},  {"|b1", {6, 8, 1}},
             /* NumPy has no names for the small floats: raw bytes, here bfloat16 and the two most used of 8 bits */
             {"<V2", {4, 16, 1}}, {"<V1", {10, 8, 1}}, {"<V1", {12, 8, 1}}};

static int stop(const char* what, const char* which) {
  fprintf(stderr, "rxs_runner: %s: %s\n", which, what);
  return 1;
}

static int read_npy(const char* path, rxs_tensor* t) {
  unsigned char head[10];
  char text[4096];
  FILE* file = fopen(path, "rb");
  if (!file) return stop("can not be opened", path);
  size_t length = fread(head, 1, 10, file) == 10 && !memcmp(head, "\x93NUMPY\x01", 7) ? head[8] + 256u * head[9] : sizeof text;
  if (length >= sizeof text || fread(text, 1, length, file) != length) return stop("is no .npy file of version 1", path);
  text[length] = 0;
  const char* descr = strstr(text, "'descr': '");
  const char* shape = strstr(text, "'shape': (");
  if (!descr || !shape || !strstr(text, "'fortran_order': False")) return stop("has a header that is not supported", path);
  memset(t, 0, sizeof *t);
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (!strncmp(descr + 10, types[i].name, strlen(types[i].name))) t->dtype = types[i].type;
  }
  if (!t->dtype.bits) return stop("has an element type that is not supported", path);
  for (const char* at = shape + 10; *at && *at != ')';) {
    char* end;
    long long dim = strtoll(at, &end, 10);
    if (end == at || dim < 0 || t->rank == RXS_MAX_RANK) break;
    t->shape[t->rank++] = dim;
    at = end;
    while (*at == ',' || *at == ' ') ++at;
  }
  size_t bytes = (size_t)rxs_tensor_bytes(t);
  t->data = malloc(bytes ? bytes : 1);
  int whole = t->data && fread(t->data, 1, bytes, file) == bytes;
  int rest = whole && fgetc(file) != EOF;
  fclose(file);
  if (rest) return stop("has more bytes than its shape needs", path);
  return whole ? 0 : stop("is cut off", path);
}

static int write_npy(const char* path, const rxs_tensor* t) {
  const char* descr = NULL;
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (types[i].type.code == t->dtype.code && types[i].type.bits == t->dtype.bits) descr = types[i].name;
  }
  if (!descr) return stop("has an element type that .npy does not have", path);
  char text[4096];
  int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int32_t i = 0; i < t->rank; ++i) n += snprintf(text + n, sizeof text - (size_t)n, "%lld,%s", (long long)t->shape[i], i + 1 < t->rank ? " " : "");
  n += snprintf(text + n, sizeof text - (size_t)n, "), }");
  while ((n + 11) % 64) text[n++] = ' ';
  text[n++] = '\n';
  FILE* file = fopen(path, "wb");
  if (!file) return stop("can not be written", path);
  unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(n & 255), (unsigned char)(n >> 8)};
  size_t bytes = (size_t)rxs_tensor_bytes(t);
  int whole = fwrite(head, 1, 10, file) == 10 && fwrite(text, 1, (size_t)n, file) == (size_t)n && fwrite(t->data, 1, bytes, file) == bytes;
  return fclose(file) || !whole ? stop("can not be written", path) : 0;
}

/* A number, or a shape as [2,3]; of integers, or of reals where a point or an exponent says so. */
static int read_numbers(const char* text, rxs_tensor* t) {
  static const rxs_dtype integer = {0, 64, 1}, real = {2, 64, 1};
  int is_list = *text == '[', is_real = strpbrk(text, ".eE") != NULL;
  memset(t, 0, sizeof *t);
  t->rank = is_list;
  t->dtype = is_real ? real : integer;
  t->data = malloc(strlen(text) * 8 + 8);
  if (!t->data) return stop("out of memory", text);
  int64_t count = 0;
  for (const char* at = text + is_list; *at && *at != ']';) {
    char* end;
    if (is_real) {
      ((double*)t->data)[count] = strtod(at, &end);
    } else {
      ((int64_t*)t->data)[count] = strtoll(at, &end, 10);
    }
    if (end == at || (*end && *end != ',' && *end != ']')) return stop("is neither a .npy file, nor a number, nor a list of numbers", text);
    ++count;
    at = *end == ',' ? end + 1 : end;
  }
  t->shape[0] = count;
  return is_list || count == 1 ? 0 : stop("is neither a .npy file, nor a number, nor a list of numbers", text);
}

static int read_input(const char* text, rxs_tensor* t) {
  size_t length = strlen(text);
  int file = length > 4 && !strcmp(text + length - 4, ".npy");
  return !file && *text && strchr("[+-.0123456789", *text) ? read_numbers(text, t) : read_npy(text, t);
}

static rxs_session* running;

static void interrupted(int number) {
  signal(number, SIG_DFL);
  rxs_cancel(running);
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "use: rxs_runner PARAMS|- FUNCTION OUTPUT_PREFIX INPUT.npy|NUMBER|[N,N]...\n");
    return 2;
  }
  rxs_session* session = NULL;
  if (rxs_open(strcmp(argv[1], "-") ? argv[1] : NULL, &session)) return stop(rxs_error(session), argv[1]);
  int count = argc - 4;
  rxs_tensor* inputs = calloc((size_t)count + 1, sizeof *inputs);
  for (int i = 0; i < count; ++i) {
    if (read_input(argv[4 + i], &inputs[i])) return 1;
  }
  const rxs_tensor* outputs = NULL;
  int32_t output_count = 0;
  running = session;
  /* one that the process was started to ignore stays so */
  void (*before)(int) = signal(SIGINT, SIG_IGN);
  if (before != SIG_IGN) signal(SIGINT, interrupted);
  if (rxs_run(session, argv[2], inputs, count, &outputs, &output_count)) {
    stop(rxs_error(session), argv[2]);
    return strcmp(rxs_rule(session), "vm.cancelled") ? 1 : 130;
  }
  signal(SIGINT, before);
  for (int32_t i = 0; i < output_count; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s%d.npy", argv[3], i);
    if (write_npy(path, &outputs[i])) return 1;
  }
  for (int i = 0; i < count; ++i) free(inputs[i].data);
  free(inputs);
  rxs_close(session);
  return 0;
}
