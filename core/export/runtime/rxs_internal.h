/* Inside of the package runtime: values, the program, the machine. */
#ifndef RXS_INTERNAL_H
#define RXS_INTERNAL_H

#include <setjmp.h>
#include <stdarg.h>

#include "rxs_package.h"

typedef enum {
  RXS_NULL,
  RXS_INT,
  RXS_FLOAT,
  RXS_STRING,
  RXS_TYPE,
  RXS_TENSOR,
  RXS_SHAPE,
  RXS_TUPLE,
  RXS_CLOSURE,
  RXS_STORAGE
} rxs_kind;

struct rxs_object;
/* What a register holds. Objects are counted. */
typedef struct {
  rxs_kind kind;
  union {
    int64_t integer;
    double real;
    rxs_dtype dtype;
    struct rxs_object* object;
  } as;
} rxs_value;

/* One object of any kind; `count` items follow as the kind says. */
typedef struct rxs_object {
  int64_t references;
  rxs_kind kind;
  union {
    struct {
      char* text;
    } string;
    struct {
      int64_t count;
      int64_t* dims;
    } shape;
    struct {
      int64_t count;
      rxs_value* items;
    } tuple;
    struct {
      int64_t function;
      int64_t count;
      rxs_value* captured;
    } closure;
    struct {
      int64_t bytes;
      unsigned char* data;
      int owned;
    } storage;
    struct {
      rxs_tensor view;
      struct rxs_object* storage;
    } tensor;
  } as;
} rxs_object;

/* Compiled code: pointers to the data of its tensors, integer arguments followed by the symbols that shapes bind, real
 * arguments, a place for a scalar result, and the session for what it calls back. 0 when it went well. */
typedef int32_t (*rxs_kernel)(void** buffers, const int64_t* ints, const double* reals, int64_t* result, void* session);

/* Made by the exporter and linked in: the kernels (their names and parameters are in rxs_kernel_info, in this order)
 * and the program. */
extern const rxs_kernel rxs_kernels[];
extern const unsigned char rxs_kernel_info[];
extern const int64_t rxs_kernel_info_size;
/* Names of features of processors that the kernels use, with spaces between them. */
extern const unsigned char rxs_needed_features[];
extern const int64_t rxs_needed_features_size;
extern const unsigned char rxs_program_bytes[];
extern const int64_t rxs_program_size;

/* A dimension as a kernel's parameter declares it: 0 this constant, 1 binds or equals the symbol, 2 anything. */
typedef struct {
  int64_t code, value;
} rxs_dim;
typedef struct {
  int64_t place; /* 0 tensor, 1 integer, 2 real */
  rxs_dtype dtype;
  int64_t rank, stride_count;
  rxs_dim* dims; /* rank of them, then the strides */
  rxs_dim offset;
} rxs_kernel_param;
typedef struct {
  char* name;
  rxs_kernel run;
  int64_t result; /* 0 nothing, 1 integer, 2 real */
  int64_t symbol_count, param_count;
  rxs_kernel_param* params;
} rxs_kernel_row;

typedef struct {
  int32_t kind; /* 0 packed, 1 bytecode */
  char* name;
  int64_t start, end, arg_count, register_count;
  int64_t param_count;
  char** params;
  int64_t form_count;
  char**
      forms; /* how each parameter is made from inputs: t tensor, s shape, i integer, f real, ( ) tuple, a anything */
  int32_t builtin;              /* row of the builtin table, or -1 */
  const rxs_kernel_row* kernel; /* or NULL */
} rxs_function;

typedef struct {
  int64_t function, pc, destination;
  rxs_value* registers;
} rxs_frame;

