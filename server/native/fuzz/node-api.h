/*
 * The part of Node-API that the binding uses, without Node: values are in one array until the iteration ends, and the
 * harness decides when work runs. `failAt` makes one of the allocating calls fail, as if memory were exhausted.
 */
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

enum kind { nothing, string, integer, bigint, buffer, error, promise };
enum { valuesMost = 4096, worksMost = 64 };

struct napi_value__ {
  enum kind kind;
  const char *text;
  uint64_t number;
  unsigned char *bytes;
  size_t length;
};
/* A promise and its outcome. */
struct napi_deferred__ {
  struct napi_value__ *settled;
  int settledCount, isResolved;
};
struct napi_async_work__ {
  napi_async_execute_callback execute;
  napi_async_complete_callback complete;
  void *data;
  int isQueued, isDeleted;
};
struct napi_callback_info__ {
  size_t count;
  struct napi_value__ *arguments[3];
};

static struct napi_value__ values[valuesMost];
static struct napi_deferred__ deferreds[worksMost];
static struct napi_async_work__ works[worksMost];
static size_t valueCount, deferredCount, workCount;
static unsigned failAt;
static char thrown[512];

static int failsNow(void) { return failAt > 0 && --failAt == 0; }

static struct napi_value__ *newValue(enum kind kind) {
  if (valueCount == valuesMost) abort();
  values[valueCount] = (struct napi_value__){.kind = kind};
  return &values[valueCount++];
}

static struct napi_value__ *newBytes(enum kind kind, const void *bytes, size_t length) {
  struct napi_value__ *value = newValue(kind);
  value->bytes = malloc(length + 1);
  if (!value->bytes) abort();
  memcpy(value->bytes, bytes, length); /* AddressSanitizer checks what is read */
  value->length = length;
  return value;
}

static void forgetAll(void) {
  for (size_t i = 0; i < valueCount; i++) free(values[i].bytes);
  memset(deferreds, 0, sizeof deferreds);
  memset(works, 0, sizeof works);
  valueCount = deferredCount = workCount = failAt = 0;
  thrown[0] = 0;
}

napi_status napi_get_cb_info(napi_env env, napi_callback_info info, size_t *count, napi_value *arguments, napi_value *self, void **data) {
  (void)env, (void)self, (void)data;
  static struct napi_value__ absent;
  for (size_t i = 0; i < *count; i++) arguments[i] = i < info->count ? info->arguments[i] : &absent;
  *count = info->count;
  return napi_ok;
}

napi_status napi_get_value_string_utf8(napi_env env, napi_value value, char *into, size_t size, size_t *length) {
  (void)env;
  if (value->kind != string) return napi_string_expected;
  *length = value->length;
  if (!into) return napi_ok;
  if (*length > size - 1) *length = size - 1;
  memcpy(into, value->bytes, *length);
  into[*length] = 0;
  return napi_ok;
}

napi_status napi_get_value_uint32(napi_env env, napi_value value, uint32_t *into) {
  (void)env;
  if (value->kind != integer) return napi_number_expected;
  *into = (uint32_t)value->number;
  return napi_ok;
}

napi_status napi_get_value_bigint_uint64(napi_env env, napi_value value, uint64_t *into, bool *isWhole) {
  (void)env;
  if (value->kind != bigint) return napi_bigint_expected;
  *into = value->number;
  *isWhole = value->length == 0; /* a longer bigint has a length here */
  return napi_ok;
}

napi_status napi_get_buffer_info(napi_env env, napi_value value, void **bytes, size_t *length) {
  (void)env;
  if (value->kind != buffer) return napi_invalid_arg;
  *bytes = value->bytes;
  *length = value->length;
  return napi_ok;
}

napi_status napi_throw_error(napi_env env, const char *code, const char *message) {
  (void)env, (void)code;
  if (thrown[0]) abort(); /* one call throws once */
  strncpy(thrown, message, sizeof thrown - 1);
  return napi_ok;
}

napi_status napi_create_bigint_uint64(napi_env env, uint64_t number, napi_value *result) {
  (void)env;
  if (failsNow()) return napi_generic_failure;
  *result = newValue(bigint);
  (*result)->number = number;
  return napi_ok;
}

napi_status napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result) {
  (void)env, (void)length;
  if (failsNow()) return napi_generic_failure;
  *result = newBytes(string, text, strlen(text));
  return napi_ok;
}

napi_status napi_create_error(napi_env env, napi_value code, napi_value message, napi_value *result) {
  (void)env, (void)code;
  if (!message || message->kind != string) return napi_string_expected;
  *result = newValue(error);
  return napi_ok;
}

napi_status napi_create_buffer_copy(napi_env env, size_t length, const void *bytes, void **data, napi_value *result) {
  (void)env, (void)data;
  if (failsNow()) return napi_generic_failure;
  *result = newBytes(buffer, bytes, length);
  return napi_ok;
}

napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *result) {
  (void)env;
  if (failsNow()) return napi_generic_failure;
  if (deferredCount == worksMost) abort();
  *deferred = &deferreds[deferredCount++];
  *result = newValue(promise);
  return napi_ok;
}

static napi_status settle(napi_deferred deferred, napi_value value, int isResolved) {
  if (!value) return napi_invalid_arg;
  deferred->settled = value;
  deferred->settledCount += 1;
  deferred->isResolved = isResolved;
  return napi_ok;
}
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value) {
  (void)env;
  return settle(deferred, value, 1);
}
napi_status napi_reject_deferred(napi_env env, napi_deferred deferred, napi_value value) {
  (void)env;
  return settle(deferred, value, 0);
}

napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name, napi_async_execute_callback execute,
                                   napi_async_complete_callback complete, void *data, napi_async_work *result) {
  (void)env, (void)resource, (void)name;
  if (failsNow()) return napi_generic_failure;
  if (workCount == worksMost) abort();
  works[workCount] = (struct napi_async_work__){.execute = execute, .complete = complete, .data = data};
  *result = &works[workCount++];
  return napi_ok;
}
napi_status napi_queue_async_work(napi_env env, napi_async_work work) {
  (void)env;
  if (failsNow()) return napi_generic_failure;
  work->isQueued = 1;
  return napi_ok;
}
napi_status napi_delete_async_work(napi_env env, napi_async_work work) {
  (void)env;
  if (work->isDeleted) abort();
  work->isDeleted = 1;
  return napi_ok;
}

/* For the binding's table of functions, which the harness does not use. */
napi_status napi_create_function(napi_env env, const char *name, size_t length, napi_callback function, void *data, napi_value *result) {
  (void)env, (void)name, (void)length, (void)function, (void)data;
  *result = newValue(nothing);
  return napi_ok;
}
napi_status napi_set_named_property(napi_env env, napi_value object, const char *name, napi_value value) {
  (void)env, (void)object, (void)name, (void)value;
  return napi_ok;
}
