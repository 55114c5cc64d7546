import assert from "node:assert/strict";
import { sign, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { newKeyPair, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { addGatewayKey } from "./gateway-key.ts";
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

test("a merchant gets an id, a bucket, its key, and the gateway's newest key to verify with", async () => {
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

test("a merchant stays with the gateway key that it knows when the gateway gets another", async () => {
  const early = await addMerchant(operator, "Early", unproven);
  const keyFile = sandbox.variables["TOLLGATE_KEY_FILE"] ?? "";
  assert.equal(await addGatewayKey(ownerUrl, "sandbox", keyFile), 2);
  const late = await addMerchant(operator, "Late", unproven);
  assert.deepEqual([early.gatewayKeyVersion, late.gatewayKeyVersion], [1, 2]);
  assert.notEqual(early.gatewayPublicKey, late.gatewayPublicKey);
});

test("a merchant changes its key: the new one is added, both hold, the old one is revoked once", async () => {
  const { clientId } = await addMerchant(operator, "Changing", unproven);
  const before = await revisionOf(clientId);
  assert.equal(await addMerchantKey(operator, clientId, unproven), 2);
  await revokeMerchantKey(operator, clientId, 1);
  assert.deepEqual(await keysOf(clientId), [
    { version: 1, revoked: true },
    { version: 2, revoked: false },
  ]);
  // Each change raises the revision, or processes would keep serving from their cache.
  assert.ok((await revisionOf(clientId)) >= before + 2n);
  const gone = `${clientId} has no key of version 1 that could be revoked.`;
  await assert.rejects(revokeMerchantKey(operator, clientId, 1), { message: gone });
  // The version of a revoked key is not reused.
  assert.equal(await addMerchantKey(operator, clientId, unproven), 3);
});

test("who does not exist can neither get a key nor lose one", async () => {
  const nobody = "SANDBOX_NOBODY";
  await assert.rejects(addMerchantKey(operator, nobody, unproven), {
    message: "There is no client SANDBOX_NOBODY.",
  });
  await assert.rejects(revokeMerchantKey(operator, nobody, 1), /SANDBOX_NOBODY has no key of version 1/);
  assert.deepEqual(await keysOf(nobody), []);
});

test("a key that breaks the rules is refused with the file's name and a sentence, and no merchant is made", async () => {
  const file = await fileOf("hello");
  const files = { publicKeyFile: file, proofFile: undefined };
  const message = `${file}: This is not a public key in SubjectPublicKeyInfo form.`;
  await assert.rejects(addMerchant(operator, "Nobody's", files), { message });
  assert.deepEqual(await asSuperuser("select from clients where name = 'Nobody''s'", [], superuserUrl), []);
});

test("a proof is looked at wherever it is given, and demanded in live", async () => {
  const { privateKey: stranger } = await newKeyPair("stranger");
  const live = { ...operator, environment: "live" } as const;
  const good = await proofOf("I hold the private key. Coffee Lab");
  for (const proofFile of [
    await proofOf("I hold the private key. Coffee Lap"),
    await proofOf("I hold the private key. Coffee Lab", stranger),
    await fileOf(""),
  ]) {
    const files = { publicKeyFile, proofFile };
    await assert.rejects(addMerchant(operator, "Coffee Lab", files), /does not prove it\. printf %s 'I hold/);
    await assert.rejects(addMerchant(live, "Coffee Lab", files), /does not prove it/);
  }
  await assert.rejects(
    addMerchant(live, "Coffee Lab", unproven),
    /^Error: In live, show that the merchant holds/,
  );
  await addMerchant(operator, "Coffee Lab", { publicKeyFile, proofFile: good });
  // With the proof it reaches the database, which is of another environment.
  await assert.rejects(addMerchant(live, "Coffee Lab", { publicKeyFile, proofFile: good }), {
    message: "The database is sandbox, and you said live.",
  });
});

test("without a gateway key there is nothing to give to a merchant", async () => {
  const { ownerUrl: url } = await newTestDatabase("sandbox");
  await assert.rejects(addMerchant({ ...operator, url }, "Early bird", unproven), {
    message: "There is no gateway key yet: run `gateway-key add` first.",
  });
});

test("a database that was never migrated is named as such", async () => {
  const empty = new URL(ownerUrl);
  empty.pathname = "/template1";
  await assert.rejects(addMerchant({ ...operator, url: empty.href }, "Early bird", unproven), {
    message: "The database has not been migrated: run `migrate` first.",
  });
});
