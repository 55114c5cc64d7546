/*
 * RSA-2048 signatures (PKCS#1 v1.5, SHA-256), four at a time, by AVX-512: each of the eight 64-bit lanes of a
 * register computes one half of a signature (modulo p or q, by the Chinese remainder theorem). OpenSSL computes the
 * two halves of one signature, in a quarter of the register or without it.
 *
 * Optional: see docs/decisions/0074. How numbers are multiplied is in rsa-lanes-numbers.h.
 *
 * Constant time: no branch and no address depends on a key or a message. Tables of powers are read whole and
 * selected by masks. Every signature is checked with the public exponent before it is handed out, as a fault in one
 * half would reveal the key (Boneh, DeMillo, Lipton).
 */
#define NAPI_VERSION 8
#include "rsa-lanes-numbers.h"
#include <node_api.h>
#include <stdlib.h>
#include <string.h>

enum {
  lanes = 8,
  most = 4, /* signatures at a time: two halves each */
  keyBytes = 256,
  nibbles = 256, /* of an exponent */
  nibblesOfDigit = 13,
  digestBytes = 32
};

/* One prime, with what Montgomery multiplication modulo it needs; R is 2^1040. */
struct prime {
  uint64_t modulus[half];
  uint64_t toMontgomery[half]; /* R² mod p */
  uint64_t exponent[half];     /* d mod p-1 */
  uint64_t negativeInverse;    /* -1/p mod 2^52 */
};

/* As `rsa-lanes.ts` lays it out. */
struct key {
  struct prime primes[2];  /* p and q */
  uint64_t qInverse[half]; /* (1/q)·R mod p */
};

/* What is secret while a batch is signed, in one piece that is wiped as one. What the compiler spills to the stack is not. */
struct batch {
  struct primes primes;
  __m512i toMontgomery[half], exponent[half];
  __m512i message[half], result[half], power[half], table[16][half];
  __m512i low[half], high[half];
  uint64_t digits[most][whole];
};

static void wipe(void *memory, size_t bytes) {
  memset(memory, 0, bytes);
  __asm__ __volatile__("" : : "r"(memory) : "memory"); /* or the compiler leaves it out */
}

/* Out of Montgomery's form, and below the modulus. */
INLINE void canonical(struct batch *batch, __m512i *number) {
  __m512i one[half], less[half];
  EACH(j, half) one[j] = _mm512_setzero_si512();
  one[0] = _mm512_set1_epi64(1);
  multiply(&batch->primes, number, number, one);
  EACH(j, half) less[j] = _mm512_sub_epi64(number[j], batch->primes.modulus[j]);
  const __mmask8 isBelow = _mm512_movepi64_mask(carryTo(less, less));
  EACH(j, half) number[j] = _mm512_mask_mov_epi64(less[j], isBelow, number[j]);
}

static inline int signatureOf(int lane, int count) {
  return lane % most < count ? lane % most : 0; /* a lane that nobody needs repeats the first */
}

INLINE void setLane(__m512i *number, int lane, const uint64_t *digits) {
  for (int j = 0; j < half; j++) ((uint64_t *)&number[j])[lane] = digits[j];
}

/* `batch->digits` modulo each lane's prime, in Montgomery's form: high·R + low. */
INLINE void reduce(struct batch *batch, __m512i *residue, int count) {
  for (int lane = 0; lane < lanes; lane++) {
    const uint64_t *digits = batch->digits[signatureOf(lane, count)];
    setLane(batch->low, lane, digits);
    setLane(batch->high, lane, digits + half);
  }
  multiply(&batch->primes, batch->high, batch->high, batch->toMontgomery);
  multiply(&batch->primes, batch->high, batch->high, batch->toMontgomery);
  multiply(&batch->primes, batch->low, batch->low, batch->toMontgomery);
  EACH(j, half) residue[j] = _mm512_add_epi64(batch->high[j], batch->low[j]);
  carryTo(residue, residue);
}

/* The message to the secret exponent, four bits at a time; all sixteen powers are read each time. */
INLINE void raiseToSecret(struct batch *batch) {
  __m512i one[half];
  EACH(j, half) one[j] = _mm512_setzero_si512();
  one[0] = _mm512_set1_epi64(1);
  multiply(&batch->primes, batch->table[0], batch->toMontgomery, one);
  for (int k = 1; k < 16; k++) multiply(&batch->primes, batch->table[k], batch->table[k - 1], batch->message);
  memcpy(batch->result, batch->table[0], sizeof batch->result);
  for (int n = nibbles - 1; n >= 0; n--) {
    for (int times = 0; times < 4; times++) square(&batch->primes, batch->result, batch->result);
    const __m512i digit = batch->exponent[n / nibblesOfDigit];
    const __m512i nibble =
        _mm512_and_si512(_mm512_srli_epi64(digit, (unsigned)(n % nibblesOfDigit * 4)), _mm512_set1_epi64(15));
    __m512i power[half];
    EACH(j, half) power[j] = _mm512_setzero_si512();
    for (int k = 0; k < 16; k++) {
      const __mmask8 isIt = _mm512_cmpeq_epi64_mask(nibble, _mm512_set1_epi64(k));
      EACH(j, half) power[j] = _mm512_mask_mov_epi64(power[j], isIt, batch->table[k][j]);
    }
    memcpy(batch->power, power, sizeof power);
    multiply(&batch->primes, batch->result, batch->result, batch->power);
  }
  canonical(batch, batch->result);
}

