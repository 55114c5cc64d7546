/*
 * Fuzzes pkcs11.c under AddressSanitizer and UndefinedBehaviorSanitizer: the unchanged binding, a Node-API without
 * Node, and a module that returns hostile values. Compares every result with the module's return value.
 *
 *   harness MODULE SEED SECONDS [ITERATION]     starts with ITERATION, to repeat a failure
 */
#include "node-api.h"
#include "hostile.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static long allocated;
static void *countedCalloc(size_t count, size_t size) {
  allocated += 1;
  return calloc(count, size);
}
static void countedFree(void *block) {
  allocated -= block != NULL;
  free(block);
}
#define calloc countedCalloc
#define free countedFree
#undef _DEFAULT_SOURCE /* the binding defines it */
#include BINDING
#undef calloc
#undef free

void __sanitizer_set_death_callback(void (*callback)(void));
/* The harness counts leaks itself: the sanitizer's own leak check needs ptrace, which containers may refuse. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "handle_abort=1:detect_leaks=0"; }

enum { hangSeconds = 10, threadsMost = 12 };

static struct hostile *hostile;
static uint64_t seed, iteration, draws;
static unsigned long opened, found, signedCount, refusedCount;

static uint64_t draw(void) { return mix(mix(seed, iteration), draws++); }
static int oneIn(unsigned count) { return draw() % count == 0; }

static void sayWhere(void) { fprintf(stderr, "harness: seed %lu, iteration %lu\n", (unsigned long)seed, (unsigned long)iteration); }
static void stopHanging(int signal) {
  (void)signal;
  fprintf(stderr, "harness: hangs\n");
  sayWhere();
  _exit(3);
}
static void demand(int isKept, const char *what) {
  if (isKept) return;
  fprintf(stderr, "harness: %s (the binding threw: %s)\n", what, thrown);
  abort();
}

/* Draws a text: sometimes too long, sometimes with a zero byte, sometimes not a text. */
static napi_value drawText(size_t usual, size_t most, int *isGood) {
  unsigned char bytes[8192];
  const size_t length = oneIn(16) ? draw() % sizeof bytes : draw() % (usual + 1);
  for (size_t i = 0; i < length; i++) bytes[i] = 'a' + draw() % 26;
  const int hasZero = length > 0 && oneIn(24), isText = !oneIn(32);
  if (hasZero) bytes[draw() % length] = 0;
  *isGood = isText && !hasZero && length <= most;
  return newBytes(isText ? string : buffer, bytes, length);
}

static napi_value callWith(napi_callback function, size_t count, napi_value first, napi_value second, napi_value third) {
  struct napi_callback_info__ info = {oneIn(64) ? draw() % count : count, {first, second, third}};
  thrown[0] = 0;
  const napi_value result = function(NULL, &info);
  if (info.count < count) demand(thrown[0], "a missing argument is an error");
  demand(!result || !thrown[0], "a call that throws returns nothing");
  return result;
}

static void tryOpen(const char *file) {
  int isLabelGood, isPinGood;
  napi_value path = newBytes(string, file, strlen(file));
  napi_value label = drawText(40, labelBytes, &isLabelGood), pin = drawText(16, pinBytesMax, &isPinGood);
  char wanted[8193] = {0};
  memcpy(wanted, label->bytes, label->length);
  hostile->tokenLabel = wanted;
  if (oneIn(64)) path = newBytes(string, "/nonexistent.so", 15);
  callWith(openToken, 3, path, label, pin);
  hostile->tokenLabel = "";
  const int isOpenThere = hostile->hasList && hostile->isStarted && hostile->isListed && hostile->isMatched &&
                          hostile->sessionsOpened == sessionsMax && hostile->isLoggedIn;
  demand(isOpenThere == !thrown[0], "open succeeds when the module has opened everything, and then only");
  if (thrown[0]) return;
  demand(isLabelGood && isPinGood, "a text that cannot be passed on whole is refused");
  demand(hostile->pinLength == pin->length && memcmp(hostile->pin, pin->bytes, pin->length) == 0, "the PIN is passed on whole");
  opened += 1;
}

static void tryFind(void) {
  int isGood;
  napi_value label = drawText(300, keyLabelBytesMax, &isGood), type = newValue(oneIn(32) ? bigint : integer);
  hostile->searchCode = 1;
  hostile->keyLabelLength = ~0ul;
  if (oneIn(64)) failAt = 1;
  napi_value result = callWith(findKey, 2, label, type, NULL);
  failAt = 0;
  if (!result) return;
  demand(!thrown[0] && isOpen && isGood, "a key is found by a whole label, when a token is open");
  demand(hostile->keyLabelLength == label->length && memcmp(hostile->keyLabel, label->bytes, label->length) == 0,
         "the label is passed on whole");
  demand(!hostile->searchCode && hostile->searchCount == 1 && hostile->handle != 0, "exactly one key was found");
  demand(result->kind == bigint && result->number == hostile->handle, "the handle is the module's, all 64 bits of it");
  found += 1;
}

