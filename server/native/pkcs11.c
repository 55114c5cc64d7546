/*
 * PKCS#11 binding: signs with private keys that stay in an HSM (OASIS PKCS#11 2.40). Optional: `npm run build:pkcs11`
 * compiles it, and only `tollgate signer` loads it. Return values of the module are validated before use: see
 * README.md.
 */
#define _DEFAULT_SOURCE
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

/*
 * The function list of a module (CK_FUNCTION_LIST), in the standard's order. Functions that are not called are
 * placeholders.
 */
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
  keyLabelBytesMax = 255,
  pinBytesMax = 255,
  fileBytesMax = 4095,
  slotsMax = 64,
  /* A session signs one text at a time, and so does a thread of libuv's pool. */
  sessionsMax = 8,
  signatureBytesMax = 1024
};

static struct module *module;
/* True after the login. Before the login there may be no session, and a caller would wait for one without end. */
static int isOpen;
static number sessions[sessionsMax];
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
  snprintf(message, sizeof message, code ? "%s: PKCS#11 error 0x%lx." : "%s.", what, code);
  napi_throw_error(env, NULL, message);
  return NULL;
}

/*
 * Reads a text of at most max bytes. Rejects a longer one and one with a zero byte, because a truncated label is
 * another label.
 */
static int readText(napi_env env, napi_value value, char *text, size_t max) {
  size_t length;
  if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok || length > max) return 0;
  if (napi_get_value_string_utf8(env, value, text, max + 1, &length) != napi_ok) return 0;
  return strlen(text) == length;
}

/* Finds the slot whose token has this label, which tokens pad with spaces. Returns the error, or NULL. */
static const char *findSlot(const char *label, number *slot, number *code) {
  number slots[slotsMax], count = slotsMax;
  char wanted[labelBytes + 1];
  snprintf(wanted, sizeof wanted, "%-*s", labelBytes, label);
  *code = module->getSlotList(1, slots, &count);
  if (*code) return "The module does not list its slots";
  if (count > slotsMax) return "The module has more than 64 slots with a token";
  for (number i = 0; i < count; i++) {
    number information[64] = {0}; /* longer than CK_TOKEN_INFO, and aligned like it; its first field is the token's label */
    if (module->getTokenInfo(slots[i], information) == 0 && memcmp(information, wanted, labelBytes) == 0) {
      *slot = slots[i];
      return NULL;
    }
  }
  return "There is no token with this label";
}

static int hasFunctions(const struct module *list) {
  return list && list->initialize && list->getSlotList && list->getTokenInfo && list->openSession && list->login &&
         list->findObjectsInit && list->findObjects && list->findObjectsFinal && list->signInit && list->sign;
}

/* Loads the module, opens all sessions and logs in. Returns the error, or NULL. */
static const char *openModule(const char *file, const char *label, const char *pin, number *code) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  number (*getFunctionList)(struct module **) = NULL;
  struct module *list = NULL;
  if (library) *(void **)&getFunctionList = dlsym(library, "C_GetFunctionList");
  if (!getFunctionList || getFunctionList(&list) || !hasFunctions(list)) return "This is no PKCS#11 module";
  module = list;
  struct locking locking = {.flags = osLocking};
  number slot = 0;
  *code = module->initialize(&locking);
  if (*code && *code != alreadyInitialized) return "The module does not start";
  const char *problem = findSlot(label, &slot, code);
  if (problem) return problem;
  for (; freeCount < sessionsMax; freeCount++) {
    *code = module->openSession(slot, serialSession, NULL, NULL, &sessions[freeCount]);
    if (*code) return "The token opens no session";
  }
  *code = module->login(sessions[0], user, (const unsigned char *)pin, strlen(pin));
  return *code && *code != alreadyLoggedIn ? "The token refuses the PIN" : NULL;
}

/* open(file, token, pin): once, before any other call. After a failure the process must be restarted. */
static napi_value openToken(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  size_t given = 3;
  char file[fileBytesMax + 1], label[labelBytes + 1], pin[pinBytesMax + 1];
  number code = 0;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (given < 3 || !readText(env, arguments[0], file, fileBytesMax) || !readText(env, arguments[1], label, labelBytes))
    return refuse(env, "A file, the label of a token (at most 32 bytes) and its PIN", 0);
  if (module) return refuse(env, "A module is loaded already", 0);
  const char *problem =
      readText(env, arguments[2], pin, pinBytesMax) ? openModule(file, label, pin, &code) : "The PIN has at most 255 bytes";
  /* Not memset: a compiler may remove it, because the array is not read afterwards. */
  explicit_bzero(pin, sizeof pin);
  if (problem) return refuse(env, problem, code);
  isOpen = 1;
  return NULL;
}

