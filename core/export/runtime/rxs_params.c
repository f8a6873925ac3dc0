/* Weights from a safetensors file: 8 bytes with the length of the header, the header (JSON), the data. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rxs_internal.h"

typedef struct {
  rxs_session* s;
  const char* at;
  const char* end;
} json;

static _Noreturn void broken(json* j) { rxs_fail(j->s, "the header of the weights can not be read"); }
static char next(json* j) {
  while (j->at < j->end && isspace((unsigned char)*j->at)) ++j->at;
  if (j->at >= j->end) broken(j);
  return *j->at;
}
static void expect(json* j, char c) {
  if (next(j) != c) broken(j);
  ++j->at;
}
/* A text without escapes, which is what names of weights are; others are refused. */
static char* name(json* j) {
  expect(j, '"');
  const char* begin = j->at;
  while (j->at < j->end && *j->at != '"' && *j->at != '\\') ++j->at;
  if (j->at >= j->end || *j->at == '\\') broken(j);
  char* out = rxs_allocate(j->s, j->at - begin + 1);
  memcpy(out, begin, (size_t)(j->at - begin));
  ++j->at;
  return out;
}
static int64_t list(json* j, int64_t* to, int64_t limit) {
  int64_t n = 0;
  expect(j, '[');
  while (next(j) != ']') {
    if (n == limit || !isdigit((unsigned char)*j->at)) broken(j);
    uint64_t value = 0;
    while (j->at < j->end && isdigit((unsigned char)*j->at)) {
      if (value > (UINT64_MAX >> 1) / 10 - 1) broken(j);
      value = value * 10 + (uint64_t)(*j->at++ - '0');
    }
    to[n++] = (int64_t)value;
    if (next(j) == ',') ++j->at;
  }
  ++j->at;
  return n;
}
/* Skips one value of the metadata: texts in an object. */
static void skip_object(json* j) {
  expect(j, '{');
  while (next(j) != '}') {
    free(name(j));
    expect(j, ':');
    free(name(j));
    if (next(j) == ',') ++j->at;
  }
  ++j->at;
}

static const struct {
  const char* name;
  rxs_dtype type;
} types[] = {{"F64", {2, 64, 1}}, {"F32", {2, 32, 1}}, {"F16", {2, 16, 1}}, {"BF16", {4, 16, 1}}, {"I64", {0, 64, 1}}, {"I32", {0, 32, 1}},
             {"I16", {0, 16, 1}}, {"I8", {0, 8, 1}},   {"U64", {1, 64, 1}}, {"U32", {1, 32, 1}},  {"U16", {1, 16, 1}}, {"U8", {1, 8, 1}},
             {"BOOL", {6, 8, 1}}, {"F8_E4M3", {10, 8, 1}}, {"F8_E5M2", {12, 8, 1}}};

static void add(rxs_session* s, char* key, rxs_value value) {
  int64_t n = s->param_count + 1;
  rxs_value* values = realloc(s->params, (size_t)n * sizeof(rxs_value));
  if (values) s->params = values;
  char** names = realloc(s->param_names, (size_t)n * sizeof(char*));
  if (names) s->param_names = names;
  if (!values || !names) rxs_fail(s, "out of memory");
  s->params[n - 1] = value;
  s->param_names[n - 1] = key;
  s->param_count = n;
}

static void one(json* j, char* key, const unsigned char* data, int64_t size) {
  int64_t shape[RXS_MAX_RANK], range[2] = {0, 0}, rank = 0;
  rxs_dtype type = {0, 0, 0};
  expect(j, '{');
  while (next(j) != '}') {
    char* field = name(j);
    expect(j, ':');
    if (!strcmp(field, "dtype")) {
      char* text = name(j);
      for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        if (!strcmp(types[i].name, text)) type = types[i].type;
      }
      free(text);
    } else if (!strcmp(field, "shape")) {
      rank = list(j, shape, RXS_MAX_RANK);
    } else if (!strcmp(field, "data_offsets")) {
      if (list(j, range, 2) != 2) broken(j);
    } else {
      broken(j);
    }
    free(field);
    if (next(j) == ',') ++j->at;
  }
  ++j->at;
  if (!type.bits) rxs_fail(j->s, "weight %s has an element type that is not known here", key);
  int64_t bytes = rxs_checked_bytes(j->s, shape, rank, type);
  if (range[0] > range[1] || range[1] > size || range[1] - range[0] != bytes) rxs_fail(j->s, "weight %s does not lie in its file", key);
  rxs_object* storage = rxs_new_storage(j->s, bytes);
  memcpy(storage->as.storage.data, data + range[0], (size_t)bytes);
  add(j->s, key, rxs_tensor_value(j->s, storage, 0, shape, rank, type));
}

void rxs_load_params(rxs_session* s, const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) rxs_fail(s, "%s can not be opened", path);
  int64_t size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  rewind(file);
  s->params_file = size < 0 ? NULL : malloc(size ? (size_t)size : 1);
  int whole = s->params_file && fread(s->params_file, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (!whole) rxs_fail(s, "%s can not be read", path);
  uint64_t header = 0;
  if (size >= 8) memcpy(&header, s->params_file, 8);
  if (size < 8 || header > (uint64_t)size - 8) rxs_fail(s, "%s is no safetensors file", path);
  json j = {s, (const char*)s->params_file + 8, (const char*)s->params_file + 8 + header};
  const unsigned char* data = s->params_file + 8 + header;
  expect(&j, '{');
  while (next(&j) != '}') {
    char* key = name(&j);
    expect(&j, ':');
    if (!strcmp(key, "__metadata__")) {
      skip_object(&j);
      free(key);
    } else {
      one(&j, key, data, size - 8 - (int64_t)header);
    }
    if (next(&j) == ',') ++j.at;
  }
  free(s->params_file);
  s->params_file = NULL;
}
