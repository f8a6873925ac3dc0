/* The C interface of the package. */
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

int rxs_open(const char* params_path, rxs_session** out) {
  rxs_session* s = calloc(1, sizeof *s);
  *out = s;
  if (!s) return 1;
  if (setjmp(s->fail)) return 1;
  rxs_check_processor(s);
  rxs_load_kernels(s);
  rxs_load_program(s);
  rxs_load_forms(s);
  if (params_path) rxs_load_params(s, params_path);
  return 0;
}

const char* rxs_error(const rxs_session* s) { return s ? s->error : "out of memory"; }

static int runnable(const rxs_function* f) { return f->kind == 1; }

int32_t rxs_function_count(const rxs_session* s) {
  int32_t n = 0;
  for (int64_t i = 0; i < s->function_count; ++i) n += runnable(&s->functions[i]);
  return n;
}

const char* rxs_function_name(const rxs_session* s, int32_t index) {
  for (int64_t i = 0; i < s->function_count; ++i) {
    if (runnable(&s->functions[i]) && index-- == 0) return s->functions[i].name;
  }
  return NULL;
}

static int64_t find_function(rxs_session* s, const char* name) {
  for (int64_t i = 0; i < s->function_count; ++i) {
    if (runnable(&s->functions[i]) && !strcmp(s->functions[i].name, name)) return i;
  }
  rxs_fail(s, "there is no function \"%s\"", name);
}

static rxs_value input_value(rxs_session* s, const rxs_tensor* t) {
  int64_t bytes = rxs_checked_bytes(s, t->shape, t->rank, t->dtype);
  rxs_object* storage = rxs_new_storage(s, bytes);
  if (bytes) memcpy(storage->as.storage.data, t->data, (size_t)bytes);
  return rxs_tensor_value(s, storage, 0, t->shape, t->rank, t->dtype);
}

static rxs_value weight(rxs_session* s, const rxs_function* f, int64_t position) {
  for (int64_t i = 0; i < s->param_count; ++i) {
    if (position < f->param_count && !strcmp(s->param_names[i], f->params[position])) {
      rxs_retain(s->params[i]);
      return s->params[i];
    }
  }
  rxs_fail(s, "argument %lld of %s (%s) is neither given nor among the weights", (long long)position, f->name,
           position < f->param_count ? f->params[position] : "?");
}

/* The inputs that are not taken yet. */
typedef struct {
  const rxs_tensor* at;
  int32_t left;
  const char* parameter;
} input_list;

/* One parameter by its form; `*form` moves on. Tuples nest as deep as the parameter's type. */
static rxs_value take_input(rxs_session* s, const char** form, input_list* inputs) {
  char letter = *(*form)++;
  rxs_value v = {RXS_FLOAT, {0}};
  if (letter == '(') {
    int64_t count = 0;
    rxs_value* items = NULL;
    while (**form && **form != ')') {
      rxs_value* grown = realloc(items, (size_t)(count + 1) * sizeof *items);
      if (!grown) rxs_fail(s, "out of memory");
      items = grown;
      items[count++] = take_input(s, form, inputs);
    }
    if (**form) ++*form;
    v = rxs_tuple_value(s, items, count);
    for (int64_t i = 0; i < count; ++i) rxs_release(&items[i]);
    free(items);
    return v;
  }
  if (!inputs->left) rxs_fail(s, "the inputs end inside of the parameter %s", inputs->parameter);
  const rxs_tensor* t = inputs->at++;
  --inputs->left;
  if (letter == 's') {
    int64_t dims[RXS_MAX_RANK];
    if (t->rank != 1 || t->shape[0] < 0 || t->shape[0] > RXS_MAX_RANK) rxs_fail(s, "%s: a shape is given as a vector of integers", inputs->parameter);
    for (int64_t i = 0; i < t->shape[0]; ++i) dims[i] = rxs_integer_at(s, t, i);
    return rxs_shape_value(s, dims, t->shape[0]);
  }
  if (letter == 'i' || letter == 'f') {
    for (int32_t i = 0; i < t->rank; ++i) {
      if (t->shape[i] != 1) rxs_fail(s, "%s: one number is needed", inputs->parameter);
    }
    if (letter == 'i') return rxs_int(rxs_integer_at(s, t, 0));
    v.as.real = rxs_number_at(s, t, 0);
    return v;
  }
  return input_value(s, t);
}

static int takes_inputs(const char* form) { return strspn(form, "()") < strlen(form); }

static void add_output(rxs_session* s, rxs_value v) {
  if (s->output_count == s->output_capacity) {
    int32_t capacity = s->output_capacity ? s->output_capacity * 2 : 8;
    rxs_value* grown = realloc(s->outputs, (size_t)capacity * sizeof *grown);
    if (!grown) rxs_fail(s, "out of memory");
    s->outputs = grown;
    s->output_capacity = capacity;
  }
  s->outputs[s->output_count++] = v;
}

