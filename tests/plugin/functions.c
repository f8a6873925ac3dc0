/* The plugin of tst_plugin: functions that a module may call. With -DNAMES_A_BUILTIN it has one of a name that is
 * taken, with -DNO_FUNCTIONS nothing for this version. */
#include <stdio.h>
#include <string.h>

#include "core/export/runtime/rxs_plugin.h"

static int64_t elements(const rxs_tensor* tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i) count *= tensor->shape[i];
  return count;
}

/* test.scaled(tensor of float32, integer): a new tensor. */
static int scaled(const rxs_host* host, const rxs_value* arguments, int32_t count, rxs_value* result, char* error,
                  size_t error_size) {
  if (count != 2 || arguments[0].kind != RXS_TENSOR || arguments[1].kind != RXS_INTEGER) {
    snprintf(error, error_size, "a tensor and an integer are needed, %d values are given", (int)count);
    return 1;
  }
  const rxs_tensor* from = &arguments[0].tensor;
  result->kind = RXS_TENSOR;
  if (host->make_tensor(host, from->dtype, from->rank, from->shape, &result->tensor)) return 2;
  for (int64_t i = 0; i < elements(from); ++i)
    ((float*)result->tensor.data)[i] = ((const float*)from->data)[i] * (float)arguments[1].integer;
  return 0;
}

/* test.add_one(input, output), in the form of call_dps_packed. */
static int add_one(const rxs_host* host, const rxs_value* arguments, int32_t count, rxs_value* result, char* error,
                   size_t error_size) {
  (void)host, (void)result, (void)error, (void)error_size;
  if (count != 2) return 1;
  for (int64_t i = 0; i < elements(&arguments[0].tensor); ++i)
    ((float*)arguments[1].tensor.data)[i] = ((const float*)arguments[0].tensor.data)[i] + 1;
  return 0;
}

/* test.length(text, shape): bytes of the text and sizes of the shape together. */
static int length(const rxs_host* host, const rxs_value* arguments, int32_t count, rxs_value* result, char* error,
                  size_t error_size) {
  (void)host, (void)error, (void)error_size;
  if (count != 2 || arguments[0].kind != RXS_TEXT || arguments[1].kind != RXS_SHAPE) return 1;
  result->kind = RXS_INTEGER;
  result->integer = (int64_t)strlen(arguments[0].text) + arguments[1].tensor.shape[0];
  return 0;
}

/* test.stray: a tensor that is none of the run's. */
static int stray(const rxs_host* host, const rxs_value* arguments, int32_t count, rxs_value* result, char* error,
                 size_t error_size) {
  static float own[3];
  (void)host, (void)count, (void)error, (void)error_size;
  *result = arguments[0];
  result->tensor.data = own;
  return 0;
}

static const rxs_plugin_function kFunctions[] = {
#ifdef NAMES_A_BUILTIN
    {"vm.builtin.copy", stray, 0},
#endif
    {"test.scaled", scaled, 0},    {"test.add_one", add_one, 2}, {"test.length", length, 0}, {"test.stray", stray, 0},
};

const rxs_plugin_function* rxs_plugin(int32_t version, int32_t* count) {
#ifdef NO_FUNCTIONS
  (void)version, (void)count;
  return NULL;
#else
  if (version != RXS_PLUGIN_VERSION) return NULL;
  *count = (int32_t)(sizeof kFunctions / sizeof *kFunctions);
  return kFunctions;
#endif
}
