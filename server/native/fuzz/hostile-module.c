/*
 * A PKCS#11 module for the fuzzing harness. It returns errors, lengths, counts and handles from a seed, including ones
 * that no honest module returns. It never writes outside of a given buffer: against a module that does so, no caller in
 * the same process can defend itself.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hostile.h"

struct hostile hostile;

static atomic_ulong calls;
static struct {
  number handle;
  atomic_int isBusy, isSearching, isSigning;
} sessions[sessionCount];
static number matchingSlot;

static uint64_t next(void) { return mix(hostile.seed, atomic_fetch_add(&calls, 1)); }
static int isHostile(void) { return next() % hostile.rarity == 0; }
static number anyError(void) { return (next() >> 8) | 1; }

static void demand(int isKept, const char *rule) {
  if (isKept) return;
  fprintf(stderr, "The binding broke a rule of PKCS#11: %s\n", rule);
  abort();
}

static number initialize(void *locking) {
  demand(locking != NULL, "several threads need locking");
  hostile.isUsed = 1;
  const number code = isHostile() ? (next() % 2 ? 0x191 : anyError()) : ok;
  hostile.isStarted = code == ok || code == 0x191;
  return code;
}

static number getSlotList(unsigned char present, number *slots, number *count) {
  static const number counts[] = {0, 1, 63, 64, 65, 128, 1u << 20, 0xffffffffu, ~0ul};
  demand(present == 1 && slots && count && *count == slotsMost, "slots are listed into a buffer");
  if (isHostile()) return anyError();
  const number honest = 1 + next() % 4;
  const number claimed = isHostile() ? counts[next() % (sizeof counts / sizeof *counts)] : honest;
  for (number i = 0; i < claimed && i < *count; i++) slots[i] = next();
  hostile.isListed = claimed <= *count;
  *count = claimed;
  return ok;
}

static number getTokenInfo(number slot, void *information) {
  if (isHostile()) return anyError();
  if (isHostile()) return ok; /* and nothing is written */
  memset(information, (int)next(), 208);
  memset(information, ' ', 32);
  if (next() % 4 == 0) {
    snprintf(information, 32, "another token %lu", slot % 97);
    return ok;
  }
  memcpy(information, hostile.tokenLabel, strnlen(hostile.tokenLabel, 32));
  if (!hostile.isMatched) matchingSlot = slot;
  hostile.isMatched = 1;
  return ok;
}

static number openSession(number slot, number flags, void *data, void *notify, number *session) {
  demand(flags == 4 && !data && !notify, "sessions are serial");
  demand(hostile.isMatched && slot == matchingSlot, "the slot has the token that is looked for");
  if (isHostile()) return anyError();
  demand(hostile.sessionsOpened < sessionCount, "eight sessions at most");
  *session = sessions[hostile.sessionsOpened++].handle = next();
  return ok;
}

/* Records that a thread uses the session. A session must serve only one thread at a time. */
static number enter(number session) {
  for (number i = 0; i < hostile.sessionsOpened; i++) {
    if (sessions[i].handle != session) continue;
    demand(atomic_exchange(&sessions[i].isBusy, 1) == 0, "a session serves one thread at a time");
    return i;
  }
  demand(0, "the session exists");
  return 0;
}
static void leave(number at) { atomic_store(&sessions[at].isBusy, 0); }

static number login(number session, number user, const unsigned char *pin, number length) {
  leave(enter(session));
  demand(user == 1 && length < sizeof hostile.pin, "a user logs in");
  memcpy(hostile.pin, pin, length);
  hostile.pinLength = length;
  const number code = isHostile() ? (next() % 2 ? 0x100 : anyError()) : ok;
  hostile.isLoggedIn = code == ok || code == 0x100;
  return code;
}

struct attribute {
  number type;
  const void *value;
  number length;
};

static number findObjectsInit(number session, const struct attribute *wanted, number count) {
  demand(hostile.isLoggedIn, "keys are looked for after the login");
  demand(count == 3 && wanted[1].length < sizeof hostile.keyLabel, "class, label and type");
  const number at = enter(session);
  memcpy(hostile.keyLabel, wanted[1].value, wanted[1].length);
  hostile.keyLabelLength = wanted[1].length;
  hostile.searchCode = isHostile();
  if (!hostile.searchCode) demand(atomic_exchange(&sessions[at].isSearching, 1) == 0, "a search ends before the next");
  leave(at);
  return hostile.searchCode ? anyError() : ok;
}

static number findObjects(number session, number *keys, number most, number *count) {
  static const number counts[] = {0, 2, 3, 1u << 20, ~0ul};
  const number at = enter(session);
  hostile.searchCode = isHostile();
  hostile.searchCount = isHostile() ? counts[next() % 5] : 1;
  hostile.handle = isHostile() ? 0 : next();
  if (!isHostile()) {
    for (number i = 0; i < most && i < hostile.searchCount; i++) keys[i] = hostile.handle + i;
  } else
    hostile.handle = 0; /* none is written */
  *count = hostile.searchCount;
  leave(at);
  return hostile.searchCode ? anyError() : ok;
}

static number findObjectsFinal(number session) {
  const number at = enter(session);
  atomic_store(&sessions[at].isSearching, 0);
  leave(at);
  return isHostile() ? anyError() : ok;
}

/* Rejects one key in sixteen. */
static number signInit(number session, const void *mechanism, number key) {
  demand(mechanism != NULL && hostile.isLoggedIn, "a mechanism, after the login");
  const number at = enter(session);
  const number code = isRefused(key) ? key : ok;
  if (code == ok) demand(atomic_exchange(&sessions[at].isSigning, 1) == 0, "a signature ends before the next");
  leave(at);
  return code;
}

static number sign(number session, const unsigned char *text, number count, unsigned char *signature, number *length) {
  const number at = enter(session);
  demand(atomic_exchange(&sessions[at].isSigning, 0) == 1, "signInit comes before sign");
  const struct verdict verdict = verdictOn(hostile.seed, text, count);
  for (number i = 0; i < *length && i < verdict.length; i++) signature[i] = (unsigned char)mix(verdict.stream, i);
  *length = verdict.length;
  leave(at);
  return verdict.code;
}

/* CK_FUNCTION_LIST: a version and 68 functions. */
static struct {
  unsigned char version[2];
  void *functions[68];
} list;

number C_GetFunctionList(void **result) {
  const struct {
    size_t at;
    void *function;
  } functions[] = {{0, (void *)initialize},    {4, (void *)getSlotList},      {6, (void *)getTokenInfo},
                   {12, (void *)openSession},  {18, (void *)login},           {26, (void *)findObjectsInit},
                   {27, (void *)findObjects},  {28, (void *)findObjectsFinal}, {42, (void *)signInit},
                   {43, (void *)sign}};
  const number functionCount = sizeof functions / sizeof *functions;
  atomic_store(&calls, 0);
  for (number i = 0; i < sessionCount; i++) {
    atomic_store(&sessions[i].isBusy, 0);
    atomic_store(&sessions[i].isSearching, 0);
    atomic_store(&sessions[i].isSigning, 0);
  }
  memset(&list, 0, sizeof list);
  for (number i = 0; i < functionCount; i++) list.functions[functions[i].at] = functions[i].function;
  *result = NULL;
  if (isHostile()) return anyError();
  if (isHostile()) return ok; /* without a list */
  *result = &list;
  hostile.hasList = !isHostile();
  if (!hostile.hasList) list.functions[functions[next() % functionCount].at] = NULL;
  return ok;
}
