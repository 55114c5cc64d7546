/* Shared by the harness and the hostile module: random numbers, and the module's actions in the current iteration. */
#include <stddef.h>
#include <stdint.h>

typedef unsigned long number;

enum { ok = 0, generalError = 5, sessionCount = 8, slotsMost = 64, signatureMost = 1024 };

/* splitmix64 of seed and index, so that an iteration does not depend on earlier ones. */
static inline uint64_t mix(uint64_t seed, uint64_t at) {
  uint64_t z = seed + (at + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline uint64_t digestOf(const unsigned char *bytes, size_t count) {
  uint64_t digest = count;
  for (size_t i = 0; i < count; i++) digest = mix(digest, bytes[i]);
  return digest;
}

/* The module's return values for a text. The harness computes the same values, and compares. */
struct verdict {
  number code, length;
  uint64_t stream; /* byte i of the signature is mix(stream, i) */
};

static inline struct verdict verdictOn(uint64_t seed, const unsigned char *text, size_t count) {
  static const number lengths[] = {0,    1,    64,   256,          1023,         1024,
                                   1025, 2048, 4096, 0x7fffffffu, 0xffffffffu, ~0ul};
  const uint64_t stream = mix(seed, digestOf(text, count));
  const uint64_t way = mix(stream, ~0ul);
  return (struct verdict){.code = way % 16 == 1 ? (way >> 32) | 1 : ok,
                          .length = way % 16 < 8 ? 256 : lengths[(way >> 8) % (sizeof lengths / sizeof *lengths)],
                          .stream = stream};
}

static inline int isRefused(number key) { return key % 16 == 1; }

/* The request of the harness, and the module's observations of it. */
struct hostile {
  uint64_t seed;
  /* A function misbehaves once in `rarity` calls. */
  unsigned rarity;
  const char *tokenLabel; /* label of the token that the harness looks for */
  int isUsed, hasList, isStarted, isListed, isMatched, isLoggedIn;
  number sessionsOpened, handle;
  char pin[512], keyLabel[512];
  number pinLength, keyLabelLength;
  int searchCode; /* whether the last search failed */
  number searchCount;
};
