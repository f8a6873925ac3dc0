/* The register machine: Call 1, Ret 2, Goto 3, If 4. Frames are on the heap, so a deep recursion of the program ends in
 * a message and not in a crash. */
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

enum { CALL = 1, RET = 2, GOTO = 3, IF = 4 };
#define VOID_REGISTER ((int64_t)1 << 54)
#define MAX_DEPTH 10000

static rxs_value read_arg(rxs_session* s, const rxs_frame* frame, int64_t word) {
  int64_t kind = (word >> 56) & 0xff;
  int64_t payload = (int64_t)((uint64_t)word << 8) >> 8;
  rxs_value v = {RXS_NULL, {0}};
  switch (kind) {
    case 0:
      if (payload >= VOID_REGISTER) return v;
      return frame->registers[payload];
    case 1: return rxs_int(payload);
    case 2: return s->constants[payload];
    default: {
      /* A function as a value: a closure that binds nothing. */
      rxs_object* o = rxs_new(s, RXS_CLOSURE);
      o->as.closure.function = payload;
      return rxs_of(o);
    }
  }
}

static void write_register(rxs_frame* frame, int64_t reg, rxs_value value) {
  if (reg >= VOID_REGISTER) {
    rxs_release(&value);
    return;
  }
  rxs_release(&frame->registers[reg]);
  frame->registers[reg] = value;
}

static void push_frame(rxs_session* s, int64_t function, const rxs_value* args, int64_t count, int64_t destination) {
  const rxs_function* f = &s->functions[function];
  if (count != f->arg_count) {
    rxs_fail(s, "%s takes %lld arguments, %lld were given", f->name, (long long)f->arg_count, (long long)count);
  }
  if (s->frame_count >= MAX_DEPTH) rxs_fail(s, "calls nest deeper than %d, last %s", MAX_DEPTH, f->name);
  if (s->frame_count == s->frame_capacity) {
    int64_t capacity = s->frame_capacity ? s->frame_capacity * 2 : 16;
    rxs_frame* grown = realloc(s->frames, (size_t)capacity * sizeof(rxs_frame));
    if (!grown) rxs_fail(s, "out of memory");
    s->frames = grown;
    s->frame_capacity = capacity;
  }
  int64_t registers = f->register_count > count ? f->register_count : count;
  rxs_frame frame = {function, f->start, destination, rxs_allocate(s, registers * (int64_t)sizeof(rxs_value))};
  for (int64_t i = 0; i < count; ++i) {
    rxs_retain(args[i]);
    frame.registers[i] = args[i];
  }
  s->frames[s->frame_count++] = frame;
}

static void pop_frame(rxs_session* s) {
  rxs_frame* frame = &s->frames[--s->frame_count];
  const rxs_function* f = &s->functions[frame->function];
  int64_t registers = f->register_count > f->arg_count ? f->register_count : f->arg_count;
  for (int64_t i = 0; i < registers; ++i) rxs_release(&frame->registers[i]);
  free(frame->registers);
}

static void call(rxs_session* s, const int64_t* code) {
  int64_t destination = code[1], count = code[3];
  const rxs_function* f = &s->functions[code[2]];
  rxs_value* args = rxs_allocate(s, count * (int64_t)sizeof(rxs_value));
  for (int64_t i = 0; i < count; ++i) {
    args[i] = read_arg(s, &s->frames[s->frame_count - 1], code[4 + i]);
    rxs_retain(args[i]);
  }
  rxs_value result = {RXS_NULL, {0}};
  if (f->kind == 1) {
    push_frame(s, code[2], args, count, destination);
  } else if (f->kernel) {
    result = rxs_call_kernel(s, f->kernel, args, count);
    write_register(&s->frames[s->frame_count - 1], destination, result);
  } else {
    s->pending_function = -1;
    result = rxs_call_builtin(s, f->builtin, args, count);
    if (s->pending_function >= 0) {
      int64_t target = s->pending_function;
      if (s->functions[target].kind == 1) {
        push_frame(s, target, s->pending_args, s->pending_count, destination);
      } else {
        if (!s->functions[target].kernel) rxs_fail(s, "%s can not be called as a closure", s->functions[target].name);
        result = rxs_call_kernel(s, s->functions[target].kernel, s->pending_args, s->pending_count);
        write_register(&s->frames[s->frame_count - 1], destination, result);
      }
      free(s->pending_args);
      s->pending_args = NULL;
    } else {
      write_register(&s->frames[s->frame_count - 1], destination, result);
    }
  }
  for (int64_t i = 0; i < count; ++i) rxs_release(&args[i]);
  free(args);
}

static int truth(rxs_session* s, rxs_value v) {
  if (v.kind == RXS_INT) return v.as.integer != 0;
  rxs_fail(s, "a condition is neither a bool nor an integer");
}

rxs_value rxs_execute(rxs_session* s, int64_t function, const rxs_value* args, int64_t count) {
  while (s->frame_count) pop_frame(s);
  push_frame(s, function, args, count, VOID_REGISTER);
  for (;;) {
    rxs_frame* frame = &s->frames[s->frame_count - 1];
    const int64_t* code = s->words + s->offsets[frame->pc];
    switch (code[0]) {
      case CALL:
        ++frame->pc;
        call(s, code);
        break;
      case RET: {
        rxs_value result = frame->registers[code[1]];
        rxs_retain(result);
        int64_t destination = frame->destination;
        pop_frame(s);
        if (!s->frame_count) return result;
        write_register(&s->frames[s->frame_count - 1], destination, result);
        break;
      }
      case GOTO: frame->pc += code[1]; break;
      case IF: frame->pc += truth(s, frame->registers[code[1]]) ? 1 : code[2]; break;
      default: rxs_fail(s, "unknown instruction %lld", (long long)code[0]);
    }
  }
}
