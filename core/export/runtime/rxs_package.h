/* A package made by relaxscope: compiled kernels, their program and a small runtime in one shared library.
 *
 * Everything is plain C. The library needs libc and libm only; one with code for devices ("devices" of its manifest)
 * looks for their driver when it is opened, and keeps what the driver compiles in $XDG_CACHE_HOME/relaxscope/devices. A session is used by one thread at a time; several
 * sessions may run side by side. Every function that can fail returns 0 for success; rxs_error says why it failed. */
#ifndef RXS_PACKAGE_H
#define RXS_PACKAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RXS_MAX_RANK 64
#define RXS_API __attribute__((visibility("default")))

/* Element type: DLPack's codes (0 int, 1 uint, 2 float, 4 bfloat, 6 bool), bits of an element, lanes (1). */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} rxs_dtype;

/* A compact row-major tensor in host memory. */
typedef struct {
  void* data;
  int32_t rank;
  rxs_dtype dtype;
  int64_t shape[RXS_MAX_RANK];
} rxs_tensor;

typedef struct rxs_session rxs_session;

/* Opens the program of this library with the weights of a safetensors file (NULL: none are bound; then every argument
 * is given to rxs_run): the file that it was built with, every part of which is checked when it is first used. A
 * library that was built without weights takes any. On failure *out is a session that only rxs_error and rxs_close
 * accept, or NULL without memory. */
RXS_API int rxs_open(const char* params_path, rxs_session** out);
/* The same with at most so many bytes for what the program makes, at a time and in each place: a run that needs more
 * fails with vm.memory-budget. */
RXS_API int rxs_open_within(const char* params_path, int64_t bytes, rxs_session** out);
RXS_API void rxs_close(rxs_session* session);
/* Why the last call on this session failed; "" after a success. */
RXS_API const char* rxs_error(const rxs_session* session);
/* The rule of that failure, such as device.none, and what to do next; each "" where there is none. */
RXS_API const char* rxs_rule(const rxs_session* session);
RXS_API const char* rxs_next_step(const rxs_session* session);

/* Runs a function. `inputs` are its leading arguments; the weights follow by themselves. A tuple takes one input for
 * each of its items, nested ones in order; a shape is a vector of int64, a number a tensor with one element. Inputs
 * are read where they lie, are never written, and may be freed as soon as the call returns. Results come in the same
 * way, and stay valid until the next rxs_run or rxs_close; their memory is then used again by the next run, and a
 * session keeps no more of it than its runs once used at a time. */
RXS_API int rxs_run(rxs_session* session, const char* function, const rxs_tensor* inputs, int32_t input_count,
                    const rxs_tensor** outputs, int32_t* output_count);

/* Ends what runs on the session: rxs_run fails with the rule vm.cancelled, and says at which instruction.
 * For any thread, beside the one that runs, and for handlers of signals. A wish is over when rxs_run returns; one that
 * comes between two runs ends the next at its beginning. Kernels look in loops that may be long; those of a device run
 * on, and the next run waits for them; a call of a library or of a device's driver is waited for. */
RXS_API void rxs_cancel(rxs_session* session);

/* Names of the functions that can be run: 0 .. rxs_function_count - 1. */
RXS_API int32_t rxs_function_count(const rxs_session* session);
RXS_API const char* rxs_function_name(const rxs_session* session, int32_t index);

/* Bytes of a tensor's elements. */
RXS_API int64_t rxs_tensor_bytes(const rxs_tensor* tensor);

/* For debuggers, which run the program themselves, step by step, and have its kernels run here: `rxs dap` does. */
typedef struct {
  const void* data;
  int64_t bytes;
} rxs_part;
/* The program, what is known of its kernels, and of its weights, as the rxs wrote them that built the package. */
RXS_API void rxs_parts(rxs_part* program, rxs_part* kernels, rxs_part* weights);
/* The constants of the program, which lie where it is loaded. */
RXS_API void rxs_constants_part(rxs_part* constants);
/* What the package has for devices; nothing in one for processors alone. */
RXS_API void rxs_device_part(rxs_part* code);
/* Kernels that are called by number end, too, where the byte there is not zero; NULL: no longer. */
RXS_API void rxs_watch(rxs_session* session, const void* stop);
/* Calls a kernel by its number in that list, with arguments as its machine code takes them. Why it failed: "RULE:
 * text". */
RXS_API int rxs_call_kernel(rxs_session* session, int64_t kernel, void** buffers, const int64_t* ints,
                            const double* reals, int64_t* result);

#ifdef __cplusplus
}
#endif
#endif