struct rxs_session {
  char error[512];
  jmp_buf fail;
  rxs_kernel_row* kernels;
  int64_t kernel_count;
  const unsigned char* forms; /* where they begin in rxs_kernel_info */
  rxs_function* functions;
  int64_t function_count;
  rxs_value* constants;
  int64_t constant_count;
  int64_t* offsets;
  int64_t offset_count;
  int64_t* words;
  int64_t word_count;
  rxs_frame* frames;
  int64_t frame_count, frame_capacity;
  rxs_value* params; /* weights by position after the inputs; see rxs_params.c */
  char** param_names;
  int64_t param_count;
  unsigned char* params_file;
  int64_t params_size;
  rxs_value result;
  rxs_value* outputs; /* tensors */
  rxs_tensor* output_views;
  int32_t output_count, output_capacity;
  /* A call that a builtin asks the machine to make in its place. */
  int64_t pending_function;
  rxs_value* pending_args;
  int64_t pending_count;
};

/* Ends the running call of the API with a message. */
_Noreturn void rxs_fail(rxs_session* s, const char* format, ...);

void* rxs_allocate(rxs_session* s, int64_t bytes);
rxs_object* rxs_new(rxs_session* s, rxs_kind kind);
void rxs_retain(rxs_value v);
void rxs_release(rxs_value* v);
rxs_value rxs_int(int64_t v);
rxs_value rxs_of(rxs_object* object);
rxs_value rxs_shape_value(rxs_session* s, const int64_t* dims, int64_t count);
rxs_value rxs_tuple_value(rxs_session* s, const rxs_value* items, int64_t count);
rxs_value rxs_string_value(rxs_session* s, const char* text, int64_t length);
/* A view into storage (which it keeps), checked against its bounds. */
rxs_value rxs_tensor_value(rxs_session* s, rxs_object* storage, int64_t offset, const int64_t* shape, int64_t rank,
                           rxs_dtype dtype);
rxs_object* rxs_new_storage(rxs_session* s, int64_t bytes);
/* Elements times element size, or a failure when it overflows or is negative. */
int64_t rxs_checked_bytes(rxs_session* s, const int64_t* shape, int64_t rank, rxs_dtype dtype);

typedef rxs_value (*rxs_builtin)(rxs_session* s, const rxs_value* args, int64_t count);
int32_t rxs_find_builtin(const char* name);
rxs_value rxs_call_builtin(rxs_session* s, int32_t row, const rxs_value* args, int64_t count);

/* Reading of the linked-in parts; fails when it runs past the end. */
typedef struct rxs_reader {
  rxs_session* s;
  const unsigned char* at;
  const unsigned char* end;
} rxs_reader;
void rxs_take(rxs_reader* r, void* to, int64_t bytes);
int64_t rxs_word(rxs_reader* r);
int64_t rxs_count(rxs_reader* r, int64_t each);
char* rxs_text(rxs_reader* r);
rxs_dtype rxs_type(rxs_reader* r);

/* The element at a position of a tensor: as an integer (of an integer type), as a number (of any type). */
int64_t rxs_integer_at(rxs_session* s, const rxs_tensor* t, int64_t i);
double rxs_number_at(rxs_session* s, const rxs_tensor* t, int64_t i);

/* rxs_data.c */
rxs_value rxs_nonzero(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_unique(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_multinomial(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_sort(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_argsort(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_argsort_nms(rxs_session* s, const rxs_value* a, int64_t n);
rxs_value rxs_topk(rxs_session* s, const rxs_value* a, int64_t n);

/* Kernels, then the forms of the functions' parameters (rxs_load_program has to come before). */
/* Fails where this processor lacks a feature that the kernels use. */
void rxs_check_processor(rxs_session* s);
void rxs_load_kernels(rxs_session* s);
void rxs_load_forms(rxs_session* s);
void rxs_free_kernels(rxs_session* s);
rxs_value rxs_call_kernel(rxs_session* s, const rxs_kernel_row* kernel, const rxs_value* args, int64_t count);
void rxs_load_program(rxs_session* s);
void rxs_load_params(rxs_session* s, const char* path);
rxs_value rxs_execute(rxs_session* s, int64_t function, const rxs_value* args, int64_t count);

#endif