/* Whether `batch->digits`, now signatures, are the messages when raised to 65,537. */
INLINE int isRight(struct batch *batch, int count) {
  reduce(batch, batch->power, count);
  memcpy(batch->result, batch->power, sizeof batch->result);
  for (int times = 0; times < 16; times++) square(&batch->primes, batch->result, batch->result);
  multiply(&batch->primes, batch->result, batch->result, batch->power);
  canonical(batch, batch->result);
  canonical(batch, batch->message);
  __mmask8 differ = 0;
  EACH(j, half) differ |= _mm512_cmpneq_epi64_mask(batch->result[j], batch->message[j]);
  return differ == 0;
}

/* Garner: q·((mp - mq)/q mod p) + mq, with mp in the lower four lanes of the result and mq in the upper four. */
INLINE void join(struct batch *batch, const struct key *const *keys, int count) {
  for (int lane = 0; lane < most; lane++) {
    for (int j = 0; j < half; j++)
      ((uint64_t *)&batch->low[j])[lane] = ((uint64_t *)&batch->result[j])[lane + most];
    setLane(batch->high, lane, keys[signatureOf(lane, count)]->qInverse);
  }
  EACH(j, half) {
    const __m512i twice = _mm512_slli_epi64(batch->primes.modulus[j], 1); /* q is below 2p: nothing is negative */
    batch->power[j] = _mm512_add_epi64(_mm512_sub_epi64(batch->result[j], batch->low[j]), twice);
  }
  carryTo(batch->power, batch->power);
  /* By toMontgomery once more, as `canonical` divides by R. */
  multiply(&batch->primes, batch->power, batch->power, batch->high);
  multiply(&batch->primes, batch->power, batch->power, batch->toMontgomery);
  canonical(batch, batch->power);
  for (int lane = 0; lane < count; lane++) {
    const uint64_t *q = keys[lane]->primes[1].modulus;
    unsigned __int128 sum = 0;
    for (int n = 0; n < whole; n++) {
      if (n < half) sum += ((uint64_t *)&batch->low[n])[lane];
      for (int j = n < half ? 0 : n - half + 1; j <= n && j < half; j++)
        sum += (unsigned __int128)((uint64_t *)&batch->power[j])[lane] * q[n - j];
      batch->digits[lane][n] = (uint64_t)sum & digitMask;
      sum >>= 52;
    }
  }
}

/* Between digits of 52 bits and bytes, most significant first. */
static void fromBytes(uint64_t *digits, const uint8_t *bytes) {
  memset(digits, 0, whole * sizeof *digits);
  for (int i = 0, bit = 0; i < keyBytes; i++, bit += 8) {
    const uint64_t byte = bytes[keyBytes - 1 - i];
    digits[bit / 52] |= (byte << (bit % 52)) & digitMask;
    if (bit % 52 > 44) digits[bit / 52 + 1] |= byte >> (52 - bit % 52);
  }
}

static void toBytes(uint8_t *bytes, const uint64_t *digits) {
  for (int i = 0, bit = 0; i < keyBytes; i++, bit += 8) {
    uint64_t byte = digits[bit / 52] >> (bit % 52);
    if (bit % 52 > 44) byte |= digits[bit / 52 + 1] << (52 - bit % 52);
    bytes[keyBytes - 1 - i] = (uint8_t)byte;
  }
}

/* EMSA-PKCS1-v1_5 of a SHA-256 digest. */
static void pad(uint64_t *digits, const uint8_t *digest) {
  static const uint8_t sha256[] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                   0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};
  uint8_t block[keyBytes];
  uint8_t *end = block + keyBytes;
  memset(block, 0xff, sizeof block);
  block[0] = 0;
  block[1] = 1;
  memcpy(end -= digestBytes, digest, digestBytes);
  memcpy(end -= sizeof sha256, sha256, sizeof sha256);
  *--end = 0;
  fromBytes(digits, block);
}

