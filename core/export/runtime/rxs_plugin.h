/* Functions of your own for modules that call them by name (R.call_packed, R.call_dps_packed, T.call_packed).
 *
 * A shared library that exports rxs_plugin is named on the command line of rxs run or rxs dap (--plugin LIB.so); a
 * module never names one. Everything is plain C. Its functions run in the engine, with all that the engine may do. */
#ifndef RXS_PLUGIN_H
#define RXS_PLUGIN_H

#include "rxs_package.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RXS_PLUGIN_VERSION 1

enum { RXS_NOTHING = 0, RXS_INTEGER = 1, RXS_REAL = 2, RXS_TEXT = 3, RXS_SHAPE = 4, RXS_TENSOR = 5 };

/* A value; what of it counts, its kind says. All memory belongs to the run, and is there until the call returns. */
typedef struct {
  int32_t kind;
  int64_t integer;   /* RXS_INTEGER; of a bool 0 or 1 */
  double real;       /* RXS_REAL */
  const char* text;  /* RXS_TEXT: UTF-8 that ends with a zero */
  rxs_tensor tensor; /* RXS_TENSOR; RXS_SHAPE: the sizes, a vector of int64 that is only read */
} rxs_value;

/* What a function may ask of the run. */
typedef struct rxs_host {
  void* run;
  /* A new tensor in the memory of the run; not 0 where its budget has no room or the sizes are none. */
  int (*make_tensor)(const struct rxs_host* host, rxs_dtype dtype, int32_t rank, const int64_t* shape, rxs_tensor* out);
} rxs_host;

/* Returns 0, with the result in *result, which is nothing before; a tensor there is an argument or one that make_tensor
 * made. Any other number ends the run with the text in `error`, which has room for error_size bytes. */
typedef int (*rxs_plugin_call)(const rxs_host* host, const rxs_value* arguments, int32_t count, rxs_value* result,
                               char* error, size_t error_size);

typedef struct {
  const char* name;
  rxs_plugin_call call;
  uint64_t writes; /* bit i: the elements of argument i may be written */
} rxs_plugin_function;

/* The functions of the library, *count of them, for a caller that speaks that version; NULL for one that it does not
 * know. They are there as long as the library is. */
RXS_API const rxs_plugin_function* rxs_plugin(int32_t version, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
