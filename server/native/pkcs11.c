/*
 * Signs with keys that stay in an HSM, by its PKCS#11 module (OASIS, version 2.40). Optional: `npm run build:pkcs11` compiles it, and
 * only `tollgate signer` loads it. It holds no key, and finds one by its label. See docs/decisions/0083.
 */
#define _POSIX_C_SOURCE 200809L
#define NAPI_VERSION 8
#include <dlfcn.h>
#include <node_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long number;

struct attribute {
  number type;
  void *value;
  number length;
};
struct mechanism {
  number type;
  void *parameter;
  number length;
};
struct locking {
  void *functions[4];
  number flags;
  void *reserved;
};

/* The functions of a module, in the order that the standard gives them; those that are not called are only counted. */
struct module {
  unsigned char version[2];
  number (*initialize)(struct locking *);
  void *skipped1[3];
  number (*getSlotList)(unsigned char, number *, number *);
  void *skipped2;
  number (*getTokenInfo)(number, void *);
  void *skipped3[5];
  number (*openSession)(number, number, void *, void *, number *);
  void *skipped4[5];
  number (*login)(number, number, const unsigned char *, number);
  void *skipped5[7];
  number (*findObjectsInit)(number, struct attribute *, number);
  number (*findObjects)(number, number *, number, number *);
  number (*findObjectsFinal)(number);
  void *skipped6[13];
  number (*signInit)(number, struct mechanism *, number);
  number (*sign)(number, const unsigned char *, number, unsigned char *, number *);
};

enum {
  osLocking = 2,
  serialSession = 4,
  user = 1,
  alreadyInitialized = 0x191,
  alreadyLoggedIn = 0x100,
  attributeClass = 0,
  attributeLabel = 3,
  attributeKeyType = 0x100,
  classPrivateKey = 3,
  labelBytes = 32,
  slotsMost = 64,
  /* A session does one thing at a time, and so does a thread of the pool. */
  sessionsMost = 8,
  signatureBytesMost = 1024
};

static struct module *module;
static number sessions[sessionsMost];
static int freeCount;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t oneIsFree = PTHREAD_COND_INITIALIZER;

static number takeSession(void) {
  pthread_mutex_lock(&mutex);
  while (freeCount == 0) pthread_cond_wait(&oneIsFree, &mutex);
  const number session = sessions[--freeCount];
  pthread_mutex_unlock(&mutex);
  return session;
}

static void giveBack(number session) {
  pthread_mutex_lock(&mutex);
  sessions[freeCount++] = session;
  pthread_cond_signal(&oneIsFree);
  pthread_mutex_unlock(&mutex);
}

static napi_value refuse(napi_env env, const char *what, number code) {
  char message[256];
  snprintf(message, sizeof message, code ? "%s: PKCS#11 says 0x%lx." : "%s.", what, code);
  napi_throw_error(env, NULL, message);
  return NULL;
}

/* The slot whose token has this label, which is padded with blanks. */
static int findSlot(const char *label, number *slot) {
  number slots[slotsMost], count = slotsMost;
  unsigned char wanted[labelBytes];
  memset(wanted, ' ', sizeof wanted);
  memcpy(wanted, label, strnlen(label, sizeof wanted));
  if (module->getSlotList(1, slots, &count)) return 0;
  for (number i = 0; i < count; i++) {
    number information[64]; /* longer than a token's, and aligned as it is; the label comes first */
    if (module->getTokenInfo(slots[i], information) == 0 && memcmp(information, wanted, sizeof wanted) == 0) {
      *slot = slots[i];
      return 1;
    }
  }
  return 0;
}

/* open(file, token, pin): once, before anything else. */
static napi_value openToken(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  size_t given = 3, length;
  char texts[3][4096];
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  for (size_t i = 0; i < 3; i++)
    if (i >= given || napi_get_value_string_utf8(env, arguments[i], texts[i], sizeof texts[i], &length) != napi_ok)
      return refuse(env, "A file, the label of a token and its PIN", 0);
  if (module) return refuse(env, "A module is open already", 0);
  void *library = dlopen(texts[0], RTLD_NOW | RTLD_LOCAL);
  number (*getFunctionList)(struct module **) = NULL;
  if (library) *(void **)&getFunctionList = dlsym(library, "C_GetFunctionList");
  if (!getFunctionList || getFunctionList(&module)) {
    module = NULL;
    return refuse(env, "This is no PKCS#11 module", 0);
  }
  struct locking locking = {.flags = osLocking};
  number slot, code = module->initialize(&locking);
  if (code && code != alreadyInitialized) return refuse(env, "The module does not start", code);
  if (!findSlot(texts[1], &slot)) return refuse(env, "There is no token with this label", 0);
  for (; freeCount < sessionsMost; freeCount++) {
    code = module->openSession(slot, serialSession, NULL, NULL, &sessions[freeCount]);
    if (code) return refuse(env, "The token opens no session", code);
  }
  code = module->login(sessions[0], user, (unsigned char *)texts[2], strlen(texts[2]));
  memset(texts[2], 0, sizeof texts[2]);
  if (code && code != alreadyLoggedIn) return refuse(env, "The token refuses the PIN", code);
  return NULL;
}