static rxs_value tensor_of(rxs_session* s, const void* data, const int64_t* shape, int64_t rank, rxs_dtype type) {
  int64_t bytes = rxs_checked_bytes(s, shape, rank, type);
  rxs_object* storage = rxs_new_storage(s, bytes);
  if (bytes) memcpy(storage->as.storage.data, data, (size_t)bytes);
  return rxs_tensor_value(s, storage, 0, shape, rank, type);
}

/* Results nest as deep as the function's return type, which the text that it came from bounds. */
static void collect(rxs_session* s, rxs_value v) {
  static const rxs_dtype integer = {0, 64, 1}, real = {2, 64, 1};
  switch (v.kind) {
    case RXS_TENSOR:
      rxs_retain(v);
      add_output(s, v);
      break;
    case RXS_SHAPE: add_output(s, tensor_of(s, v.as.object->as.shape.dims, &v.as.object->as.shape.count, 1, integer)); break;
    case RXS_INT: add_output(s, tensor_of(s, &v.as.integer, NULL, 0, integer)); break;
    case RXS_FLOAT: add_output(s, tensor_of(s, &v.as.real, NULL, 0, real)); break;
    case RXS_TUPLE:
      for (int64_t i = 0; i < v.as.object->as.tuple.count; ++i) collect(s, v.as.object->as.tuple.items[i]);
      break;
    default: break;
  }
}

static void drop_outputs(rxs_session* s) {
  for (int32_t i = 0; i < s->output_count; ++i) rxs_release(&s->outputs[i]);
  s->output_count = 0;
}

int rxs_run(rxs_session* s, const char* function, const rxs_tensor* inputs, int32_t input_count, const rxs_tensor** outputs,
            int32_t* output_count) {
  s->error[0] = 0;
  drop_outputs(s);
  rxs_release(&s->result);
  if (setjmp(s->fail)) return 1;
  int64_t index = find_function(s, function);
  const rxs_function* f = &s->functions[index];
  input_list list = {inputs, input_count, ""};
  rxs_value* args = rxs_allocate(s, f->arg_count * (int64_t)sizeof(rxs_value));
  for (int64_t i = 0; i < f->arg_count; ++i) {
    const char* form = i < f->form_count ? f->forms[i] : "a";
    list.parameter = i < f->param_count ? f->params[i] : "?";
    args[i] = list.left || !takes_inputs(form) ? take_input(s, &form, &list) : weight(s, f, i);
  }
  if (list.left) rxs_fail(s, "%s takes %d inputs, %d were given", function, input_count - list.left, input_count);
  s->result = rxs_execute(s, index, args, f->arg_count);
  for (int64_t i = 0; i < f->arg_count; ++i) rxs_release(&args[i]);
  free(args);
  collect(s, s->result);
  free(s->output_views);
  s->output_views = rxs_allocate(s, s->output_count * (int64_t)sizeof(rxs_tensor));
  for (int32_t i = 0; i < s->output_count; ++i) s->output_views[i] = s->outputs[i].as.object->as.tensor.view;
  *outputs = s->output_views;
  *output_count = s->output_count;
  return 0;
}

void rxs_close(rxs_session* s) {
  if (!s) return;
  drop_outputs(s);
  rxs_release(&s->result);
  for (int64_t i = 0; i < s->param_count; ++i) {
    rxs_release(&s->params[i]);
    free(s->param_names[i]);
  }
  for (int64_t i = 0; i < s->constant_count; ++i) rxs_release(&s->constants[i]);
  for (int64_t i = 0; s->functions && i < s->function_count; ++i) {
    for (int64_t p = 0; s->functions[i].params && p < s->functions[i].param_count; ++p) free(s->functions[i].params[p]);
    for (int64_t p = 0; p < s->functions[i].form_count; ++p) free(s->functions[i].forms[p]);
    free(s->functions[i].forms);
    free(s->functions[i].params);
    free(s->functions[i].name);
  }
  while (s->frame_count) {
    rxs_frame* frame = &s->frames[--s->frame_count];
    const rxs_function* f = &s->functions[frame->function];
    int64_t registers = f->register_count > f->arg_count ? f->register_count : f->arg_count;
    for (int64_t i = 0; i < registers; ++i) rxs_release(&frame->registers[i]);
    free(frame->registers);
  }
  rxs_free_kernels(s);
  free(s->frames);
  free(s->functions);
  free(s->constants);
  free(s->offsets);
  free(s->words);
  free(s->params);
  free(s->param_names);
  free(s->params_file);
  free(s->outputs);
  free(s->output_views);
  free(s);
}