static void *runWork(void *work) {
  ((struct napi_async_work__ *)work)->execute(NULL, ((struct napi_async_work__ *)work)->data);
  return NULL;
}

struct question {
  napi_value key, text;
  size_t deferredAt;
  struct verdict verdict;
};

static void judge(const struct question *question) {
  const struct napi_deferred__ *deferred = &deferreds[question->deferredAt];
  const struct verdict verdict = question->verdict;
  const int isGood = !isRefused(question->key->number) && !verdict.code && verdict.length > 0 && verdict.length <= signatureMost;
  demand(deferred->settledCount == 1, "a promise is settled once");
  demand(deferred->isResolved == isGood, "a signature leaves when the module made one of a length that is possible, and then only");
  if (!isGood) {
    refusedCount += 1;
    return;
  }
  const napi_value signature = deferred->settled;
  demand(signature->length == verdict.length, "the signature has the module's length");
  for (size_t i = 0; i < signature->length; i++)
    demand(signature->bytes[i] == (unsigned char)mix(verdict.stream, i), "the signature is the one of this text");
  signedCount += 1;
}

/* Several concurrent signatures, in separate threads; there may be more of them than sessions. */
static void trySign(void) {
  struct question questions[threadsMost];
  pthread_t threads[threadsMost];
  const size_t count = 1 + (oneIn(8) ? draw() % threadsMost : draw() % 2), firstWork = workCount;
  const int isShort = oneIn(16);
  size_t queued = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char text[2048];
    const size_t length = draw() % (oneIn(4) ? sizeof text : 64);
    for (size_t at = 0; at < length; at++) text[at] = (unsigned char)draw();
    struct question question = {newValue(oneIn(64) ? integer : bigint), newBytes(oneIn(64) ? string : buffer, text, length), deferredCount, {0}};
    question.key->number = draw();
    question.key->length = oneIn(64);
    question.verdict = verdictOn(hostile->seed, text, length);
    if (isShort) failAt = 1 + draw() % 4;
    const napi_value mechanism = newValue(integer);
    const napi_value answer = callWith(startSigning, 3, question.key, mechanism, question.text);
    failAt = 0;
    demand(!answer == !!thrown[0], "signing is begun or refused");
    if (answer) questions[queued++] = question;
    /* JavaScript may change its buffer meanwhile; the signature must not change. */
    memset(question.text->bytes, 0, question.text->length);
  }
  size_t started = 0;
  for (size_t i = firstWork; i < workCount; i++)
    if (works[i].isQueued && !pthread_create(&threads[started], NULL, runWork, &works[i])) started += 1;
  demand(started == queued, "started work is queued");
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  if (isShort) failAt = draw() % 4;
  const int isWhole = failAt == 0;
  for (size_t i = firstWork; i < workCount; i++)
    if (works[i].isQueued) works[i].complete(NULL, oneIn(64) && !isWhole ? napi_cancelled : napi_ok, works[i].data);
  failAt = 0;
  for (size_t i = 0; i < queued; i++)
    if (isWhole) judge(&questions[i]);
  for (size_t i = 0; i < deferredCount; i++) demand(deferreds[i].settledCount <= 1, "a promise is settled once at most");
}

static void iterate(const char *file) {
  alarm(hangSeconds);
  draws = 0;
  module = NULL;
  isOpen = freeCount = 0;
  *hostile = (struct hostile){.seed = draw(), .rarity = oneIn(4) ? 4 : 64, .tokenLabel = ""};
  tryOpen(file);
  for (int i = 0; i < 4; i++) {
    tryFind();
    trySign();
  }
  demand(!isOpen || freeCount == sessionsMax, "all sessions are free again");
  for (size_t i = 0; i < workCount; i++) demand(works[i].isDeleted, "all work is deleted");
  demand(allocated == 0, "all memory is freed");
  forgetAll();
}

int main(int count, char **arguments) {
  if (count < 4) return 2;
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  hostile = library ? dlsym(library, "hostile") : NULL;
  if (!hostile) return 2;
  seed = strtoull(arguments[2], NULL, 10);
  const time_t end = time(NULL) + atol(arguments[3]);
  const uint64_t first = count > 4 ? strtoull(arguments[4], NULL, 10) : 0;
  __sanitizer_set_death_callback(sayWhere);
  signal(SIGALRM, stopHanging);
  for (iteration = first; time(NULL) < end; iteration++) iterate(arguments[1]);
  printf("%lu iterations from seed %lu: %lu tokens opened, %lu keys found, %lu signatures, %lu refused\n",
         (unsigned long)(iteration - first), (unsigned long)seed, opened, found, signedCount, refusedCount);
  return opened && found && signedCount && refusedCount ? 0 : 4;
}