/* find(label, keyType): number. Throws unless there is exactly one such private key. */
static napi_value findKey(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result;
  size_t given = 2, length;
  char label[256];
  int64_t type;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (!module || given < 2 || napi_get_value_string_utf8(env, arguments[0], label, sizeof label, &length) != napi_ok ||
      napi_get_value_int64(env, arguments[1], &type) != napi_ok)
    return refuse(env, "A label and a type of key, once a module is open", 0);
  number class = classPrivateKey, keyType = (number)type, keys[2], count = 0;
  struct attribute wanted[] = {{attributeClass, &class, sizeof class},
                               {attributeLabel, label, length},
                               {attributeKeyType, &keyType, sizeof keyType}};
  const number session = takeSession();
  number code = module->findObjectsInit(session, wanted, 3);
  if (!code) {
    code = module->findObjects(session, keys, 2, &count);
    module->findObjectsFinal(session);
  }
  giveBack(session);
  if (code) return refuse(env, "The token cannot be searched", code);
  if (count != 1) return refuse(env, count ? "There are several such keys" : "There is no such key", 0);
  napi_create_int64(env, (int64_t)keys[0], &result);
  return result;
}

struct task {
  napi_async_work work;
  napi_deferred deferred;
  napi_ref text; /* lives until it is signed */
  number key, mechanism, code, length;
  const unsigned char *bytes;
  size_t byteCount;
  unsigned char signature[signatureBytesMost];
};

static void execute(napi_env env, void *data) {
  (void)env;
  struct task *task = data;
  struct mechanism mechanism = {task->mechanism, NULL, 0};
  const number session = takeSession();
  task->length = sizeof task->signature;
  task->code = module->signInit(session, &mechanism, task->key);
  if (!task->code) task->code = module->sign(session, task->bytes, task->byteCount, task->signature, &task->length);
  giveBack(session);
}

static void complete(napi_env env, napi_status status, void *data) {
  struct task *task = data;
  napi_value value;
  if (status == napi_ok && task->code == 0) {
    napi_create_buffer_copy(env, task->length, task->signature, NULL, &value);
    napi_resolve_deferred(env, task->deferred, value);
  } else {
    char text[80];
    napi_value message;
    snprintf(text, sizeof text, "The token does not sign: PKCS#11 says 0x%lx.", task->code);
    napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &value);
    napi_reject_deferred(env, task->deferred, value);
  }
  napi_delete_reference(env, task->text);
  napi_delete_async_work(env, task->work);
  free(task);
}

/* sign(key, mechanism, text): Promise<Buffer>, in the thread pool. */
static napi_value startSigning(napi_env env, napi_callback_info info) {
  napi_value arguments[3], promise, name;
  size_t given = 3, byteCount;
  int64_t key, mechanism;
  void *bytes;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (!module || given < 3 || napi_get_value_int64(env, arguments[0], &key) != napi_ok ||
      napi_get_value_int64(env, arguments[1], &mechanism) != napi_ok ||
      napi_get_buffer_info(env, arguments[2], &bytes, &byteCount) != napi_ok)
    return refuse(env, "A key, a mechanism and a buffer, once a module is open", 0);
  struct task *task = calloc(1, sizeof *task);
  if (!task) return refuse(env, "No memory", 0);
  task->key = (number)key;
  task->mechanism = (number)mechanism;
  task->bytes = bytes;
  task->byteCount = byteCount;
  napi_create_reference(env, arguments[2], 1, &task->text);
  napi_create_promise(env, &task->deferred, &promise);
  napi_create_string_utf8(env, "tollgate pkcs11", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, NULL, name, execute, complete, task, &task->work);
  napi_queue_async_work(env, task->work);
  return promise;
}

NAPI_MODULE_INIT() {
  const struct {
    const char *name;
    napi_callback function;
  } all[] = {{"open", openToken}, {"find", findKey}, {"sign", startSigning}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    napi_value value;
    napi_create_function(env, all[i].name, NAPI_AUTO_LENGTH, all[i].function, NULL, &value);
    napi_set_named_property(env, exports, all[i].name, value);
  }
  return exports;
}
