import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync, hash, sign, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { layOut, openRsaLanes, type LaidOutKey, type LaneKey } from "./rsa-lanes.ts";

const hasInstructions = /\bavx512dq\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
const skip = hasInstructions ? false : "this processor has no AVX-512";

const folder = await mkdtemp(join(tmpdir(), "tollgate-lanes-"));
after(() => rm(folder, { recursive: true }));
const file = join(folder, "rsa-lanes.node");
const builder = fileURLToPath(new URL("../../../scripts/build-native.ts", import.meta.url));
await promisify(execFile)(process.execPath, [builder, "rsa-lanes", file]);

const loadNative = (): { sign(keys: unknown, digests: unknown): Promise<Buffer> } =>
  createRequire(import.meta.url)(file);
const newKey = (modulusLength = 2048): KeyObject => generateKeyPairSync("rsa", { modulusLength }).privateKey;
const laidOut = (key: KeyObject): LaidOutKey => {
  const laid = layOut(key);
  assert.ok(laid);
  return laid;
};

const signs =
  (key: KeyObject): LaneKey["signAlone"] =>
  async (text) =>
    sign("sha256", text, key);

test(
  "what is signed together is what OpenSSL signs alone: any number at once, any mixture of keys",
  { skip },
  async () => {
    const lanes = openRsaLanes(file);
    const keys = Array.from({ length: 25 }, () => newKey());
    const laid = keys.map((key) => ({ numbers: laidOut(key), signAlone: signs(key) }));
    for (const crowd of [1, 2, 3, 4, 5, 8, 61, 400]) {
      await Promise.all(
        Array.from({ length: crowd }, async (_, index) => {
          const at = (index * 7 + crowd) % keys.length;
          const [key, laneKey] = [keys[at], laid[at]];
          assert.ok(key && laneKey);
          const text = Buffer.from(`text ${crowd} ${index}`);
          assert.deepEqual(await lanes.sign(laneKey, text), sign("sha256", text, key));
        }),
      );
    }
  },
);

test("a signature that came out wrong does not leave: one bit of a key is enough", { skip }, async () => {
  const native = loadNative();
  const right = laidOut(newKey());
  const digest = hash("sha256", "one", "buffer");
  // In the primes' numbers, the exponents and the inverse of q: whatever a fault may hit.
  for (let at = 0; at < right.length; at += 41) {
    const wrong = Buffer.from(right);
    wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
    if (isTopOfDigit(at)) continue;
    await assert.rejects(native.sign([wrong], digest), /came out wrong/, `byte ${at}`);
  }
  await native.sign([right], digest);
});

test("one that comes alone is left to OpenSSL, those of one turn are signed together", { skip }, async () => {
  const lanes = openRsaLanes(file);
  const key = newKey();
  let alone = 0;
  const laneKey: LaneKey = {
    numbers: laidOut(key),
    async signAlone(text) {
      alone += 1;
      return sign("sha256", text, key);
    },
  };
  const text = Buffer.from("one");
  await lanes.sign(laneKey, text);
  assert.equal(alone, 1);
  await Promise.all([lanes.sign(laneKey, text), lanes.sign(laneKey, text), lanes.sign(laneKey, text)]);
  assert.equal(alone, 1);
});

/** The highest 12 bits of the 64 that hold a digit are not read. */
function isTopOfDigit(at: number): boolean {
  return at % 8 > 5;
}

test("a key of another size is left to OpenSSL", () => {
  assert.equal(layOut(newKey(3072)), undefined);
});

test("the native code refuses what it was not made for", { skip }, () => {
  const native = loadNative();
  const key = laidOut(newKey());
  const digest = hash("sha256", "x", "buffer");
  const five = Array.from({ length: 5 }, () => key);
  for (const [keys, digests] of [
    [[], Buffer.alloc(0)],
    [five, Buffer.alloc(160)],
    [[key], Buffer.alloc(31)],
    [[key.subarray(8)], digest],
    [["key"], digest],
    ["keys", digest],
    [[key], "digest"],
  ])
    assert.throws(() => native.sign(keys, digests), TypeError);
});