/* Signs up to four digests, each with its key. False if one came out wrong: then none may leave. */
static TARGET int signTogether(struct batch *batch, const struct key *const *keys, int count, const uint8_t *digests,
                               uint8_t *signatures) {
  for (int i = 0; i < count; i++) pad(batch->digits[i], digests + i * digestBytes);
  for (int lane = 0; lane < lanes; lane++) {
    const struct prime *prime = &keys[signatureOf(lane, count)]->primes[lane / most];
    setLane(batch->primes.modulus, lane, prime->modulus);
    setLane(batch->toMontgomery, lane, prime->toMontgomery);
    ((uint64_t *)&batch->primes.negativeInverse)[lane] = prime->negativeInverse;
    setLane(batch->exponent, lane, prime->exponent);
  }
  EACH(j, half) batch->primes.modulusDoubles[j] = toDouble(batch->primes.modulus[j]);
  reduce(batch, batch->message, count);
  raiseToSecret(batch);
  join(batch, keys, count);
  if (!isRight(batch, count)) return 0;
  for (int i = 0; i < count; i++) toBytes(signatures + i * keyBytes, batch->digits[i]);
  return 1;
}

/* From here on: what Node calls. */

struct task {
  napi_async_work work;
  napi_deferred deferred;
  napi_ref held[most + 1]; /* the keys and the digests live until it is done */
  const struct key *keys[most];
  int count, isDone;
  const uint8_t *digests;
  uint8_t signatures[most * keyBytes];
};

static void execute(napi_env env, void *data) {
  (void)env;
  struct task *task = data;
  struct batch *batch = aligned_alloc(64, (sizeof *batch + 63) / 64 * 64);
  if (!batch) return;
  task->isDone = signTogether(batch, task->keys, task->count, task->digests, task->signatures);
  wipe(batch, sizeof *batch);
  free(batch);
}

static void complete(napi_env env, napi_status status, void *data) {
  struct task *task = data;
  napi_value value;
  if (status == napi_ok && task->isDone) {
    napi_create_buffer_copy(env, (size_t)task->count * keyBytes, task->signatures, NULL, &value);
    napi_resolve_deferred(env, task->deferred, value);
  } else {
    napi_value message;
    napi_create_string_utf8(env, "RSA signatures came out wrong", NAPI_AUTO_LENGTH, &message);
    napi_create_error(env, NULL, message, &value);
    napi_reject_deferred(env, task->deferred, value);
  }
  for (int i = 0; i <= task->count; i++) napi_delete_reference(env, task->held[i]);
  napi_delete_async_work(env, task->work);
  free(task);
}

static napi_value refuse(napi_env env, const char *why) {
  napi_throw_type_error(env, NULL, why);
  return NULL;
}

/* sign(keys: Buffer[], digests: Buffer): Promise<Buffer>, of 32 bytes in and 256 bytes out for each key. */
static napi_value startSigning(napi_env env, napi_callback_info info) {
  napi_value arguments[2], promise, name, key;
  size_t given = 2, bytes;
  uint32_t count = 0;
  void *memory;
  napi_get_cb_info(env, info, &given, arguments, NULL, NULL);
  if (given < 2 || napi_get_array_length(env, arguments[0], &count) != napi_ok || count < 1 || count > most)
    return refuse(env, "from one to four keys");
  if (napi_get_buffer_info(env, arguments[1], &memory, &bytes) != napi_ok || bytes != (size_t)count * digestBytes)
    return refuse(env, "a digest of 32 bytes for each key");
  struct task *task = calloc(1, sizeof *task);
  if (!task) return refuse(env, "no memory");
  task->count = (int)count;
  task->digests = memory;
  for (uint32_t i = 0; i < count; i++) {
    napi_get_element(env, arguments[0], i, &key);
    if (napi_get_buffer_info(env, key, &memory, &bytes) != napi_ok || bytes != sizeof(struct key) ||
        (uintptr_t)memory % sizeof(uint64_t)) {
      free(task);
      return refuse(env, "a key as rsa-lanes.ts lays it out");
    }
    task->keys[i] = memory;
  }
  for (uint32_t i = 0; i < count; i++) {
    napi_get_element(env, arguments[0], i, &key);
    napi_create_reference(env, key, 1, &task->held[i]);
  }
  napi_create_reference(env, arguments[1], 1, &task->held[count]);
  napi_create_promise(env, &task->deferred, &promise);
  napi_create_string_utf8(env, "tollgate rsa lanes", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, NULL, name, execute, complete, task, &task->work);
  napi_queue_async_work(env, task->work);
  return promise;
}

NAPI_MODULE_INIT() {
  napi_value value;
  const int isAble = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  hasIfma = isAble && __builtin_cpu_supports("avx512ifma");
  napi_get_boolean(env, isAble, &value);
  napi_set_named_property(env, exports, "isAble", value);
  napi_create_function(env, "sign", NAPI_AUTO_LENGTH, startSigning, NULL, &value);
  napi_set_named_property(env, exports, "sign", value);
  return exports;
}
