import assert from "node:assert/strict";
import { sign, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bucketOf } from "../../core/bucket.ts";
import { asSuperuser, newTestDatabase } from "../../../test/start/test-database.ts";
import { newKeyPair, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { addGatewayKey } from "../providers/manage-gateway-keys.ts";
import { addMerchant, addMerchantKey, revokeMerchantKey } from "./merchant.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-merchants-"));
after(() => rm(folder, { recursive: true, force: true }));
const sandbox = await prepareTestGateway("sandbox");
const { superuserUrl, ownerUrl } = sandbox.database;
const operator = { url: ownerUrl, environment: "sandbox" } as const;
const { privateKey, publicKeyFile } = await newKeyPair("merchant");
const unproven = { publicKeyFile, proofFile: undefined };

async function fileOf(content: string | Buffer): Promise<string> {
  const file = join(folder, String(Math.random()));
  await writeFile(file, content);
  return file;
}

function proofOf(text: string, key: KeyObject = privateKey): Promise<string> {
  return fileOf(sign("sha256", Buffer.from(text), key));
}

async function keysOf(clientId: string): Promise<readonly object[]> {
  return asSuperuser(
    "select version, revoked_at is not null as revoked from client_keys where client_id = $1 order by version",
    [clientId],
    superuserUrl,
  );
}

async function revisionOf(clientId: string): Promise<bigint> {
  const [row] = await asSuperuser<{ revision: string }>(
    "select revision from clients where client_id = $1",
    [clientId],
    superuserUrl,
  );
  return BigInt(row?.revision ?? 0);
}

test("a new merchant gets an id, a bucket, its key and the gateway's newest public key", async () => {
  const { clientId, ...added } = await addMerchant(operator, "Coffee Lab", unproven);
  assert.partialDeepStrictEqual(added, { keyVersion: 1, gatewayKeyVersion: 1 });
  const rows = await asSuperuser(
    "select bucket, name, status, gateway_key_version from clients where client_id = $1",
    [clientId],
    superuserUrl,
  );
  const expected = {
    bucket: bucketOf(clientId),
    name: "Coffee Lab",
    status: "ACTIVE",
    gateway_key_version: 1,
  };
  assert.deepEqual(rows, [expected]);
});

test("a merchant stays pinned to its gateway key when a new gateway key is added", async () => {
  const early = await addMerchant(operator, "Early", unproven);
  const keyFile = sandbox.variables["TOLLGATE_KEY_FILE"] ?? "";
  assert.equal(await addGatewayKey(ownerUrl, "sandbox", keyFile), 2);
  const late = await addMerchant(operator, "Late", unproven);
  assert.deepEqual([early.gatewayKeyVersion, late.gatewayKeyVersion], [1, 2]);
  assert.notEqual(early.gatewayPublicKey, late.gatewayPublicKey);
});

test("key rotation: the new key is added, both are valid, then the old key is revoked once", async () => {
  const { clientId } = await addMerchant(operator, "Changing", unproven);
  const before = await revisionOf(clientId);
  assert.equal(await addMerchantKey(operator, clientId, unproven), 2);
  await revokeMerchantKey(operator, clientId, 1);
  assert.deepEqual(await keysOf(clientId), [
    { version: 1, revoked: true },
    { version: 2, revoked: false },
  ]);
  // Each change increases the client's revision; otherwise processes would serve from a stale cache.
  assert.ok((await revisionOf(clientId)) >= before + 2n);
  const message = `${clientId} has no active key of version 1.`;
  await assert.rejects(revokeMerchantKey(operator, clientId, 1), { message });
  // The version of a revoked key is not reused.
  assert.equal(await addMerchantKey(operator, clientId, unproven), 3);
});

test("adding or revoking a key of an unknown client fails", async () => {
  const unknownClientId = "SANDBOX_NOBODY";
  await assert.rejects(addMerchantKey(operator, unknownClientId, unproven), {
    message: "There is no client SANDBOX_NOBODY.",
  });
  await assert.rejects(
    revokeMerchantKey(operator, unknownClientId, 1),
    /SANDBOX_NOBODY has no active key of version 1/,
  );
  assert.deepEqual(await keysOf(unknownClientId), []);
});

test("an invalid key is rejected with the file's name and the reason, and no merchant is created", async () => {
  const file = await fileOf("hello");
  const files = { publicKeyFile: file, proofFile: undefined };
  const message = `${file}: This is not a public key in SubjectPublicKeyInfo form.`;
  await assert.rejects(addMerchant(operator, "Nobody's", files), { message });
  assert.deepEqual(await asSuperuser("select from clients where name = 'Nobody''s'", [], superuserUrl), []);
});

test("a proof of possession is verified if given, and required in live", async () => {
  const { privateKey: otherKey } = await newKeyPair("otherKey");
  const live = { ...operator, environment: "live" } as const;
  const good = await proofOf("I hold the private key. Coffee Lab");
  for (const proofFile of [
    await proofOf("I hold the private key. Coffee Lap"),
    await proofOf("I hold the private key. Coffee Lab", otherKey),
    await fileOf(""),
  ]) {
    const files = { publicKeyFile, proofFile };
    await assert.rejects(
      addMerchant(operator, "Coffee Lab", files),
      /is not a valid proof of possession\. Run printf %s 'I hold/,
    );
    await assert.rejects(addMerchant(live, "Coffee Lab", files), /is not a valid proof of possession/);
  }
  await assert.rejects(
    addMerchant(live, "Coffee Lab", unproven),
    /^Error: Live requires a proof that the merchant holds/,
  );
  await addMerchant(operator, "Coffee Lab", { publicKeyFile, proofFile: good });
  // The command with a valid proof reaches the database, which belongs to another environment.
  await assert.rejects(addMerchant(live, "Coffee Lab", { publicKeyFile, proofFile: good }), {
    message:
      "The database is for sandbox, not for live. Check TOLLGATE_OWNER_DATABASE_URL and --environment.",
  });
});

test("a merchant cannot be added before the first gateway key", async () => {
  const { ownerUrl: url } = await newTestDatabase("sandbox");
  await assert.rejects(addMerchant({ ...operator, url }, "Early bird", unproven), {
    message: "There is no gateway key yet. Run `gateway-key add` first.",
  });
});

test("a database without migrations is reported", async () => {
  const empty = new URL(ownerUrl);
  empty.pathname = "/template1";
  await assert.rejects(addMerchant({ ...operator, url: empty.href }, "Early bird", unproven), {
    message: "The database has no tables yet. Run `tollgate migrate` first.",
  });
});
