import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createDecipheriv, createPrivateKey, createPublicKey, randomBytes, verify } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { createGatewayKey, openSigner } from "./gateway-keys.ts";
import { readKeyEncryptionKey, createWrappingKeys } from "./wrapping-keys.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-keys-"));
after(() => rm(folder, { recursive: true }));
const keyEncryptionKey = randomBytes(32);
const wrappingKeys = createWrappingKeys(keyEncryptionKey);
const [first, second] = await Promise.all([
  createGatewayKey(1, wrappingKeys, "sandbox"),
  createGatewayKey(2, wrappingKeys, "sandbox"),
]);
const text = Buffer.from("POST /a\nA.1.{}");

test("a response is signed with SHA-256 and RSA-2048, and verifies with the public half", async () => {
  const signer = await openSigner(async () => [first, second], wrappingKeys, "sandbox");
  assert.equal(signer.newestVersion(), 2);
  for (const { version, publicKey } of [first, second]) {
    const key = createPublicKey({ key: publicKey, format: "der", type: "spki" });
    assert.deepEqual(key.asymmetricKeyDetails, { modulusLength: 2048, publicExponent: 65_537n });
    assert.ok(verify("sha256", text, key, await signer.signText(version, text)));
  }
});

test("for providers each version also has an Ed25519 pair", async () => {
  const signer = await openSigner(async () => [first, second], wrappingKeys, "sandbox");
  for (const { version, ed25519 } of [first, second]) {
    assert.ok(ed25519);
    const key = createPublicKey({ key: ed25519.publicKey, format: "der", type: "spki" });
    assert.equal(key.asymmetricKeyType, "ed25519");
    assert.ok(verify(null, text, key, await signer.signText(version, text, "Ed25519")));
  }
});

test("a version without an Ed25519 pair signs with RSA, and says how to get a pair", async () => {
  const { ed25519: _, ...old } = first;
  const signer = await openSigner(async () => [old], wrappingKeys, "sandbox");
  await signer.signText(1, text);
  await assert.rejects(signer.signText(1, text, "Ed25519"), {
    message: "Gateway key 1 has no pair of Ed25519; `gateway-key add` makes a version that has one.",
  });
});

test("a version that was added after startup is loaded when it is first needed, and becomes the newest", async () => {
  const stored = [first];
  const signer = await openSigner(async () => stored, wrappingKeys, "sandbox");
  assert.equal(signer.newestVersion(), 1);
  await assert.rejects(signer.signText(2, text), /There is no gateway key of version 2/);
  stored.push(second);
  await signer.signText(2, text);
  assert.equal(signer.newestVersion(), 2);
});

test("a gateway without any key does not start", async () => {
  await assert.rejects(
    openSigner(async () => [], wrappingKeys, "sandbox"),
    /[rR]un `gateway-key add` first/,
  );
});

const [ed25519, otherEd25519] = [first.ed25519, second.ed25519];
assert.ok(ed25519 && otherEd25519);
const tampered = Buffer.from(first.wrappedPrivateKey);
tampered[100] = (tampered[100] ?? 0) ^ 1;

for (const [what, row, key, environment] of [
  ["with another key file", first, createWrappingKeys(randomBytes(32)), "sandbox"],
  ["in another environment", first, wrappingKeys, "live"],
  ["under another version", { ...first, version: 2 }, wrappingKeys, "sandbox"],
  ["when a bit of it was changed", { ...first, wrappedPrivateKey: tampered }, wrappingKeys, "sandbox"],
  ["of RSA in the place of Ed25519", { ...first, ed25519: first }, wrappingKeys, "sandbox"],
  ["of Ed25519 in the place of RSA", { ...first, ...ed25519 }, wrappingKeys, "sandbox"],
  ["of another version's Ed25519", { ...first, ed25519: otherEd25519 }, wrappingKeys, "sandbox"],
  ["when it was cut off", { ...first, wrappedPrivateKey: tampered.subarray(0, 20) }, wrappingKeys, "sandbox"],
] as const) {
  test(`a wrapped key cannot be decrypted with ${what}, and the error names the version`, async () => {
    const opening = openSigner(async () => [row], key, environment);
    await assert.rejects(opening, {
      message:
        `Gateway key ${row.version} of ${environment} does not open: ` +
        "the key file is not the one with which it was wrapped, or the row was changed.",
    });
  });
}

test("every wrapped key has its own nonce", () => {
  const pairs = [first, second, ed25519, otherEd25519];
  const nonces = pairs.map(({ wrappedPrivateKey }) => wrappedPrivateKey.subarray(8, 20).toString("hex"));
  assert.equal(new Set(nonces).size, pairs.length);
});

async function keyFile(content: string, mode: number): Promise<string> {
  const file = join(folder, randomBytes(6).toString("hex"));
  await writeFile(file, content);
  await chmod(file, mode);
  return file;
}

for (const mode of [0o400, 0o600, 0o440, 0o640, 0o500, 0o550]) {
  test(`a key file with mode ${mode.toString(8)} is read, with or without a line end`, async () => {
    const base64 = keyEncryptionKey.toString("base64");
    assert.deepEqual(await readKeyEncryptionKey(await keyFile(base64, mode)), keyEncryptionKey);
    assert.deepEqual(await readKeyEncryptionKey(await keyFile(`${base64}\n`, mode)), keyEncryptionKey);
  });
}

