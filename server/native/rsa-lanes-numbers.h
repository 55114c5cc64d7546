/*
 * Multiplication modulo a prime for `rsa-lanes.c`, eight at a time: numbers are vectors of 52-bit digits, least
 * significant first, a lane each: number[digit][lane]. By IFMA where the processor has it, and otherwise by doubles.
 *
 * Constant time: no branch and no address depends on a number. Doubles are whole numbers here, zero or far from the
 * smallest ones (denormals), which are all that processors take longer for.
 */
#include <immintrin.h>
#include <stdint.h>

#define TARGET __attribute__((target("avx512f,avx512dq")))
#define EACH(I, COUNT) _Pragma("GCC unroll 40") for (int I = 0; I < (COUNT); I++)
#define FEW _Pragma("GCC unroll 4") /* so that sums stay where they are, and all of it stays in the cache */
#define INLINE static inline __attribute__((always_inline)) TARGET

enum {
  half = 20, /* digits of a prime: 1,040 bits, so that a few times the prime fits */
  whole = 40 /* digits of a product */
};

static const uint64_t digitMask = (UINT64_C(1) << 52) - 1;

/* The primes of a batch, one in each lane, and room to multiply in; R is 2^1040. Secret: it is wiped with its batch. */
struct primes {
  __m512i modulus[half], negativeInverse; /* -1/p mod 2^52 */
  __m512d modulusDoubles[half], factors[half];
  __m512i columns[whole];
};

/* Set once, when Node loads the file. */
static int hasIfma;

/* The digits of a sum, below 2^52 each: what is above or below is carried to the next. The last carry is negative where the sum is. */
INLINE __m512i carryTo(__m512i *result, const __m512i *sum) {
  const __m512i mask = _mm512_set1_epi64((long long)digitMask);
  __m512i carry = _mm512_setzero_si512();
  EACH(j, half) {
    const __m512i digit = _mm512_add_epi64(sum[j], carry);
    carry = _mm512_srai_epi64(digit, 52);
    result[j] = _mm512_and_si512(digit, mask);
  }
  return carry;
}

static __attribute__((noinline, target("avx512f,avx512dq,avx512ifma"))) void multiplyByIfma(
    const struct primes *primes, __m512i *result, const __m512i *a, const __m512i *b) {
  const __m512i zero = _mm512_setzero_si512();
  __m512i sum[half];
  EACH(j, half) sum[j] = zero;
  for (int i = 0; i < half; i++) {
    const __m512i factor = b[i];
    EACH(j, half) sum[j] = _mm512_madd52lo_epu64(sum[j], factor, a[j]);
    const __m512i times = _mm512_madd52lo_epu64(zero, sum[0], primes->negativeInverse);
    EACH(j, half) sum[j] = _mm512_madd52lo_epu64(sum[j], times, primes->modulus[j]);
    const __m512i carry = _mm512_srli_epi64(sum[0], 52);
    EACH(j, half - 1) sum[j] = sum[j + 1];
    sum[half - 1] = zero;
    sum[0] = _mm512_add_epi64(sum[0], carry);
    EACH(j, half) sum[j] = _mm512_madd52hi_epu64(sum[j], factor, a[j]);
    EACH(j, half) sum[j] = _mm512_madd52hi_epu64(sum[j], times, primes->modulus[j]);
  }
  carryTo(result, sum);
}

/*
 * By doubles: a·b + 2^104, rounded towards zero, has the upper 52 bits of the product as its own lowest bits; with
 * these taken off, a·b + 2^52 has the lower ones. So both are added as whole numbers, and what the exponents of the
 * doubles amount to is taken off each column beforehand, `withoutExponents`. (Emmart, Zheng and Weems, for GPUs.)
 */
static const double lowest = 0x1p52, highest = 0x1p104;

/* Column n has as many lower halves as there are i and j, each below 20, with i + j = n; upper ones, with i + j + 1 = n. */
INLINE __m512i withoutExponents(int n) {
  const uint64_t low = UINT64_C(1023 + 52), high = UINT64_C(1023 + 104);
  const int lows = n < half ? n + 1 : whole - 1 - n, highs = n < half ? n : whole - n;
  const uint64_t exponents = low * (uint64_t)lows + high * (uint64_t)highs;
  /* Twice: of a·b, and of the multiple of the modulus. */
  return _mm512_set1_epi64((long long)(-2 * exponents << 52));
}

INLINE __m512d toDouble(__m512i digit) {
  const __m512d exponent = _mm512_set1_pd(lowest);
  return _mm512_sub_pd(_mm512_castsi512_pd(_mm512_or_si512(digit, _mm512_castpd_si512(exponent))), exponent);
}

