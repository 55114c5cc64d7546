import { hash, type KeyObject } from "node:crypto";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";

/**
 * RSA-2048 by `server/native/rsa-lanes.c`, up to four signatures at a time: see decision 0074. Optional: an operator
 * who wants it builds it and names the file; everybody else signs with OpenSSL alone.
 */
export interface RsaLanes {
  sign(key: LaneKey, text: Uint8Array): Promise<Buffer>;
}

export interface LaneKey {
  readonly numbers: LaidOutKey;
  /** How OpenSSL signs with it. */
  readonly signAlone: (text: Uint8Array) => Promise<Buffer>;
}

/** The numbers of a key as the native code reads them. As secret as the key. */
export type LaidOutKey = Buffer;

interface Native {
  /** Whether the processor has the instructions (AVX-512). */
  readonly isAble: boolean;
  sign(keys: readonly LaidOutKey[], digests: Buffer): Promise<Buffer>;
}

interface Waiting {
  readonly key: LaneKey;
  readonly text: Uint8Array;
  readonly tell: (signature: Buffer) => void;
  readonly fail: (cause: unknown) => void;
}

const together = 4;
const signatureBytes = 256;
/** A batch costs the same with two signatures in it as with four, so a crowd waits this long for more of its kind. */
const gatherMs = 1;
const cores = availableParallelism();

export function openRsaLanes(file: string): RsaLanes {
  const native = createRequire(import.meta.url)(file) as Native;
  if (!native.isAble)
    throw new Error("This processor has no AVX-512: unset TOLLGATE_RSA_LANES, and OpenSSL signs alone.");
  let waiting: Waiting[] = [];
  let askedAt = -Infinity;
  let underway = 0;
  let isDue = false;

  function go(): void {
    underway += 1;
    void signBatch(native, waiting).finally(() => {
      underway -= 1;
      if (isDue) go();
    });
    waiting = [];
    isDue = false;
  }

  /**
   * The first after a pause waits only for those of the same turn: what was committed together is answered together. While
   * every core signs, nobody would begin any sooner, and the batch fills.
   */
  function goSoon(isLone: boolean): void {
    const batch = waiting;
    const goUnlessGone = (): void => {
      if (batch !== waiting) return;
      if (underway < cores) go();
      else isDue = true;
    };
    if (isLone) setImmediate(goUnlessGone);
    else setTimeout(goUnlessGone, gatherMs);
  }

  return {
    sign: (key, text) =>
      new Promise((tell, fail) => {
        const isLone = performance.now() - askedAt > 2 * gatherMs;
        askedAt = performance.now();
        waiting.push({ key, text, tell, fail });
        if (waiting.length === together) go();
        else if (waiting.length === 1) goSoon(isLone);
      }),
  };
}

async function signBatch(native: Native, batch: readonly Waiting[]): Promise<void> {
  try {
    const signatures = await signaturesOf(native, batch);
    for (const [index, { tell }] of batch.entries())
      tell(signatures.subarray(index * signatureBytes, (index + 1) * signatureBytes));
  } catch (cause) {
    for (const { fail } of batch) fail(cause);
  }
}

async function signaturesOf(native: Native, batch: readonly Waiting[]): Promise<Buffer> {
  const [first, second] = batch;
  // OpenSSL takes less for one than a batch does.
  if (first && !second) return first.key.signAlone(first.text);
  return native.sign(
    batch.map(({ key }) => key.numbers),
    Buffer.concat(batch.map(({ text }) => hash("sha256", text, "buffer"))),
  );
}

const digitBits = 52n;
const digitMask = (1n << digitBits) - 1n;
const digitsOfHalf = 20;
/** Montgomery's R: one digit beyond 1,024 bits leaves room for a few times a prime. */
const r = 1n << (digitBits * BigInt(digitsOfHalf));

/** None for a key that the lanes are not made for: another size, or another public exponent. */
export function layOut(key: KeyObject): LaidOutKey | undefined {
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== 2048 || publicExponent !== 65_537n) return undefined;
  const jwk = key.export({ format: "jwk" });
  const [p, q, dp, dq, qi] = [jwk.p, jwk.q, jwk.dp, jwk.dq, jwk.qi].map(numberIn);
  if (!p || !q || !dp || !dq || !qi)
    throw new Error("A private key of RSA has five numbers besides its modulus.");
  const numbers = [...primeOf(p, dp), ...primeOf(q, dq), ...digitsOf((qi * r) % p)];
  return Buffer.from(BigUint64Array.from(numbers).buffer);
}

function primeOf(prime: bigint, exponent: bigint): bigint[] {
  return [...digitsOf(prime), ...digitsOf((r * r) % prime), ...digitsOf(exponent), negativeInverse(prime)];
}

/** -1/prime modulo 2^52, by Newton: each step doubles the bits that are right. */
function negativeInverse(prime: bigint): bigint {
  let inverse = prime;
  for (let bits = 3n; bits < digitBits; bits *= 2n) inverse = (inverse * (2n - prime * inverse)) & digitMask;
  return -inverse & digitMask;
}

function digitsOf(number: bigint): bigint[] {
  return Array.from({ length: digitsOfHalf }, (_, at) => (number >> (digitBits * BigInt(at))) & digitMask);
}

function numberIn(base64url: string | undefined): bigint | undefined {
  return base64url === undefined
    ? undefined
    : BigInt(`0x${Buffer.from(base64url, "base64url").toString("hex")}`);
}