for (const mode of [0o404, 0o444, 0o644, 0o602, 0o401, 0o660, 0o460, 0o420, 0o777]) {
  test(`a key file with mode ${mode.toString(8)} is rejected, because others can read or change it`, async () => {
    const file = await keyFile(keyEncryptionKey.toString("base64"), mode);
    const message = `${file} has mode 0${mode.toString(8)}, so others can read or change it. Set it to 0400, or to 0440 for a group of its own.`;
    await assert.rejects(readKeyEncryptionKey(file), { message });
  });
}

test("for a key file behind the links of a Kubernetes Secret the mode of the file counts, not of the link", async () => {
  const base64 = keyEncryptionKey.toString("base64");
  for (const [mode, isRead] of [
    [0o440, true],
    [0o444, false],
  ] as const) {
    const mount = await mkdtemp(join(folder, "secret-"));
    await mkdir(join(mount, "..2026_11_15"));
    await symlink("..2026_11_15", join(mount, "..data"));
    await symlink("..data/key", join(mount, "key"));
    await writeFile(join(mount, "..data", "key"), base64, { mode });
    await chmod(join(mount, "..data", "key"), mode);
    const read = readKeyEncryptionKey(join(mount, "key"));
    if (isRead) assert.deepEqual(await read, keyEncryptionKey);
    else await assert.rejects(read, /has mode 0444/);
  }
});

test("a key file without a key of 32 bytes is rejected", async () => {
  for (const [content, bytes] of [
    ["", 0],
    [randomBytes(31).toString("base64"), 31],
    [randomBytes(33).toString("base64"), 33],
  ] as const) {
    const file = await keyFile(content, 0o400);
    const message = `${file} has to hold 32 bytes in base64, and holds ${bytes}.`;
    await assert.rejects(readKeyEncryptionKey(file), { message });
  }
  await assert.rejects(readKeyEncryptionKey(join(folder, "nowhere")), { code: "ENOENT" });
});

test("a copy of the database contains no readable private key", async () => {
  const { database, variables } = await prepareTestGateway("sandbox");
  await newMerchant(database);
  const dump = (await dumpOf(database.superuserUrl)).toLowerCase();
  const wrapping = await readKeyEncryptionKey(variables["TOLLGATE_KEY_FILE"] ?? "");
  const [row] = await asSuperuser<{
    public_key: Buffer;
    wrapped_private_key: Buffer;
    wrapped_ed25519_private_key: Buffer;
  }>(
    "select public_key, wrapped_private_key, wrapped_ed25519_private_key from gateway_keys",
    [],
    database.superuserUrl,
  );
  assert.ok(row);
  // Control experiment: the public key is in the dump, so the next searches would find a private key.
  assert.ok(dump.includes(row.public_key.toString("hex")));

  const privateKey = opened(row.wrapped_private_key, wrapping, "");
  const edwardsKey = opened(row.wrapped_ed25519_private_key, wrapping, " Ed25519");
  const edwards = createPrivateKey({ key: edwardsKey, format: "der", type: "pkcs8" }).export({
    format: "jwk",
  });
  const {
    d = "",
    p = "",
    q = "",
    dp = "",
    dq = "",
    qi = "",
  } = createPrivateKey({
    key: privateKey,
    format: "der",
    type: "pkcs8",
  }).export({ format: "jwk" });
  const parts = [d, p, q, dp, dq, qi, edwards.d ?? ""];
  const secrets = [wrapping, ...parts.map((part) => Buffer.from(part, "base64url"))];
  for (const secret of secrets) {
    assert.ok(secret.length >= 32);
    // A quarter of the private key, which the test searches as hexadecimal digits and as base64 with each alignment.
    const quarter = secret.subarray(8, 8 + secret.length / 4);
    const base64 = [0, 1, 2].map((start) => quarter.subarray(start).toString("base64").slice(0, -4));
    for (const spelling of [quarter.toString("hex"), ...base64])
      assert.ok(!dump.includes(spelling.toLowerCase()));
  }
  assert.ok(!dump.includes("private key"));
});

async function dumpOf(url: string): Promise<string> {
  const [row] = await asSuperuser<{ setting: string }>("select setting from pg_config where name = 'BINDIR'");
  const file = join(folder, "dump.sql");
  await promisify(execFile)(join(row?.setting ?? "", "pg_dump"), ["--dbname", url, "--file", file]);
  return readFile(file, "utf8");
}

/**
 * Decrypts a wrapped key. Its format: 8 bytes of the wrapping key's id, 12 of nonce, 16 of tag, then AES-256-GCM bound
 * to environment, version and algorithm.
 */
function opened(wrapped: Buffer, key: Buffer, kind: "" | " Ed25519"): Buffer {
  const decryption = createDecipheriv("aes-256-gcm", key, wrapped.subarray(8, 20));
  decryption
    .setAAD(Buffer.from(`tollgate gateway key sandbox 1${kind}`))
    .setAuthTag(wrapped.subarray(20, 36));
  return Buffer.concat([decryption.update(wrapped.subarray(36)), decryption.final()]);
}