/* find(label, keyType): bigint, the key's handle. Throws unless there is exactly one such private key. */
static napi_value findKey(napi_env env, napi_callback_info info) {
  napi_value arguments[2], result = NULL;
  size_t given = 2;
  char label[keyLabelBytesMax + 1];
  uint32_t type;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (!isOpen || given < 2 || !readText(env, arguments[0], label, keyLabelBytesMax) ||
      napi_get_value_uint32(env, arguments[1], &type) != napi_ok)
    return refuse(env, "A label (at most 255 bytes) and a type of key, once a token is open", 0);
  number class = classPrivateKey, keyType = type, keys[2] = {0}, count = 0;
  struct attribute wanted[] = {{attributeClass, &class, sizeof class},
                               {attributeLabel, label, strlen(label)},
                               {attributeKeyType, &keyType, sizeof keyType}};
  const number session = takeSession();
  number code = module->findObjectsInit(session, wanted, 3);
  if (!code) {
    code = module->findObjects(session, keys, 2, &count);
    module->findObjectsFinal(session);
  }
  giveBack(session);
  if (code) return refuse(env, "The token cannot be searched", code);
  if (count > 1) return refuse(env, "There are several such keys", 0);
  if (count == 0 || keys[0] == 0) return refuse(env, "There is no such key", 0);
  napi_create_bigint_uint64(env, keys[0], &result);
  return result;
}

struct task {
  napi_async_work work;
  napi_deferred deferred;
  number key, mechanism, code, length;
  unsigned char signature[signatureBytesMax];
  size_t byteCount;
  unsigned char bytes[]; /* a copy: JavaScript may change or free its buffer before it is signed */
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
  napi_value signature = NULL, message = NULL, error = NULL;
  const int isSigned = status == napi_ok && task->code == 0;
  const int isPlausible = isSigned && task->length > 0 && task->length <= sizeof task->signature;
  if (isPlausible && napi_create_buffer_copy(env, task->length, task->signature, NULL, &signature) == napi_ok) {
    napi_resolve_deferred(env, task->deferred, signature);
  } else {
    char text[96];
    snprintf(text, sizeof text, isSigned ? "The token returned a signature of %lu bytes." : "The token does not sign: PKCS#11 error 0x%lx.",
             isSigned ? task->length : task->code);
    napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &error);
    napi_reject_deferred(env, task->deferred, error);
  }
  napi_delete_async_work(env, task->work);
  free(task);
}

/* sign(key, mechanism, text): Promise<Buffer>, in the thread pool. */
static napi_value startSigning(napi_env env, napi_callback_info info) {
  napi_value arguments[3], promise, name;
  size_t given = 3, byteCount;
  uint64_t key;
  uint32_t mechanism;
  void *bytes;
  bool isWhole;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (!isOpen || given < 3 || napi_get_value_bigint_uint64(env, arguments[0], &key, &isWhole) != napi_ok || !isWhole ||
      napi_get_value_uint32(env, arguments[1], &mechanism) != napi_ok ||
      napi_get_buffer_info(env, arguments[2], &bytes, &byteCount) != napi_ok)
    return refuse(env, "A key, a mechanism and a buffer, once a token is open", 0);
  struct task *task = calloc(1, sizeof *task + byteCount);
  if (!task) return refuse(env, "Out of memory", 0);
  task->key = key;
  task->mechanism = mechanism;
  task->byteCount = byteCount;
  if (byteCount > 0) memcpy(task->bytes, bytes, byteCount);
  if (napi_create_string_utf8(env, "tollgate pkcs11", NAPI_AUTO_LENGTH, &name) == napi_ok &&
      napi_create_async_work(env, NULL, name, execute, complete, task, &task->work) == napi_ok &&
      napi_create_promise(env, &task->deferred, &promise) == napi_ok && napi_queue_async_work(env, task->work) == napi_ok)
    return promise;
  if (task->work) napi_delete_async_work(env, task->work);
  free(task);
  return refuse(env, "Node starts no work", 0);
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