INLINE void addProduct(__m512i *low, __m512i *high, __m512d a, __m512d b) {
  enum { cut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC };
  const __m512d upper = _mm512_fmadd_round_pd(a, b, _mm512_set1_pd(highest), cut);
  const __m512d rest = _mm512_sub_pd(_mm512_set1_pd(highest + lowest), upper);
  const __m512d lower = _mm512_fmadd_round_pd(a, b, rest, cut);
  *low = _mm512_add_epi64(*low, _mm512_castpd_si512(lower));
  *high = _mm512_add_epi64(*high, _mm512_castpd_si512(upper));
}

/* What the modulus is to be multiplied by so that the lowest digit of the sum becomes zero. */
INLINE __m512d timesOf(const struct primes *primes, __m512i lowestDigit) {
  const __m512i times = _mm512_mullo_epi64(lowestDigit, primes->negativeInverse);
  return toDouble(_mm512_and_si512(times, _mm512_set1_epi64((long long)digitMask)));
}

/* The sums of the products of digits by their place in the result, 52 bits apart, with the exponents of the doubles in them. */
INLINE void multiplyColumns(struct primes *primes, const __m512i *a, const __m512i *b) {
  __m512i sum[half + 1];
  EACH(j, half) primes->factors[j] = toDouble(a[j]);
  EACH(j, half + 1) sum[j] = _mm512_setzero_si512();
  FEW for (int i = 0; i < half; i++) {
    const __m512d factor = toDouble(b[i]);
    EACH(j, half) addProduct(&sum[j], &sum[j + 1], primes->factors[j], factor);
    primes->columns[i] = sum[0];
    EACH(j, half) sum[j] = sum[j + 1];
    sum[half] = _mm512_setzero_si512();
  }
  EACH(j, half) primes->columns[half + j] = sum[j];
}

/* The same of a square, where most products come twice: they are computed once, and doubled. */
INLINE void squareColumns(struct primes *primes, const __m512i *a) {
  __m512i low = _mm512_setzero_si512(), high = low;
  EACH(j, half) primes->factors[j] = toDouble(a[j]);
  EACH(n, whole) {
    _Pragma("GCC unroll 10") for (int i = n < half ? 0 : n - half + 1; i < n - i; i++)
      addProduct(&low, &high, primes->factors[i], primes->factors[n - i]);
    low = _mm512_slli_epi64(low, 1);
    if (n % 2 == 0) {
      __m512i upper = _mm512_setzero_si512();
      addProduct(&low, &upper, primes->factors[n / 2], primes->factors[n / 2]);
      primes->columns[n + 1] = upper;
    } else low = _mm512_add_epi64(low, primes->columns[n]);
    primes->columns[n] = low;
    low = high;
    high = _mm512_setzero_si512();
  }
}

/*
 * Divides the columns by R modulo the prime, a digit at a time. How often the modulus is to be added for the next digit takes long
 * to compute, so that is begun as soon as it can be, and the rest of this digit hides it.
 */
INLINE void divideColumns(struct primes *primes, __m512i *result) {
  __m512i sum[half + 1];
  EACH(j, half + 1) sum[j] = _mm512_add_epi64(primes->columns[j], withoutExponents(j));
  __m512d times = timesOf(primes, sum[0]);
  FEW for (int i = 0; i < half; i++) {
    addProduct(&sum[0], &sum[1], primes->modulusDoubles[0], times);
    addProduct(&sum[1], &sum[2], primes->modulusDoubles[1], times);
    sum[1] = _mm512_add_epi64(sum[1], _mm512_srli_epi64(sum[0], 52));
    const __m512d next = timesOf(primes, sum[1]);
    EACH(j, half - 2) addProduct(&sum[j + 2], &sum[j + 3], primes->modulusDoubles[j + 2], times);
    EACH(j, half) sum[j] = sum[j + 1];
    if (i < half - 1) sum[half] = _mm512_add_epi64(primes->columns[half + 1 + i], withoutExponents(half + 1 + i));
    times = next;
  }
  carryTo(result, sum);
}

static TARGET __attribute__((noinline)) void multiplyByDoubles(struct primes *primes, __m512i *result, const __m512i *a,
                                                              const __m512i *b) {
  multiplyColumns(primes, a, b);
  divideColumns(primes, result);
}

static TARGET __attribute__((noinline)) void squareByDoubles(struct primes *primes, __m512i *result, const __m512i *a) {
  squareColumns(primes, a);
  divideColumns(primes, result);
}

/* Almost Montgomery multiplication, a·b/R: below twice the modulus if the factors are below a few times it. */
static inline void multiply(struct primes *primes, __m512i *result, const __m512i *a, const __m512i *b) {
  if (hasIfma) multiplyByIfma(primes, result, a, b);
  else multiplyByDoubles(primes, result, a, b);
}

static inline void square(struct primes *primes, __m512i *result, const __m512i *a) {
  if (hasIfma) multiplyByIfma(primes, result, a, a);
  else squareByDoubles(primes, result, a);
}
